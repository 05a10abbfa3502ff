package protocol

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Transcript renders the requests and responses of group membership, and of transactions that commit offsets, as one
// readable line each:
//
//	JoinGroup v9 group=g session=10s rebalance=1m member=$A type=consumer protocols=[range:orders]
//	NONE gen=1 type=consumer protocol=range leader=$A member=$A members=[$A:orders]
//
// A field is left out when it has the value that a receiver would assume anyway: an empty member id, no instance id, no
// members, generation -1. Member metadata and assignments of the consumer protocol are shown as what they mean;
// other bytes as text in quotes, or as 0x and hexadecimal. Throttle times and tagged fields are not shown. Long
// strings and lists are cut, so that a line stays readable whatever a peer sends.
//
// The functions replace the identifiers that a cluster makes up by names for people; where one is nil, or returns
// the empty string, the identifier is shown as it is. A Transcript may be used concurrently if they may.
type Transcript struct {
	// Member names a member id, for example "$A".
	Member func(memberID string) string
	// Group names a group id, or a transactional id.
	Group func(id string) string
	// Topic names a topic id, in the versions that carry ids in place of names.
	Topic func(topicID [16]byte) string
	// Producer names a producer id, for example "$P".
	Producer func(producerID int64) string
}

// Request renders a request: the API's name, the version, and the fields that are set. A request of another API than
// those of group membership is its name and version alone.
func (t Transcript) Request(req kmsg.Request) string {
	l := t.line(req.GetVersion())
	l.word(kmsg.NameForKey(req.Key()))
	l.word(fmt.Sprintf("v%d", req.GetVersion()))
	switch r := req.(type) {
	case *kmsg.JoinGroupRequest:
		l.joinGroupRequest(r)
	case *kmsg.SyncGroupRequest:
		l.syncGroupRequest(r)
	case *kmsg.HeartbeatRequest:
		l.heartbeatRequest(r)
	case *kmsg.LeaveGroupRequest:
		l.leaveGroupRequest(r)
	case *kmsg.OffsetCommitRequest:
		l.offsetCommitRequest(r)
	case *kmsg.OffsetFetchRequest:
		l.offsetFetchRequest(r)
	case *kmsg.DescribeGroupsRequest:
		l.list("groups", texts(r.Groups, l.group))
	case *kmsg.ListGroupsRequest:
		l.list("states", texts(r.StatesFilter, quote))
		l.list("types", texts(r.TypesFilter, quote))
	case *kmsg.DeleteGroupsRequest:
		l.list("groups", texts(r.Groups, l.group))
	case *kmsg.OffsetDeleteRequest:
		l.offsetDeleteRequest(r)
	case *kmsg.FindCoordinatorRequest:
		l.findCoordinatorRequest(r)
	case *kmsg.ApiVersionsRequest:
		l.text("software", r.ClientSoftwareName)
		l.text("version", r.ClientSoftwareVersion)
	default:
		l.transactionRequest(req)
	}
	return l.String()
}

// Response renders a response: the top-level error code where the API has one, and the fields that are set. A
// response of another API is its name.
func (t Transcript) Response(resp kmsg.Response) string {
	l := t.line(resp.GetVersion())
	switch r := resp.(type) {
	case *kmsg.JoinGroupResponse:
		l.joinGroupResponse(r)
	case *kmsg.SyncGroupResponse:
		l.syncGroupResponse(r)
	case *kmsg.HeartbeatResponse:
		l.code(r.ErrorCode)
	case *kmsg.LeaveGroupResponse:
		l.leaveGroupResponse(r)
	case *kmsg.OffsetCommitResponse:
		l.offsetCommitResponse(r)
	case *kmsg.OffsetFetchResponse:
		l.offsetFetchResponse(r)
	case *kmsg.DescribeGroupsResponse:
		l.describeGroupsResponse(r)
	case *kmsg.ListGroupsResponse:
		l.listGroupsResponse(r)
	case *kmsg.DeleteGroupsResponse:
		l.deleteGroupsResponse(r)
	case *kmsg.OffsetDeleteResponse:
		l.offsetDeleteResponse(r)
	case *kmsg.FindCoordinatorResponse:
		l.findCoordinatorResponse(r)
	case *kmsg.ApiVersionsResponse:
		l.apiVersionsResponse(r)
	default:
		l.transactionResponse(resp)
	}
	return l.String()
}

func (t Transcript) line(version int16) *line {
	return &line{names: t, version: version}
}

// A line is a transcript's line in the making: words and key=value fields with a space between.
type line struct {
	strings.Builder
	names   Transcript
	version int16
}

func (l *line) word(text string) {
	if l.Len() > 0 {
		l.WriteByte(' ')
	}
	l.WriteString(text)
}

// field appends key=text, where text is already quoted as it must be.
func (l *line) field(key, text string) { l.word(key + "=" + text) }

func (l *line) code(code int16) { l.word(ErrorCode(code).String()) }

// text appends a string field unless it is empty.
func (l *line) text(key, value string) {
	if value != "" {
		l.field(key, quote(value))
	}
}

// nullable appends a string field unless it is null.
func (l *line) nullable(key string, value *string) {
	if value != nil {
		l.field(key, quote(*value))
	}
}

// number appends a number unless it is the default.
func (l *line) number(key string, value, unless int64) {
	if value != unless {
		l.field(key, fmt.Sprint(value))
	}
}

func (l *line) flag(key string, value bool) {
	if value {
		l.field(key, "true")
	}
}

// memberID appends a member id unless it is empty.
func (l *line) memberID(key, id string) {
	if id != "" {
		l.field(key, l.member(id))
	}
}

// list appends key=[a b c] unless the list is empty.
func (l *line) list(key string, entries []string) {
	if len(entries) > 0 {
		l.field(key, brackets(entries))
	}
}

// member renders a member id.
func (l *line) member(id string) string { return named(l.names.Member, id) }

// group renders a group id.
func (l *line) group(id string) string { return named(l.names.Group, id) }

func named(name func(string) string, id string) string {
	if name != nil && id != "" {
		if n := name(id); n != "" {
			return n
		}
	}
	return quote(id)
}
