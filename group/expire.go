package group

// stepExpire takes away the offsets whose time is over, and the group too if that leaves it Empty and without any: the
// sweep of offsets.retention.check.interval.ms (KIP-211, G-194 to G-197, G-316 to G-320). Ids that have not joined yet do
// not keep a group (G-196).
func (g *Group) stepExpire(now Time, out *Output) {
	if g.state == Dead {
		return
	}
	before := len(out.Records)
	left := len(g.offsets.pending) > 0
	g.offsets.each(func(topic string, number int32, o Offset) bool {
		if g.offsets.unstable(topic, number) || !g.expired(now, topic, o) {
			left = true
			return true
		}
		out.Records = append(out.Records, Record{Kind: OffsetTombstone, Topic: topic, Partition: number})
		return true
	})
	if g.state == Empty && !left {
		out.Records = append(out.Records, Record{Kind: MetadataTombstone})
	}
	if len(out.Records) > before {
		g.batch = changeBatch
	}
}

// expired tells whether an offset's time is over. What counts is the time since the group became Empty or, where members
// or simple consumers still commit, since the commit; while a rebalance is under way, or where it is not known who
// subscribes to what, nothing expires (G-317).
func (g *Group) expired(now Time, topic string, o Offset) bool {
	if g.subscribesTo(topic) {
		return false // G-319
	}
	since := o.CommitTimestamp
	switch {
	case g.protocolType == "": // a simple group
	case g.state == Empty:
		if g.since != -1 {
			since = g.since
		}
	case g.state != Stable || !g.subscribed.known:
		return false
	}
	if o.ExpireTimestamp != -1 {
		return now >= o.ExpireTimestamp // it replaces the age and nothing else (G-320)
	}
	return now-since >= Time(g.config.OffsetsRetention)
}
