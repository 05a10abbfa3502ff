package broker_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/protocol"
)

// offset asks what a group has committed of the first partition of orders.
func (c *client) offset(group string, requireStable bool) (int64, protocol.ErrorCode) {
	c.t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Version, req.RequireStable = 9, requireStable
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = group, []kmsg.OffsetFetchRequestGroupTopic{{Topic: "orders", Partitions: []int32{0}}}
	req.Groups = append(req.Groups, g)
	p := ask[*kmsg.OffsetFetchResponse](c, req).Groups[0].Topics[0].Partitions[0]
	return p.Offset, protocol.ErrorCode(p.ErrorCode)
}

// wantOffset checks what g has committed, and whether it is told to who requires that it be stable.
func (c *client) wantOffset(want int64, wantStable protocol.ErrorCode) {
	c.t.Helper()
	if offset, code := c.offset("g", false); offset != want || code != protocol.None {
		c.t.Errorf("committed is %d (%s), want %d", offset, code.String(), want)
	}
	if wantStable != protocol.None {
		want = -1
	}
	if offset, code := c.offset("g", true); offset != want || code != wantStable {
		c.t.Errorf("committed and stable is %d (%s), want %d (%s)", offset, code.String(), want, wantStable.String())
	}
}

var oneTopic = broker.Config{Topics: map[string]int32{"orders": 2}}

func TestATransactionDecidesAboutItsOffsets(t *testing.T) { // G-272, G-275, G-291, G-292
	synctest.Test(t, func(t *testing.T) {
		w := start(t, oneTopic)
		p := w.dial("producer").produceAs("txn")
		p.wantOffset(-1, protocol.None)
		for i, version := range []int16{3, 5} {
			offset := int64(10 * (i + 1))
			before := offset - 10
			if before == 0 {
				before = -1
			}
			if version < 5 {
				p.want("AddOffsetsToTxn", p.addOffsets(3), protocol.None)
			}
			p.want("TxnOffsetCommit", p.commit(version, offset+5), protocol.None)
			p.wantOffset(before, protocol.UnstableOffsetCommit)
			p.want("abort", p.end(version, false), protocol.None)
			p.wantOffset(before, protocol.None)

			p.want("AddOffsetsToTxn", p.addOffsets(3), protocol.None)
			p.want("TxnOffsetCommit", p.commit(version, offset), protocol.None)
			p.wantOffset(before, protocol.UnstableOffsetCommit)
			p.want("commit", p.end(version, true), protocol.None)
			p.wantOffset(offset, protocol.None)
		}
	})
}

func TestOffsetsAreTakenFromTheirTransactionOnly(t *testing.T) { // G-282, G-611
	synctest.Test(t, func(t *testing.T) {
		w := start(t, oneTopic)
		c := w.dial("producer")
		p, other := c.produceAs("txn"), c.produceAs("other")
		for _, version := range []int16{0, 3, 4, 5, 6} {
			versioned := func(old, abortable, joins protocol.ErrorCode) protocol.ErrorCode {
				switch {
				case version >= 5:
					return joins
				case version == 4:
					return abortable
				}
				return old
			}
			commit := func(p producer) int16 {
				req := p.commitRequest(version, 7)
				req.Topics[0].TopicID = w.topicIDs()[0]
				return ask[*kmsg.TxnOffsetCommitResponse](c, req).Topics[0].Partitions[0].ErrorCode
			}
			what := func(s string) string { return fmt.Sprintf("v%d: %s", version, s) }
			c.want(what("no such transactional id"), commit(producer{client: c, txn: "none", id: p.id}), invalidProducerIDMapping)
			c.want(what("no such producer"), commit(producer{client: c, txn: "txn", id: 1}), invalidProducerIDMapping)
			c.want(what("another's producer"), commit(producer{client: c, txn: "txn", id: other.id}), invalidProducerIDMapping)
			c.want(what("a fenced producer"), commit(producer{client: c, txn: "txn", id: p.id, epoch: p.epoch - 1}), invalidProducerEpoch)
			c.want(what("no transactional id"), commit(producer{client: c, id: p.id}), protocol.InvalidRequest)
			c.want(what("no transaction"), commit(*p), versioned(protocol.InvalidTxnState, protocol.TransactionAbortable, protocol.None))
			if version < 5 {
				c.want("AddOffsetsToTxn", p.addOffsets(0), protocol.None)
				c.want(what("a transaction"), commit(*p), protocol.None)
			}
			c.want("EndTxn", p.end(3, false), protocol.None)
		}
		c.wantOffset(-1, protocol.None)
	})
}

func TestWhoIsNotTheProducerEndsNoTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, oneTopic).dial("producer")
		p, other := c.produceAs("txn"), c.produceAs("other")
		c.want("TxnOffsetCommit", p.commit(5, 7), protocol.None)
		for name, test := range map[string]struct {
			stranger producer
			want     protocol.ErrorCode
		}{
			"another transactional id": {producer{client: c, txn: "other", id: p.id, epoch: p.epoch}, invalidProducerIDMapping},
			"no transactional id":      {producer{client: c, id: p.id, epoch: p.epoch}, protocol.InvalidRequest},
			"another's producer":       {producer{client: c, txn: "txn", id: other.id, epoch: other.epoch}, invalidProducerIDMapping},
		} {
			c.want(name, test.stranger.end(3, true), test.want)
		}
		old := &producer{client: c, txn: "txn", id: p.id, epoch: p.epoch - 1}
		c.want("EndTxn v1 of another epoch", old.end(1, true), invalidProducerEpoch)
		c.want("EndTxn v2 of another epoch", old.end(2, true), producerFenced)
		c.want("AddOffsetsToTxn v1 of another epoch", old.addOffsets(1), invalidProducerEpoch)
		c.want("AddOffsetsToTxn v2 of another epoch", old.addOffsets(2), producerFenced)
		renew := kmsg.NewPtrInitProducerIDRequest()
		renew.TransactionalID, renew.TransactionTimeoutMillis = new("other"), 1000
		renew.ProducerID, renew.ProducerEpoch = p.id, p.epoch
		for version, want := range map[int16]protocol.ErrorCode{3: invalidProducerEpoch, 4: producerFenced} {
			renew.Version = version
			c.want("InitProducerID with another's producer", ask[*kmsg.InitProducerIDResponse](c, renew).ErrorCode, want)
		}
		c.wantOffset(-1, protocol.UnstableOffsetCommit)
		c.want("EndTxn", p.end(3, true), protocol.None)
		c.wantOffset(7, protocol.None)
		c.want("EndTxn once more", p.end(3, true), protocol.None)
		c.want("EndTxn the other way", p.end(3, false), protocol.InvalidTxnState)
		c.wantOffset(7, protocol.None)
	})
}

func TestANewProducerAbortsTheTransactionOfTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, oneTopic).dial("producer")
		first := c.produceAs("txn")
		c.want("TxnOffsetCommit", first.commit(5, 7), protocol.None)
		second := c.produceAs("txn")
		c.wantOffset(-1, protocol.None)
		c.want("of the first", first.end(3, true), producerFenced)
		c.want("of the first", first.commit(5, 8), invalidProducerEpoch)
		c.want("of the second", second.commit(5, 9), protocol.None)
		c.want("of the second", second.end(5, true), protocol.None)
		c.wantOffset(9, protocol.None)
	})
}

func TestATransactionWhoseTimeIsUpIsAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, oneTopic).dial("producer")
		p := c.produceAs("txn") // for a minute
		c.want("TxnOffsetCommit", p.commit(5, 7), protocol.None)
		time.Sleep(59 * time.Second)
		c.wantOffset(-1, protocol.UnstableOffsetCommit)
		time.Sleep(3 * time.Second)
		c.wantOffset(-1, protocol.None)
		c.want("EndTxn", p.end(3, true), producerFenced)
		c.want("of the next", c.produceAs("txn").commit(5, 8), protocol.None)
		time.Sleep(30 * time.Second)
		c.wantOffset(-1, protocol.UnstableOffsetCommit)
		time.Sleep(32 * time.Second)
		c.wantOffset(-1, protocol.None)
	})
}

