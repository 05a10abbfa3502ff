package broker_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/protocol"
)

// A talk is what a broker answers to the requests about one transactional id, a line for each.
type talk struct {
	*client
	txn     string
	timeout int32 // of transactions, in milliseconds
	id      int64 // the first producer's
	answers []string
}

// ask asks again until a broker has made what it needs, and ended the transaction before: Kafka does so when it has answered.
func (k *talk) ask(what string, ask func() (code int16, more string)) protocol.ErrorCode {
	k.t.Helper()
	for {
		number, more := ask()
		switch code := protocol.ErrorCode(number); code {
		case concurrentTransactions, protocol.CoordinatorLoadInProgress, protocol.CoordinatorNotAvailable, protocol.NotCoordinator:
			k.pause()
		default:
			k.answers = append(k.answers, what+": "+code.String()+more)
			return code
		}
	}
}

func (k *talk) pause() {
	k.t.Helper()
	select {
	case <-time.After(20 * time.Millisecond):
	case <-k.t.Context().Done():
		k.t.Fatal("no answer in time")
	}
}

// init asks for a producer, as one without an id or as the first one in an epoch; its id is counted from the first one's.
func (k *talk) init(version int16, id, epoch int) {
	k.t.Helper()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis, req.ProducerEpoch = version, &k.txn, k.timeout, int16(epoch)
	if req.ProducerID = int64(id); id >= 0 {
		req.ProducerID += k.id
	}
	k.ask(fmt.Sprintf("InitProducerID v%d of %d in epoch %d", version, id, epoch), func() (int16, string) {
		resp := ask[*kmsg.InitProducerIDResponse](k.client, req)
		if resp.ErrorCode != 0 {
			return resp.ErrorCode, ""
		}
		if len(k.answers) == 0 {
			k.id = resp.ProducerID
		}
		return 0, fmt.Sprintf(" %t in epoch %d", resp.ProducerID == k.id, resp.ProducerEpoch)
	})
}

func (k *talk) producer(id, epoch int) *producer {
	return &producer{client: k.client, txn: k.txn, id: k.id + int64(id), epoch: int16(epoch)}
}

// each sends the other requests, in these versions.
func (k *talk) each(id, epoch int, versions ...int16) {
	k.t.Helper()
	for _, version := range versions {
		k.partitions(version, id, epoch)
		k.offsets(version, id, epoch)
		k.commit(version, id, epoch)
		k.end(version, id, epoch, true)
		k.end(version, id, epoch, false)
	}
}

func (k *talk) partitions(version int16, id, epoch int) {
	k.t.Helper()
	p := k.producer(id, epoch)
	k.ask(fmt.Sprintf("AddPartitionsToTxn v%d of %d in epoch %d", version, id, epoch), func() (int16, string) { return p.addPartitions(min(version, 3)), "" })
}

func (k *talk) offsets(version int16, id, epoch int) protocol.ErrorCode {
	k.t.Helper()
	p := k.producer(id, epoch)
	return k.ask(fmt.Sprintf("AddOffsetsToTxn v%d of %d in epoch %d", version, id, epoch), func() (int16, string) { return p.addOffsets(min(version, 4)), "" })
}

func (k *talk) commit(version int16, id, epoch int) {
	k.t.Helper()
	p := k.producer(id, epoch)
	k.ask(fmt.Sprintf("TxnOffsetCommit v%d of %d in epoch %d", version, id, epoch), func() (int16, string) { return p.commit(version, 7), "" })
}

func (k *talk) end(version int16, id, epoch int, commit bool) {
	k.t.Helper()
	p := k.producer(id, epoch)
	k.ask(fmt.Sprintf("EndTxn v%d of %d in epoch %d, %t", version, id, epoch, commit), func() (int16, string) {
		code := p.end(version, commit)
		return code, fmt.Sprintf(" %d in epoch %d", p.id-k.id, p.epoch)
	})
}

func (k *talk) produce(version int16, id, epoch int) {
	k.t.Helper()
	p := k.producer(id, epoch)
	k.ask(fmt.Sprintf("Produce v%d of %d in epoch %d", version, id, epoch), func() (int16, string) { return p.produce(version, &p.txn), "" })
}

// timesOut waits until the time of a transaction of this epoch is up.
func (k *talk) timesOut(epoch int) {
	k.t.Helper()
	for k.offsets(3, 0, epoch) == protocol.None {
		k.answers = k.answers[:len(k.answers)-1]
		k.pause()
	}
}

