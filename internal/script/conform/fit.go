package conform

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/script"
)

// fit returns nil if the broker can be held to the script.
func (b *Broker) fit(s *script.Script) *script.Unfit {
	if reason := b.misses(s); reason != "" {
		return &script.Unfit{Reason: reason}
	}
	for _, req := range s.Requests(b.like) {
		if req.Refused {
			continue // it may be missing
		}
		if reason := b.lacks(req.API, req.Key, req.Version); reason != "" {
			return &script.Unfit{Reason: reason}
		}
	}
	for _, need := range []struct {
		kind    string // of step
		api     kmsg.Key
		version int16
	}{
		{"topics", kmsg.CreateTopics, script.CreateTopicsVersion}, {"topics", kmsg.Metadata, script.MetadataVersion},
		{"drop", kmsg.DeleteTopics, script.DeleteTopicsVersion},
	} {
		if !s.Has(need.kind, b.like) {
			continue
		}
		if reason := b.lacks(need.api.Name(), need.api.Int16(), need.version); reason != "" {
			return &script.Unfit{Reason: reason}
		}
	}
	return nil
}

// lacks says what is missing for a request, or nothing.
func (b *Broker) lacks(api string, key, version int16) string {
	listed, ok := b.versions[key]
	switch {
	case !ok:
		return fmt.Sprintf("asks %s, which the broker does not list", api)
	case !listed.Contains(version):
		return fmt.Sprintf("asks %s v%d, and the broker lists v%d to v%d", api, version, listed.Min, listed.Max)
	}
	return ""
}
