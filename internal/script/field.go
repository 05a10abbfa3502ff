package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A setter reads the text of a value into the place that it was made for.
type setter func(value string) error

// A field is one key that a request, or a part of one, knows.
type field struct {
	name string
	from int16 // the first version that has it
	to   int16 // the last version that has it; 0: all from there on
	set  setter
}

func (f field) in(version int16) bool { return version >= f.from && (f.to == 0 || version <= f.to) }

// fieldNames lists fields for an error message.
func fieldNames(fields []field) string {
	var all []string
	for _, f := range fields {
		all = append(all, f.name)
	}
	return strings.Join(all, ", ")
}

// setAll sets every argument, and reports all faults together. The fields of what have no versions.
func setAll(what string, args []argument, fields []field) error {
	var errs []error
	for _, a := range args {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == a.key })
		if i < 0 {
			errs = append(errs, fmt.Errorf("%s has no field %q; it has %s", what, a.key, fieldNames(fields)))
			continue
		}
		if err := fields[i].set(a.value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", a.key, err))
		}
	}
	return errors.Join(errs...)
}

func text(to *string) setter {
	return func(value string) (err error) { *to, err = unquote(value); return err }
}

func nullable(to **string) setter {
	return func(value string) (err error) { *to, err = unquoteNullable(value); return err }
}

func integer[N int8 | int16 | int32 | int64](to *N) setter {
	return func(value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || int64(N(n)) != n {
			return fmt.Errorf("%s is no number of this field's size", value)
		}
		*to = N(n)
		return nil
	}
}

func millis[N int32 | int64](to *N) setter {
	return func(value string) error {
		d, err := duration(value)
		*to = N(d.Milliseconds())
		return err
	}
}

func boolean(to *bool) setter {
	return func(value string) (err error) {
		if *to, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("%s is neither true nor false", value)
		}
		return nil
	}
}

// each reads a list, one entry at a time.
func each(add func(entry string) error) setter {
	return func(value string) error {
		entries, err := list(value)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := add(e); err != nil {
				return err
			}
		}
		return nil
	}
}
