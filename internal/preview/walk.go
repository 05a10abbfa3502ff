package preview

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A walker goes over the values of a JSON text that encoding/json takes.
type walker struct {
	data []byte
	at   int
	path []step // to the value that it is at

	value func() (further bool) // is called where a value begins; may be nil
	wrong func(text string)     // is told what a value or a key should not be; may be nil
}

// A step leads from a value to one of its elements.
type step struct {
	key   []byte // as the text has it, without quotes; nil in a list
	index int    // in a list
}

// walk goes over the value that is next, and reports whether to go further.
func (w *walker) walk() bool {
	w.skip()
	if w.value != nil && !w.value() {
		return false
	}
	switch w.data[w.at] {
	case '{', '[':
		return w.elements(w.data[w.at] == '{')
	case '"':
		w.check(w.text())
	default:
		if w.wrong != nil && w.data[w.at] == 'n' && w.needed() {
			w.wrong("is null: give a value")
		}
		for w.at < len(w.data) && bytes.IndexByte([]byte(",]} \t\r\n"), w.data[w.at]) < 0 {
			w.at++
		}
	}
	return true
}

// elements goes over those of an object, where they have keys, or of a list.
func (w *walker) elements(keyed bool) bool {
	w.at++
	depth, seen := len(w.path), map[string]bool(nil)
	if keyed && w.wrong != nil {
		seen = map[string]bool{}
	}
	w.path = append(w.path, step{})
	for i := 0; ; i++ {
		if w.skip(); w.data[w.at] == '}' || w.data[w.at] == ']' {
			w.at++
			w.path = w.path[:depth]
			if t := w.input(); seen != nil && len(t) == 2 && string(t[0].key) == "topics" && !seen["parts"] {
				w.wrong("has no parts: give their number, 0 for a topic that does not exist")
			}
			return true
		}
		w.path[depth] = step{index: i}
		if keyed {
			key := w.text()
			w.path[depth].key = key
			w.check(key)
			if seen != nil {
				if seen[string(key)] {
					w.wrong("comes twice: leave one of them out")
				}
				seen[string(key)] = true
			}
		}
		if !w.walk() {
			return false
		}
	}
}

// skip goes to where a value begins, or an object or a list ends.
func (w *walker) skip() {
	for bytes.IndexByte([]byte(" \t\r\n,:"), w.data[w.at]) >= 0 {
		w.at++
	}
}

// text goes over a string and returns what is between its quotes.
func (w *walker) text() []byte {
	begin := w.at + 1
	for w.at++; w.data[w.at] != '"'; w.at++ {
		if w.data[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	return w.data[begin : w.at-1]
}

// check finds in a string what encoding/json replaces, so that two names could become one.
func (w *walker) check(text []byte) {
	switch {
	case w.wrong == nil:
	case !utf8.Valid(text):
		w.wrong("is not in UTF-8: write all names in UTF-8")
	case halved(text):
		w.wrong(`has half of a surrogate pair: write \ud83d only with what follows it, as \udc0e`)
	}
}

// input is the path within the input, which may be the "in" of an object; nil elsewhere.
func (w *walker) input() []step {
	path := w.path
	if len(path) > 0 && bytes.EqualFold(path[0].key, []byte("in")) {
		path = path[1:]
	}
	if len(path) == 0 || string(path[0].key) != "topics" && string(path[0].key) != "members" {
		return nil
	}
	return path
}

// needed reports whether the value is one for which encoding/json takes null as 0 or "": an element of a list, but for a broker's
// rack, and the number of partitions.
func (w *walker) needed() bool {
	path := w.input()
	return len(path) > 1 && (path[len(path)-1].key == nil || string(path[len(path)-1].key) == "parts") &&
		!slices.ContainsFunc(path, func(s step) bool { return string(s.key) == "racks" })
}

// halved reports whether a surrogate is escaped without its other half.
func halved(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		first := escaped(text[i:])
		switch text = text[i+2:]; {
		case !utf16.IsSurrogate(first):
		case utf16.DecodeRune(first, escaped(text[4:])) == utf8.RuneError:
			return true
		default:
			text = text[10:]
		}
	}
}

// escaped is the code unit of an escape in hexadecimal that a text begins with; -1 if it does not.
func escaped(text []byte) rune {
	if !bytes.HasPrefix(text, []byte(`\u`)) {
		return -1
	}
	unit, _ := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit)
}

// pathAt is the path of the last value that begins before an offset.
func pathAt(data []byte, offset int) []any {
	var path []step
	w := walker{data: data}
	w.value = func() bool {
		if w.at >= offset {
			return false
		}
		path = append(path[:0], w.path...)
		return true
	}
	w.walk()
	return names(path)
}

// corruptAt is the path of the first user data from an offset on that is no base64, which encoding/json does not tell.
func corruptAt(data []byte, begin int) (path []any) {
	w := walker{data: data}
	w.value = func() bool {
		if len(w.path) == 0 || w.at < begin || data[w.at] != '"' {
			return true
		}
		key := w.path[len(w.path)-1].key
		if !bytes.EqualFold(key, []byte("told")) && !bytes.EqualFold(key, []byte("userData")) {
			return true
		}
		var decoded []byte
		if json.NewDecoder(bytes.NewReader(data[w.at:])).Decode(&decoded) == nil {
			return true
		}
		path = names(w.path)
		return false
	}
	w.walk()
	return path
}

// offsetOfIn is where the "in" of an object begins, under which encoding/json takes "In" too.
func offsetOfIn(data []byte) (offset int) {
	w := walker{data: data}
	w.value = func() bool {
		if len(w.path) == 1 && bytes.EqualFold(w.path[0].key, []byte("in")) {
			offset = w.at
		}
		return true
	}
	w.walk()
	return offset
}

// names are the steps of a path as a fault has them.
func names(path []step) []any {
	names := make([]any, len(path))
	for i, s := range path {
		names[i] = s.index
		if s.key != nil {
			var name string
			json.Unmarshal(slices.Concat([]byte(`"`), s.key, []byte(`"`)), &name)
			names[i] = name
		}
	}
	return names
}
