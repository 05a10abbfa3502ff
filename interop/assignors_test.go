package interop_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

var (
	cases = flag.Int("cases", 2000, "how many cases joinsync assign and Java's assignors answer")
	seed  = flag.Uint64("seed", 0, "the seed that they are drawn from; 0 draws one")
)

// An answer is a line of either side.
type answer struct {
	ID       string
	Out, Pre plan
	Error    string
}

// TestAssignorsAnswerAsJava has joinsync assign --jsonl and Java's assignors answer the same cases. Range and round robin must be
// Java's, partition for partition. The sticky ones must be the best there is, which no code that finds plans has a say in.
func TestAssignorsAnswerAsJava(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(rand.Uint32())
	}
	t.Logf("the seed is %d", *seed)
	file := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := writeCases(file); err != nil {
		t.Fatal(err)
	}
	java, ours := javaAnswers(t, file), ourAnswers(t, file)
	failed, shortest, all := 0, "", map[string]*tally{}
	for n := range *cases {
		q := draw(*seed, uint64(n))
		if all[q.Assignor] == nil {
			all[q.Assignor] = &tally{}
		}
		err := all[q.Assignor].add(q, nextAnswer(t, java, q.ID), nextAnswer(t, ours, q.ID))
		if err == nil {
			continue
		}
		failed++
		line, _ := json.Marshal(q)
		if text := fmt.Sprintf("%s: %v\nThe case is\n%s", q.Assignor, err, line); shortest == "" || len(text) < len(shortest) {
			shortest = text
		}
	}
	if failed > 0 {
		t.Errorf("%d cases fail; make differ-assignors SEED=%d CASES=%d; the shortest is\n%s", failed, *seed, *cases, shortest)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%s: %+v", name, *all[name])
	}
}

// writeCases draws the cases into a file, one a line.
func writeCases(name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	encoder := json.NewEncoder(file)
	for n := range *cases {
		if err := encoder.Encode(draw(*seed, uint64(n))); err != nil {
			return err
		}
	}
	return file.Close()
}

func nextAnswer(t *testing.T, from *json.Decoder, id string) (a answer) {
	t.Helper()
	if err := from.Decode(&a); err != nil || a.ID != id {
		t.Fatalf("the answer to %s is of %q: %v", id, a.ID, err)
	}
	return a
}

// ourAnswers starts joinsync assign.
func ourAnswers(t *testing.T, file string) *json.Decoder {
	joinsync, err := command()
	if err != nil {
		t.Fatal(err)
	}
	return json.NewDecoder(kafkatest.StartProgram(t, joinsync, "assign", "--jsonl", file).Stdout)
}

// javaAnswers starts Java, which compiles what it runs.
func javaAnswers(t *testing.T, files ...string) *json.Decoder {
	java, _, err := kafkatest.JavaAndJars(kafkatest.V4_4_0)
	if err == nil {
		installed(t, filepath.Join(filepath.Dir(java), "javac"), "openjdk-17-jdk-headless")
	}
	args := append([]string{"Answer.java"}, files...)
	for i := range args {
		if args[i], err = filepath.Abs(args[i]); err != nil {
			t.Fatal(err)
		}
	}
	return json.NewDecoder(kafkatest.StartJava(t, kafkatest.V4_4_0, 512, args[0], args[1:]...).Stdout)
}

// A tally is of the cases of one assignor.
type tally struct {
	Cases     int
	RackAware int // where racks count
	Same      int // whose plans are the same
	NoPlan    int // to which Java's answer breaks the rules, or is an exception
	Worse     int // to which Java's plan is not the best
}

// add takes in the answers to a question. The error says what is wrong with ours.
func (sum *tally) add(q question, java, ours answer) error {
	sum.Cases++
	j := newJudge(&q.In)
	if j.rackAware {
		sum.RackAware++
	}
	same := reflect.DeepEqual(java, ours)
	switch {
	case same:
		sum.Same++
	case ours.Error != "":
		return fmt.Errorf("it is refused: %s", ours.Error)
	case q.exact() && (java.Error == "" || len(q.In.Members) > 0): // Java refuses a group of nobody
		return fmt.Errorf("we answer\n%v\nJava\n%v%s", ours.Out, java.Out, java.Error)
	}
	if q.exact() {
		_, err := j.owners(ours.Out)
		return err
	}
	best, err := j.best(q, ours)
	if err != nil {
		return err
	}
	javas, err := j.owners(java.meant(q))
	if err != nil {
		sum.NoPlan++
		return nil
	}
	switch is := j.quality(javas); j.compare(is, best) {
	case -1:
		return fmt.Errorf("the best is %+v, and Java answers\n%v\nwhich is %+v", best, java, is)
	case 1:
		sum.Worse++
	}
	return nil
}

// best is the quality of our sticky answer; an error where there is a better one.
func (j *judge) best(q question, ours answer) (quality, error) {
	owners, err := j.owners(ours.meant(q))
	if err != nil {
		return quality{}, err
	}
	if want := j.sent(owners); q.cooperative() && !reflect.DeepEqual(ours.Out, want) {
		return quality{}, fmt.Errorf("planned is\n%v\nsent\n%v\nand not\n%v", ours.Pre, ours.Out, want)
	}
	is := j.quality(owners)
	if best := j.quality(j.improve(owners, j.cost)); j.compare(is, best) > 0 {
		return is, fmt.Errorf("we answer\n%v\nwhich is %+v, and the best is %+v", ours.meant(q), is, best)
	}
	return is, nil
}

// exact reports whether there is one right answer.
func (q question) exact() bool { return q.Assignor == "range" || q.Assignor == "roundrobin" }

func (q question) cooperative() bool { return q.Assignor == "cooperative-sticky" }

// meant is the plan that the answer leads to.
func (a answer) meant(q question) plan {
	if q.cooperative() && a.Pre != nil {
		return a.Pre
	}
	return a.Out
}
