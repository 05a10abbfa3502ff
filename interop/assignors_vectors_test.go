package interop_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
)

// A known case is a question with what Java answers, and what the best plan is worth.
type known struct {
	question
	answer
	ID      string `json:"id"` // of both
	Racks   bool   `json:"rackAware"`
	Valid   bool   `json:"valid"`
	Optimum struct {
		Squares    int    `json:"sq"`
		RackFirst  [2]int `json:"rackFirst"` // far and moved
		MovesFirst [2]int `json:"movesFirst"`
	} `json:"opt"`
}

// eachVector reads vectors, so many of them.
func eachVector(t *testing.T, name string, count int, do func(v known)) {
	t.Helper()
	file, err := os.Open(vectorsOf(name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	vectors := json.NewDecoder(file)
	for range count {
		var v known
		if err := vectors.Decode(&v); err != nil {
			t.Fatal(err)
		}
		do(v)
	}
	if vectors.More() {
		t.Errorf("%s has more than %d cases", file.Name(), count)
	}
}

func vectorsOf(name string) string { return "../testdata/vectors/" + name + ".jsonl" }

// TestJavaAnswersTheVectors: what asks Java here is as good as what the vectors come from.
func TestJavaAnswersTheVectors(t *testing.T) {
	counts := map[string]int{"range": 200, "roundrobin": 150, "sticky": 150, "cooperative-sticky": 100}
	names := slices.Sorted(maps.Keys(counts))
	var files []string
	for _, name := range names {
		files = append(files, vectorsOf(name))
	}
	java := javaAnswers(t, files...)
	for _, name := range names {
		eachVector(t, name, counts[name], func(v known) {
			if a := nextAnswer(t, java, v.ID); !reflect.DeepEqual(a.Out, v.Out) || v.Pre != nil && !reflect.DeepEqual(a.Pre, v.Pre) {
				t.Errorf("%s: Java answers %v, once it was %v", v.ID, a, v.answer)
			}
		})
	}
}

// TestTheJudgeKnowsTheBest: it finds the optima of the vectors, from any plan, and which plans of Java are none.
func TestTheJudgeKnowsTheBest(t *testing.T) {
	for name, count := range map[string]int{"sticky": 150, "cooperative-sticky": 100} {
		eachVector(t, name, count, func(v known) {
			j := newJudge(&v.In)
			if j.rackAware != v.Racks {
				t.Errorf("%s: whether racks count is %v", v.ID, j.rackAware)
			}
			anyone := make([]int, len(j.partitions))
			for q, p := range j.partitions {
				for !j.subscribes(anyone[q], p.topic) {
					anyone[q]++
				}
			}
			byRack := j.quality(j.improve(anyone, func(q, m int) int { return second*j.far(q, m) + j.moved(q, m) }))
			byMove := j.quality(j.improve(anyone, func(q, m int) int { return second*j.moved(q, m) + j.far(q, m) }))
			if want := (quality{v.Optimum.Squares, v.Optimum.RackFirst[0], v.Optimum.RackFirst[1]}); byRack != want {
				t.Errorf("%s: the best by racks is %+v, not %+v", v.ID, byRack, want)
			}
			if want := (quality{v.Optimum.Squares, v.Optimum.MovesFirst[0], v.Optimum.MovesFirst[1]}); byMove != want {
				t.Errorf("%s: the best by moves is %+v, not %+v", v.ID, byMove, want)
			}
			if _, err := j.owners(v.meant(v.question)); (err == nil) != v.Valid {
				t.Errorf("%s: %v", v.ID, err)
			}
		})
	}
}
