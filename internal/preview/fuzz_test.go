package preview_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/joinsync/joinsync/internal/preview"
)

// FuzzRead: what is read can be printed and read again, and is the same; what is not, gets an error of bounded length.
func FuzzRead(f *testing.F) {
	shop, err := os.ReadFile("../../examples/assign/shop.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(shop))
	f.Add(`{"id":1,"in":{"topics":[{"name":"\ud83d\udc0e","parts":2,"racks":[["a"],[null]]}],"members":[{"id":"a","subs":["t",""],"gen":-1}]}}`)
	f.Add(`{"in":{"topics":[null,{"parts":0,"parts":1}],"members":[{"id":"\ud83d","owned":{"t":[null,-1]},"v":9,"userData":"AA=="}]}}`)
	f.Add("{\"topics\":{},\n\"members\":[{\"id\":\"\xff\",\"memb\":1}]}")
	f.Fuzz(func(t *testing.T, data string) {
		read, err := preview.Read("x", []byte(data))
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "x:") || len(text) > 3000 {
				t.Errorf("the error is %.4000q", text)
			}
			return
		}
		printed := read.In.String()
		if !utf8.ValidString(printed) {
			t.Fatalf("it is read as %q", printed)
		}
		again, err := preview.Read("x", []byte(printed))
		if err != nil {
			t.Fatalf("%s: %v", printed, err)
		}
		if second := again.In.String(); second != printed {
			t.Errorf("%s is read as %s", printed, second)
		}
	})
}
