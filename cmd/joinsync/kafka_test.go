package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// sessionTimeout is that of every member in these tests: what a kill takes to be noticed.
const sessionTimeout = 3 * time.Second

// A fleet is a group on a real Kafka, of processes of ours and a consumer of Java's.
type fleet struct {
	t      *testing.T
	ctx    context.Context
	broker *kafkatest.Broker
	topic  string
	group  string
	ours   map[string]*process
	java   *kafkatest.Consumer
	rounds int
}

const fleetPartitions = 7 // cannot be shared evenly

func newFleet(t *testing.T, version kafkatest.Version) *fleet {
	t.Helper()
	broker := kafkatest.Start(t, version)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	return &fleet{
		t: t, ctx: ctx, broker: broker, topic: broker.CreateTopic(t, fleetPartitions), group: kafkatest.Name(t),
		ours: make(map[string]*process),
	}
}

// join starts joinsync join, and waits until everyone agrees.
func (f *fleet) join(name string) {
	f.t.Helper()
	f.ours[name] = startJoin(f.t, name, "--bootstrap", f.broker.Addr(), "--group", f.group, "--topic", f.topic,
		"--session-timeout", sessionTimeout.String())
	f.agree()
}

// joinJava starts a consumer of Java's, and waits until everyone agrees.
func (f *fleet) joinJava() {
	f.t.Helper()
	f.java = kafkatest.StartConsumer(f.t, kafkatest.ConsumerConfig{
		Addr: f.broker.Addr(), Group: f.group, Topic: f.topic, SessionTimeout: sessionTimeout,
	})
	f.agree()
}

// leave lets one of ours leave by SIGTERM, which is no error, and waits until the rest agrees.
func (f *fleet) leave(name string) {
	f.t.Helper()
	if err := f.ours[name].Stop(); err != nil {
		f.t.Fatal(err)
	}
	delete(f.ours, name)
	f.agree()
}

// kill ends one of ours by SIGKILL, and waits until the rest agrees.
func (f *fleet) kill(name string) {
	f.t.Helper()
	f.ours[name].Kill()
	delete(f.ours, name)
	f.agree()
}

func (f *fleet) killJava() {
	f.t.Helper()
	f.java.Kill()
	f.java = nil
	f.agree()
}

// agree waits until the group is stable (empty, if nobody is left) with those members that are there, and each of them owns what the broker
// says. Then the assignment has to be complete and disjoint, and Java has to read what it owns and nothing else.
func (f *fleet) agree() {
	f.t.Helper()
	var wrong string
	group, err := kafkatest.AwaitGroup(f.ctx, f.broker.Addr(), f.group, func(g kafkatest.Group) bool {
		wrong = f.disagreement(g)
		return wrong == ""
	})
	if err != nil {
		f.t.Fatalf("%v: %s", err, wrong)
	}
	if len(group.Members) == 0 {
		return
	}
	if group.Protocol != "range" {
		f.t.Errorf("the protocol is %q", group.Protocol)
	}
	if err := group.CheckAssignment(f.topic, fleetPartitions); err != nil {
		f.t.Error(err)
	}
	for _, m := range group.Members {
		if m.ClientID == "java" {
			f.javaReads(m.Assigned[f.topic])
		}
	}
}

func (f *fleet) disagreement(g kafkatest.Group) string {
	want := len(f.ours)
	if f.java != nil {
		want++
	}
	state := "Stable"
	if want == 0 {
		state = "Empty"
	}
	if g.State != state || len(g.Members) != want {
		return fmt.Sprintf("%d members are there, the group has %d and is %s", want, len(g.Members), g.State)
	}
	for _, m := range g.Members {
		if m.ClientID == "java" {
			continue
		}
		p := f.ours[m.ClientID]
		if p == nil {
			return m.ClientID + " is not there any more"
		}
		if id, _, owned := p.standing(); id != m.MemberID || !slices.Equal(owned[f.topic], m.Assigned[f.topic]) {
			return fmt.Sprintf("%s believes to be %s with %v, the broker says %s with %v",
				m.ClientID, id, owned, m.MemberID, m.Assigned)
		}
	}
	return ""
}

// javaReads writes a record into each partition and waits until Java has read those of its own.
func (f *fleet) javaReads(owned []int32) {
	f.t.Helper()
	f.rounds++
	value := fmt.Sprintf("round %d", f.rounds)
	f.produce(value)
	read := func(records []kafkatest.Record) (partitions []int32) {
		for _, r := range records {
			if r.Value == value {
				partitions = append(partitions, r.Partition)
			}
		}
		slices.Sort(partitions)
		return partitions
	}
	records, err := f.java.AwaitRecords(f.ctx, func(records []kafkatest.Record) bool { return len(read(records)) >= len(owned) })
	if err != nil {
		f.t.Fatal(err)
	}
	if got := read(records); !slices.Equal(got, owned) {
		f.t.Errorf("java reads from partitions %v, the broker says that it owns %v", got, owned)
	}
}

