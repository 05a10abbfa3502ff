package protocol

import "strings"

// metadataText renders a member's metadata: a consumer subscription as orders,payments(gen=4 owned=orders/0-3), other
// bytes as they are. The version is shown unless it is the latest. What sets a subscription apart from other bytes is
// that nothing is left over when it is read, whatever the group's protocol type.
func metadataText(b []byte) string {
	s, err := DecodeSubscription(b)
	if err != nil || s.Version > ConsumerVersion || len(s.AppendTo(nil)) != len(b) {
		return quoteBytes(b)
	}
	var about []string
	if s.Version != ConsumerVersion {
		about = append(about, "v="+number(s.Version))
	}
	if s.Generation != -1 {
		about = append(about, "gen="+number(s.Generation))
	}
	if len(s.Owned) > 0 {
		about = append(about, "owned="+topicPartitionsText(s.Owned))
	}
	if s.Rack != "" {
		about = append(about, "rack="+quote(s.Rack))
	}
	if s.UserData != nil {
		about = append(about, "user="+quoteBytes(s.UserData))
	}
	topics := strings.Join(texts(s.Topics, quote), ",")
	if len(about) == 0 && (topics == "" || topics[0] == '"') {
		return topics + "()" // or else it would look like text
	}
	return with(topics, about)
}

// assignmentText renders a member's assignment: one of the consumer protocol as orders/0-3,payments/0, other bytes as
// they are.
func assignmentText(b []byte) string {
	a, err := DecodeAssignment(b)
	if err != nil || a.Version > ConsumerVersion || len(a.AppendTo(nil)) != len(b) {
		return quoteBytes(b)
	}
	var about []string
	if a.Version != ConsumerVersion {
		about = append(about, "v="+number(a.Version))
	}
	if a.UserData != nil {
		about = append(about, "user="+quoteBytes(a.UserData))
	}
	if len(a.Partitions) == 0 && len(about) == 0 {
		return "()"
	}
	return with(topicPartitionsText(a.Partitions), about)
}

// topicPartitionsText renders topics with their partitions: orders/0-3,payments/0. A piece without a slash goes on
// with the partitions of the topic before.
func topicPartitionsText(topics []TopicPartitions) string {
	return strings.Join(texts(topics, func(t TopicPartitions) string {
		return quote(t.Topic) + "/" + partitionsText(t.Partitions)
	}), ",")
}
