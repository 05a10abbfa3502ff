package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/joinsync/joinsync/internal/timeline"
	"github.com/joinsync/joinsync/protocol"
)

// ErrFailed is wrapped by the error of [Run] when a check has failed: the demo has run, and shown that something is wrong.
var ErrFailed = errors.New("a check failed")

// limit bounds the whole demo, which takes about five seconds.
const limit = 20 * time.Second

// Run plays the demo and prints it as out says. The error is ErrFailed, the cause of ctx's end, or says what could not be
// started.
func Run(ctx context.Context, out timeline.Config) error {
	return run(ctx, out, func(t protocol.Transport) protocol.Transport { return t })
}

// run is Run with something between the members and their coordinator: a test puts a fault there, which a check must find.
func run(ctx context.Context, out timeline.Config, wire func(protocol.Transport) protocol.Transport) (err error) {
	line := timeline.New(out)
	defer func() { err = errors.Join(err, line.Close()) }()
	line.Add(timeline.Event{Kind: timeline.Opened, Text: fmt.Sprintf(
		"joinsync demo: topic %s, %d partitions, %d records; group %s; all of it inside this process",
		topic, partitions, records, groupID)})
	stage, err := newStage(ctx, line)
	if err != nil {
		return err
	}
	stage.transport = wire(stage.coordinator)
	defer func() { err = errors.Join(err, stage.close()) }()
	return stage.play(ctx)
}

// play plays the story and checks it. A story that comes to no end within the limit is checked too: the checks say
// why.
func (s *stage) play(parent context.Context) error {
	ctx, cancel := context.WithTimeoutCause(parent, limit, fmt.Errorf("%v were not enough", limit))
	defer cancel()
	err := s.story(ctx)
	if parent.Err() != nil {
		return context.Cause(parent)
	}
	if err != nil {
		s.line.Add(timeline.Event{Kind: timeline.Warning, Text: err.Error()})
	}
	final, fetchErr := s.committed(parent)
	if fetchErr != nil {
		return errors.Join(err, fetchErr)
	}
	s.ledger.conclude("anna", final)
	broken := s.ledger.show(s.line, final)
	if len(broken) > 0 {
		err = fmt.Errorf("%w: %s", ErrFailed, strings.Join(broken, ", "))
	}
	closed := timeline.Event{Kind: timeline.Closed, Failed: len(broken), Text: "every check holds"}
	if err != nil {
		closed.Text = fmt.Sprintf("%d of %d checks failed", len(broken), len(rules))
	}
	s.line.Add(closed)
	return err
}
