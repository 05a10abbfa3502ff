package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/joinsync/joinsync/internal/preview"
)

// assignFlags are those of joinsync assign.
type assignFlags struct {
	connection
	group             string
	assignor, compare string
	file              string // "" for none, "-" for standard input
	jsonl, json, all  bool
	svg               string
	limit             int
	patience          time.Duration

	environment environment
}

func newAssign(environment environment) *cobra.Command {
	flags := assignFlags{environment: environment}
	cmd := &cobra.Command{
		Use:   "assign --assignor NAME [FILE | --bootstrap HOST:PORT --group GROUP]",
		Short: "Show what an assignor would do with a group, before it is rolled out",
		Long: `assign shows the plan that an assignor makes for a group: who gets what, what moves, how even it is, what is far from
its member's rack, and whether the broker can keep it. It changes nothing.

NAME is ` + assignorNames() + `.
The group comes from a file, from standard input, or, with --bootstrap and --group, from a cluster: then its members are
as they stand, and own what they are assigned.

A file is JSON, of this form (see examples/assign/shop.json in the repository):

  {"topics": [{"name": "orders", "parts": 2, "racks": [["a", "b"], ["b", null]]}],
   "members": [{"id": "anna", "instance": "i1", "rack": "a", "subs": ["orders"],
                "owned": {"orders": [0, 1]}, "gen": 7, "v": 3}]}

In topics, racks are those of each partition's replicas, the leader's first, null for a broker without one; leave
racks out where no broker has one. A topic may also say how far the group lags, as "lag": [120, 0]: lag-aware needs that
of every topic, and asks for it where the group comes from a cluster.

Of a member only id and subs are needed: instance is the id of a static member, owned is what it owns now and gen since
which generation, v is the version of the subscription that it sends: 2 has no rack, 1 no gen, 0 no owned. In base64,
told is the user data of its assignment, and userData what it sends instead of what the assignor would have it send.
Or the file is an object with that as "in", as --json prints it: print a live group, edit it, and ask again.

In the table, "now" is what a member owns, "gets" what it is meant to have, "in" and "out" are what it did not own and
what goes to another member, "far" is what has no replica in its rack, "lag" how many records it has yet to read. A
cooperative assignor holds back what another member still owns, for one more rebalance. The group's record is what the
coordinator keeps of it: one record with all subscriptions and assignments, which must fit into max.message.bytes of the
topic __consumer_offsets.

With --json the whole report is one object: assignor, in, out (member, topic, partitions), pre (of a cooperative
assignor: out with what is held back), facts (n partitions; min, max and sq, the sum of squares, of the members'
loads; prev, partitions that had an owner; moved; rackMis; withheld), members, record, notes, and with --compare as
much of the other one as "compare".

With --jsonl each line is a case, {"id", "assignor", "in"}, and is answered by one, {"id", "out"}, of a cooperative
assignor with "pre", or {"id", "error"}. --assignor is then for the lines that name none. Empty lines get no answer.

It exits with 0 when there is a plan, with 1 when there is none, one does not fit into the group's record, or a line
got an error, and with 2 when it was called wrongly.`,
		Example: `  joinsync assign --assignor sticky examples/assign/shop.json
  joinsync assign --assignor cooperative-sticky --compare range --svg plan.svg examples/assign/shop.json
  joinsync assign --jsonl < examples/assign/cases.jsonl
  joinsync assign --assignor sticky --bootstrap localhost:9092 --group billing
  joinsync assign --assignor sticky -b localhost:9092 -g billing --json > billing.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%d files are given: give one; --jsonl reads many cases from one", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				flags.file = args[0]
			}
			return flags.start(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	flags.add(cmd)
	return cmd
}

func (f *assignFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVarP(&f.assignor, "assignor", "a", "", "`name` of the assignor (default the one that the input names)")
	set.StringVar(&f.compare, "compare", "", "`name` of another one, to show beside it")
	set.BoolVar(&f.all, "all", false, "show all members of a large group")
	set.StringVar(&f.svg, "svg", "", "`file` to draw the plan into")
	set.BoolVar(&f.json, "json", false, "print the report as one JSON object")
	set.BoolVar(&f.jsonl, "jsonl", false, "read many cases, one a line, and answer each with a line")
	set.IntVar(&f.limit, "max-message-bytes", 0, fmt.Sprintf("`bytes` of the largest record that the broker keeps (default the cluster's\nsetting, or %d)", preview.DefaultLimit))
	set.StringSliceVarP(&f.bootstrap, "bootstrap", "b", nil, "`address` of a broker of a live group, host:port; several with commas, or with\nthe flag repeated")
	set.StringVarP(&f.group, "group", "g", "", "`name` of a live group")
	set.DurationVar(&f.patience, "patience", 30*time.Second, "`time` that the cluster may take")
	f.connection.add(cmd)
}

// start does what the flags ask for.
func (f *assignFlags) start(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	if err := f.check(stdin); err != nil {
		return err
	}
	if f.jsonl {
		return f.cases(ctx, stdin, stdout)
	}
	read, err := f.read(ctx, stdin)
	if err != nil {
		return &failure{err}
	}
	if f.assignor != "" {
		read.Assignor = f.assignor
	}
	if read.Assignor == "" {
		return errors.New("--assignor is missing, and the input names none: use " + assignorNames())
	}
	return f.show(ctx, stdout, read)
}

// check finds what is wrong with the flags. The error names every one, and how to mend it.
func (f *assignFlags) check(stdin io.Reader) error {
	var wrong []error
	for flag, name := range map[string]string{"--assignor": f.assignor, "--compare": f.compare} {
		if _, err := assignorNamed(name); name != "" && err != nil {
			wrong = append(wrong, fmt.Errorf("%s is %w", flag, err))
		}
	}
	live := f.live()
	if live {
		if _, err := f.connection.options(); err != nil {
			wrong = append(wrong, err)
		}
		if f.group == "" {
			wrong = append(wrong, errors.New("--group is missing: name a group of the cluster"))
		}
		if f.file != "" {
			wrong = append(wrong, fmt.Errorf("--bootstrap and --group, and the file %s, are both given: leave one of them out", f.file))
		}
	}
	if f.jsonl && (live || f.json || f.all || f.svg != "" || f.compare != "") {
		wrong = append(wrong, errors.New("--jsonl goes with --assignor and a file only: leave the other flags out"))
	}
	if f.limit < 0 {
		wrong = append(wrong, fmt.Errorf("--max-message-bytes is %d: use more than 0", f.limit))
	}
	if f.patience <= 0 {
		wrong = append(wrong, fmt.Errorf("--patience is %v: use more than that, such as 30s", f.patience))
	}
	if !live && f.file == "" && terminal(stdin) {
		wrong = append(wrong, errors.New("there is no input: give a file, - for standard input, or --bootstrap and --group"))
	}
	return errors.Join(wrong...)
}

// terminal reports whether somebody would have to type the input.
func terminal(stdin io.Reader) bool {
	file, ok := stdin.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// live reports whether the group is one of a cluster.
func (f *assignFlags) live() bool { return len(f.bootstrap) > 0 || f.group != "" }
