// Command mutants puts small faults into package group, one at a time and never in the tree, and asks which tests catch
// each. It writes the table of docs/mutants.md, and fails if a fault goes unnoticed or does not fit the code any more. Run it
// in the root of the module.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

func main() {
	only := flag.String("only", "", "take only the faults whose name contains this, and leave the others' rows as they are")
	missing := flag.Bool("missing", false, "take only the faults that have no row yet")
	parallel := flag.Int("parallel", 2, "how many faults to try at a time")
	flag.Parse()
	if err := try(*only, *missing, *parallel); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func try(only string, missing bool, parallel int) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	faults, err := parseFaults(faultsText)
	if err != nil {
		return err
	}
	rows, err := readRows(table)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool {
		return !strings.Contains(f.name, only) || missing && rows[f.name] != nil
	})
	var errs []error
	for r := range catchAll(root, chosen, parallel) {
		fmt.Printf("%s: %q\n", r.fault.name, r.caught)
		switch {
		case r.err != nil:
			errs = append(errs, r.err)
			continue
		case strings.Join(r.caught, "") == "":
			errs = append(errs, fmt.Errorf("nothing catches %q; write a test that does", r.fault.name))
		}
		rows[r.fault.name] = r.caught
		if err := os.WriteFile(table, []byte(document(faults, rows)), 0o644); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// result is what caught a fault, by suite.
type result struct {
	fault  *fault
	caught []string
	err    error
}

// catchAll tries faults, a few at a time, and sends what came of each.
func catchAll(root string, faults []fault, parallel int) <-chan result {
	next, results := make(chan *fault), make(chan result)
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for f := range next {
				caught, err := catch(root, f)
				results <- result{f, caught, err}
			}
		})
	}
	go func() {
		for i := range faults {
			next <- &faults[i]
		}
		close(next)
		workers.Wait()
		close(results)
	}()
	return results
}
