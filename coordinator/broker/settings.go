package broker

import (
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// describeConfigs has kfake answer, and puts our own settings in the place of what kfake says of them.
func (c *conn) describeConfigs(frame []byte, header protocol.RequestHeader, req *kmsg.DescribeConfigsRequest) ([]byte, error) {
	return amend(c, frame, header, req, func(resp *kmsg.DescribeConfigsResponse) {
		for i := range resp.Resources { // in the order in which they were asked for
			r := &resp.Resources[i]
			if r.ErrorCode == 0 && r.ResourceType == kmsg.ConfigResourceTypeBroker && r.ResourceName == strconv.Itoa(nodeID) {
				r.Configs = slices.DeleteFunc(r.Configs, func(s setting) bool { _, ours := properties[s.Name]; return ours })
				r.Configs = append(r.Configs, c.broker.settings(req.Resources[i].ConfigNames)...)
			}
		}
	})
}

type setting = kmsg.DescribeConfigsResponseResourceConfig

// settings describes those of the named settings that are ours; all of ours if names is nil.
func (b *Broker) settings(names []string) (described []setting) {
	defaults, _ := Config{}.withDefaults() // which violate nothing
	for _, name := range Properties() {
		if names != nil && !slices.Contains(names, name) {
			continue
		}
		p := properties[name]
		s := kmsg.NewDescribeConfigsResponseResourceConfig()
		s.Name, s.ConfigType, s.ReadOnly = name, p.kind, true
		s.Value, s.Source = new(p.get(&b.config)), kmsg.ConfigSourceStaticBrokerConfig
		if *s.Value == p.get(&defaults) {
			s.Source, s.IsDefault = kmsg.ConfigSourceDefaultConfig, true
		}
		if *s.Value == "" {
			s.Value = nil
		}
		described = append(described, s)
	}
	return described
}
