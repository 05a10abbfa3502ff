package group

// stepDeleteOffsets handles an OffsetDelete (KIP-496, G-200 to G-205).
func (g *Group) stepDeleteOffsets(ev *Event, out *Output) {
	reply := Reply{Token: ev.Token, Kind: DeleteOffsets}
	switch {
	case g.state == Dead:
		reply.Error = GroupIDNotFound
	case g.state != Empty && g.protocolType != consumerType:
		reply.Error = NonEmptyGroup
	default:
		reply.Errors = make([]Error, len(ev.Partitions))
		for i, p := range ev.Partitions {
			if g.subscribesTo(p.Topic) {
				reply.Errors[i] = GroupSubscribedToTopic
				continue
			}
			out.Records = g.appendOffsetTombstones(out.Records, p.Topic, p.Partition)
		}
	}
	g.answer(reply, changeBatch, out)
}

// stepTopicDeleted takes away the offsets of a topic that is no more (G-321).
func (g *Group) stepTopicDeleted(ev *Event, out *Output) {
	reply := Reply{Token: ev.Token, Kind: TopicDeleted}
	for _, p := range g.knownPartitions() {
		if p.topic == ev.Topic {
			out.Records = g.appendOffsetTombstones(out.Records, p.topic, p.number)
		}
	}
	g.answer(reply, changeBatch, out)
}

// stepDeleteGroup handles a DeleteGroups of this group (G-189 to G-192).
func (g *Group) stepDeleteGroup(ev *Event, out *Output) {
	reply := Reply{Token: ev.Token, Kind: DeleteGroup}
	switch g.state {
	case Dead:
		reply.Error = GroupIDNotFound
	case Empty:
		for _, p := range g.knownPartitions() {
			out.Records = g.appendOffsetTombstones(out.Records, p.topic, p.number)
		}
		out.Records = append(out.Records, Record{Kind: MetadataTombstone})
	default:
		reply.Error = NonEmptyGroup
	}
	g.answer(reply, changeBatch, out)
}

// appendOffsetTombstones takes away what is committed for a partition and what any transaction would commit for it; of
// nothing there is nothing to take away (G-205, G-294).
func (g *Group) appendOffsetTombstones(records []Record, topic string, number int32) []Record {
	p := partition{topic, number}
	if _, ok := g.offsets.committed[topic][number]; ok {
		records = append(records, Record{Kind: OffsetTombstone, Topic: topic, Partition: number})
	}
	for _, producer := range g.offsets.producers() {
		if _, ok := g.offsets.pending[producer][p]; ok {
			records = append(records, pendingTombstone(producer, p))
		}
	}
	return records
}

// knownPartitions returns those that have a committed or a pending offset, by topic and number.
func (g *Group) knownPartitions() []partition {
	all := make(transaction)
	g.offsets.each(func(topic string, number int32, _ Offset) bool {
		all[partition{topic, number}] = placed{}
		return true
	})
	for _, t := range g.offsets.pending {
		for p := range t {
			all[p] = placed{}
		}
	}
	return all.partitions()
}
