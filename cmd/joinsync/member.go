package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/internal/timeline"
	"github.com/joinsync/joinsync/protocol"
)

const (
	leaveTimeout  = 10 * time.Second // for leaving, once told to
	lookUpTimeout = 5 * time.Second  // for the topics' sizes, which are nice to have
)

// join is one member, ready to join.
type join struct {
	flags *joinFlags
	cfg   consumer.Config
	opts  []kgo.Opt

	line   *timeline.Timeline
	watch  *timeline.Watch
	warned map[string]bool // topics that the user has been warned of
	left   error           // of LeaveGroup
}

// run joins, stays until ctx ends, and leaves.
func (j *join) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	inner, err := kgotransport.New(j.opts...)
	if err != nil {
		return err
	}
	j.line = timeline.New(timeline.For(stdout, j.flags.json))
	defer func() { err = errors.Join(err, j.line.Close()) }()
	j.watch = j.line.Watch(j.name())
	j.warned = make(map[string]bool)
	j.line.Add(timeline.Event{Kind: timeline.Opened, Text: fmt.Sprintf("joinsync join: %s joins group %s on %s, for %s",
		j.name(), j.cfg.Member.Group, strings.Join(j.flags.bootstrap, ", "), strings.Join(j.cfg.Topics, ", "))})
	if j.flags.exposed() {
		j.warn("the password goes over the network as it is: use --tls, or a mechanism of SCRAM")
	}
	j.cfg.Member.Events = j.watch.Events()
	leaves := j.cfg.Member.Events.Left
	j.cfg.Member.Events.Left = func(g client.Generation, err error) {
		j.left = err
		leaves(g, err)
	}
	j.cfg.OnNotes = j.note
	if j.flags.verbose {
		j.cfg.Member.Logger = logger(stderr)
	}
	transport := j.watch.Transport(inner)
	j.lookUp(ctx, transport)
	c, err := consumer.New(transport, j.cfg)
	if err != nil {
		return err
	}
	return j.stay(ctx, c)
}

// name is what the member is called: as its member id begins, which is all that a leader has of the others (G-017, G-018).
func (j *join) name() string { return cmp.Or(j.cfg.Member.InstanceID, j.cfg.Member.ClientID) }

// stay is a member's life in the group.
func (j *join) stay(ctx context.Context, c *consumer.Consumer) error {
	c.Join(context.WithoutCancel(ctx))
	select {
	case <-c.Done():
		return c.Err()
	case <-ctx.Done():
	}
	j.watch.Add(timeline.Event{Kind: timeline.Leaving, Reason: context.Cause(ctx).Error() + "; a second one ends it at once"})
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	if err := c.Close(limited); err != nil {
		return err
	}
	if j.left != nil {
		return fmt.Errorf("leave group %q: %w", j.cfg.Member.Group, j.left)
	}
	text := "has left group " + j.cfg.Member.Group
	if j.cfg.Member.InstanceID != "" {
		text = fmt.Sprintf("has ended; group %s keeps its place for the session timeout, %v", j.cfg.Member.Group, j.cfg.Member.SessionTimeout)
	}
	j.line.Add(timeline.Event{Kind: timeline.Closed, Text: j.name() + " " + text})
	return nil
}

// lookUp asks once for the topics, to know their sizes and to warn of those that do not exist. What goes wrong with it will
// go wrong with the join, and be told then.
func (j *join) lookUp(ctx context.Context, transport protocol.Transport) {
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	session, err := transport.Open(ctx, protocol.Identity{ClientID: j.cfg.Member.ClientID})
	if err != nil {
		return
	}
	defer session.Close()
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range j.cfg.Topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = &name
		req.Topics = append(req.Topics, topic)
	}
	resp, err := session.Request(ctx, req)
	if err != nil {
		return
	}
	metadata, ok := resp.(*kmsg.MetadataResponse)
	if !ok {
		return
	}
	for _, t := range metadata.Topics {
		if code := protocol.ErrorCode(t.ErrorCode); code != protocol.None && t.Topic != nil {
			j.warnOf(*t.Topic, fmt.Sprintf("topic %s: %v", *t.Topic, code))
		}
	}
}

// note warns of what had to be left out of an assignment.
func (j *join) note(notes []assignor.Note) {
	for _, note := range notes {
		if note.Member == "" {
			j.warnOf(note.Topic, note.String())
		} else {
			j.warn(note.String())
		}
	}
}

// warnOf warns of a topic, once.
func (j *join) warnOf(topic, text string) {
	if !j.warned[topic] {
		j.warned[topic] = true
		j.warn(text)
	}
}

func (j *join) warn(text string) { j.watch.Add(timeline.Event{Kind: timeline.Warning, Text: text}) }

// logger writes lines for people.
func logger(out io.Writer) *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig())
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(out), zapcore.DebugLevel))
}
