package protocol

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// What is longer is cut in a transcript.
const (
	transcriptMaxText = 100 // bytes of a string
	transcriptMaxList = 100 // entries of a list
)

// texts renders every entry, up to the bound of a list.
func texts[E any](entries []E, text func(E) string) []string {
	out := make([]string, 0, min(len(entries), transcriptMaxList))
	for i, e := range entries {
		if i == transcriptMaxList {
			return append(out, fmt.Sprintf("…%d more", len(entries)-i))
		}
		out = append(out, text(e))
	}
	return out
}

// entries gathers the texts of a list whose parts lie in several places, up to the bound of a list.
type entries struct {
	shown  []string
	hidden int
}

func (e *entries) add(text func() string) {
	if len(e.shown) < transcriptMaxList {
		e.shown = append(e.shown, text())
	} else {
		e.hidden++
	}
}

func (e *entries) texts() []string {
	if e.hidden > 0 {
		return append(e.shown, fmt.Sprintf("…%d more", e.hidden))
	}
	return e.shown
}

func brackets(entries []string) string { return "[" + strings.Join(entries, " ") + "]" }

// with appends the arguments in parentheses, if there are any: "name(a=1 b=2)".
func with(name string, arguments []string) string {
	if len(arguments) == 0 {
		return name
	}
	return name + "(" + strings.Join(arguments, " ") + ")"
}

// quote renders a string: bare where it cannot be mistaken for something else, in double quotes otherwise. A string
// that is cut ends in an ellipsis and its length after the closing quote.
func quote(s string) string {
	if len(s) > transcriptMaxText {
		end := transcriptMaxText
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		return fmt.Sprintf("%s…%d", strconv.Quote(s[:end]), len(s))
	}
	if bare(s) {
		return s
	}
	return strconv.Quote(s)
}

// bare reports whether a string needs no quotes in a transcript.
func bare(s string) bool {
	if s == "" || s == "null" || s == "all" {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

// quoteBytes renders bytes that mean nothing to us: text in quotes, or 0x and hexadecimal.
func quoteBytes(b []byte) string {
	if !utf8.Valid(b) || strings.ContainsFunc(string(b), func(r rune) bool { return !strconv.IsPrint(r) }) {
		if len(b) > transcriptMaxText {
			return fmt.Sprintf("0x%s…%d", hex.EncodeToString(b[:transcriptMaxText]), len(b))
		}
		return "0x" + hex.EncodeToString(b)
	}
	if text := quote(string(b)); text[0] == '"' {
		return text
	}
	return strconv.Quote(string(b))
}

// millis renders a number of milliseconds as a duration: 10s, 1m30s, 300ms.
func millis(ms int64) string {
	s := (time.Duration(ms) * time.Millisecond).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func number[N int16 | int32 | int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// partitionsText renders partition numbers in their order, runs of neighbours as a range: 0-3,7.
func partitionsText(partitions []int32) string {
	var runs []string
	for i := 0; i < len(partitions); {
		last := i
		for last+1 < len(partitions) && int64(partitions[last+1]) == int64(partitions[last])+1 {
			last++
		}
		if len(runs) == transcriptMaxList {
			runs = append(runs, fmt.Sprintf("…%d more", len(partitions)-i))
			break
		}
		if last == i {
			runs = append(runs, fmt.Sprint(partitions[i]))
		} else {
			runs = append(runs, fmt.Sprintf("%d-%d", partitions[i], partitions[last]))
		}
		i = last + 1
	}
	return strings.Join(runs, ",")
}

// topicID renders a topic id: by its name if there is one, and else as Kafka's tools print it.
func (l *line) topicID(id [16]byte) string {
	if l.names.Topic != nil {
		if name := l.names.Topic(id); name != "" {
			return quote(name)
		}
	}
	return base64.RawURLEncoding.EncodeToString(id[:])
}
