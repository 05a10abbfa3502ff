package script

import (
	"fmt"
	"strconv"
	"strings"
)

// split cuts text at the spaces that stand outside quotes, brackets and parentheses.
func split(text string) ([]string, error) { return splitAt(text, ' ') }

// splitAt is split for another separator. Empty pieces are dropped.
func splitAt(text string, sep byte) ([]string, error) {
	var pieces []string
	start := 0
	for start < len(text) {
		end, err := scan(text[start:], sep)
		if err != nil {
			return nil, err
		}
		if end > 0 {
			pieces = append(pieces, text[start:start+end])
		}
		start += end + 1
	}
	return pieces, nil
}

// scan returns the index of the first of stops outside quotes, brackets and parentheses, or len(text).
func scan(text string, stops ...byte) (int, error) {
	var open []byte // the closing bytes that are due
	for i := 0; i < len(text); i++ {
		c := text[i]
		if len(open) == 0 {
			for _, s := range stops {
				if c == s {
					return i, nil
				}
			}
		}
		switch c {
		case '"':
			quoted, err := strconv.QuotedPrefix(text[i:])
			if err != nil {
				return 0, fmt.Errorf("%q has no closing quote", text[i:])
			}
			i += len(quoted) - 1
		case '[':
			open = append(open, ']')
		case '(':
			open = append(open, ')')
		case ']', ')':
			if len(open) == 0 || open[len(open)-1] != c {
				return 0, fmt.Errorf("%q closes a bracket that is not open", text[:i+1])
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return 0, fmt.Errorf("%q lacks a closing %q", text, string(open[len(open)-1]))
	}
	return len(text), nil
}

// cut splits text at the first sep outside quotes, brackets and parentheses.
func cut(text string, sep byte) (before, after string, found bool, err error) {
	i, err := scan(text, sep)
	if err != nil || i == len(text) {
		return text, "", false, err
	}
	return text[:i], text[i+1:], true, nil
}

// list returns the entries of "[a b c]".
func list(value string) ([]string, error) {
	if !strings.HasPrefix(value, "[") || !strings.HasSuffix(value, "]") || len(value) < 2 {
		return nil, fmt.Errorf("%s is no list; write [a b]", value)
	}
	return split(value[1 : len(value)-1])
}

// An argument is one entry "key=value" or "key" between parentheses.
type argument struct{ key, value string }

// cutArguments splits "head(key=value key)tail". Without parentheses all of item is the head.
func cutArguments(item string) (head string, args []argument, tail string, err error) {
	open, err := scan(item, '(')
	if err != nil || open == len(item) {
		return item, nil, "", err
	}
	length, err := scan(item[open+1:], ')')
	if err != nil {
		return "", nil, "", err
	}
	pieces, err := split(item[open+1 : open+1+length])
	if err != nil {
		return "", nil, "", err
	}
	for _, p := range pieces {
		key, value, _, err := cut(p, '=')
		if err != nil {
			return "", nil, "", err
		}
		args = append(args, argument{key, value})
	}
	return item[:open], args, item[open+length+2:], nil
}
