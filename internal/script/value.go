package script

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/joinsync/joinsync/protocol"
)

// maxRepeat bounds what few characters can stand for, so that a slip of the pen cannot fill the memory: the partitions
// of a range, the repetitions of a text.
const maxRepeat = 100_000

// unquote reads a string: bare, in double quotes, or repeated as "x"*5000.
func unquote(value string) (string, error) {
	if !strings.HasPrefix(value, `"`) {
		if strings.ContainsAny(value, `"[]() =`) {
			return "", fmt.Errorf("%s needs quotes", value)
		}
		return value, nil
	}
	quoted, err := strconv.QuotedPrefix(value)
	if err != nil {
		return "", fmt.Errorf("%s has no closing quote", value)
	}
	text, err := strconv.Unquote(quoted)
	if err != nil {
		return "", fmt.Errorf("%s: %w", quoted, err)
	}
	times := 1
	if rest := value[len(quoted):]; rest != "" {
		if times, err = strconv.Atoi(strings.TrimPrefix(rest, "*")); err != nil || rest[0] != '*' ||
			times < 0 || times > maxRepeat {
			return "", fmt.Errorf(`%s: after the quotes only a repetition may come, as in "x"*100, of at most %d`, value, maxRepeat)
		}
	}
	return strings.Repeat(text, times), nil
}

// unquoteNullable is unquote, where a bare null is none.
func unquoteNullable(value string) (*string, error) {
	if value == "null" {
		return nil, nil
	}
	text, err := unquote(value)
	return &text, err
}

// duration reads 10s, 300ms or -1ms as milliseconds.
func duration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, fmt.Errorf("%s is no duration; write 10s or 300ms", value)
	}
	if d%time.Millisecond != 0 {
		return 0, fmt.Errorf("%s is no whole number of milliseconds", value)
	}
	return d, nil
}

// rawBytes reads bytes: in quotes, or 0x and hexadecimal. It says so with ok = false if value is neither.
func rawBytes(value string) (b []byte, ok bool, err error) {
	switch {
	case strings.HasPrefix(value, "0x"):
		b, err = hex.DecodeString(value[2:])
		if err != nil {
			return nil, true, fmt.Errorf("%s: %w", value, err)
		}
		return b, true, nil
	case strings.HasPrefix(value, `"`):
		quoted, err := strconv.QuotedPrefix(value)
		if rest := value[len(quoted):]; err == nil && rest != "" && rest[0] != '*' {
			return nil, false, nil // the first of several quoted topics
		}
		text, err := unquote(value)
		return []byte(text), true, err
	default:
		return nil, false, nil
	}
}

// metadata reads a member's metadata: bytes, or a consumer subscription such as orders,payments(v=1 owned=orders/0-3).
func (n *namebook) metadata(value string) ([]byte, error) {
	if b, ok, err := rawBytes(value); ok {
		return b, err
	}
	head, args, tail, err := cutArguments(value)
	if err != nil {
		return nil, err
	}
	if tail != "" {
		return nil, fmt.Errorf("%s: unexpected %s", value, tail)
	}
	topics, err := splitAt(head, ',')
	if err != nil {
		return nil, err
	}
	s := protocol.NewSubscription()
	for _, t := range topics {
		name, err := unquote(t)
		if err != nil {
			return nil, err
		}
		s.Topics = append(s.Topics, n.topic(name))
	}
	err = setAll("a subscription", args, []field{
		{name: "v", set: integer(&s.Version)},
		{name: "gen", set: integer(&s.Generation)},
		{name: "owned", set: func(v string) (err error) { s.Owned, err = n.topicPartitions(v); return err }},
		{name: "rack", set: text(&s.Rack)},
		{name: "user", set: userData(&s.UserData)},
	})
	return s.AppendTo(nil), err
}

// assignment reads a member's assignment: bytes, or one of the consumer protocol such as orders/0-3,payments/0.
func (n *namebook) assignment(value string) ([]byte, error) {
	if b, ok, err := rawBytes(value); ok {
		return b, err
	}
	head, args, tail, err := cutArguments(value)
	if err != nil {
		return nil, err
	}
	if tail != "" {
		return nil, fmt.Errorf("%s: unexpected %s", value, tail)
	}
	a := protocol.NewAssignment()
	if a.Partitions, err = n.topicPartitions(head); err != nil {
		return nil, err
	}
	err = setAll("an assignment", args, []field{
		{name: "v", set: integer(&a.Version)},
		{name: "user", set: userData(&a.UserData)},
	})
	return a.AppendTo(nil), err
}

func userData(to *[]byte) setter {
	return func(value string) error {
		b, ok, err := rawBytes(value)
		if !ok {
			return errors.New(`bytes are written "text" or 0x0102`)
		}
		*to = b
		return err
	}
}

// topicPartitions reads orders/0-3,5,payments/0: a piece without a slash goes on with the topic before.
func (n *namebook) topicPartitions(value string) ([]protocol.TopicPartitions, error) {
	pieces, err := splitAt(value, ',')
	if err != nil {
		return nil, err
	}
	var topics []protocol.TopicPartitions
	for _, p := range pieces {
		name, numbers, slash, err := cut(p, '/')
		if err != nil {
			return nil, err
		}
		if slash {
			if name, err = unquote(name); err != nil {
				return nil, err
			}
			topics = append(topics, protocol.TopicPartitions{Topic: n.topic(name)})
		} else {
			numbers = name
		}
		if len(topics) == 0 {
			return nil, fmt.Errorf("%s has no topic; write topic/0-3", value)
		}
		last := &topics[len(topics)-1]
		if last.Partitions, err = appendRange(last.Partitions, numbers); err != nil {
			return nil, err
		}
	}
	return topics, nil
}

// appendRange reads 7 or 0-3; nothing adds nothing.
func appendRange(to []int32, value string) ([]int32, error) {
	if value == "" {
		return to, nil
	}
	from, until := value, value
	if i := strings.LastIndexByte(value, '-'); i > 0 && value[i-1] != '-' {
		from, until = value[:i], value[i+1:]
	}
	first, err1 := strconv.ParseInt(from, 10, 32)
	last, err2 := strconv.ParseInt(until, 10, 32)
	if err1 != nil || err2 != nil || first > last || last-first >= maxRepeat {
		return nil, fmt.Errorf("%s is neither a partition nor an ascending range of at most %d", value, maxRepeat)
	}
	for p := first; p <= last; p++ {
		to = append(to, int32(p))
	}
	return to, nil
}
