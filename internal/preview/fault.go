package preview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A fault is something that is wrong with an input: at a path, which is keys of objects and indices of lists, or at an offset.
type fault struct {
	path   []any
	offset int // 0 where the path leads to it
	text   string
}

// maxKey bounds how much of a key is shown.
const maxKey = 100

// String is the path, as "members[2].v", and what is wrong there.
func (f fault) String() string {
	var text strings.Builder
	for i, step := range f.path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&text, "[%d]", step)
		case string:
			if i > 0 {
				text.WriteByte('.')
			}
			fmt.Fprintf(&text, "%.*s", maxKey, step)
		}
	}
	if text.Len() > 0 {
		text.WriteByte(' ')
	}
	return text.String() + f.text
}

// line is the number of the line that the fault is on.
func (f fault) line(data []byte) int {
	at := f.offset
	if at == 0 && f.path != nil {
		at = offsetOf(data, f.path)
	}
	return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
}

// offsetOf is where the value of a path begins in a JSON text, or, where it is not there, the end of what it is missing from.
func offsetOf(data []byte, path []any) int {
	decoder := json.NewDecoder(bytes.NewReader(data))
	for _, step := range path {
		decoder.Token() // the bracket before its elements
		for i := 0; decoder.More(); i++ {
			at := any(i)
			if _, ok := step.(string); ok {
				at, _ = decoder.Token()
			}
			var skipped json.RawMessage
			if at == step || decoder.Decode(&skipped) != nil {
				break
			}
		}
	}
	at := int(decoder.InputOffset())
	return at + len(data[at:]) - len(bytes.TrimLeft(data[at:], " \t\r\n,:"))
}

// maxFaults bounds how many faults of an input are told.
const maxFaults = 10

// joined makes an error of faults.
func joined(faults []fault, text func(fault) string) error {
	var errs []error
	for _, f := range faults {
		errs = append(errs, errors.New(text(f)))
	}
	return errors.Join(errs...)
}
