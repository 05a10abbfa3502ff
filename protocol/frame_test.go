package protocol

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestReadFrame(t *testing.T) {
	long := strings.Repeat("x", 3*firstRead+7)
	var b bytes.Buffer
	frames := []string{"one", "", long, "last"}
	for _, f := range frames {
		b.Write([]byte{0, byte(len(f) >> 16), byte(len(f) >> 8), byte(len(f))})
		b.WriteString(f)
	}
	for name, r := range map[string]io.Reader{
		"at once":      bytes.NewReader(b.Bytes()),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(b.Bytes())),
		"with the end": iotest.DataErrReader(bytes.NewReader(b.Bytes())),
	} {
		var got []string
		for {
			frame, err := ReadFrame(r, len(long))
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(frame))
		}
		if !reflect.DeepEqual(got, frames) {
			t.Errorf("%s: %d frames", name, len(got))
		}
	}
}

func TestReadFrameTellsTheEndFromACut(t *testing.T) {
	whole := append([]byte{0, 1, 0, 0}, make([]byte, 1<<16)...)
	for _, length := range []int{1, 3, 4, 5, 1000, len(whole) - 1} {
		if _, err := ReadFrame(bytes.NewReader(whole[:length]), MaxFrame); err != io.ErrUnexpectedEOF {
			t.Errorf("cut to %d bytes: %v", length, err)
		}
	}
	if _, err := ReadFrame(bytes.NewReader(nil), MaxFrame); err != io.EOF {
		t.Errorf("the end: %v", err)
	}
	broken := errors.New("broken")
	if _, err := ReadFrame(io.MultiReader(bytes.NewReader(whole[:100]), iotest.ErrReader(broken)), MaxFrame); err != broken {
		t.Errorf("a broken stream: %v", err)
	}
}

func TestReadFrameRefusesSizes(t *testing.T) {
	for name, start := range map[string]string{"negative": "\xff\xff\xff\xff", "over the limit": "\x00\x00\x04\x01", "HTTP": "GET / HTTP/1.1"} {
		_, err := ReadFrame(strings.NewReader(start), 1024)
		if size, ok := errors.AsType[*FrameSizeError](err); !ok || size.Limit != 1024 || !strings.Contains(err.Error(), "TLS") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadFrameDoesNotAllocateOnTrust: six bytes that announce a hundred megabytes do not get them.
func TestReadFrameDoesNotAllocateOnTrust(t *testing.T) {
	r := &capacityReader{}
	_, err := ReadFrame(io.MultiReader(strings.NewReader("\x06\x40\x00\x00"), r), MaxFrame)
	if err != io.ErrUnexpectedEOF || r.largest > 2*firstRead {
		t.Errorf("%v, after %d bytes were asked for at once", err, r.largest)
	}
}

// A capacityReader is a stream that ends, and remembers the largest buffer that it was asked to fill.
type capacityReader struct{ largest int }

func (r *capacityReader) Read(p []byte) (int, error) {
	r.largest = max(r.largest, len(p))
	return 0, io.EOF
}

// BenchmarkReadFrame is all that a server does with a heartbeat before the coordinator sees it.
func BenchmarkReadFrame(b *testing.B) {
	req := heartbeat()
	wire := kmsg.NewRequestFormatter(kmsg.FormatterClientID("orders")).AppendRequest(nil, req, 1)
	r := bytes.NewReader(wire)
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(wire)
		frame, err := ReadFrame(r, MaxFrame)
		if err != nil {
			b.Fatal(err)
		}
		header, body, err := ReadRequestHeader(frame)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := DecodeRequest(header.Key, header.Version, body); err != nil {
			b.Fatal(err)
		}
	}
}
