package coordinator_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// asker is whoever answers requests: a client of a real Kafka, or askable.
type asker interface {
	Request(context.Context, kmsg.Request) (kmsg.Response, error)
}

// askable is a coordinator of ours, asked in the versions that the client of a real Kafka speaks here.
type askable struct{ *coordinator.Coordinator }

var askedVersions = map[kmsg.Key]int16{kmsg.ListGroups: 4, kmsg.DescribeGroups: 5, kmsg.OffsetFetch: 8}

func (a askable) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	req.SetVersion(askedVersions[kmsg.Key(req.Key())])
	resp, err := a.Handle(ctx, coordinator.Peer{}, req)
	if err != nil {
		return nil, err
	}
	wire := req.ResponseKind()
	return wire, wire.ReadFrom(resp.AppendTo(nil))
}

// everything asks for all groups and offsets, and returns the answers as text.
func everything(t *testing.T, a asker) string {
	t.Helper()
	request := func(req kmsg.Request) kmsg.Response {
		t.Helper()
		resp, err := a.Request(t.Context(), req)
		if err != nil {
			t.Fatalf("%T: %v", req, err)
		}
		return resp
	}
	list := request(kmsg.NewPtrListGroupsRequest()).(*kmsg.ListGroupsResponse)
	slices.SortFunc(list.Groups, func(a, b kmsg.ListGroupsResponseGroup) int { return cmp.Compare(a.Group, b.Group) })
	describe := kmsg.NewPtrDescribeGroupsRequest()
	fetch := kmsg.NewPtrOffsetFetchRequest()
	for _, g := range list.Groups {
		describe.Groups = append(describe.Groups, g.Group)
		asked := kmsg.NewOffsetFetchRequestGroup()
		asked.Group = g.Group
		fetch.Groups = append(fetch.Groups, asked)
	}
	described := request(describe).(*kmsg.DescribeGroupsResponse)
	slices.SortFunc(described.Groups, func(a, b kmsg.DescribeGroupsResponseGroup) int { return cmp.Compare(a.Group, b.Group) })
	for _, g := range described.Groups {
		slices.SortFunc(g.Members, func(a, b kmsg.DescribeGroupsResponseGroupMember) int { return cmp.Compare(a.MemberID, b.MemberID) })
	}
	answers := []kmsg.Response{list, described}
	for _, stable := range []bool{false, true} {
		fetch.RequireStable = stable
		fetched := request(fetch).(*kmsg.OffsetFetchResponse)
		sortFetched(fetched)
		answers = append(answers, fetched)
	}
	var text strings.Builder
	for _, answer := range answers {
		fmt.Fprintf(&text, "%s v%d %s\n", kmsg.NameForKey(answer.Key()), answer.GetVersion(),
			strings.ReplaceAll(protocol.Transcript{}.Response(answer), ") ", ")\n  "))
	}
	return text.String()
}

func sortFetched(fetched *kmsg.OffsetFetchResponse) {
	slices.SortFunc(fetched.Groups, func(a, b kmsg.OffsetFetchResponseGroup) int { return cmp.Compare(a.Group, b.Group) })
	for _, g := range fetched.Groups {
		slices.SortFunc(g.Topics, func(a, b kmsg.OffsetFetchResponseGroupTopic) int { return cmp.Compare(a.Topic, b.Topic) })
		for _, topic := range g.Topics {
			slices.SortFunc(topic.Partitions, func(a, b kmsg.OffsetFetchResponseGroupTopicPartition) int {
				return cmp.Compare(a.Partition, b.Partition)
			})
		}
	}
}

// importing returns a coordinator of 3 partitions on a store that the logs were imported to.
func importing(t *testing.T, logs ...[]byte) (*coordinator.Coordinator, coordinator.Imported) {
	t.Helper()
	const partitions = 3
	store := coordinator.NewMemoryStore()
	var all coordinator.Imported
	for _, log := range logs {
		found, err := coordinator.Import(t.Context(), store, partitions, bytes.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		all.Groups += found.Groups
		all.Offsets += found.Offsets
		all.Pending += found.Pending
		all.Skipped += found.Skipped
	}
	return start(t, coordinator.Config{Store: store, Partitions: partitions}), all
}

// TestImportOfLogsThatKafkaWrote: see testdata/consumer-offsets for what they have.
func TestImportOfLogsThatKafkaWrote(t *testing.T) { // G-209, G-291, G-294, G-295, G-311, G-314, G-341
	folders, err := filepath.Glob("testdata/consumer-offsets/*.*.*")
	if err != nil || len(folders) == 0 {
		t.Fatal("no logs", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var logs [][]byte
			names, _ := filepath.Glob(filepath.Join(folder, "*.log"))
			for _, name := range append(names, filepath.Join(folder, "answers.txt")) {
				log, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				logs = append(logs, log)
			}
			want := string(logs[len(logs)-1])
			c, found := importing(t, logs[:len(logs)-1]...)
			if got := everything(t, askable{c}); got != want {
				t.Errorf("Kafka answered\n%s\nours answers\n%s", want, got)
			}
			if want := (coordinator.Imported{Groups: 2, Offsets: 9, Pending: 4}); found != want {
				t.Errorf("found %+v, want %+v", found, want)
			}
		})
	}
}

// appended is a batch of one record of a log.
func appended(attributes int16, producer int64, key, value []byte) []byte {
	record := kmsg.Record{Key: key, Value: value}
	record.Length = int32(len(record.AppendTo(nil)) - 1)
	log := kmsg.RecordBatch{
		Magic: 2, Attributes: attributes, ProducerID: producer, NumRecords: 1, Records: record.AppendTo(nil),
	}
	batch := log.AppendTo(nil)
	binary.BigEndian.PutUint32(batch[8:], uint32(len(batch)-12))
	binary.BigEndian.PutUint32(batch[17:], crc32.Checksum(batch[21:], crc32.MakeTable(crc32.Castagnoli)))
	return batch
}

