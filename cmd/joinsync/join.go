package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
)

// joinFlags are those of joinsync join.
type joinFlags struct {
	connection
	topics    []string
	assignors []string
	member    client.Config
	rack      string
	json      bool
	verbose   bool
}

func newJoin(environment environment) *cobra.Command {
	var flags joinFlags
	cmd := &cobra.Command{
		Use:   "join --bootstrap HOST:PORT --group GROUP --topic TOPIC",
		Short: "Join a group of a cluster, and show what becomes of it",
		Long: `join makes this process a member of a consumer group, beside whatever other members it has, and shows its life: the
join in its seven steps, and each generation with its reason, its leader, and what this member owns. While it leads it
also shows what it gives to everyone else; a follower is not told.

It holds its partitions until it is interrupted (Ctrl-C, SIGTERM); then it leaves the group. It reads no records and
commits nothing: as long as it is in a group that others work in, nobody works on its partitions.

It exits with 0 after it has left, with 1 after an error, and with 2 when it was called wrongly.`,
		Example: `  joinsync join --bootstrap localhost:9092 --group billing --topic orders
  joinsync join -b b1:9093,b2:9093 -g billing -t orders -t payments --assignor roundrobin,range \
    --tls-ca ca.pem --user alice --password-file alice.txt --sasl-mechanism SCRAM-SHA-512
  joinsync join -b localhost:9092 -g billing -t orders --json | jq -c 'select(.event == "assigned") | .partitions'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			join, err := flags.check(environment)
			if err != nil {
				return err
			}
			if err := join.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
				return &failure{inFlags(err)}
			}
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}

func (f *joinFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.StringSliceVarP(&f.bootstrap, "bootstrap", "b", nil, "`address` of a broker, host:port; several with commas, or with the flag repeated")
	set.StringVarP(&f.member.Group, "group", "g", "", "`name` of the group to join")
	set.StringSliceVarP(&f.topics, "topic", "t", nil, "`name` of a topic to share; several as above")
	set.StringSliceVar(&f.assignors, "assignor", []string{"range"}, "how to share, "+assignorNames()+";\nor several, in order of preference")
	set.StringVar(&f.member.ClientID, "client-id", fmt.Sprintf("joinsync-%d", os.Getpid()), "`name` that the member id begins with")
	set.StringVar(&f.member.InstanceID, "instance-id", "", "`name` of a static member, which keeps its place over a restart and\ndoes not leave (KIP-345)")
	set.StringVar(&f.rack, "rack", "", "`name` of the rack that this member runs in (KIP-881)")
	set.DurationVar(&f.member.SessionTimeout, "session-timeout", 45*time.Second, "`time` without a heartbeat after which the member is taken for dead")
	set.DurationVar(&f.member.HeartbeatInterval, "heartbeat-interval", 0, "`time` between heartbeats (default 3s, or a third of a session timeout below 9s)")
	set.DurationVar(&f.member.BootstrapTimeout, "bootstrap-timeout", 30*time.Second, "`time` to look for the cluster before giving up")
	f.connection.add(cmd)
	set.BoolVar(&f.json, "json", false, "print one JSON object a line: see joinsync help json")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "log to standard error what the member does")
}

// check turns the flags into a join. The error names every flag that is wrong, and how to mend it.
func (f *joinFlags) check(environment environment) (*join, error) {
	opts, err := f.connection.options()
	wrong := []error{err}
	if f.member.ClientID == "" {
		wrong = append(wrong, errors.New("--client-id is empty: give a name, or leave the flag out"))
	}
	if f.member.Group == "" {
		wrong = append(wrong, errors.New("--group is missing: name the group to join"))
	}
	if len(f.topics) == 0 {
		wrong = append(wrong, errors.New("--topic is missing: name a topic to share"))
	}
	assignors := make([]assignor.Assignor, 0, len(f.assignors))
	for _, name := range f.assignors {
		a, err := assignorNamed(name)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--assignor has %w", err))
			continue
		}
		if _, lags := a.(assignor.LagAware); lags {
			a = assignor.FallBack(a, assignor.RoundRobin{}) // rather than leave the group without a plan
		}
		assignors = append(assignors, a)
	}
	cfg := consumer.Config{Member: f.member, Topics: f.topics, Assignors: assignors, Rack: f.rack}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	if err := cfg.Validate(); err != nil {
		return nil, inFlags(err)
	}
	if environment.dial != nil {
		opts = append(opts, kgo.Dialer(environment.dial))
	}
	return &join{flags: f, cfg: cfg, opts: opts}, nil
}

// fields turns the fields that the client's errors name into the flags that they are set by.
var fields = strings.NewReplacer(
	"SessionTimeout", "--session-timeout", "HeartbeatInterval", "--heartbeat-interval", "BootstrapTimeout", "--bootstrap-timeout",
	"InstanceID", "--instance-id", "ClientID", "--client-id", "Topics has", "--topic has", "Assignors has", "--assignor has",
	"Rack is", "--rack is", "Group is", "--group is",
)

// inFlags puts an error into the words of someone who knows the flags.
func inFlags(err error) error { return renamed{err} }

type renamed struct{ err error }

func (r renamed) Error() string { return fields.Replace(r.err.Error()) }
func (r renamed) Unwrap() error { return r.err }
