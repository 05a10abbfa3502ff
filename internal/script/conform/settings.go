package conform

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/protocol"
)

// An assumption is a setting that scripts take for granted.
type assumption struct {
	property, value string

	// matters reports whether another value than the assumed one may change an answer of the script.
	matters func(s *script.Script, like string, value int64) bool
}

var assumptions = []assumption{
	{"group.initial.rebalance.delay.ms", "0", func(s *script.Script, like string, _ int64) bool { return joins(s, like) }},
	{"group.min.session.timeout.ms", "100", func(s *script.Script, _ string, value int64) bool {
		return divides(s, func(session int64) bool { return session < 100 }, func(session int64) bool { return session < value })
	}},
	{"group.max.session.timeout.ms", "1800000", func(s *script.Script, _ string, value int64) bool {
		return divides(s, func(session int64) bool { return session > 1800000 }, func(session int64) bool { return session > value })
	}},
	{"group.max.size", "2147483647", func(s *script.Script, like string, value int64) bool { return value < enough && joins(s, like) }},
	{"offset.metadata.max.bytes", "4096", func(s *script.Script, like string, _ int64) bool {
		return asks(s, like, kmsg.OffsetCommit) || asks(s, like, kmsg.TxnOffsetCommit)
	}},
	{"offsets.retention.check.interval.ms", "600000", func(_ *script.Script, _ string, value int64) bool {
		return value < (5 * time.Minute).Milliseconds()
	}},
}

// enough is more members than a script has.
const enough = 100

// Assumed are the settings that scripts take for granted, as their authors' brokers have them.
func Assumed() map[string]string {
	all := make(map[string]string)
	for _, a := range assumptions {
		all[a.property] = a.value
	}
	return all
}

func joins(s *script.Script, like string) bool { return asks(s, like, kmsg.JoinGroup) }

func asks(s *script.Script, like string, api kmsg.Key) bool {
	for _, req := range s.Requests(like) {
		if req.Key == api.Int16() {
			return true
		}
	}
	return false
}

// divides reports whether two bounds judge one of the script's session timeouts, in milliseconds, differently.
func divides(s *script.Script, one, other func(int64) bool) bool {
	for _, session := range s.SessionTimeouts() {
		if one(session.Milliseconds()) != other(session.Milliseconds()) {
			return true
		}
	}
	return false
}

// Untold lists the settings that scripts need or assume and the broker does not tell.
func (b *Broker) Untold() map[string]string {
	untold := Assumed()
	for property := range b.settings {
		delete(untold, property)
	}
	return untold
}

// misses says which settings the script needs to be otherwise, or nothing.
func (b *Broker) misses(s *script.Script) string {
	var all []string
	needed := s.Settings()
	for _, property := range slices.Sorted(maps.Keys(needed)) {
		if has, known := b.settings[property]; !known {
			all = append(all, fmt.Sprintf("%s=%s, and the broker does not tell what it has", property, needed[property]))
		} else if has != needed[property] {
			all = append(all, fmt.Sprintf("%s=%s, and the broker has %s", property, needed[property], has))
		}
	}
	for _, a := range assumptions {
		has, known := b.settings[a.property]
		if _, said := needed[a.property]; said || !known || has == a.value {
			continue
		}
		value, err := strconv.ParseInt(has, 10, 64)
		if err != nil || a.matters(s, b.like, value) {
			all = append(all, fmt.Sprintf("%s=%s, and the broker has %s", a.property, a.value, has))
		}
	}
	if all == nil {
		return ""
	}
	return "needs " + strings.Join(all, "; ")
}

// askSettings asks for what the broker tells of its settings. It may not know how to.
func (b *Broker) askSettings(ctx context.Context) {
	const version, brokerResource = 1, 4
	b.settings = make(map[string]string)
	defer maps.Copy(b.settings, b.cfg.Settings)
	if !b.has(kmsg.DescribeConfigs.Int16(), version) {
		return
	}
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.Resources = []kmsg.DescribeConfigsRequestResource{{
		ResourceType: brokerResource, ResourceName: strconv.Itoa(int(b.node)),
	}}
	resp, err := b.ask(ctx, version, req)
	if err != nil {
		return
	}
	for _, resource := range resp.(*kmsg.DescribeConfigsResponse).Resources {
		if protocol.ErrorCode(resource.ErrorCode) != protocol.None {
			continue
		}
		for _, config := range resource.Configs {
			if config.Value != nil {
				b.settings[config.Name] = *config.Value
			}
		}
	}
}
