package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A RequestHeader stands before the body in each request. kmsg.RequestFormatter writes requests with theirs.
type RequestHeader struct {
	// Key and Version are the API's, and may be ones that nobody knows.
	Key, Version int16

	// CorrelationID comes back with the response.
	CorrelationID int32

	// ClientID is the client's name for itself; null, which is legal, reads as empty.
	ClientID string
}

// ReadRequestHeader reads the header of a request and returns it with the body behind it. ClientID refers to frame.
//
// The header of an API or a version that this library does not know is read as far as it can be, so that the caller
// can name them; the ApiVersions request of a newer client is among them, and asks for an answer (KIP-511). The error
// is a [*DecodeError].
func ReadRequestHeader(frame []byte) (h RequestHeader, body []byte, err error) {
	r := kbin.Reader{Src: frame}
	h.Key, h.Version, h.CorrelationID = r.Int16(), r.Int16(), r.Int32()
	if !r.Ok() {
		return h, nil, &DecodeError{Key: h.Key, Version: h.Version, Field: "header",
			Reason: fmt.Sprintf("8 bytes are needed, but there are %d", len(frame))}
	}
	s := requestSchema(h.Key)
	flexible := s != nil && h.Version >= s.flexible
	rest, bad := headerSchema.walk(r.Src, 0) // even a flexible header has a client id of the old form
	if bad == nil {
		if id := r.UnsafeNullableString(); id != nil {
			h.ClientID = *id
		}
		w := walker{rest: rest}
		if flexible {
			bad = w.tags()
		}
		body = w.rest
	}
	if bad != nil {
		return h, nil, &DecodeError{Key: h.Key, Version: h.Version, Field: bad.within("header").path, Reason: bad.reason}
	}
	return h, body, nil
}

var headerSchema = schema{flexible: never, fields: []field{str("clientId").orNull(0)}}

// AppendResponse appends a response to dst, with its frame's length and its header, ready to be sent.
func AppendResponse(dst []byte, correlationID int32, resp kmsg.Response) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = kbin.AppendInt32(dst, correlationID)
	if flexibleHeader(resp) {
		dst = append(dst, 0)
	}
	dst = resp.AppendTo(dst)
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// ReadResponse reads a frame, without its length, into resp, whose version must be set to that of the request, and
// returns the correlation id. Strings are copied, byte slices refer to frame.
func ReadResponse(frame []byte, resp kmsg.Response) (correlationID int32, err error) {
	r := kbin.Reader{Src: frame}
	correlationID = r.Int32()
	w := walker{rest: r.Src}
	if !r.Ok() {
		return 0, errors.New("response header: the frame has less than 4 bytes")
	}
	if flexibleHeader(resp) {
		if bad := w.tags(); bad != nil {
			return correlationID, fmt.Errorf("response header: tagged fields: %s", bad.reason)
		}
	}
	if err := resp.ReadFrom(w.rest); err != nil {
		return correlationID, fmt.Errorf("%s response v%d: %w", APIName(resp.Key()), resp.GetVersion(), err)
	}
	return correlationID, nil
}

// flexibleHeader reports whether the response's header has tags. That of ApiVersions never has: a client that is too
// new must be able to read what an old broker answers (KIP-511).
func flexibleHeader(resp kmsg.Response) bool {
	return resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions)
}
