package group

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// driver plays a group's caller: it steps events, stores records, fires deadlines, and checks the caller's half of the
// contract on the way. Each request is answered exactly once with its own kind; between two steps the invariants hold.
//
// Records are stored at once unless hold is set; then accept, refuse, or an unload settles them.
type driver struct {
	t    testing.TB
	g    *Group
	now  Time
	hold bool

	out     Output
	open    map[Token]Kind  // stepped, not answered
	answers map[Token]Reply // answered, not taken
	records []Record        // of the batch under way
	log     []Record        // what is durable, compacted by key as Kafka's log is
	behind  bool            // the store refused the record of an Empty group: the log tells of an older one (G-084)

	told        State // what the last transition led to
	transitions []Transition
	removals    []Removal
	tokens      Token
	ids         map[string]int // client → member ids made for it
	keep        bool           // collect the outputs
	history     []Output
}

var testConfig = Config{InitialRebalanceDelay: 3000, MaxSize: 100, MaxPending: 100, OffsetMetadataMax: 4096}

func drive(t testing.TB, config Config) *driver {
	return &driver{
		t: t, g: New("g", &config), now: 1_000_000,
		open: make(map[Token]Kind), answers: make(map[Token]Reply), ids: make(map[string]int),
	}
}

// send steps one event; a request gets a token and, if it is a join, an id to use for a new member.
func (d *driver) send(ev Event) Token {
	d.t.Helper()
	if ev.Kind <= TopicDeleted {
		d.tokens++
		ev.Token = d.tokens
		d.open[ev.Token] = ev.Kind
	}
	if ev.Kind == Join && ev.MemberID == "" {
		d.ids[ev.ClientID]++
		ev.NewMemberID = memberID(ev.ClientID, d.ids[ev.ClientID])
	}
	d.step(&ev)
	d.settle()
	return ev.Token
}

// settle stores the batch under way, if there is one and it is not held back.
func (d *driver) settle() {
	d.t.Helper()
	if !d.hold && d.g.batch != noBatch {
		d.accept()
	}
}

// memberID is the nth id of a client.
func memberID(client string, n int) string { return client + "-" + strconv.Itoa(n) }

func (d *driver) step(ev *Event) {
	d.t.Helper()
	generation, deadline := d.g.generation, d.g.NextDeadline()
	if d.keep {
		d.out = Output{}
	}
	d.out.Reset()
	d.g.Step(d.now, ev, &d.out)
	for i := range d.out.Replies {
		d.take(&d.out.Replies[i])
	}
	if d.keep {
		d.history = append(d.history, d.out)
	}
	d.records = append(d.records, d.out.Records...)
	for _, tr := range d.out.Transitions {
		d.must(tr.From == d.told && tr.To != tr.From, "%+v follows on %s", tr, d.told)
		d.told = tr.To
	}
	d.must(d.told == d.g.state, "the last transition led to %s", d.told)
	d.transitions = append(d.transitions, d.out.Transitions...)
	d.removals = append(d.removals, d.out.Removals...)
	d.must(d.g.generation >= generation || d.g.state == Dead, "generation went from %d to %d", generation, d.g.generation)
	if next := d.g.NextDeadline(); next < d.now {
		d.must(next >= deadline, "a deadline of %d was set at %d", next, d.now)
	}
	if len(d.records) > 0 {
		d.must(d.g.batch != noBatch, "records came without a batch")
	}
	if err := check(d.g); err != nil {
		d.t.Fatalf("after %s: %v\n%s", ev.Kind, err, dump(d.g, d.now))
	}
}

// take checks one reply and keeps it until it is asked for.
func (d *driver) take(r *Reply) {
	d.t.Helper()
	kind, ok := d.open[r.Token]
	d.must(ok, "%s reply to a token that is not open: %+v", r.Kind, r)
	d.must(kind == r.Kind, "%s was answered as %s", kind, r.Kind)
	delete(d.open, r.Token)
	if r.Superseded {
		d.must(fmt.Sprint(*r) == fmt.Sprint(Reply{Token: r.Token, Kind: r.Kind, Superseded: true}), "a superseded reply says more: %+v", r)
	}
	if r.Error != None {
		d.must(r.Members == nil && r.Assignment == nil && !r.Skip && r.Errors == nil, "an error says more: %+v", r)
	}
	if made, ok := madeFor(r.Assignment); ok {
		d.must(made == d.g.generation, "an assignment of generation %d was seen in %d", made, d.g.generation)
	}
	d.answers[r.Token] = *r
}

func (d *driver) must(ok bool, format string, args ...any) {
	if !ok {
		d.t.Helper()
		d.t.Fatalf(format+"\n%s", append(args, dump(d.g, d.now))...)
	}
}

// accept stores the batch under way.
func (d *driver) accept() {
	d.t.Helper()
	for i := range d.records {
		d.store(d.records[i])
		d.g.Apply(&d.records[i])
	}
	d.records = nil
	d.step(&Event{Kind: Stored})
}