// A producer gets another id when there are no more epochs, and nobody has a transaction in the last one, of which kfake
// would make new producers for ever when its time is up.
func TestEpochsComeToAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const last = 32765
		w := start(t, oneTopic)
		c := w.dial("producer")
		first := c.produceAs("txn")
		raise := func(id int64) { // as kfake lets anybody
			c.want("Produce", (&producer{client: c, id: id, epoch: last}).produce(9, nil), protocol.None)
		}
		raise(first.id)
		if next := c.produceAs("txn"); next.id == first.id || next.epoch != 0 {
			t.Errorf("after epoch %d of %d comes epoch %d of %d", last, first.id, next.epoch, next.id)
		}
		for _, commit := range []bool{false, true} {
			p := c.produceAs("txn")
			raise(p.id)
			before := producer{client: c, txn: "txn", id: p.id, epoch: last}
			after := before
			c.want("TxnOffsetCommit", after.commit(5, 7), protocol.None)
			c.want("EndTxn", after.end(5, commit), protocol.None)
			if after.id == before.id || after.epoch != 0 {
				t.Errorf("after epoch %d of %d comes epoch %d of %d", last, before.id, after.epoch, after.id)
			}
			c.want("TxnOffsetCommit", after.commit(5, 8), protocol.None)
			c.want("EndTxn", after.end(5, false), protocol.None)
		}
		c.wantOffset(7, protocol.None)

		p := c.produceAs("txn")
		raise(p.id)
		p.epoch = last
		c.want("TxnOffsetCommit", p.commit(5, 9), protocol.None)
		time.Sleep(62 * time.Second)
		p.epoch++ // its time was up
		c.want("AddPartitionsToTxn", p.addPartitions(3), producerFenced)
		c.want("AddOffsetsToTxn", p.addOffsets(3), producerFenced)
		c.want("TxnOffsetCommit", p.commit(5, 9), invalidProducerEpoch)
		c.want("Produce", p.produce(12, &p.txn), invalidRecord)
		c.want("Produce", p.produce(9, nil), invalidRecord)
		time.Sleep(62 * time.Second)
		c.wantOffset(7, protocol.None)
		if next := c.produceAs("txn"); next.id == p.id || next.epoch != 0 {
			t.Errorf("epoch %d of %d", next.epoch, next.id)
		}
	})
}

// A producer without transactions has none in anybody's name either: kfake would begin one for each producer id.
func TestWhoHasNoTransactionalIDBeginsNoTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, oneTopic).dial("producer")
		p := producer{client: c, txn: "txn", id: 5, epoch: 32765}
		c.want("Produce", p.produce(9, nil), protocol.None)
		c.want("AddPartitionsToTxn", p.addPartitions(3), invalidProducerIDMapping)
		c.want("AddOffsetsToTxn", p.addOffsets(3), invalidProducerIDMapping)
		c.want("Produce", p.produce(12, &p.txn), invalidProducerIDMapping)
		p = *c.produceAs("txn")
		c.want("Produce of another", (&producer{client: c, id: p.id, epoch: p.epoch}).produce(12, new("other")), invalidProducerIDMapping)
		c.want("EndTxn", p.end(3, true), protocol.InvalidTxnState) // there is none
	})
}

func TestWhatIsLeftOfTransactionsIsAbortedAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := oneTopic
		config.Coordinator.Store = coordinator.NewMemoryStore()
		before := start(t, config)
		c := before.dial("producer")
		c.want("TxnOffsetCommit", c.produceAs("txn").commit(5, 7), protocol.None)
		if err := before.broker.Close(ended()); err != nil {
			t.Fatal(err)
		}
		start(t, config).dial("consumer").wantOffset(-1, protocol.None)
	})
}