// talks are what producers, their successors, and those that take somebody's place say to a broker.
var talks = map[string]func(k *talk){
	"who has no transactional id": func(k *talk) {
		k.init(4, -1, -1)
		k.txn = ""
		k.init(4, -1, -1)
		k.each(0, 0, 0, 3, 5)
		k.produce(12, 0, 0)
	},
	"a transactional id that there is not": func(k *talk) {
		k.id = 1 << 40 // nobody's
		k.each(0, 0, 0, 3, 5)
		k.init(3, 5, 0) // whoever asks is the first
		k.init(4, 9, 0)
	},
	"half a producer": func(k *talk) { k.init(4, -1, -1); k.init(4, 0, -1); k.init(4, -1, 0) },
	"another's id": func(k *talk) {
		k.init(4, -1, -1)
		k.each(1, 0, 0, 1, 2, 3, 4, 5)
		k.init(3, 1, 0)
		k.init(4, 1, 0)
		k.produce(12, 1, 0)
	},
	"an epoch to come": func(k *talk) {
		k.init(4, -1, -1)
		k.each(0, 5, 0, 1, 2, 3, 4, 5)
		k.init(4, 0, 5)
		k.produce(9, 0, 5)
		k.produce(12, 0, 5)
	},
	"a predecessor": func(k *talk) {
		k.init(4, -1, -1)
		k.init(4, -1, -1)
		k.each(0, 0, 0, 1, 2, 3, 4, 5)
		k.init(3, 0, 0)
		k.init(4, 0, 0)
		k.produce(12, 0, 0)
	},
	"a predecessor with a transaction": func(k *talk) {
		k.init(4, -1, -1)
		k.commit(5, 0, 0)
		k.init(4, -1, -1)
		for epoch := range 2 {
			k.each(0, epoch, 3, 5)
			k.init(4, 0, epoch)
		}
		k.commit(5, 0, 2)
	},
	"no transaction": func(k *talk) {
		k.init(4, -1, -1)
		for _, version := range []int16{0, 3, 4, 5} {
			k.end(version, 0, 0, true)
			k.end(version, 0, 0, false)
		}
		k.end(5, 0, 0, false)
		k.end(5, 0, 0, true)
		k.end(5, 0, 1, true)
		k.end(5, 0, 1, false)
		for _, version := range []int16{0, 3, 4} {
			k.commit(version, 0, 2)
		}
		k.produce(9, 0, 2)
	},
	"the end once more": func(k *talk) {
		k.init(4, -1, -1)
		for _, commit := range []bool{true, false} {
			k.offsets(3, 0, 0)
			k.offsets(3, 0, 0)
			k.commit(3, 0, 0)
			k.end(3, 0, 0, commit)
			k.end(3, 0, 0, commit)
			k.end(3, 0, 0, !commit)
		}
		k.end(5, 0, 0, true)
		k.end(5, 0, 0, false)
	},
	"the end that ends the epoch, once more": func(k *talk) { // KIP-890
		k.init(4, -1, -1)
		for epoch, commit := range []bool{true, false} {
			k.commit(5, 0, epoch)
			k.end(5, 0, epoch, commit)
			k.end(5, 0, epoch, commit)
			k.end(5, 0, epoch, !commit)
			k.end(3, 0, epoch, commit)
			k.end(5, 0, epoch+1, true)
			k.commit(5, 0, epoch)
			k.produce(12, 0, epoch)
		}
		k.produce(12, 0, 2)
		k.end(5, 0, 1, false)
		k.end(5, 0, 2, true)
	},
	"a new epoch, once more": func(k *talk) { // KIP-360
		k.init(4, -1, -1)
		k.init(4, 0, 0)
		k.init(4, 0, 0)
		k.end(5, 0, 0, true)
		k.end(5, 0, 0, false)
		k.init(4, 0, 1)
		k.init(4, 0, 0)
		k.init(3, 0, 0)
		k.init(4, 0, 1)
		k.commit(5, 0, 2)
		k.init(4, 0, 2) // aborts
		k.init(4, 0, 2)
		k.end(5, 0, 3, true)
	},
	"its time is up": func(k *talk) { // KIP-588
		k.timeout = 300
		k.init(4, -1, -1)
		k.offsets(3, 0, 0)
		k.timesOut(0)
		k.each(0, 0, 3, 5)
		k.produce(12, 0, 0)
		k.init(4, 0, 0)
		k.init(4, -1, -1)
		k.produce(12, 0, 2)
		k.timesOut(2)
		k.produce(12, 0, 2)
		k.timeout = 60_000
		k.init(4, 0, 2)
		k.produce(12, 0, 3)
		k.end(5, 0, 3, true)
	},
}

func (c *client) talks() map[string][]string {
	c.t.Helper()
	answers := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(talks)) {
		k := &talk{client: c, txn: kafkatest.Name(c.t), timeout: 60_000}
		talks[name](k)
		answers[name] = k.answers
	}
	return answers
}

func TestKafkaAnswersProducersAlike(t *testing.T) { // G-282, G-611
	var ours map[string][]string
	synctest.Test(t, func(t *testing.T) { ours = start(t, oneTopic).dial("producer").talks() })
	kafka := kafkatest.Start(t, kafkatest.V4_4_0, kafkatest.With("transaction.abort.timed.out.transaction.cleanup.interval.ms", "100"))
	c := dialTCP(t, kafka.Addr())
	c.createTopic("orders", 2)
	(&talk{client: c}).ask("FindCoordinator", func() (int16, string) { // makes its topic
		return ask[*kmsg.FindCoordinatorResponse](c, find(3, 1, "t")).ErrorCode, ""
	})
	for name, theirs := range c.talks() {
		for i, answer := range ours[name] {
			if answer != theirs[i] {
				t.Errorf("%s: %s; Kafka answers %s", name, answer, theirs[i])
			}
		}
	}
}
