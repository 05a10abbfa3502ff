package protocol

import (
	"fmt"
	"math"

	"github.com/twmb/franz-go/pkg/kbin"
)

// A schema is the layout of a message in all its versions. kmsg has the layouts too, but as code that reads: it takes
// null for an empty array, and does not tell whether bytes are left over. A walk along the schema before kmsg reads
// finds both, names the field, and allocates nothing.
//
// Known tagged fields (KIP-482) are not listed: a walk steps over all tags by their sizes.
type schema struct {
	versions VersionRange
	flexible int16 // the first version with compact lengths and tags, or never
	fields   []field
}

const never = math.MaxInt16

// A field is one field of a message or of an element of a list. The functions below and its methods build it.
type field struct {
	name        string // as Kafka's message definitions have it
	kind        fieldKind
	size        int     // of a fixed field, in bytes
	elements    []field // the fields of a list's elements
	first, last int16   // the versions that have the field
	nullable    int16   // the first version in which it may be null
}

type fieldKind uint8

const (
	fixedField  fieldKind = iota // a number, a boolean or a UUID
	stringField                  // text
	bytesField                   // bytes or records
	listField                    // structs, each with tags of its own in flexible versions
	plainField                   // a list of one primitive, which has no tags
	orNullField                  // a struct, or null
)

func fixed(name string, size int) field {
	return field{name: name, kind: fixedField, size: size, last: never, nullable: never}
}
func str(name string) field {
	return field{name: name, kind: stringField, last: never, nullable: never}
}
func blob(name string) field {
	return field{name: name, kind: bytesField, last: never, nullable: never}
}
func list(name string, elements ...field) field {
	return field{name: name, kind: listField, elements: elements, last: never, nullable: never}
}
func structOrNull(name string, elements ...field) field {
	return field{name: name, kind: orNullField, elements: elements, last: never}
}
func strs(name string) field {
	return field{name: name, kind: plainField, elements: []field{str("")}, last: never, nullable: never}
}
func int32s(name string) field {
	return field{name: name, kind: plainField, elements: []field{fixed("", 4)}, last: never, nullable: never}
}

func (f field) since(first int16) field  { f.first = first; return f }
func (f field) until(last int16) field   { f.last = last; return f }
func (f field) orNull(since int16) field { f.nullable = since; return f }

// A fault says where and why bytes do not fit a schema. It is built from the inside out.
type fault struct{ path, reason string }

func faultf(format string, args ...any) *fault { return &fault{reason: fmt.Sprintf(format, args...)} }

func (f *fault) within(outer string) *fault {
	switch {
	case f.path == "":
		f.path = outer
	case f.path[0] == '[':
		f.path = outer + f.path
	default:
		f.path = outer + "." + f.path
	}
	return f
}

// A walker goes through a message along its schema.
type walker struct {
	rest     []byte
	version  int16
	flexible bool
}

// walk checks that src begins with a message of the schema in that version, and returns what lies behind it.
func (s *schema) walk(src []byte, version int16) (rest []byte, bad *fault) {
	w := walker{rest: src, version: version, flexible: version >= s.flexible}
	bad = w.fields(s.fields)
	return w.rest, bad
}

func (w *walker) fields(fields []field) *fault {
	for i := range fields {
		f := &fields[i]
		if w.version < f.first || f.last < w.version {
			continue
		}
		if bad := w.field(f); bad != nil {
			return bad.within(f.name)
		}
	}
	if w.flexible {
		if bad := w.tags(); bad != nil {
			return bad.within("tagged fields")
		}
	}
	return nil
}

func (w *walker) field(f *field) *fault {
	switch f.kind {
	case fixedField:
		return w.skip(int64(f.size))
	case orNullField:
		return w.structOrNull(f)
	}
	n, bad := w.length(f)
	if bad != nil {
		return bad
	}
	switch f.kind {
	case listField:
		for i := range n {
			if bad := w.fields(f.elements); bad != nil {
				return bad.within(fmt.Sprintf("[%d]", i))
			}
		}
		return nil
	case plainField:
		for i := range n {
			if bad := w.field(&f.elements[0]); bad != nil {
				return bad.within(fmt.Sprintf("[%d]", i))
			}
		}
		return nil
	default:
		return w.skip(n)
	}
}

// structOrNull reads the byte that tells whether there is a struct, -1 or 1, and the struct.
func (w *walker) structOrNull(f *field) *fault {
	present := (&kbin.Reader{Src: w.rest}).Int8()
	if bad := w.skip(1); bad != nil {
		return bad
	}
	switch present {
	case -1:
		return nil
	case 1:
		return w.fields(f.elements)
	}
	return faultf("%d is neither -1 for null nor 1", present)
}

// length reads the length of a field that has one: 0 for null, where that is legal. It is never more than there are
// bytes left, and every element of a list has a byte at least.
func (w *walker) length(f *field) (int64, *fault) {
	var n int64
	switch r := (kbin.Reader{Src: w.rest}); {
	case w.flexible:
		encoded, bad := w.uvarint()
		if bad != nil {
			return 0, bad
		}
		n = int64(encoded) - 1
	case f.kind == stringField:
		n = int64(r.Int16())
		if bad := w.skip(2); bad != nil {
			return 0, bad
		}
	default:
		n = int64(r.Int32())
		if bad := w.skip(4); bad != nil {
			return 0, bad
		}
	}
	switch {
	case n < 0 && w.version < f.nullable:
		return 0, faultf("null is not legal here")
	case n > int64(len(w.rest)):
		return 0, faultf("the length is %d, but %d bytes remain", n, len(w.rest))
	case n > math.MaxInt16 && f.kind == stringField:
		return 0, faultf("the length is %d, but a string has at most %d bytes", n, math.MaxInt16)
	}
	return max(0, n), nil
}

func (w *walker) tags() *fault {
	count, bad := w.uvarint()
	if bad != nil {
		return bad
	}
	for range count {
		if _, bad := w.uvarint(); bad != nil {
			return bad
		}
		size, bad := w.uvarint()
		if bad != nil {
			return bad
		}
		if bad := w.skip(int64(size)); bad != nil {
			return bad
		}
	}
	return nil
}

func (w *walker) uvarint() (uint32, *fault) {
	if len(w.rest) > 0 && w.rest[0] < 0x80 {
		value := uint32(w.rest[0])
		w.rest = w.rest[1:]
		return value, nil
	}
	value, size := kbin.Uvarint(w.rest)
	if size <= 0 {
		return 0, faultf("malformed variable-length number")
	}
	w.rest = w.rest[size:]
	return value, nil
}

func (w *walker) skip(n int64) *fault {
	if n > int64(len(w.rest)) {
		return faultf("%d bytes are needed, but %d remain", n, len(w.rest))
	}
	w.rest = w.rest[n:]
	return nil
}
