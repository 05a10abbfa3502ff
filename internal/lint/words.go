package lint

import (
	"bytes"
	"fmt"
	"regexp"
)

// unfinished matches what people write beside work that is not done. The pieces keep this file from matching itself.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b|(?i:not (yet )?impl` + `emented|unimpl` + `emented)`)

// checkWords finds unfinished work in the text of a file.
func checkWords(path string, text []byte) (found []finding) {
	for number, line := range bytes.Split(text, []byte("\n")) {
		if word := unfinished.Find(line); word != nil {
			found = append(found, finding{fmt.Sprintf("%s:%d", path, number+1), fmt.Sprintf("%q marks unfinished work; "+
				"do it, or leave the code out and say in the documentation what is not supported", word)})
		}
	}
	return found
}
