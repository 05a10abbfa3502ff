package assignortest

import (
	"bytes"
	_ "embed" // for corners.jsonl
	"encoding/json"
	"fmt"
	"time"

	"github.com/joinsync/joinsync/internal/vector"
)

//go:embed corners.jsonl
var cornerLines []byte

// A corner is an input that assignors are known to have stumbled over, and a word on why.
type corner struct {
	Why string        `json:"why"`
	In  *vector.Input `json:"in"`
}

// readCorners reads the lines of corners.jsonl.
func readCorners() ([]corner, error) {
	var all []corner
	for n, line := range bytes.Split(bytes.TrimSpace(cornerLines), []byte("\n")) {
		var k corner
		if err := json.Unmarshal(line, &k); err != nil {
			return nil, fmt.Errorf("corners.jsonl:%d: %w", n+1, err)
		}
		all = append(all, k)
	}
	return all, nil
}

// corners checks what need not be drawn.
func (c *checker) corners() {
	c.t.Helper()
	all, err := readCorners()
	if err != nil {
		panic(err) // it is ours, and a test reads it
	}
	for _, k := range all {
		c.reportAll(c.judge(k.In))
		switch {
		case c.stopped.Load():
			return
		case time.Now().After(c.until):
			c.report(fault{check: ends, text: fmt.Sprintf("these small inputs have taken more than %v; it is not checked any further", longest)})
			c.stopped.Store(true)
			return
		}
	}
	c.reportAll(c.live(lifeOfAGroup()))
}
