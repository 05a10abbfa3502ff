package protocol

import (
	"bytes"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestRequestsComeBackFromTheirFrames: what kmsg's formatter writes is read back, in every version of every API.
func TestRequestsComeBackFromTheirFrames(t *testing.T) {
	named := kmsg.NewRequestFormatter(kmsg.FormatterClientID("orders"))
	nameless := kmsg.NewRequestFormatter()
	eachVersion(t, func(t *testing.T, req kmsg.Request) {
		for client, formatter := range map[string]*kmsg.RequestFormatter{"orders": named, "": nameless} {
			stream := bytes.NewReader(formatter.AppendRequest(nil, req, 77))
			frame, err := ReadFrame(stream, MaxFrame)
			if err != nil {
				t.Fatal(err)
			}
			header, body, err := ReadRequestHeader(frame)
			want := RequestHeader{Key: req.Key(), Version: req.GetVersion(), CorrelationID: 77, ClientID: client}
			if err != nil || header != want {
				t.Fatalf("header %+v, %v, want %+v", header, err, want)
			}
			if !bytes.Equal(body, req.AppendTo(nil)) {
				t.Fatalf("body %x, want %x", body, req.AppendTo(nil))
			}
		}
	})
}

func TestResponsesComeBackFromTheirFrames(t *testing.T) {
	eachVersion(t, func(t *testing.T, req kmsg.Request) {
		written := req.ResponseKind()
		if throttle, ok := written.(kmsg.SetThrottleResponse); ok {
			throttle.SetThrottle(5)
		}
		stream := bytes.NewReader(AppendResponse([]byte("before"), 77, written)[len("before"):])
		frame, err := ReadFrame(stream, MaxFrame)
		if err != nil {
			t.Fatal(err)
		}
		read := req.ResponseKind()
		id, err := ReadResponse(frame, read)
		if err != nil || id != 77 || !bytes.Equal(read.AppendTo(nil), written.AppendTo(nil)) {
			t.Fatalf("correlation id %d, %+v, %v, want %+v", id, read, err, written)
		}
		for length := range frame {
			if _, err := ReadResponse(frame[:length], req.ResponseKind()); err == nil {
				t.Fatalf("%x is read without its last %d bytes", frame, len(frame)-length)
			}
		}
	})
}

// TestApiVersionsIsReadableAcrossVersions: a client newer than we are gets through to its answer (KIP-511).
func TestApiVersionsIsReadableAcrossVersions(t *testing.T) {
	const apiVersions = 18
	frame := unhex(t, "0012"+"0063"+"00000007"+"000161"+"00") // version 99, client id "a", no tags
	header, _, err := ReadRequestHeader(frame)
	if err != nil || header.Key != apiVersions || header.Version != 99 || header.ClientID != "a" {
		t.Errorf("header %+v, %v", header, err)
	}
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.Version = 3
	if got := AppendResponse(nil, 7, resp); !bytes.HasPrefix(got[4:], unhex(t, "00000007"+"0000"+"01")) {
		t.Errorf("the response's header has tags: %x", got)
	}
}

func TestHeaderOfAnUnknownAPIIsReadAsFarAsItGoes(t *testing.T) {
	header, body, err := ReadRequestHeader(unhex(t, "270f"+"0003"+"00000007"+"ffff"+"beef"))
	want := RequestHeader{Key: 9999, Version: 3, CorrelationID: 7}
	if err != nil || header != want || len(body) != 2 {
		t.Errorf("header %+v, body %x, %v", header, body, err)
	}
}

func TestMalformedHeadersAreRefused(t *testing.T) {
	cases := []struct{ frame, want string }{
		{"", "header: 8 bytes are needed, but there are 0"},
		{"000b0009000000", "header: 8 bytes are needed, but there are 7"},
		{"000b" + "0009" + "00000007", "header.clientId: 2 bytes are needed, but 0 remain"},
		{"000b" + "0009" + "00000007" + "0005" + "61", "header.clientId: the length is 5, but 1 bytes remain"},
		{"000b" + "0009" + "00000007" + "ffff", "header: malformed variable-length number"},
		{"000b" + "0009" + "00000007" + "ffff" + "01" + "00" + "7f", "header: 127 bytes are needed, but 0 remain"},
	}
	for _, c := range cases {
		_, _, err := ReadRequestHeader(unhex(t, c.frame))
		if !isDecodeError(err) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.frame, err, c.want)
		}
	}
}
