package assignor_test

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// vector is a line of testdata/vectors, whose README gives the format.
type vector struct {
	ID string `json:"id"`
	In struct {
		Topics []struct {
			Name  string      `json:"name"`
			Parts int         `json:"parts"`
			Racks [][]*string `json:"racks"`
		} `json:"topics"`
		Members []struct {
			ID       string   `json:"id"`
			Instance string   `json:"instance"`
			Rack     string   `json:"rack"`
			Subs     []string `json:"subs"`
			Version  *int16   `json:"v"`
		} `json:"members"`
	} `json:"in"`
	Out map[string]map[string][]int `json:"out"`
}

// join is the members as the leader gets them, with real subscription bytes.
func (v *vector) join() assignor.Join {
	var join assignor.Join
	for _, m := range v.In.Members {
		sub := protocol.NewSubscription(m.Subs...)
		sub.Rack = m.Rack
		if m.Version != nil {
			sub.Version = *m.Version
		}
		join.Members = append(join.Members, assignor.JoinedMember{
			ID: m.ID, InstanceID: m.Instance, Metadata: sub.AppendTo(nil),
		})
	}
	return join
}

// cluster is the topics, with one broker for each rack and one without a rack.
func (v *vector) cluster() assignor.Cluster {
	c := assignor.Cluster{Racks: map[int32]string{}}
	brokers := map[string]int32{}
	for _, t := range v.In.Topics {
		topic := assignor.Topic{Name: t.Name, Partitions: t.Parts}
		for _, racks := range t.Racks {
			replicas := []int32{}
			for _, rack := range racks {
				if rack == nil {
					replicas = append(replicas, 0)
					continue
				}
				if brokers[*rack] == 0 {
					brokers[*rack] = int32(len(brokers) + 1)
					c.Racks[brokers[*rack]] = *rack
				}
				replicas = append(replicas, brokers[*rack])
			}
			topic.Replicas = append(topic.Replicas, replicas)
		}
		c.Topics = append(c.Topics, topic)
	}
	return c
}

// assignments decodes what each member would be sent, by names.
func assignments(t testing.TB, plan *assignor.Plan) map[string]map[string][]int {
	t.Helper()
	out := map[string]map[string][]int{}
	for m, member := range plan.Problem().Members {
		sent := plan.Append(nil, m)
		if len(sent) != plan.Size(m) {
			t.Errorf("member %q: Size says %d, Append appended %d bytes", member.ID, plan.Size(m), len(sent))
		}
		decoded, err := protocol.DecodeAssignment(sent)
		if err != nil {
			t.Fatalf("member %q: %v", member.ID, err)
		}
		out[member.ID] = map[string][]int{}
		for _, tp := range decoded.Partitions {
			for _, q := range tp.Partitions {
				out[member.ID][tp.Topic] = append(out[member.ID][tp.Topic], int(q))
			}
		}
	}
	return out
}

// solve takes members and topics the whole way.
func solve(t testing.TB, a assignor.Assignor, join assignor.Join, cluster assignor.Cluster) (*assignor.Plan, error) {
	t.Helper()
	group, err := assignor.Decode(join)
	if err != nil {
		t.Fatal(err)
	}
	problem, err := group.Problem(cluster)
	if err != nil {
		t.Fatal(err)
	}
	return assignor.Run(t.Context(), a, problem)
}

func TestRoundRobinAnswersAsJava(t *testing.T) {
	testVectors(t, assignor.RoundRobin{}, "../testdata/vectors/roundrobin.jsonl", 150)
}

func TestRangeAnswersAsJava(t *testing.T) {
	testVectors(t, assignor.Range{}, "../testdata/vectors/range.jsonl", 200)
}

func testVectors(t *testing.T, a assignor.Assignor, file string, cases int) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	seen := 0
	for ; lines.Scan(); seen++ {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		plan, err := solve(t, a, v.join(), v.cluster())
		if err != nil {
			t.Errorf("%s: %v", v.ID, err)
			continue
		}
		if out := assignments(t, plan); !reflect.DeepEqual(out, v.Out) {
			t.Errorf("%s: %s gives\n%v\nJava gives\n%v", v.ID, a.Name(), out, v.Out)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if seen != cases {
		t.Errorf("%s holds %d cases, not %d", file, seen, cases)
	}
}
