package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxFrame is the largest frame that Kafka's broker reads unless told otherwise, in bytes: its
// socket.request.max.bytes.
const MaxFrame = 100 << 20

// firstRead is how much of a frame is believed before any of it has come.
const firstRead = 64 << 10

// ReadFrame reads one request or response with the 4-byte length before it, and returns it without. The slice is new
// each time.
//
// A length that is negative or more than limit bytes is a [*FrameSizeError]; after it the stream cannot be used. The
// slice grows with what arrives, so that a peer cannot make the reader allocate what it does not send. The error is
// io.EOF if the stream ends between frames, and io.ErrUnexpectedEOF if it ends within one.
func ReadFrame(r io.Reader, limit int) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	size := int(int32(binary.BigEndian.Uint32(length[:])))
	if size < 0 || size > limit {
		return nil, &FrameSizeError{Size: size, Limit: limit}
	}
	frame := make([]byte, 0, min(size, firstRead))
	for len(frame) < size {
		frame = slices.Grow(frame, min(size-len(frame), max(len(frame), firstRead)))
		n, err := io.ReadFull(r, frame[len(frame):min(size, cap(frame))])
		frame = frame[:len(frame)+n]
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return frame, nil
}

// A FrameSizeError says that a frame's length is negative or over the limit: most often the peer does not speak
// Kafka's protocol, or speaks TLS to a port that does not.
type FrameSizeError struct{ Size, Limit int }

// Error gives both numbers and the likely causes.
func (e *FrameSizeError) Error() string {
	return fmt.Sprintf("a frame of %d bytes is not within 0 to %d: check that the peer speaks Kafka's protocol, with TLS "+
		"on both sides or on neither, and that its batches are smaller", e.Size, e.Limit)
}
