package preview

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/joinsync/joinsync/internal/vector"
)

// MaxInput bounds an input, and a line of [Cases], in bytes.
const MaxInput = 64 << 20

// A Case is an input, and what it may be wrapped in.
type Case struct {
	ID       json.RawMessage // nil if there is none
	Assignor string          // "" if it names none
	In       *vector.Input
}

// Read reads an input: {"topics", "members"} itself, or an object that has it as "in", as the cases of the vectors and a
// report do. Everything that is wrong with it is in the error, each with the source's name, its line, the field and the cure.
func Read(source string, data []byte) (Case, error) {
	c, faults := readCase(data)
	if len(faults) == 0 && c.In == nil {
		if faults = decode(data, &c.In); len(faults) == 0 {
			faults = check(c.In, nil)
		}
	}
	if len(faults) == 0 {
		return c, nil
	}
	return c, joined(faults, func(f fault) string { return fmt.Sprintf("%s:%d: %s", source, f.line(data), f) })
}

// readCase reads an object with an "in". Without one, Case.In is nil.
func readCase(data []byte) (Case, []fault) {
	var wrapped struct {
		ID       json.RawMessage `json:"id"`
		Assignor string          `json:"assignor"`
		In       json.RawMessage `json:"in"`
	}
	err := json.Unmarshal(data, &wrapped)
	c := Case{ID: wrapped.ID, Assignor: wrapped.Assignor}
	if err != nil {
		return c, []fault{faultOf(err, data)}
	}
	if wrapped.In == nil {
		return c, nil
	}
	faults := decode(wrapped.In, &c.In)
	if len(faults) == 0 {
		return c, check(c.In, []any{"in"})
	}
	for i := range faults { // the raw message is a copy of a part of data, byte for byte
		faults[i].offset += bytes.Index(data, wrapped.In)
	}
	return c, faults
}

// decode reads an input that has no fields but those of its form.
func decode(data []byte, in **vector.Input) []fault {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(in); err != nil {
		return []fault{faultOf(err, data)}
	}
	if *in == nil {
		return []fault{{text: "the input is null: give an object with topics and members"}}
	}
	return nil
}

// faultOf puts an error of encoding/json into words, with its place.
func faultOf(err error, data []byte) fault {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var base base64.CorruptInputError
	switch {
	case errors.As(err, &syntax):
		return fault{offset: int(syntax.Offset), text: "this is no JSON: " + syntax.Error() + ": mend it"}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault{offset: len(data), text: "the JSON ends too early: give it whole"}
	case errors.As(err, &base):
		const name = "userData"
		return fault{offset: max(0, bytes.Index(data, []byte(`"`+name+`"`))), text: name + " is no base64: mend it, or leave it out for what the " +
			"assignor would have the member send"}
	case errors.As(err, &kind):
		field := kind.Field
		if field == "" {
			field = "the input"
		}
		return fault{offset: int(kind.Offset), text: fmt.Sprintf("%s is %s: give %s", field, strings.Replace(kind.Value, "number ", "", 1),
			wanted(kind.Type.String()))}
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	if name, ok := strings.CutPrefix(text, "unknown field "); ok {
		return fault{offset: max(0, bytes.Index(data, []byte(name))), text: fmt.Sprintf("%s is no field of an input: "+
			"use topics (name, parts, racks) and members (id, instance, rack, subs, owned, gen, v, userData)", name)}
	}
	return fault{text: text}
}

// wanted says in words of JSON what a Go type is read from.
func wanted(goType string) string {
	switch {
	case strings.HasPrefix(goType, "int"):
		return "a whole number that fits " + goType
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case goType == "string":
		return "a string"
	}
	return "an object"
}
