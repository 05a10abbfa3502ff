package group

import (
	"math"
	"testing"
)

// FuzzLoad makes a log of bytes, as another program than a coordinator might have written it, loads a group from it, and
// goes on as FuzzStep does. Only what is taken over as it is, the number of the generation, makes sense.
func FuzzLoad(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &bytesSource{data: data}
		c := newChaos(t, s)
		for range s.IntN(12) {
			c.store(c.record())
		}
		c.reload(c.config)
		for n := 0; n < 200 && len(s.data) > 0; n++ {
			c.happen()
		}
		c.leaveAlone()
	})
}

// record is any record.
func (c *chaos) record() Record {
	r := Record{Kind: MetadataRecord + RecordKind(c.IntN(int(PendingOffsetTombstone)))}
	switch r.Kind {
	case MetadataRecord:
		r.Metadata = c.metadata()
		return r
	case MetadataTombstone:
		return r
	case PendingOffsetRecord, PendingOffsetTombstone:
		r.ProducerID = int64(c.IntN(3)) - 1
	}
	r.Topic, r.Partition = pick(c, "t1", "t2", ""), int32(c.IntN(3))-1
	r.Offset = Offset{
		Offset: pick[int64](c, 0, 7, -1, math.MinInt64), LeaderEpoch: -1, Metadata: pick(c, "", "\xff"),
		CommitTimestamp: pick[Time](c, 0, -1, math.MinInt64, math.MaxInt64), ExpireTimestamp: pick[Time](c, -1, 0, 1000, math.MinInt64, math.MaxInt64),
	}
	return r
}

func (c *chaos) metadata() *Metadata {
	md := &Metadata{
		ProtocolType: pick(c, "consumer", "connect", ""), Generation: pick[int32](c, 1, 7, 1<<30),
		Protocol: pick(c, "range", ""), Leader: pick(c, "a-x", "b-x", "", "stranger"), Timestamp: pick[Time](c, 0, -1, math.MinInt64, math.MaxInt64),
	}
	for range c.IntN(4) {
		md.Members = append(md.Members, MemberMetadata{
			ID: pick(c, "a-x", "b-x", "c-x", ""), InstanceID: c.instance(), ClientID: pick(c, "a", "b", ""),
			RebalanceTimeout: pick[Millis](c, -1, 5000, 0, math.MinInt32, math.MaxInt32), SessionTimeout: pick[Millis](c, 10_000, 0, -1, math.MinInt32),
			Subscription: pick(c, nil, []byte("t1")),
		})
	}
	return md
}
