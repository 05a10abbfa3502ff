package broker

import (
	"net"
	"testing"
)

func TestHostsAreWrittenAsJavaWritesThem(t *testing.T) { // G-009
	for addr, want := range map[string]string{
		"10.0.0.1:9092":              "/10.0.0.1",
		"[::1]:9092":                 "/0:0:0:0:0:0:0:1",
		"[2001:db8::ff00:42:8329]:1": "/2001:db8:0:0:0:ff00:42:8329",
		"[::ffff:10.0.0.1]:9092":     "/10.0.0.1",
		"[fe80::1%eth0]:9092":        "/fe80:0:0:0:0:0:0:1%eth0",
		"a name that is no address":  "/a name that is no address",
	} {
		if got := javaHost(text(addr)); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}

// text is an address that is nothing but its text.
type text string

var _ net.Addr = text("")

func (t text) Network() string { return "tcp" }
func (t text) String() string  { return string(t) }

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "axc", 1}, {"abc", "ac", 1}, {"ac", "abc", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%q to %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
