package group

// consumerType is the protocol type whose metadata is known to hold subscriptions.
const consumerType = "consumer"

// subscribed is the set of topics that members of a completed generation subscribe to, as far as the metadata tells
// (G-094).
type subscribed struct {
	known  bool
	topics map[string]bool
}

// noteSubscribed finds out what the members of the generation that begins subscribe to.
func (g *Group) noteSubscribed() {
	g.subscribed = subscribed{}
	if g.protocolType != consumerType || g.config.SubscribedTopics == nil && g.members.len() > 0 {
		return
	}
	topics := make(map[string]bool)
	var last []byte
	for m := range g.members.all {
		metadata := m.metadata(g.protocol)
		if last != nil && string(metadata) == string(last) {
			continue // as a rule all members subscribe to the same
		}
		last = metadata
		names, ok := g.config.SubscribedTopics(metadata)
		if !ok {
			return
		}
		for _, name := range names {
			topics[name] = true
		}
	}
	g.subscribed = subscribed{known: true, topics: topics}
}

// subscribesTo tells whether any member subscribes to a topic. Of consumers whose metadata does not tell it is assumed
// that they do, of others that they do not (G-203).
func (g *Group) subscribesTo(topic string) bool {
	if g.subscribed.known {
		return g.subscribed.topics[topic]
	}
	return g.protocolType == consumerType
}
