package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

// A cell is one side in one row of the table: a process of its own, so that it can be cut off, and that nobody pays for another's
// garbage. It says on its standard output when it has read the input ("ready"), when its first run is done ("ran"), and at the
// end what one run took, with a plan in a file.
const (
	cellReady = "ready"
	cellRan   = "ran"
	cellDone  = "done %d %d\n" // nanoseconds of CPU time, and bytes allocated on the heap, of one run
)

// long is the time of a first run that is taken as it is. (In Java it is 5 s, by when it is compiled.)
const long = 2 * time.Second

// timedRuns is how often a run is timed at least, after one that is not.
const timedRuns = 2

// runCell is the process of a cell of a Go side.
func runCell(args []string) error {
	flags := flag.NewFlagSet("cell", flag.ContinueOnError)
	side := flags.String("side", "", "whose assignor it is")
	name := flags.String("assignor", "", "the assignor")
	in := flags.String("in", "", "file of the input")
	out := flags.String("out", "", "file for the plan")
	while := flags.Duration("while", 0, "how long to repeat it")
	memory := flags.Uint64("memory", 0, "give up at that many bytes of memory, if not 0")
	if err := flags.Parse(args); err != nil {
		return err
	}
	// Beyond this Go's runtime ends the process. Some strategies would need more memory than any machine has.
	if *memory > 0 {
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: *memory, Max: *memory}); err != nil {
			return fmt.Errorf("limiting memory to %d: %w", *memory, err)
		}
	}
	makeLead, err := named(goSides, *side)
	if err != nil {
		return err
	}
	read, err := readInput(*in)
	if err != nil {
		return err
	}
	run, err := makeLead(*name, read)
	if err != nil {
		return err
	}
	fmt.Println(cellReady)
	plan, err := measure(run, *while)
	if err != nil {
		return err
	}
	return writePlan(*out, plan)
}

// measure takes the mean of some runs after the first: the collector's work for each run is in it.
func measure(run lead, while time.Duration) ([]sent, error) {
	cpu, heap, plan, err := repeat(run, 1, 0)
	if err != nil {
		return nil, err
	}
	fmt.Println(cellRan)
	if cpu < long {
		if cpu, heap, plan, err = repeat(run, timedRuns, while); err != nil {
			return nil, err
		}
	}
	fmt.Printf(cellDone, cpu.Nanoseconds(), heap)
	return plan, nil
}

// repeat runs it some times at least, and for a while at least, and returns the CPU time and the bytes of one run.
func repeat(run lead, times int, while time.Duration) (cpu time.Duration, heap uint64, plan []sent, err error) {
	began, cpuBefore, heapBefore := time.Now(), cpuTime(), allocated()
	runs := 0
	for runs < times || time.Since(began) < while {
		if plan, err = run(); err != nil {
			return 0, 0, nil, err
		}
		runs++
	}
	return (cpuTime() - cpuBefore) / time.Duration(runs), (allocated() - heapBefore) / uint64(runs), plan, nil
}

// cpuTime is what this process has used so far, on all its threads.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fmt.Fprintln(os.Stderr, "asking for the CPU time:", err)
		os.Exit(1)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// allocated is the bytes that were ever allocated on the heap.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