func (f *fleet) produce(value string) {
	f.t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(f.broker.Addr()), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		f.t.Fatal(err)
	}
	defer cl.Close()
	var records []*kgo.Record
	for p := range int32(fleetPartitions) {
		records = append(records, &kgo.Record{Topic: f.topic, Partition: p, Value: []byte(value)})
	}
	if err := cl.ProduceSync(f.ctx, records...).FirstErr(); err != nil {
		f.t.Fatal(err)
	}
}

// ledBy checks who leads, in the eyes of one of ours.
func (f *fleet) ledBy(name, leader string) {
	f.t.Helper()
	if _, got, _ := f.ours[name].standing(); got != leader {
		f.t.Errorf("%s says that %s leads, not %s", name, got, leader)
	}
}

func TestOneGroupWithJavaThroughALeaveAndAKill(t *testing.T) {
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) {
			t.Run("ours leads", func(t *testing.T) {
				t.Parallel()
				f := newFleet(t, version)
				f.join("anna")
				f.joinJava()
				f.join("bert")
				f.ledBy("anna", "anna")
				f.ledBy("bert", "anna")
				f.leave("bert")
				f.kill("anna") // Java leads from now on, and has everything
			})
			t.Run("java leads", func(t *testing.T) {
				t.Parallel()
				f := newFleet(t, version)
				f.joinJava()
				f.join("anna")
				f.join("bert")
				f.ledBy("anna", "java")
				f.ledBy("bert", "java")
				f.killJava()
				if _, leader, _ := f.ours["anna"].standing(); leader == "java" {
					t.Error("a dead one leads")
				}
				f.leave("anna")
				f.ledBy("bert", "bert")
				f.leave("bert")
			})
		})
	}
}

func TestARealBrokerIsClearAboutWhatIsWrong(t *testing.T) {
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) {
			broker := kafkatest.Start(t, version)
			topic := broker.CreateTopic(t, 1)
			for _, test := range []struct {
				name  string
				addr  string
				args  []string
				wants []string
			}{
				{"a wrong password", broker.SASLAddr(), []string{"--user", kafkatest.User, "--password", "rabbit"},
					[]string{"SASL_AUTHENTICATION_FAILED", "check user name, password and SASL mechanism"}},
				{"a wrong password for SCRAM", broker.SASLAddr(),
					[]string{"--user", kafkatest.User, "--password", "rabbit", "--sasl-mechanism", "SCRAM-SHA-512"},
					[]string{"SASL_AUTHENTICATION_FAILED", "check user name, password and SASL mechanism"}},
				{"a certificate of nobody", broker.TLSAddr(), []string{"--tls"},
					[]string{"trust the authority that signed the broker's certificate"}},
				{"a session timeout out of bounds", broker.Addr(), []string{"--session-timeout", "50ms"},
					[]string{"--session-timeout is 50ms", "INVALID_SESSION_TIMEOUT", "choose one from"}},
				{"TLS where there is none", broker.Addr(), []string{"--tls", "--bootstrap-timeout", "1s"}, []string{"TLS"}},
				{"no login where one is wanted", broker.SASLAddr(), []string{"--bootstrap-timeout", "1s"}, []string{"SASL"}},
			} {
				t.Run(test.name, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
					defer cancel()
					var stdout, stderr bytes.Buffer
					args := append([]string{"join", "-b", test.addr, "-g", kafkatest.Name(t), "-t", topic}, test.args...)
					if code := run(ctx, args, &stdout, &stderr, environment{}); code != exitError || ctx.Err() != nil {
						t.Errorf("exit code %d, %v", code, ctx.Err())
					}
					for _, want := range test.wants {
						if !strings.Contains(stderr.String(), want) {
							t.Errorf("no %q in %q", want, stderr.String())
						}
					}
					if strings.Contains(stderr.String()+stdout.String(), "rabbit") {
						t.Error("the password is shown")
					}
					t.Log(stderr.String())
				})
			}
		})
	}
}

func TestJoinThroughTLSAndSASL(t *testing.T) {
	t.Setenv(passwordVariable, kafkatest.Password)
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) {
			broker := kafkatest.Start(t, version)
			topic := broker.CreateTopic(t, 3)
			authority := filepath.Join(t.TempDir(), "ca.pem")
			if err := os.WriteFile(authority, broker.CertificateAuthority(), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"-b", broker.TLSAddr(), "--tls-ca", authority},
				{"-b", broker.TLSAddr(), "--tls-insecure"},
				{"-b", broker.SASLAddr(), "--user", kafkatest.User},
				{"-b", broker.SASLAddr(), "--user", kafkatest.User, "--sasl-mechanism", "SCRAM-SHA-256"},
				{"-b", broker.SASLAddr(), "--user", kafkatest.User, "--sasl-mechanism", "scram-sha-512"},
			} {
				joinUntil(t, "anna  ███ ███ ███  ", append(args, "-g", kafkatest.Name(t), "-t", topic)...).
					want(t, exitOK, []string{"led by anna", "anna has left group "}, nil)
			}
		})
	}
}
