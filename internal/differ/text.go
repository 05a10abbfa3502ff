package differ

import (
	"strconv"
	"strings"
)

// A message is a request or an answer, read from its line in a script.
type message struct {
	client  string
	api     string
	version int
	code    string // of an answer: its first word, or parked
	fields  map[string]string
}

// readRequest reads "A: JoinGroup v9 key=value …". What is no request has no client.
func readRequest(line string) message {
	words := words(line)
	if len(words) < 3 || !strings.HasSuffix(words[0], ":") {
		return message{}
	}
	version, _ := strconv.Atoi(strings.TrimPrefix(words[2], "v"))
	return message{client: strings.TrimSuffix(words[0], ":"), api: words[1], version: version, fields: fields(words[3:])}
}

// readAnswer reads "→ NONE key=value …" as the answer to own, and "B SyncGroup → …" as one to an earlier request.
func readAnswer(line string, own message) message {
	m := message{client: own.client, api: own.api}
	words := words(line)
	if len(words) > 2 && words[0] != "→" && words[0] != "✗" || len(words) == 3 && words[2] == "parked" {
		m.client, m.api, words = words[0], words[1], words[2:]
	}
	if words[0] == "parked" {
		m.code = "parked"
		return m
	}
	m.code = words[min(1, len(words)-1)]
	m.fields = fields(words[1:])
	return m
}

func fields(words []string) map[string]string {
	all := map[string]string{}
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok {
			all[key] = value
		}
	}
	return all
}

// words splits a line at the spaces outside brackets, parentheses and quotes.
func words(line string) (all []string) {
	depth, quoted, start := 0, false, 0
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line), line[i] == ' ' && depth == 0 && !quoted:
			if i > start {
				all = append(all, line[start:i])
			}
			start = i + 1
		case line[i] == '"' && (i == 0 || line[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case line[i] == '[', line[i] == '(':
			depth++
		case line[i] == ']', line[i] == ')':
			depth--
		}
	}
	return all
}

// entries returns what stands in "[a b c]".
func entries(list string) []string {
	return words(strings.TrimSuffix(strings.TrimPrefix(list, "["), "]"))
}

// head cuts "$A(instance=x):orders" at the first parenthesis or colon.
func head(entry string) string {
	if i := strings.IndexAny(entry, "(:"); i >= 0 {
		return entry[:i]
	}
	return entry
}
