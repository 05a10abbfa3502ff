package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/internal/script/conform"
	"github.com/joinsync/joinsync/protocol"
	"github.com/joinsync/joinsync/testdata"
)

// conformFlags are those of joinsync conform.
type conformFlags struct {
	connection
	run         string
	list, print bool
	like        string
	settings    []string
	patience    time.Duration
	parallel    int
	json        bool
	verbose     bool

	environment environment
}

func newConform(environment environment) *cobra.Command {
	flags := conformFlags{environment: environment}
	cmd := &cobra.Command{
		Use:   "conform --bootstrap HOST:PORT",
		Short: "Show where a broker's groups behave otherwise than Kafka's",
		Long: `conform runs scripts of requests on a broker that is running, whoever has built it, and prints each answer about
groups, their offsets and the transactions that carry offsets, that Apache Kafka would have given otherwise:

  ✗ A member id that the group does not know is refused. [G-058]
    join/unknown-member-id.txt:6  A: JoinGroup v9 member=ghost
      - → UNKNOWN_MEMBER_ID member=ghost
      + → NONE gen=1 type=consumer protocol=range leader=ghost member=ghost members=[ghost:orders]

That is what the script shows, with the numbers of rules in docs/semantics.md; the script's line with the request; the
answer that Kafka gives (-) and the answer that came (+). $A stands for the member id that client A was given,
"parked" for no answer yet, ✗ for a closed connection. --print shows scripts whole, and so what went before; --list
says what there is. After an answer with another error code than expected a script ends. Differences that probably
have one cause are printed once, and then the scripts that have them too; --verbose prints them all.

A script is skipped where the broker cannot be held to it, and the reason is told: other settings than the script
needs, a version that ApiVersions does not list, topics that cannot be made. Nearly all scripts need a broker with

  group.initial.rebalance.delay.ms=0
  group.min.session.timeout.ms=100

and a few others need, say, group.max.size=2: run these on a broker that has it. Settings are read by DescribeConfigs;
give those that the broker does not tell with --config. Without that the two above are assumed to be right.

Where Kafka 4.4.0 and 3.9.2 differ, a broker that has OffsetCommit v0 and not v10 is held to 3.9.2, any other to
4.4.0, unless --like says which.

The broker must be the only one of its cluster. It may be shared: what a run makes on it has names of its own, and is
deleted in the end as far as the broker has requests for that.

It exits with 0 when every script that could be run agrees, with 1 when one differs, none could be run, or the run was
interrupted (Ctrl-C, SIGTERM: it still prints what it has), and with 2 when it was called wrongly.

With --json each line is an object. With the event "script": script, title, rules, outcome ("agrees", "differs",
"skipped"), seconds; of one that differs an array of differences with line, step, expected and got, or reason if it
did not come to its end; of one skipped reason. With the event "summary", at the end: broker, like, prefix (of the
names), agree, differ, skipped, not_run, seconds, and left (what could not be deleted).`,
		Example: `  joinsync conform --bootstrap localhost:9092
  joinsync conform -b localhost:9092 --run '^(join|static)/' --like 3.9.2 --verbose
  joinsync conform -b localhost:9092 --run max-size --config group.max.size=2
  joinsync conform --list
  joinsync conform --print --run join/first-member
  joinsync conform -b localhost:9092 --json | jq -c 'select(.outcome == "differs") | [.script, .differences[].got]'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.start(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags.add(cmd)
	return cmd
}

func (f *conformFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.StringSliceVarP(&f.bootstrap, "bootstrap", "b", nil, "`address` of the broker, host:port")
	set.StringVar(&f.run, "run", "", "run only scripts whose names match a regular `expression`")
	set.BoolVar(&f.list, "list", false, "say which scripts there are, and what each shows, and run none")
	set.BoolVar(&f.print, "print", false, "print the scripts, and run none")
	set.StringVar(&f.like, "like", "", "`version` of Kafka whose answers are expected, 4.4.0 or 3.9.2 (default by the\nbroker's versions)")
	set.StringArrayVarP(&f.settings, "config", "c", nil, "`setting` that the broker has and does not tell, or tells otherwise, KEY=VALUE;\nrepeat it for several")
	set.DurationVar(&f.patience, "patience", 10*time.Second, "`time` that an expected answer may take")
	set.IntVar(&f.parallel, "parallel", 8, "`number` of scripts that run at a time")
	f.connection.add(cmd)
	set.BoolVar(&f.json, "json", false, "print one JSON object a line")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "tell of scripts that agree and are skipped too, as they end")
}

// start does what the flags ask for.
func (f *conformFlags) start(ctx context.Context, stdout io.Writer) error {
	scripts, err := f.scripts()
	if err != nil {
		return err
	}
	if f.list || f.print {
		if f.list && f.print || f.json {
			return errors.New("--list and --print go without each other, and without --json: leave one of them out")
		}
		return f.show(stdout, scripts)
	}
	cfg, opts, err := f.check()
	if err != nil {
		return err
	}
	if err := f.conform(ctx, stdout, cfg, opts, scripts); err != nil {
		return &failure{err}
	}
	return nil
}

// scripts are those that the flags choose.
func (f *conformFlags) scripts() ([]*script.Script, error) {
	chosen, err := regexp.Compile(f.run)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	tree, err := fs.Sub(testdata.Scenarios, "scenarios")
	if err != nil {
		return nil, &failure{err}
	}
	all, err := script.Load(tree)
	if err != nil {
		return nil, &failure{err}
	}
	var scripts []*script.Script
	for _, s := range all {
		if chosen.MatchString(s.Name()) {
			scripts = append(scripts, s)
		}
	}
	if len(scripts) == 0 {
		return nil, fmt.Errorf("--run: no script has a name that matches %q: see joinsync conform --list", f.run)
	}
	return scripts, nil
}

// show prints the scripts, or what each is.
func (f *conformFlags) show(stdout io.Writer, scripts []*script.Script) error {
	longest := 0
	for _, s := range scripts {
		longest = max(longest, len(s.Name()))
	}
	for _, s := range scripts {
		text := fmt.Sprintf("%-*s  %s\n", longest, s.Name(), s.Title())
		if f.print {
			text = fmt.Sprintf("==> %s <==\n%s\n", s.Path(), s)
		}
		if _, err := io.WriteString(stdout, text); err != nil {
			return &failure{err}
		}
	}
	return nil
}

// check turns the flags into a config. The error names every flag that is wrong, and how to mend it.
func (f *conformFlags) check() (conform.Config, []kgo.Opt, error) {
	opts, err := f.connection.options()
	wrong := []error{err}
	if len(f.bootstrap) > 1 {
		wrong = append(wrong, errors.New("--bootstrap has several addresses: give one, of a cluster with a single broker"))
	}
	if f.like != "" && f.like != script.Kafka440 && f.like != script.Kafka392 {
		wrong = append(wrong, fmt.Errorf("--like is %q: use %s or %s", f.like, script.Kafka440, script.Kafka392))
	}
	if f.patience <= 0 {
		wrong = append(wrong, fmt.Errorf("--patience is %v: use more than that, such as 10s", f.patience))
	}
	if f.parallel < 1 || f.parallel > 100 {
		wrong = append(wrong, fmt.Errorf("--parallel is %d: use 1 to 100", f.parallel))
	}
	settings := make(map[string]string)
	for _, setting := range f.settings {
		key, value, ok := strings.Cut(setting, "=")
		if !ok {
			wrong = append(wrong, fmt.Errorf("--config has %q: write KEY=VALUE", setting))
		}
		settings[key] = value
	}
	if err := errors.Join(wrong...); err != nil {
		return conform.Config{}, nil, err
	}
	if f.environment.dial != nil {
		opts = append(opts, kgo.Dialer(f.environment.dial))
	}
	dial, err := f.connection.dial(f.environment.dial)
	return conform.Config{
		Addr: f.bootstrap[0], Dial: dial, Like: f.like, Settings: settings, Patience: f.patience, Parallel: f.parallel,
	}, opts, err
}

// cleanUpTimeout is how long it may take to delete what the run has made.
const cleanUpTimeout = 20 * time.Second

// conform runs the scripts and tells what became of them.
func (f *conformFlags) conform(ctx context.Context, stdout io.Writer, cfg conform.Config, opts []kgo.Opt, scripts []*script.Script) error {
	began := time.Now()
	if err := reach(ctx, cfg.Addr, cfg.Patience, opts); err != nil {
		return err
	}
	broker, err := conform.Inspect(ctx, cfg)
	if err != nil {
		return err
	}
	tell := newConformReport(stdout, f, broker, len(scripts))
	tell.begin()
	broker.Run(ctx, scripts, tell.script)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	tell.end(broker.CleanUp(limited), time.Since(began))
	return tell.verdict(ctx)
}

// reach asks the broker once as any client would, for errors that name the cure.
func reach(ctx context.Context, address string, patience time.Duration, opts []kgo.Opt) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	transport, err := kgotransport.New(opts...)
	if err != nil {
		return err
	}
	session, err := transport.Open(limited, protocol.Identity{ClientID: "joinsync"})
	if err != nil {
		return err
	}
	defer session.Close()
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{}
	_, err = session.Request(limited, req)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: no answer within --patience, which is %v: check that the port is a Kafka listener's, and whether it wants "+
			"TLS or SASL", address, patience)
	}
	return err
}
