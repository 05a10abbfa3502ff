package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// TestMain is the process of a cell too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "cell" {
		main()
		return
	}
	os.Exit(m.Run())
}

// inTest is a bench without bounds: the race detector needs terabytes of addresses.
func inTest(t *testing.T, sides ...side) *bench {
	t.Setenv("GORACE", "atexit_sleep_ms=0") // a second for each cell
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &bench{sides: sides, limit: time.Minute, self: self, folder: t.TempDir(), progress: t.Output()}
}

// tiny are workloads that take no time. All assignors run.
var tiny = []workload{
	{"a", "all", 4, 5, 3, allTopics, 1, 1, 1},
	{"c", "a random half", 4, 5, 9, randomHalf, 1, 1, 1},
}

func TestEverySideDoesTheWork(t *testing.T) {
	checkTable(t, inTest(t, goSide("joinsync"), goSide("franz-go"), goSide("Sarama")))
}

func TestJavaDoesTheWork(t *testing.T) {
	if testing.Short() {
		t.Skip("a JVM for each figure takes its time; run without -short")
	}
	b := inTest(t)
	java, _, err := javaSide(t.Context(), b.folder)
	if err != nil {
		t.Skip(err)
	}
	b.sides, b.memory, b.workloads = []side{java}, 256<<20, tiny[1:]
	checkTable(t, b)
}

func checkTable(t *testing.T, b *bench) {
	t.Helper()
	if b.workloads == nil {
		b.workloads = tiny
	}
	rows, err := b.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := b.print(&out, rows); err != nil {
		t.Fatal(err)
	}
	for _, w := range b.workloads {
		for _, title := range []string{
			"range", "roundrobin", "sticky, fresh", "sticky, steady", "sticky, one leaves", "sticky, one joins",
			"cooperative-sticky, fresh", "cooperative-sticky, steady", "cooperative-sticky, one leaves", "cooperative-sticky, one joins",
		} {
			if !strings.Contains(out.String(), "\n| ("+w.letter+") "+title+" ") {
				t.Errorf("no row (%s) %s in\n%s", w.letter, title, out.String())
			}
		}
	}
	for _, r := range rows {
		for i, f := range r.figures {
			if f.none != "" || f.heap == 0 {
				t.Errorf("%s, %s: %+v", r.label(), b.sides[i].name, f)
			}
		}
	}
}

func TestWhoIsSlowIsCutOff(t *testing.T) {
	b := inTest(t, goSide("Sarama"))
	b.limit = 50 * time.Millisecond // its sticky strategy needs seconds for 10,000 partitions
	b.workloads = workloads[:1]
	rows, err := b.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.figures[0].none)
	}
	if want := []string{"> 0.05 s", "–", "–", "–", "–", "–", "–", "–"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFaultyPlanIsNoPeer(t *testing.T) {
	in, _ := workload{"", "", 1, 2, 2, allTopics, 1, 1, 1}.input()
	other := protocol.NewSubscription("another")
	in.members[1].Metadata = other.AppendTo(nil)
	give := func(member int, topic string, partitions ...int32) sent {
		a := protocol.Assignment{Partitions: []protocol.TopicPartitions{{Topic: topic, Partitions: partitions}}}
		return sent{in.members[member].ID, a.AppendTo(nil)}
	}
	for name, test := range map[string]struct {
		plan []sent
		want string
	}{
		"complete":         {[]sent{give(0, "topic-0000", 0, 1)}, ""},
		"one missing":      {[]sent{give(0, "topic-0000", 1)}, "left out"},
		"one twice":        {[]sent{give(0, "topic-0000", 0, 1, 1)}, "twice"},
		"one too many":     {[]sent{give(0, "topic-0000", 0, 1, 2)}, "does not exist"},
		"not subscribed":   {[]sent{give(1, "topic-0000", 0, 1)}, "does not subscribe"},
		"an unknown topic": {[]sent{give(0, "other", 0)}, "does not subscribe"},
		"a stranger":       {[]sent{{"stranger", nil}}, "no member"},
	} {
		_, err := audit(&in, true, test.plan)
		if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

func TestPlansAreJudgedByLoadsAndMoves(t *testing.T) {
	first, newcomer := workload{"", "", 2, 6, 3, allTopics, 1, 1, 1}.input()
	group, err := makeRounds(assignor.Sticky{}, first, newcomer)
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range map[string]quality{"fresh": {}, "steady": {}, "one leaves": {}, "one joins": {moved: 3}} {
		in := group.join(round)
		run, err := leadOurs("sticky", &in)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := run()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := audit(&in, false, plan); got != want || err != nil {
			t.Errorf("%s: got %v and %v, want %v", round, got, err, want)
		}
	}
	if got := deviation([]int{2, 4, 4, 4, 5, 5, 7, 9}); got != 2 {
		t.Errorf("the standard deviation is %v, want 2", got)
	}
}

func TestAFileThatIsCutShortIsAnError(t *testing.T) {
	in, _ := tiny[0].input()
	file := t.TempDir() + "/input"
	if err := in.write(file); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range content {
		if err := os.WriteFile(file, content[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readInput(file); err == nil {
			t.Fatalf("%d of %d bytes are taken to be all", n, len(content))
		}
	}
}