func TestTheEndOfATransactionIsToldAgainUntilItIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config, store := oneTopic, newMoodyStore()
		config.Coordinator.Store = store
		c := start(t, config).dial("producer")
		p := c.produceAs("txn")
		c.want("TxnOffsetCommit", p.commit(5, 7), protocol.None)
		store.become(refusing)
		for range 2 {
			c.want("EndTxn", p.end(5, true), concurrentTransactions)
			c.want("EndTxn the other way", p.end(5, false), concurrentTransactions)
		}
		c.wantOffset(-1, protocol.UnstableOffsetCommit)
		c.want("AddOffsetsToTxn", p.addOffsets(3), concurrentTransactions)
		c.want("AddPartitionsToTxn", p.addPartitions(3), concurrentTransactions)
		c.want("TxnOffsetCommit", p.commit(5, 8), concurrentTransactions)
		c.want("Produce", p.produce(12, &p.txn), concurrentTransactions)
		renew := kmsg.NewPtrInitProducerIDRequest()
		renew.Version, renew.TransactionalID, renew.TransactionTimeoutMillis = 4, &p.txn, 60_000
		c.want("InitProducerID", ask[*kmsg.InitProducerIDResponse](c, renew).ErrorCode, concurrentTransactions)
		store.become(willing)
		time.Sleep(2 * time.Second)
		c.wantOffset(7, protocol.None)
		c.want("EndTxn", p.end(5, true), protocol.None)
		c.want("of the next", p.commit(5, 8), protocol.None)
		c.want("EndTxn", p.end(5, true), protocol.None)
		c.wantOffset(8, protocol.None)
	})
}

// Who commits offsets and goes away has committed them all the same: the end of the transaction waits for the store.
func TestOffsetsThatAreAtTheStoreWhenTheirTransactionEnds(t *testing.T) {
	for name, then := range map[string]func(w *world, c *client, store *moodyStore, end *kmsg.EndTxnRequest){
		"stored": func(w *world, c *client, store *moodyStore, end *kmsg.EndTxnRequest) {
			c.wantSilence(5 * time.Second)
			store.become(willing)
			c.want("EndTxn", receive[*kmsg.EndTxnResponse](c, 1, end).ErrorCode, protocol.None)
			c.wantOffset(7, protocol.None)
		},
		"left too": func(w *world, c *client, store *moodyStore, _ *kmsg.EndTxnRequest) {
			c.conn.Close()
			synctest.Wait()
			store.become(willing)
			synctest.Wait()
			w.dial("consumer").wantOffset(7, protocol.None)
		},
		"closed": func(w *world, _ *client, store *moodyStore, _ *kmsg.EndTxnRequest) {
			if err := w.broker.Close(ended()); err != nil { // which must not wait for the store
				t.Error(err)
			}
			store.become(willing)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config, store := oneTopic, newMoodyStore()
				config.Coordinator.Store = store
				w := start(t, config)
				c, leaves := w.dial("producer"), w.dial("leaves")
				p := c.produceAs("txn")
				store.become(slow)
				leaves.send(1, p.commitRequest(5, 7))
				synctest.Wait()
				leaves.conn.Close()
				end := kmsg.NewPtrEndTxnRequest()
				end.Version, end.TransactionalID, end.ProducerID, end.ProducerEpoch, end.Commit = 5, p.txn, p.id, p.epoch, true
				c.send(1, end)
				synctest.Wait()
				then(w, c, store, end)
			})
		})
	}
}

// Offsets that are committed while the transaction ends are part of it, or of the next one, or refused; never left over.
func TestOffsetsThatMeetTheEndOfTheirTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, oneTopic)
		p := w.dial("producer").produceAs("txn")
		var clients sync.WaitGroup
		for i := range 4 {
			committing := &producer{client: w.dial("commits"), txn: p.txn, id: p.id, epoch: p.epoch}
			clients.Go(func() {
				for offset := range int64(50) {
					committing.want("TxnOffsetCommit", committing.commit(5, offset), protocol.None)
				}
			})
			ending := &producer{client: w.dial("ends"), txn: p.txn, id: p.id, epoch: p.epoch}
			clients.Go(func() {
				for range 50 {
					if code := protocol.ErrorCode(ending.end(3, i%2 == 0)); code != protocol.None && code != protocol.InvalidTxnState {
						t.Errorf("EndTxn: %v", code)
					}
				}
			})
		}
		clients.Wait()
		p.end(3, true) // if there is one left
		if offset, code := w.dial("consumer").offset("g", true); code != protocol.None {
			t.Errorf("%d is left: %s", offset, code.String())
		}
	})
}
