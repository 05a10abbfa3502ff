package script

import (
	"strings"
	"testing"
)

// What a script writes is what a transcript shows: the two are one language.
func TestRequestsReadAsTheirTranscripts(t *testing.T) {
	names := newNamebook("prefix-", "run-")
	names.bind("A", "A", "A-10000000-0000-4000-8000-000000000000")
	names.topics["orders"] = [16]byte{1}
	names.bindProducer("P", 1000)
	for _, line := range []string{
		"JoinGroup v0 group=g session=10s type=consumer protocols=[range:orders]",
		`JoinGroup v9 group=g session=10s rebalance=1m30s member=$A instance="rack 1" type=consumer ` +
			`protocols=[range:orders,payments(v=2 gen=4 owned=orders/0-3,payments/7 user="x") raw:0x0001ff text:"a [b] (c" none:"" sub:()] ` +
			`reason="it's \"time\""`,
		`JoinGroup v9 group=g session=-1ms rebalance=0s member=ghost`,
		`SyncGroup v5 group=g gen=3 member=$A instance=i type=consumer protocol=range ` +
			`assignments=[$A:orders/0-1,3,payments/ ghost:() none:""]`,
		"SyncGroup v0 group=g gen=-1",
		"Heartbeat v4 group=g gen=1 member=$A instance=null-1",
		"LeaveGroup v2 group=g member=$A",
		`LeaveGroup v5 group=g members=[$A(instance=i reason="a reason") ""(instance=i) ghost]`,
		"OffsetCommit v4 group=g gen=3 member=$A retention=1h offsets=[orders/0@42 orders/1@-5]",
		`OffsetCommit v8 group="" offsets=[orders/0@42(epoch=7 metadata="") payments/-1@0(metadata="a b")]`,
		"OffsetCommit v10 group=g offsets=[orders/0@42 nosuch/0@1]",
		"OffsetFetch v1 group=g topics=[]",
		"OffsetFetch v7 group=g topics=all stable=true",
		"OffsetFetch v7 group=g topics=[orders/0-3 payments/0,0]",
		`OffsetFetch v9 groups=[g(topics=all) ""(member=$A epoch=5 topics=[orders/0])]`,
		"DescribeGroups v5 groups=[g h]",
		"ListGroups v5 states=[Empty Stable] types=[classic]",
		`DeleteGroups v2 groups=[g ""]`,
		"OffsetDelete v0 group=g topics=[orders/0-2,5 payments/0]",
		"FindCoordinator v0 key=g",
		`ApiVersions v3 software="a name" version=2`,
		`FindCoordinator v4 type=1 keys=[t ""]`,
		"InitProducerID v4 txn=t timeout=10s",
		"AddOffsetsToTxn v3 txn=t producer=$P epoch=1 group=g",
		"TxnOffsetCommit v3 txn=t producer=77 epoch=0 group=g gen=1 member=$A instance=i offsets=[orders/0@42(epoch=7 metadata=x) payments/1@0]",
		"TxnOffsetCommit v6 txn=t producer=$P epoch=0 group=g offsets=[orders/0@42]",
		"EndTxn v3 txn=t producer=$P epoch=0 commit=true",
		"EndTxn v5 txn=t producer=$P epoch=0",
	} {
		req, err := parseRequest(line, names, nil)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := strings.ReplaceAll(names.transcript().Request(req), "run-", ""); got != line {
			t.Errorf("\ngot  %s\nwant %s", got, line)
		}
	}
}

func TestTopicsHaveAPrefixWhereverARequestNamesThem(t *testing.T) {
	names := newNamebook("prefix-", "run-")
	for _, line := range []string{
		"JoinGroup v9 protocols=[range:orders(owned=orders/0)]",
		"SyncGroup v5 assignments=[ghost:orders/0]",
		"OffsetCommit v9 offsets=[orders/0@1]",
		"OffsetFetch v7 topics=[orders/0]",
		"OffsetFetch v9 groups=[g(topics=[orders/0])]",
		"OffsetDelete v0 topics=[orders/0]",
		"TxnOffsetCommit v3 offsets=[orders/0@1]",
	} {
		req, err := parseRequest(line, names, nil)
		if err != nil {
			t.Fatal(err)
		}
		sent := string(req.AppendTo(nil))
		if n := strings.Count(line, "orders"); strings.Count(sent, "run-orders") != n || strings.Count(sent, "orders") != n {
			t.Errorf("%s: sent %q", line, sent)
		}
	}
}

