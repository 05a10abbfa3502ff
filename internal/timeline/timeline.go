package timeline

import (
	_ "embed" // for Fields
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Config says where and how a timeline is printed. Only Out is required.
type Config struct {
	Out   io.Writer
	JSON  bool // one object a line in place of text: see Fields
	Color bool // ANSI colours in the text
	Width int  // columns of the text, 72 to 100. Zero: 100.
}

// maxQueue bounds the events that wait for a slow output. Those beyond it are dropped and counted: who adds an event is
// in the middle of something, and must not be held up by a terminal.
const maxQueue = 1 << 14

// A Timeline prints events in the order in which they are added. Its methods may be called concurrently. None but Close
// waits for the output.
type Timeline struct {
	begun time.Time
	out   io.Writer
	print func(moment) []byte
	wake  chan struct{} // buffered
	done  chan struct{} // the printer has ended, err is set
	err   error

	mu      sync.Mutex
	queue   []moment
	closed  bool
	dropped int
	local   map[string]bool // ids of the members that are watched
	last    generation
}

// A moment is an event at its time.
type moment struct {
	at time.Duration
	Event
}

// New starts a timeline. Close it in the end.
func New(cfg Config) *Timeline {
	t := &Timeline{
		begun: time.Now(),
		out:   cfg.Out,
		print: appendJSON,
		wake:  make(chan struct{}, 1),
		done:  make(chan struct{}),
		local: make(map[string]bool),
	}
	if !cfg.JSON {
		t.print = newText(cfg).print
	}
	go t.run()
	return t
}

// Add adds an event that happens now. After Close it does nothing.
func (t *Timeline) Add(e Event) {
	t.mu.Lock()
	if e.Kind == Rebalance {
		t.last.cause = e
	}
	switch {
	case t.closed:
	case len(t.queue) >= maxQueue:
		t.dropped++
	default:
		t.queue = append(t.queue, moment{time.Since(t.begun), e})
	}
	t.mu.Unlock()
	t.signal()
}

// Close prints what is left, and returns the first error of the output.
func (t *Timeline) Close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.signal()
	<-t.done
	return t.err
}

func (t *Timeline) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// run is the one goroutine that writes.
func (t *Timeline) run() {
	defer close(t.done)
	for {
		<-t.wake
		t.mu.Lock()
		queue, closed := t.queue, t.closed
		t.queue = nil
		if t.dropped > 0 {
			queue = append(queue, moment{time.Since(t.begun), Event{Kind: Dropped, Records: t.dropped}})
			t.dropped = 0
		}
		t.mu.Unlock()
		for _, m := range queue {
			t.write(t.print(m))
		}
		if closed {
			t.write(t.print(moment{}))
			return
		}
	}
}

func (t *Timeline) write(text []byte) {
	if len(text) == 0 || t.err != nil {
		return
	}
	_, t.err = t.out.Write(text)
}

// Fields documents the JSON lines: every kind of event with its fields.
//
//go:embed json.txt
var Fields string

// appendJSON prints an event as one line.
func appendJSON(m moment) []byte {
	if m.Kind == "" {
		return nil
	}
	line, err := json.Marshal(struct {
		At int64 `json:"at_ms"`
		Event
		SessionTimeout int64 `json:"session_timeout_ms,omitempty"`
		After          int64 `json:"after_ms,omitempty"`
	}{m.at.Milliseconds(), m.Event, m.SessionTimeout.Milliseconds(), m.After.Milliseconds()})
	if err != nil {
		panic("an event is made of strings and numbers: " + err.Error())
	}
	return append(line, '\n')
}
