package preview_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/internal/preview"
	"github.com/joinsync/joinsync/internal/vector"
	"github.com/joinsync/joinsync/protocol"
)

func TestReadTakesAnInputByItselfOrWrapped(t *testing.T) {
	data, err := os.ReadFile("../../examples/assign/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	bare, err := preview.Read("shop.json", data)
	if err != nil {
		t.Fatal(err)
	}
	wrapped, err := preview.Read("case.json", fmt.Appendf(nil, `{"id":1,"assignor":"sticky","out":{},"in":%s}`, data))
	if err != nil {
		t.Fatal(err)
	}
	if bare.Assignor != "" || wrapped.Assignor != "sticky" || !reflect.DeepEqual(bare.In, wrapped.In) || len(bare.In.Members) != 3 {
		t.Errorf("got %+v and %+v", bare, wrapped)
	}
}

// TestFaultsNameLineFieldAndCure has every kind of fault.
func TestFaultsNameLineFieldAndCure(t *testing.T) {
	long := strings.Repeat("x", 1<<15)
	for _, test := range []struct {
		name, data string
		want       []string
	}{
		{"nothing", "", []string{"x:1: the JSON ends too early: give it whole"}},
		{"no JSON", "{\n\"topics\": [,]}", []string{"x:2: this is no JSON: invalid character ','"}},
		{"more than one value", "{\"topics\":[],\"members\":[]}\n{}", []string{"x:2: this is no JSON: invalid character '{' after top-level value"}},
		{"null", "null", []string{"x:1: the input is null: give an object"}},
		{"a list", "[]", []string{"x:1: the input is array: give an object"}},
		{"an unknown field", "{\"topics\":[\n{\"name\":\"t\",\"partitions\":3}]}", []string{`x:2: "partitions" is no field of an input: use topics (name, parts`}},
		{"an unknown field, wrapped", "{\"id\":1,\n\"in\":{\"topics\":[],\n\"member\":[]}}", []string{`x:3: "member" is no field`}},
		{"another type", "{\"topics\":[],\n\"members\":[{\"id\":\"a\",\n\"subs\":\"t\"}]}", []string{"x:3: members[0].subs is string: give a list"}},
		{"another type, wrapped", "{\"in\":\n{\"topics\":[{\"name\":\"t\",\n\"parts\":\"3\"}]}}", []string{"x:3: in.topics[0].parts is string: give a whole number"}},
		{"a fraction", `{"topics":[{"name":"t","parts":1.5}]}`, []string{"x:1: topics[0].parts is 1.5: give a whole number"}},
		{"a claim out of range", `{"members":[{"owned":{"t":[3000000000]}}]}`, []string{"x:1: members[0].owned.t[0] is 3000000000: give a whole number that fits int32"}},
		{"another type, of user data", `{"IN":{"topics":[],"members":[{"id":"a"},{"userData":7}]}}`, []string{"x:1: IN.members[1].userData is number: give a string in base64"}},
		{"a key twice", "{\"topics\":[],\"members\":[{\"id\":\"a\",\"owned\":{\"t\":[0],\n\"u\":[1],\n\"t\":[2]}}],\"topics\":[]}", []string{
			"x:3: members[0].owned.t comes twice: leave one of them out", "x:3: topics comes twice"}},
		{"no UTF-8", "{\"topics\":[],\n\"members\":[{\"id\":\"a\"},{\"id\":\"\xff\"}]}", []string{"x:2: members[1].id is not in UTF-8: write all names in UTF-8"}},
		{"no UTF-8 in a key", "{\"topics\":[],\"members\":[{\"id\":\"a\",\"owned\":{\"\xff\":[0]}}]}", []string{"x:1: members[0].owned.\uFFFD is not in UTF-8"}},
		{"half a character", `{"topics":[{"name":"\uD83D\uDC0E"},{"name":"\\uD83D"},{"name":"-\ud83d-"},{"name":"\udc0e"},{"name":"\ud83d\ud83d"}]}`, []string{
			"x:1: topics[2].name has half of a surrogate pair: write ", "topics[3].name has half", "topics[4].name has half"}},
		{"null in its place and elsewhere", `{"id":null,"facts":[null],"in":{"topics":[{"name":"t","parts":null,"racks":[[null],null]}],"members":[null,
			{"id":"a","subs":[null],"owned":{"t":[0,null]},"rack":null,"gen":null}]}}`, []string{
			"x:1: in.topics[0].parts is null: give a value", "x:1: in.members[0] is null", "x:2: in.members[1].subs[0] is null",
			"x:2: in.members[1].owned.t[1] is null"}},
		{"no partitions", "{\"topics\":[\n{\"name\":\"t\"}],\"members\":[]}", []string{"x:2: topics[0] has no parts: give their number, 0 for a topic that does"}},
		{"a rack too many", `{"topics":[{"name":"t","parts":2,"racks":[[],[` + strings.Repeat("null,", 1000) + `null]]}],"members":[]}`, []string{
			"x:1: topics[0].racks[1] has 1001 replicas: use at most 1000"}},
		{"no base64", "{\"members\":[{\"id\":\"a\",\n\"userData\":\"???\"}]}", []string{"x:2: members[0].userData is no base64: mend it"}},
		{"no base64, in a field of another case", "{\"id\":{\"told\":\"?\"},\"in\":{\"members\":[{\"userData\":\"AA==\"},\n{\"TOLD\":\"A\"}]}}",
			[]string{"x:2: in.members[1].TOLD is no base64: mend it"}},
		{"no topics", "{\"members\":[]\n}", []string{"x:2: topics is missing: list the topics, each with name and parts"}},
		{"no members", "{\"topics\":[]}", []string{"x:1: members is missing: list the members, each with id and subs"}},
		{"no name, wrapped", "{\"in\": {\"topics\":[\n{}\n],\"members\":[]}}", []string{"x:2: in.topics[0].name is missing: give one"}},
		{"a topic twice, and many more", `{"topics":[{"name":"t","parts":1},
			{"name":"t","parts":-1},
			{"name":"u","parts":2,"racks":[["a"]]},
			{"name":"v","parts":20000000}], "members":[
			{"id":"a"},
			{"id":"a","gen":-2},
			{"id":"",
			 "v":4}]}`, []string{
			`x:2: topics[1].name is "t", as that of number 0 in the list: give each its own`,
			"x:2: topics[1].parts is -1: use 0, for a topic that does not exist, or more",
			"x:3: topics[2].racks has 1 lists and parts is 2: give one for each partition, or leave racks out",
			"x:4: topics[3].parts is 20000000, which brings the partitions above 10000000: use fewer",
			`x:6: members[1].id is "a", as that of number 0`,
			"x:6: members[1].gen is -2: use 0 or more, or leave gen out",
			"x:7: members[2].id is missing: give one",
			"x:8: members[2].v is 4: use 0 to 3, or leave v out for the latest",
		}},
		{"lags of something else", `{"topics":[{"name":"t","parts":2,"lag":[1]},
			{"name":"u","parts":2,"lag":[0,-1]}],"members":[]}`, []string{
			"x:1: topics[0].lag has 1 numbers and parts is 2: give one for each partition, or leave lag out",
			"x:2: topics[1].lag[1] is -1: use 0 or more"}},
		{"names that are too long", `{"topics":[{"name":"` + long + `"}],"members":[{"id":"a","rack":"` + long + `","instance":"` + long +
			`","subs":["` + long + `"],"owned":{"` + long + `":[]}}]}`, []string{
			"topics[0].name has a name of 32768 bytes: use at most 32767", "members[0].instance has", "members[0].rack has",
			"members[0].subs[0] has", "members[0].owned has"}},
		{"long keys and values", `{"topics":[{"` + long + `":1}]}`, []string{`x:1: "xxx`, "xxx is no field of an input"}},
		{"long keys, twice", `{"topics":[],"members":[{"owned":{"` + long + `":[],"` + long + `":[]}}]}`, []string{
			"xxx comes twice"}},
		{"a long number", `{"topics":[{"parts":1` + strings.Repeat("0", 9999) + `}]}`, []string{"topics[0].parts is 1000", "0: give a whole number"}},
		{"more faults than are told", `{"topics":[` + strings.Repeat(`{"parts":1},`, 11) + `{"parts":1}],"members":[]}`, []string{
			"topics[9].name is missing", "and 2 faults more"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := preview.Read("x", []byte(test.data))
			if err == nil || len(err.Error()) > 3000 {
				t.Fatalf("the error is %.4000v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in\n%.2000v", want, err)
				}
			}
		})
	}
}