// commits is a commit of partition 0 of the topic t by a producer, -1 for none; an offset below zero is a tombstone.
func commits(producer, offset int64) []byte {
	value := kmsg.OffsetCommitValue{Offset: offset, LeaderEpoch: -1, ExpireTimestamp: -1}
	key := protocol.AppendOffsetKey(nil, "g", "t", 0)
	if offset < 0 {
		return appended(0, producer, key, nil)
	}
	return appended(0x10, producer, key, protocol.AppendOffsetValue(nil, value))
}

// ends is the end of a producer's transaction: 1 if it commits, 0 if it aborts, 2 and more something else.
func ends(producer int64, kind byte) []byte {
	return appended(0x30, producer, []byte{0, 0, 0, kind}, make([]byte, 6))
}

func TestImportSettlesTransactions(t *testing.T) { // G-290 to G-295, G-311, G-313
	tests := map[string]struct {
		log  [][]byte
		want int64 // -1: nothing
		open int
	}{
		"committed":                              {[][]byte{commits(-1, 1), commits(7, 2), ends(7, 1)}, 2, 0},
		"aborted":                                {[][]byte{commits(-1, 1), commits(7, 2), ends(7, 0)}, 1, 0},
		"under way":                              {[][]byte{commits(-1, 1), commits(7, 2)}, 1, 1},
		"nothing else, aborted":                  {[][]byte{commits(7, 2), ends(7, 0)}, -1, 0},
		"ended by somebody else":                 {[][]byte{commits(-1, 1), commits(7, 2), ends(8, 1)}, 1, 1},
		"a control record of another kind":       {[][]byte{commits(-1, 1), commits(7, 2), ends(7, 2)}, 1, 1},
		"a later commit without a transaction":   {[][]byte{commits(7, 2), commits(-1, 1), ends(7, 1)}, 1, 0},
		"two, ended in order":                    {[][]byte{commits(7, 2), commits(8, 3), ends(7, 1), ends(8, 1)}, 3, 0},
		"two, ended in another order":            {[][]byte{commits(7, 2), commits(8, 3), ends(8, 1), ends(7, 1)}, 3, 0},
		"the next of the same producer":          {[][]byte{commits(7, 2), ends(7, 1), commits(7, 3), ends(7, 1)}, 3, 0},
		"a second offset in the same":            {[][]byte{commits(7, 3), commits(7, 2), ends(7, 1)}, 2, 0},
		"a tombstone meanwhile":                  {[][]byte{commits(-1, 1), commits(7, 2), commits(-1, -1), ends(7, 1)}, -1, 0},
		"a tombstone, and once more by the same": {[][]byte{commits(7, 2), commits(-1, -1), commits(7, 3), ends(7, 1)}, 3, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, found := importing(t, bytes.Join(test.log, nil))
			if got := connect(t, c, "client").committed("t"); got != test.want || found.Pending != test.open {
				t.Errorf("committed is %d, want %d, and found %+v", got, test.want, found)
			}
			if err := c.EndTransaction(t.Context(), 7, true); err != nil {
				t.Fatal(err)
			}
			if got := connect(t, c, "client").committed("t"); test.open > 0 && got != 2 {
				t.Errorf("after the end %d is committed", got)
			}
		})
	}
}

func TestImportSkipsWhatIsNotAClassicGroups(t *testing.T) { // G-312
	consumerGroup := appended(0, -1, []byte{0, 3, 0, 1, 'g'}, []byte{0, 0, 0, 0, 0, 1})
	c, found := importing(t, bytes.Join([][]byte{commits(-1, 1), consumerGroup}, nil))
	if want := (coordinator.Imported{Offsets: 1, Skipped: 1}); found != want {
		t.Errorf("found %+v, want %+v", found, want)
	}
	if got := connect(t, c, "client").committed("t"); got != 1 {
		t.Errorf("offset %d", got)
	}
}

func TestFaultsOfAnImport(t *testing.T) {
	away := &awayStore{slowStore: newSlowStore()}
	away.away.Store(true)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx        context.Context
		store      coordinator.Store
		partitions int32
		log        []byte
		want       string
	}{
		"no number of partitions": {t.Context(), coordinator.NewMemoryStore(), -1, nil, "partitions is -1: set it above zero"},
		"a damaged log":           {t.Context(), coordinator.NewMemoryStore(), 0, commits(-1, 1)[:50], "batch at offset 0: unexpected EOF"},
		"a malformed record":      {t.Context(), coordinator.NewMemoryStore(), 0, appended(0, -1, []byte{0, 1, 0}, nil), "offset record: key"},
		"an unknown version":      {t.Context(), coordinator.NewMemoryStore(), 0, appended(0, -1, protocol.AppendGroupKey(nil, "g"), []byte{0, 9}), "version 9 is not known"},
		"a store that is away":    {t.Context(), away, 0, commits(-1, 1), "partition 3: the store is away"},
		"a canceled context":      {canceled, coordinator.NewMemoryStore(), 0, commits(-1, 1), "context canceled"},
	} {
		found, err := coordinator.Import(test.ctx, test.store, test.partitions, bytes.NewReader(test.log))
		if err == nil || !strings.Contains(err.Error(), test.want) || found != (coordinator.Imported{}) {
			t.Errorf("%s: found %+v, error %v, want %s", name, found, err, test.want)
		}
	}
}
