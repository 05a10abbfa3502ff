package coordinator

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

var (
	// ErrClosed says that the coordinator or the session was closed.
	ErrClosed = errors.New("coordinator: closed")

	// ErrSuperseded says that a request gets no answer: a later one of the same member took its place, or the member
	// left the group while it was parked. Kafka stays silent in this case (G-015, G-117).
	ErrSuperseded = errors.New("coordinator: a later request of the member took this one's place, or the member left")
)

// operation is one request to one group, as its API understands it.
type operation interface {
	// read answers from the group as it is, if the request asks for no change, and reports whether it did.
	read(g *group.Group) bool

	// waitsForStore tells whether the request must see what is at the store: all but plain reads must.
	waitsForStore() bool

	// reply makes the response of the request's version from the group's answer.
	reply(r *group.Reply) kmsg.Response

	// failed makes the response that has nothing but an error.
	failed(code protocol.ErrorCode) kmsg.Response

	// whileLoading makes the response while the group's partition is loading (G-030 to G-032).
	whileLoading() kmsg.Response
}

// change is embedded in the operations that are events of the group.
type change struct{}

func (change) read(*group.Group) bool { return false }
func (change) waitsForStore() bool    { return true }

// call is one request to one group on its way.
type call struct {
	partition *partition
	groupID   string
	op        operation
	event     group.Event

	response kmsg.Response
	err      error
	done     chan struct{} // has room for the one signal that the call is answered
}

// run implements task.
func (c *call) run() { c.partition.accept(c) }

// answer ends the call with a response; nil if the operation has made its own.
func (c *call) answer(response kmsg.Response) {
	c.response = response
	c.done <- struct{}{}
}

// fail ends the call without a response.
func (c *call) fail(err error) {
	c.err = err
	c.done <- struct{}{}
}

// reply ends the call with its group's answer.
func (c *call) reply(r *group.Reply) {
	if r.Superseded {
		c.fail(ErrSuperseded)
		return
	}
	c.answer(c.op.reply(r))
}

// ask brings a request to its group and waits for the answer. A request that is given up meanwhile stays with the group,
// as one of a client that disconnects does (G-136).
func (c *Coordinator) ask(ctx context.Context, peer Peer, cl *call) (kmsg.Response, error) {
	cl.partition = c.partitions[protocol.PartitionFor(cl.groupID, int32(len(c.partitions)))]
	cl.done = make(chan struct{}, 1)
	cl.partition.do(cl)
	select {
	case <-cl.done: // mostly, at once
		return cl.response, cl.err
	default:
	}
	select {
	case <-cl.done:
		return cl.response, cl.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-peer.gone:
		return nil, ErrClosed
	}
}
