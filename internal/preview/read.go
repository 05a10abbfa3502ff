package preview

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

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
		if faults = decode(data, data, &c.In); len(faults) == 0 {
			faults = check(c.In, data, nil)
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
	c := Case{Assignor: wrapped.Assignor}
	if utf8.Valid(wrapped.ID) {
		c.ID = wrapped.ID
	}
	if err != nil {
		return c, []fault{faultOf(err, data, 0)}
	}
	if wrapped.In == nil {
		return c, nil
	}
	faults := decode(wrapped.In, data, &c.In)
	if len(faults) == 0 {
		faults = check(c.In, data, []any{"in"})
	}
	return c, faults
}

// decode reads an input, which is all of a text or its "in", and has no fields but those of its form.
func decode(data, text []byte, in **vector.Input) []fault {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(in)
	if err == nil && *in != nil {
		return nil
	}
	begin := 0
	if len(data) < len(text) {
		begin = offsetOfIn(text)
	}
	if err == nil {
		return []fault{{offset: begin, text: "the input is null: give an object with topics and members"}}
	}
	return []fault{faultOf(err, text, begin)}
}

// faultOf puts an error of encoding/json into words, with its place. What it is an error of begins at an offset of the text.
func faultOf(err error, data []byte, begin int) fault {
	find := func(text string) int { return begin + max(0, bytes.Index(data[begin:], []byte(text))) }
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var base base64.CorruptInputError
	switch {
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return fault{offset: len(data), text: "the JSON ends too early: give it whole"}
	case errors.As(err, &syntax):
		return fault{offset: int(syntax.Offset), text: "this is no JSON: " + syntax.Error() + ": mend it"}
	case errors.As(err, &base):
		return fault{path: corruptAt(data, begin), text: "is no base64: mend it, or leave it out"}
	case errors.As(err, &kind):
		f := fault{path: pathAt(data, begin+int(kind.Offset)), offset: begin + int(kind.Offset)}
		is := "is "
		if len(f.path) == 0 {
			is = "the input is "
		}
		f.text = is + fmt.Sprintf("%.*s: give %s", maxKey, strings.Replace(kind.Value, "number ", "", 1), wanted(kind.Type.String()))
		return f
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	if name, ok := strings.CutPrefix(text, "unknown field "); ok {
		return fault{offset: find(name), text: fmt.Sprintf("%.*s is no field of an input: use topics (%s) and members (%s)",
			maxKey, name, fields[vector.Topic](), fields[vector.Member]())}
	}
	return fault{text: text}
}

// fields lists those of a struct as JSON has them.
func fields[T any]() string {
	var names []string
	for field := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// wanted says in words of JSON what a Go type is read from.
func wanted(goType string) string {
	switch {
	case goType == "int":
		return "a whole number"
	case strings.HasPrefix(goType, "int"):
		return "a whole number that fits " + goType
	case goType == "[]uint8":
		return "a string in base64"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case goType == "string":
		return "a string"
	}
	return "an object"
}