// TestWhatMembersMightSendIsNoFault: garbage goes the way that it goes in a group.
func TestWhatMembersMightSendIsNoFault(t *testing.T) {
	c, err := preview.Read("x", []byte(`{"topics":[{"name":"t","parts":2}],"members":[
		{"id":"a","subs":["t","t","nosuch",""],"owned":{"t":[-1,0,0,9],"nosuch":[1]},"gen":3},{"id":"b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := choose("sticky")
	solved, err := preview.Solve(t.Context(), a, c.In)
	if err != nil {
		t.Fatal(err)
	}
	r := solved.Report(preview.DefaultLimit)
	if len(r.Out["a"]["t"]) != 2 || len(r.Out["b"]) != 0 || r.Facts.Previous != 1 {
		t.Errorf("got %+v", r)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{`member "a"`, "more than once", `topic "nosuch"`, "partitions that do not exist, such as 9 (claims dropped: 2)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
}

// TestUserDataOfOlderMembers: sticky's of version 0 has no generation, and its claims count by the subscription's.
func TestUserDataOfOlderMembers(t *testing.T) {
	in := &vector.Input{Topics: []vector.Topic{{Name: "t", Parts: 4}}, Members: []vector.Member{
		{ID: "a", Subs: []string{"t"}, Generation: new(int32(3))}, {ID: "b", Subs: []string{"t"}, Generation: new(int32(3))},
	}}
	for i := range in.Members {
		data := assignor.Sticky{}.UserData(assignor.Assignment{Generation: 3, Partitions: []protocol.TopicPartitions{{Topic: "t", Partitions: []int32{int32(3 - i), int32(i)}}}})
		in.Members[i].UserData = data[:len(data)-4]
	}
	read, err := preview.Read("x", []byte(in.String()))
	if err != nil {
		t.Fatal(err)
	}
	out := reports(t, read.In, preview.DefaultLimit, "sticky")[0].Out
	if want := map[string]preview.Partitions{"a": {"t": {0, 3}}, "b": {"t": {1, 2}}}; !reflect.DeepEqual(out, want) {
		t.Errorf("got %v, want %v", out, want)
	}
}