func TestDefaultsFillTheFieldsThatTheVersionHas(t *testing.T) {
	defaults, err := parseDefaults("group=g session=10s rebalance=1m instance=i gen=3")
	if err != nil {
		t.Fatal(err)
	}
	names := newNamebook("", "")
	for line, want := range map[string]string{
		"JoinGroup v0":               "JoinGroup v0 group=g session=10s",
		"JoinGroup v5":               "JoinGroup v5 group=g session=10s rebalance=1m instance=i",
		"JoinGroup v5 instance=null": "JoinGroup v5 group=g session=10s rebalance=1m",
		"Heartbeat v0 group=h":       "Heartbeat v0 group=h gen=3",
		"LeaveGroup v0":              "LeaveGroup v0 group=g",
	} {
		req, err := parseRequest(line, names, defaults)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if got := names.transcript().Request(req); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

func TestTextRepeats(t *testing.T) {
	req, err := parseRequest(`JoinGroup v9 reason="é"*3`, newNamebook("", ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := newNamebook("", "").transcript().Request(req); !strings.Contains(got, `"ééé"`) {
		t.Errorf("got %s", got)
	}
}

func TestErrorsNameWhatIsKnown(t *testing.T) {
	names := newNamebook("", "")
	names.bind("A", "A", "A-10000000-0000-4000-8000-000000000000")
	for line, want := range map[string]string{
		"JoinGroup":                                       "write an API and a version",
		"Produce v9":                                      "there are AddOffsetsToTxn, ApiVersions, DeleteGroups",
		"JoinGroup v10":                                   "there are v0 to v9",
		"JoinGroup 9":                                     "9 is no version",
		"JoinGroup v9 group":                              `"group" is no field; write key=value`,
		"JoinGroup v9 generation=1":                       "it has group, session, rebalance, member",
		"JoinGroup v4 instance=i":                         "instance: JoinGroup v4 does not have it",
		"LeaveGroup v3 member=$A":                         "member: LeaveGroup v3 does not have it",
		"JoinGroup v9 session=10":                         "session: 10 is no duration; write 10s",
		"JoinGroup v9 session=10us":                       "no whole number of milliseconds",
		"JoinGroup v9 member=$B":                          `no member id is known as $B yet; known are ["A"]`,
		"JoinGroup v9 protocols=range":                    "range is no list; write [a b]",
		"JoinGroup v9 protocols=[range:orders(topic=x)]":  "it has v, gen, owned, rack, user",
		"JoinGroup v9 protocols=[range:orders(owned=3)]":  "3 has no topic; write topic/0-3",
		"JoinGroup v9 protocols=[range:0x0]":              "odd length hex string",
		"JoinGroup v9 protocols=[range:orders":            `lacks a closing "]"`,
		"JoinGroup v9 protocols=[range:orders)]":          "closes a bracket that is not open",
		`JoinGroup v9 reason="half`:                       "has no closing quote",
		`JoinGroup v9 reason="x"+3`:                       `as in "x"*100`,
		"Heartbeat v4 gen=99999999999":                    "gen: 99999999999 is no number of this field's size",
		"SyncGroup v5 assignments=[$A]":                   "write $A:orders/0-3",
		"SyncGroup v5 assignments=[$A:orders/3-0]":        "ascending range",
		"SyncGroup v5 assignments=[$A:orders/0-99999999]": "ascending range of at most 100000",
		"LeaveGroup v5 members=[$A(why=bye)]":             "it has instance, reason",
		"OffsetCommit v8 offsets=[orders/0]":              "write topic/0@42",
		"OffsetCommit v8 offsets=[orders/0@1(note=x)]":    "it has epoch, metadata",
		"EndTxn v3 producer=$Q":                           "no producer id is known as $Q yet; known are []",
		"OffsetFetch v7 stable=yes":                       "stable: yes is neither true nor false",
	} {
		_, err := parseRequest(line, names, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", line, err, want)
		}
	}
	if _, err := parseDefaults("group=g grop=h"); err == nil || !strings.Contains(err.Error(), `no API has a field "grop"`) {
		t.Errorf("defaults: got %v", err)
	}
}

func TestAllFaultsOfALineAreReportedTogether(t *testing.T) {
	_, err := parseRequest("JoinGroup v9 session=10 colour=red rebalance=20", newNamebook("", ""), nil)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v, want three lines", err)
	}
}

// No text of a script may do worse than an error.
func FuzzParseRequest(f *testing.F) {
	f.Add(`JoinGroup v9 group=g session=10s member=ghost protocols=[range:orders(v=1 owned=orders/0-3) raw:0x00]`)
	f.Add(`OffsetCommit v8 offsets=[orders/0@42(epoch=7 metadata="a b"*2)]`)
	f.Add(`OffsetFetch v9 groups=[g(topics=[orders/0-3]) h(topics=all)]`)
	f.Fuzz(func(t *testing.T, line string) {
		if len(line) > 200 {
			return
		}
		names := newNamebook("", "")
		if req, err := parseRequest(line, names, nil); err == nil {
			names.transcript().Request(req)
		}
	})
}
