package timeline

import (
	"regexp"
	"unicode"
)

// unique matches what a coordinator appends to a client id to make a member id: Kafka a hyphen and a UUID (G-017), others
// the same digits without hyphens.
var unique = regexp.MustCompile(`-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})$`)

// ShortName is the part of a member id that its member has chosen: the client id, or the instance id of a static member.
// An id of another make stays as it is.
func ShortName(memberID string) string {
	name, _ := splitID(memberID)
	return name
}

// splitID divides a member id into its short name and what makes it unique.
func splitID(memberID string) (name, uuid string) {
	at := unique.FindStringIndex(memberID)
	switch {
	case at == nil:
		return memberID, ""
	case at[0] == 0:
		return memberID[1:], "" // an empty client id
	}
	return memberID[:at[0]], memberID[at[0]+1:]
}

// ShortNames gives each of a generation's members a short name, and those that share one the beginning of what makes
// them unique with it.
func ShortNames(memberIDs []string) map[string]string {
	const enough = 4
	times := make(map[string]int, len(memberIDs))
	for _, id := range memberIDs {
		times[ShortName(id)]++
	}
	names := make(map[string]string, len(memberIDs))
	for _, id := range memberIDs {
		name, uuid := splitID(id)
		if times[name] > 1 && uuid != "" {
			name += "-" + uuid[:enough]
		}
		names[id] = name
	}
	return names
}

// maxName bounds what is shown of a name that somebody else has chosen.
const maxName = 60

// clean makes a name fit for a terminal: bounded, on one line, and without anything that the terminal would act on.
func clean(name string) string { return Clean(name, maxName) }

// Clean makes text that somebody else has chosen fit for a line of a terminal, and bounds it in runes.
func Clean(text string, limit int) string {
	var cleaned []rune
	for _, r := range text {
		if len(cleaned) == limit {
			cleaned[limit-1] = '…'
			break
		}
		if !unicode.IsPrint(r) {
			r = unicode.ReplacementChar
		}
		cleaned = append(cleaned, r)
	}
	return string(cleaned)
}
