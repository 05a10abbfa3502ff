package script

import "github.com/twmb/franz-go/pkg/kmsg"

func describeGroups(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrDescribeGroupsRequest()
	return r, []field{{name: "groups", set: n.groups(&r.Groups)}}
}

func listGroups(*namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrListGroupsRequest()
	add := func(to *[]string) setter {
		return each(func(entry string) error {
			name, err := unquote(entry)
			*to = append(*to, name)
			return err
		})
	}
	return r, []field{
		{name: "states", from: 4, set: add(&r.StatesFilter)},
		{name: "types", from: 5, set: add(&r.TypesFilter)},
	}
}

func deleteGroups(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrDeleteGroupsRequest()
	return r, []field{{name: "groups", set: n.groups(&r.Groups)}}
}

func offsetDelete(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrOffsetDeleteRequest()
	return r, []field{
		{name: "group", set: n.group(&r.Group)},
		{name: "topics", set: each(func(entry string) error {
			topics, err := n.topicPartitions(entry)
			for _, t := range topics {
				topic := kmsg.NewOffsetDeleteRequestTopic()
				topic.Topic = t.Topic
				for _, number := range t.Partitions {
					p := kmsg.NewOffsetDeleteRequestTopicPartition()
					p.Partition = number
					topic.Partitions = append(topic.Partitions, p)
				}
				r.Topics = append(r.Topics, topic)
			}
			return err
		})},
	}
}

func findCoordinator(n *namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrFindCoordinatorRequest()
	return r, []field{
		{name: "key", to: 3, set: n.group(&r.CoordinatorKey)},
		{name: "keys", from: 4, set: n.groups(&r.CoordinatorKeys)},
		{name: "type", from: 1, set: integer(&r.CoordinatorType)},
	}
}

func apiVersions(*namebook) (kmsg.Request, []field) {
	r := kmsg.NewPtrApiVersionsRequest()
	r.ClientSoftwareName, r.ClientSoftwareVersion = "script", "1" // as clients do
	return r, []field{
		{name: "software", from: 3, set: text(&r.ClientSoftwareName)},
		{name: "version", from: 3, set: text(&r.ClientSoftwareVersion)},
	}
}
