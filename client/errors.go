package client

import (
	"errors"
	"fmt"
	"strings"

	"github.com/joinsync/joinsync/protocol"
)

// ErrClosed is what futures and requests end with after [Member.Close].
var ErrClosed = errors.New("the member is closed")

// errMovedOn ends an attempt whose ground was taken away by another answer; the member joins again.
var errMovedOn = errors.New("the member's generation ended while it joined")

// refusal is the coordinator's error code in answer to one API, with what the member does about it.
type refusal struct {
	api      string
	code     protocol.ErrorCode
	reaction reaction
}

func (r *refusal) Error() string { return r.api + ": " + r.code.Error() }
func (r *refusal) Unwrap() error { return r.code }

// lost is a request that got no answer: no coordinator was found, or the connection broke.
type lost struct {
	api string
	err error
}

func (l *lost) Error() string { return l.api + ": " + l.err.Error() }
func (l *lost) Unwrap() error { return l.err }

// asPermanent finds the mark that a session sets on an error.
func asPermanent(err error) (interface{ Permanent() bool }, bool) {
	var marked interface {
		error
		Permanent() bool
	}
	ok := errors.As(err, &marked)
	return marked, ok
}

// codeOf finds the coordinator's code in an error.
func codeOf(err error) (protocol.ErrorCode, bool) {
	var code protocol.ErrorCode
	ok := errors.As(err, &code)
	return code, ok
}

// explain adds to a fatal error the field of the configuration that it is about.
func (m *Member) explain(err error) error {
	code, ok := codeOf(err)
	if !ok {
		return fmt.Errorf("group %q: %w", m.cfg.Group, err)
	}
	var field string
	switch code {
	case protocol.InvalidSessionTimeout:
		field = fmt.Sprintf("SessionTimeout is %v", m.cfg.SessionTimeout)
	case protocol.InconsistentGroupProtocol:
		field = fmt.Sprintf("protocol type is %q, protocols are %q", m.protocol.Type(), m.offered)
	case protocol.FencedInstanceID:
		field = fmt.Sprintf("InstanceID is %q", m.cfg.InstanceID)
	default:
		return fmt.Errorf("group %q: %w", m.cfg.Group, err)
	}
	return fmt.Errorf("group %q: %s: %w", m.cfg.Group, field, err)
}

// reasonFor is the reason that Java's client gives in its next JoinGroup after err: the simple name of the exception
// (G-484). People look for these words in the broker's log. Empty means that the reason of the join under way stays,
// since no request failed but the look-up of the coordinator.
func reasonFor(err error) string {
	var refused *refusal
	if errors.As(err, &refused) {
		return "rebalance failed due to " + exceptionName(refused.code)
	}
	if _, lookup := codeOf(err); lookup {
		return ""
	}
	return "rebalance failed due to DisconnectException"
}

// exceptionName turns UNKNOWN_MEMBER_ID into UnknownMemberIdException.
func exceptionName(code protocol.ErrorCode) string {
	var name strings.Builder
	for word := range strings.SplitSeq(strings.ToLower(code.String()), "_") {
		if word != "" {
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return name.String() + "Exception"
}