// refuse stores nothing of the batch under way.
func (d *driver) refuse(code Error) {
	d.t.Helper()
	d.records = nil
	if d.g.batch == emptyBatch {
		d.behind = true
	}
	d.step(&Event{Kind: Refused, Error: code})
}

// store appends to the log and drops what the record takes the place of; of a tombstone nothing is kept.
func (d *driver) store(r Record) {
	d.log = slices.DeleteFunc(d.log, func(o Record) bool { return logKey(o) == logKey(r) })
	switch r.Kind {
	case MetadataTombstone, OffsetTombstone, PendingOffsetTombstone:
	default:
		d.log = append(d.log, r)
	}
	d.behind = d.behind && logKey(r).kind != MetadataRecord
}

// key is what a record of a log counts for.
type key struct {
	kind      RecordKind // without those of tombstones
	topic     string
	partition int32
	producer  int64
}

func logKey(r Record) key {
	kinds := map[RecordKind]RecordKind{
		MetadataTombstone: MetadataRecord, OffsetTombstone: OffsetRecord, PendingOffsetTombstone: PendingOffsetRecord,
	}
	kind, tombstone := kinds[r.Kind]
	if !tombstone {
		kind = r.Kind
	}
	return key{kind, r.Topic, r.Partition, r.ProducerID}
}

// reload ends the group as the owner of its partition does, and loads it again from the log: everybody must have been
// answered (G-207).
func (d *driver) reload(config Config) {
	d.t.Helper()
	d.unload()
	d.g = rebuild(config, d.log)
	d.behind = false
	d.step(&Event{Kind: Load})
	d.settle()
}

func (d *driver) unload() {
	d.t.Helper()
	d.records = nil
	d.step(&Event{Kind: Unload, Error: NotCoordinator})
	d.must(len(d.open) == 0, "unload left %d requests without an answer", len(d.open))
	d.must(d.g.state == Dead && d.g.NextDeadline() == Never, "unload left something behind")
}

// rebuild makes a group from records, as a coordinator that loads its partition does.
func rebuild(config Config, log []Record) *Group {
	g := New("g", &config)
	for i := range log {
		g.Apply(&log[i])
	}
	return g
}

// advance lets time pass and fires every deadline at its moment.
func (d *driver) advance(by Millis) {
	d.t.Helper()
	end := d.now + Time(by)
	for d.g.NextDeadline() <= end {
		d.now = max(d.now, d.g.NextDeadline())
		d.fire()
	}
	d.now = end
}

// tick goes to the next deadline and fires it.
func (d *driver) tick() {
	d.t.Helper()
	if first := d.g.timers.first(); first != nil {
		d.now = max(d.now, first.deadline)
	}
	d.fire()
}

// fire steps a Tick.
func (d *driver) fire() {
	d.t.Helper()
	d.step(&Event{Kind: Tick})
	d.must(d.g.batch != noBatch || d.g.NextDeadline() > d.now, "a tick left something that is due")
	d.settle()
}

// leaveAlone lets time pass until nothing is due any more, and asserts what must come of that whatever was before: the
// members are gone, and everybody was answered.
func (d *driver) leaveAlone() {
	d.t.Helper()
	if d.g.batch != noBatch {
		d.accept()
	}
	d.hold = false
	for ticks := 0; d.g.NextDeadline() != Never; ticks++ {
		d.must(ticks < 10_000, "it never ends")
		d.tick()
	}
	d.must(d.g.state == Empty || d.g.state == Dead, "left alone it stays %s", d.g.state)
	d.must(len(d.open) == 0, "%d requests have no answer", len(d.open))
}

// ask steps a request that is to be answered at once, and returns the answer.
func (d *driver) ask(ev Event) Reply {
	d.t.Helper()
	return d.answer(d.send(ev))
}

// park steps a request that is to wait.
func (d *driver) park(ev Event) Token {
	d.t.Helper()
	token := d.send(ev)
	d.waits(token)
	return token
}

// waits asserts that a request has no answer yet.
func (d *driver) waits(token Token) {
	d.t.Helper()
	_, open := d.open[token]
	d.must(open, "request %d was answered: %+v", token, d.answers[token])
}

// answer returns what a request was answered.
func (d *driver) answer(token Token) Reply {
	d.t.Helper()
	r, ok := d.answers[token]
	d.must(ok, "request %d has no answer", token)
	delete(d.answers, token)
	return r
}

// state asserts the group's state and generation.
func (d *driver) state(state State, generation int32) {
	d.t.Helper()
	d.must(d.g.state == state && d.g.generation == generation, "want %s in generation %d", state, generation)
}

// want asserts the error of a reply.
func (d *driver) want(r Reply, code Error) {
	d.t.Helper()
	d.must(r.Error == code && !r.Superseded, "want %s, got %s: %+v", code, r.Error, r)
}

// given is an assignment that tells for what generation it was made.
func given(generation int32, what string) []byte { return fmt.Appendf(nil, "#%d %s", generation, what) }

func madeFor(assignment []byte) (int32, bool) {
	rest, ok := strings.CutPrefix(string(assignment), "#")
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseInt(number, 10, 32)
	return int32(n), err == nil
}
