package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/joinsync/joinsync/coordinator/broker"
)

// serveFlags are those of joinsync serve.
type serveFlags struct {
	listen, advertise string
	topics, settings  []string
	tlsCert, tlsKey   string
	json, verbose     bool
}

func newServe() *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Be a Kafka broker for clients of any kind",
		Long: `serve is a Kafka broker in one process, for consumers and producers that know nothing of it: the groups are
coordinated by this library, topics and records are kept in memory beside it. When it ends, all of that is gone.

It prints one line when it is ready, and serves until it is interrupted (Ctrl-C, SIGTERM): then it answers what is
parked, hangs up and exits with 0; with 1 after an error, and with 2 when it was called wrongly. Why a client's
connection was closed is logged to standard error.

Settings have Kafka's names, and Kafka's defaults unless they are given:
  ` + strings.Join(broker.Properties(), "\n  ") + `

With --json the line is an object with these fields: event ("listening"), address, advertised (what clients are told),
and topics (name to number of partitions); another one follows at the end, with the event "closed".`,
		Example: `  joinsync serve
  joinsync serve --listen 127.0.0.1:9092 --topic orders:6 --topic payments:3
  joinsync serve --listen 0.0.0.0:9092 --advertise broker.example:9092 --config group.initial.rebalance.delay.ms=0
  joinsync serve --listen 127.0.0.1:0 --json | jq -r .advertised`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := flags.check()
			if err != nil {
				return err
			}
			config.Logger = logger(cmd.ErrOrStderr())
			if !flags.verbose {
				config.Logger = config.Logger.WithOptions(zap.IncreaseLevel(zap.InfoLevel))
			}
			if err := serve(cmd.Context(), config, announcer{cmd.OutOrStdout(), flags.json}); err != nil {
				return &failure{err}
			}
			return nil
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVarP(&flags.listen, "listen", "l", "127.0.0.1:9092", "`address` to listen on, host:port; port 0 is any that is free")
	set.StringVar(&flags.advertise, "advertise", "", "`address` that clients are told, host:port (default that of --listen)")
	set.StringArrayVarP(&flags.topics, "topic", "t", nil, "`topic` to make at the start, NAME:PARTITIONS or NAME; repeat it for several")
	set.StringArrayVarP(&flags.settings, "config", "c", nil, "`setting` under its name in Kafka, KEY=VALUE; repeat it for several")
	set.StringVar(&flags.tlsCert, "tls-cert", "", "PEM `file` with a certificate: the listener is one for TLS")
	set.StringVar(&flags.tlsKey, "tls-key", "", "PEM `file` with the certificate's key")
	set.BoolVar(&flags.json, "json", false, "print JSON objects")
	set.BoolVarP(&flags.verbose, "verbose", "v", false, "log everything that happens to groups too")
	return cmd
}

// check turns the flags into a config. The error names every flag that is wrong, and how to mend it.
func (f *serveFlags) check() (broker.Config, error) {
	config := broker.Config{Addr: f.listen, Advertise: f.advertise, Topics: make(map[string]int32)}
	var wrong []error
	for _, text := range f.topics {
		name, partitions, err := parseTopic(text)
		if _, twice := config.Topics[name]; twice && err == nil {
			err = fmt.Errorf("--topic has %q twice: leave one of them out", name)
		}
		wrong = append(wrong, err)
		config.Topics[name] = partitions
	}
	for _, setting := range f.settings {
		key, value, ok := strings.Cut(setting, "=")
		if !ok {
			wrong = append(wrong, fmt.Errorf("--config has %q: write KEY=VALUE", setting))
		} else if err := config.Set(key, value); err != nil {
			wrong = append(wrong, fmt.Errorf("--config: %w", err))
		}
	}
	switch {
	case (f.tlsCert == "") != (f.tlsKey == ""):
		wrong = append(wrong, errors.New("--tls-cert and --tls-key go together: give both, or neither"))
	case f.tlsCert != "":
		certificate, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--tls-cert and --tls-key: %w", err))
		}
		config.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	}
	if err := config.Validate(); err != nil {
		wrong = append(wrong, inServeFlags(err))
	}
	return config, errors.Join(wrong...)
}

// parseTopic reads NAME:PARTITIONS, or NAME.
func parseTopic(text string) (name string, partitions int32, err error) {
	name, number, ok := strings.Cut(text, ":")
	if !ok {
		return name, 0, nil
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 1 {
		return name, 0, fmt.Errorf("--topic has %q: write NAME:PARTITIONS, such as orders:6", text)
	}
	return name, int32(n), nil
}

// serveFields turns what the broker's errors name into what it is called here.
var serveFields = strings.NewReplacer(
	"Advertise", "--advertise", "Addr", "--listen", "Topics has", "--topic has", "MaxPartitions", "there may be",
	"MinSessionTimeout", "group.min.session.timeout.ms", "MaxSessionTimeout", "group.max.session.timeout.ms",
)

// inServeFlags puts an error of the broker's into the words of someone who knows the flags.
func inServeFlags(err error) error { return serveRenamed{err} }

type serveRenamed struct{ err error }

func (r serveRenamed) Error() string {
	lines := strings.Split(serveFields.Replace(r.err.Error()), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, "broker: "), "coordinator: ")
	}
	return strings.Join(lines, "\n")
}

func (r serveRenamed) Unwrap() error { return r.err }

// hangUpTimeout is how long clients may take to read their last answers.
const hangUpTimeout = 5 * time.Second

// serve serves until ctx ends.
func serve(ctx context.Context, config broker.Config, announce announcer) error {
	b, err := broker.Listen(ctx, config)
	if err != nil {
		return inServeFlags(err)
	}
	told := announce.listening(b, config.Topics)
	if told == nil {
		<-ctx.Done()
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUpTimeout)
	defer cancel()
	return errors.Join(told, b.Close(closing), announce.closed())
}
