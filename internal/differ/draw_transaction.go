package differ

import (
	"fmt"
	"strconv"
)

// A producer commits offsets in transactions.
type producer struct {
	*client
	transaction string
	modern      bool // its commits join the transaction by themselves, and each transaction has an epoch of its own (KIP-890)
	id          string
	epoch       int
	joined      map[string]bool // the groups that the transaction under way has to do with
}

// producer returns the producer of a name, or nil.
func (m *model) producer(name string) *producer {
	for _, p := range m.producers {
		if p.name == name {
			return p
		}
	}
	return nil
}

// observe learns from an answer.
func (p *producer) observe(req, answer message) {
	switch {
	case answer.code == "NONE" && req.api == "InitProducerID", answer.code == "NONE" && req.api == "EndTxn":
		if id, ok := answer.fields["producer"]; ok {
			p.id = id
			p.epoch, _ = strconv.Atoi(answer.fields["epoch"])
		}
		p.joined = map[string]bool{}
	case req.api == "InitProducerID", answer.code == "NONE" && req.api == "AddOffsetsToTxn", req.api == "TxnOffsetCommit" && p.modern:
		p.joined[req.fields["group"]] = true
	case req.api != "TxnOffsetCommit":
		p.id = "" // fenced, or lost its way
	}
}

// transact draws the next request of a producer.
func (g *generator) transact(p *producer) string {
	group := ""
	if g.chance(10) {
		group = "h"
	}
	version := func(old, modern int) int {
		if p.modern {
			return modern
		}
		return g.versions(0, old)
	}
	epoch := fmt.Sprint(p.epoch)
	switch {
	case p.id == "" || g.chance(5):
		return line(p.client, "InitProducerID", version(4, 5), "txn", p.transaction)
	case !p.modern && !p.joined[group]:
		return line(p.client, "AddOffsetsToTxn", version(3, 4), "group", group, "txn", p.transaction, "producer", p.id, "epoch", epoch)
	case len(p.joined) > 0 && g.chance(35):
		return line(p.client, "EndTxn", version(4, 5), "txn", p.transaction, "producer", p.id, "epoch", epoch,
			"commit", strconv.FormatBool(g.chance(60)))
	}
	who := claim{gen: -1}
	v := version(4, 5+g.IntN(2))
	if v >= 3 && g.chance(60) {
		who = g.clients[g.IntN(len(g.clients))].claim()
		if g.chance(10) {
			who.gen = pick(g, who.gen-1, who.gen+1, -1)
		}
	}
	gen := ""
	if v >= 3 {
		gen = fmt.Sprint(who.gen)
	}
	return line(p.client, "TxnOffsetCommit", v, "group", group, "txn", p.transaction, "producer", p.id, "epoch", epoch,
		"gen", gen, "member", who.member, "instance", who.instance, "offsets", g.committed())
}
