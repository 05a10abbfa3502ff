package main

import (
	"fmt"
	"strings"

	"github.com/joinsync/joinsync/assignor"
)

// builtIn are the assignors that flags and inputs may name.
var builtIn = []assignor.Assignor{assignor.Range{}, assignor.RoundRobin{}, assignor.Sticky{}, assignor.CooperativeSticky{},
	assignor.Standby{}, assignor.LagAware{}}

// assignorNamed finds one of them. The error is the end of a sentence that begins with whatever has the name.
func assignorNamed(name string) (assignor.Assignor, error) {
	for _, a := range builtIn {
		if strings.EqualFold(a.Name(), name) {
			return a, nil
		}
	}
	return nil, fmt.Errorf("%.100q: use %s", name, assignorNames())
}

// assignorNames lists their names: "a, b or c".
func assignorNames() string {
	names := make([]string, len(builtIn))
	for i, a := range builtIn {
		names[i] = a.Name()
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
