package protocol

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kbin"
)

// An Assignment is what the leader of a consumer group tells a member with each sync. All versions have the same
// layout (G-528).
type Assignment struct {
	// Version is the layout, 0 to [ConsumerVersion]. A decoded one may be higher.
	Version int16

	// Partitions are what the member is to own, grouped by topic.
	Partitions []TopicPartitions

	// UserData belongs to the assignor; nil is null.
	UserData []byte
}

// NewAssignment returns an assignment of the latest version.
func NewAssignment(partitions ...TopicPartitions) Assignment {
	return Assignment{Version: ConsumerVersion, Partitions: partitions}
}

// AppendTo appends the assignment to dst in the layout of its version, or of [ConsumerVersion] if that is lower, and
// returns the result. Topics and partitions stay in their order (G-529). Names must be shorter than 32 KiB.
func (a *Assignment) AppendTo(dst []byte) []byte {
	dst = kbin.AppendInt16(dst, max(0, min(a.Version, ConsumerVersion)))
	dst = appendTopicPartitions(dst, a.Partitions)
	return kbin.AppendNullableBytes(dst, a.UserData)
}

// DecodeAssignment reads an assignment. One of a newer version than ours is read as ours, and bytes behind what we
// know are ignored (G-530); a negative version and malformed bytes are errors, no bytes at all included: that is what
// a member gets that the leader has left out.
//
// UserData refers to b, which must not change as long as it is in use; everything else is copied. Partitions may name
// a topic twice, and partitions in any order or negative: a peer wrote it.
func DecodeAssignment(b []byte) (Assignment, error) {
	a, err := decodeAssignment(b)
	if err != nil {
		return Assignment{}, fmt.Errorf("consumer assignment: %w", err)
	}
	return a, nil
}

func decodeAssignment(b []byte) (Assignment, error) {
	r := kbin.Reader{Src: b}
	stated, _, err := readConsumerVersion(&r)
	if err != nil {
		return Assignment{}, err
	}
	a := Assignment{Version: stated}
	if a.Partitions, err = readTopicPartitions(&r); err != nil {
		return Assignment{}, fmt.Errorf("partitions: %w", err)
	}
	if a.UserData = r.NullableBytes(); !r.Ok() {
		return Assignment{}, fmt.Errorf("user data: %w", errMalformed)
	}
	return a, nil
}
