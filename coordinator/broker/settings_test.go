package broker_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator/broker"
)

// settings asks a broker for its settings: for all of them, or those with these names.
func (c *client) settings(names ...string) map[string]kmsg.DescribeConfigsResponseResourceConfig {
	c.t.Helper()
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.Version = 4
	req.Resources = []kmsg.DescribeConfigsRequestResource{
		{ResourceType: kmsg.ConfigResourceTypeTopic, ResourceName: "orders"},
		{ResourceType: kmsg.ConfigResourceTypeBroker, ResourceName: "0", ConfigNames: names},
	}
	described := make(map[string]kmsg.DescribeConfigsResponseResourceConfig)
	for _, s := range ask[*kmsg.DescribeConfigsResponse](c, req).Resources[1].Configs {
		if _, twice := described[s.Name]; twice {
			c.t.Errorf("%s is described twice", s.Name)
		}
		described[s.Name] = s
	}
	return described
}

func TestDescribedSettingsAreThoseThatHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := broker.Config{MaxMessageBytes: 1234, Topics: map[string]int32{"orders": 1}}
		config.Coordinator.MaxGroupSize, config.Coordinator.OffsetsRetention = 5, time.Hour
		c := start(t, config).dial("client") // with no initial delay
		got := c.settings()
		for name, want := range map[string]struct {
			value string
			kind  kmsg.ConfigType
			given bool
		}{
			"auto.create.topics.enable":           {"true", kmsg.ConfigTypeBoolean, false},
			"broker.rack":                         {"", kmsg.ConfigTypeString, false},
			"connections.max.idle.ms":             {"600000", kmsg.ConfigTypeLong, false},
			"group.initial.rebalance.delay.ms":    {"0", kmsg.ConfigTypeInt, true},
			"group.max.session.timeout.ms":        {"1800000", kmsg.ConfigTypeInt, false},
			"group.max.size":                      {"5", kmsg.ConfigTypeInt, true},
			"group.min.session.timeout.ms":        {"6000", kmsg.ConfigTypeInt, false},
			"max.connections":                     {"2147483647", kmsg.ConfigTypeInt, false},
			"message.max.bytes":                   {"1234", kmsg.ConfigTypeInt, true},
			"offset.metadata.max.bytes":           {"4096", kmsg.ConfigTypeInt, false},
			"offsets.retention.check.interval.ms": {"600000", kmsg.ConfigTypeLong, false},
			"offsets.retention.minutes":           {"60", kmsg.ConfigTypeInt, true},
			"offsets.topic.num.partitions":        {"50", kmsg.ConfigTypeInt, false},
		} {
			source := kmsg.ConfigSourceDefaultConfig
			if want.given {
				source = kmsg.ConfigSourceStaticBrokerConfig
			}
			s := got[name]
			if (s.Value == nil) != (want.value == "") || s.Value != nil && *s.Value != want.value || s.ConfigType != want.kind || s.Source != source || !s.ReadOnly {
				t.Errorf("%s: %+v, want %+v", name, s, want)
			}
		}
		for _, name := range broker.Properties() {
			if _, ok := got[name]; !ok {
				t.Errorf("%s is not described", name)
			}
		}
		if _, ok := got["log.dir"]; !ok {
			t.Error("the data plane's own settings are missing")
		}
		few := c.settings("group.max.size", "log.dir", "nothing")
		if len(few) != 2 || few["group.max.size"].Value == nil || few["log.dir"].Value == nil {
			t.Errorf("of two that are named, these are described: %+v", few)
		}
	})
}

// kfake tells a rack of its own.
func TestTheRackIsTheConfigs(t *testing.T) {
	for _, want := range []string{"", "east"} {
		synctest.Test(t, func(t *testing.T) {
			c := start(t, broker.Config{Rack: want}).dial("client")
			got := []*string{
				ask[*kmsg.MetadataResponse](c, &kmsg.MetadataRequest{Version: 12}).Brokers[0].Rack,
				ask[*kmsg.DescribeClusterResponse](c, &kmsg.DescribeClusterRequest{}).Brokers[0].Rack,
				c.settings("broker.rack")["broker.rack"].Value,
			}
			for i, rack := range got {
				if (rack == nil) != (want == "") || rack != nil && *rack != want {
					t.Errorf("answer %d tells rack %v, want %q", i, rack, want)
				}
			}
		})
	}
}

// A topic's settings come with a source that is none, or not at all, from kfake. Java's admin client would end with it.
func TestMadeTopicsTellWhereTheirSettingsAreFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, broker.Config{}).dial("client")
		plain, compacted := create("plain", 1), create("compacted", 1)
		compacted.Topics[0].Configs = []kmsg.CreateTopicsRequestTopicConfig{{Name: "cleanup.policy", Value: new("compact")}}
		topic := ask[*kmsg.CreateTopicsResponse](c, plain).Topics[0]
		if topic.ErrorCode != 0 || topic.Configs == nil || len(topic.Configs) > 0 {
			t.Errorf("without settings: %+v", topic)
		}
		topic = ask[*kmsg.CreateTopicsResponse](c, compacted).Topics[0]
		if len(topic.Configs) != 1 || topic.Configs[0].Name != "cleanup.policy" || *topic.Configs[0].Value != "compact" ||
			topic.Configs[0].Source != int8(kmsg.ConfigSourceDynamicTopicConfig) {
			t.Errorf("with one: %+v", topic)
		}
		for version := int16(2); version < 5; version++ { // which tell no settings
			req := create("old", 1)
			req.Version, req.Topics[0].ReplicationFactor = version, 1
			ask[*kmsg.CreateTopicsResponse](c, req)
		}
	})
}
