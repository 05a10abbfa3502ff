package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

func main() {
	run := benchmark
	if len(os.Args) > 1 && os.Args[1] == "cell" {
		run = func() error { return runCell(os.Args[2:]) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "assignors:", err)
		os.Exit(1)
	}
}

// benchmark measures what the flags ask for, and prints the tables.
func benchmark() error {
	b := bench{workloads: workloads, progress: os.Stderr}
	only := flag.String("only", "joinsync,Java,franz-go,Sarama", "the sides to time")
	rows := flag.String("rows", "", "the rows to time, a regular expression: '^b (range|sticky)', 'one joins'")
	flag.DurationVar(&b.limit, "limit", 20*time.Second, "cut a side off whose first run takes longer")
	flag.DurationVar(&b.while, "while", 500*time.Millisecond, "repeat each for so long")
	flag.DurationVar(&b.javaWarm, "warm", 2*time.Second, "warm Java up for so long")
	flag.Uint64Var(&b.memory, "memory", 8<<30, "cut a side off that uses more bytes")
	flag.BoolVar(&b.all, "all", false, "ask a side that was cut off in one row for the others of the same workload too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	var err error
	if b.rows, err = regexp.Compile(*rows); err != nil {
		return err
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp("", "bench-assignors-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	java, err := b.choose(ctx, strings.Split(*only, ","))
	if err != nil {
		return err
	}
	timed, failures := b.run(ctx)
	if len(timed) == 0 {
		return cmp.Or(failures, fmt.Errorf("no row matches %q; one is called %q", *rows, "b sticky, one leaves"))
	}
	if err := b.printHeading(os.Stdout, java); err != nil {
		return err
	}
	if err := b.print(os.Stdout, timed); err != nil {
		return err
	}
	return failures
}

// choose takes the sides by their names, and returns the version of Java. Without a JDK the others are timed.
func (b *bench) choose(ctx context.Context, names []string) (java string, err error) {
	for _, name := range names {
		if name != "Java" {
			if _, err := named(goSides, name); err != nil {
				return "", fmt.Errorf("side: %w, or \"Java\"", err)
			}
			b.sides = append(b.sides, goSide(name))
			continue
		}
		s, version, err := javaSide(ctx, b.folder)
		if err != nil {
			fmt.Fprintln(b.progress, "without Java:", err)
			continue
		}
		b.sides, java = append(b.sides, s), version
	}
	return java, nil
}

// printHeading says what was measured on what.
func (b *bench) printHeading(w io.Writer, java string) error {
	versions := []string{runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "github.com/twmb/franz-go" || module.Path == "github.com/IBM/sarama" {
				versions = append(versions, module.Path+" "+module.Version)
			}
		}
	}
	if java != "" {
		versions = append(versions, fmt.Sprintf("kafka-clients %s on %s", kafkaClients, java))
	}
	_, err := fmt.Fprintf(w, `%s: %s.
CPU time of the process, on one core, to decode all members' metadata, assign, and encode all assignments. "> %v s": cut off by the
clock in its first run; "> %d GB": for its memory; –: not tried, as it was cut off in another row of the same letter.
`, time.Now().Format(time.DateOnly), strings.Join(versions, ", "), b.limit.Seconds(), b.memory>>30)
	return err
}
