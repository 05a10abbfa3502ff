package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// handle decodes a request, has it answered by whoever it is for, and returns the answer as a frame with its length;
// nothing if none is due. An error ends the connection.
func (c *conn) handle(frame []byte, header protocol.RequestHeader, body []byte) ([]byte, error) {
	key, version := header.Key, header.Version
	served, ok := c.broker.versions[key]
	switch {
	case !ok:
		return nil, &protocol.VersionError{Key: key, Theirs: &protocol.VersionRange{Min: version, Max: version}}
	case key == int16(kmsg.ApiVersions) && version > served.Max:
		return c.respond(header, tooNewForVersions(served)), nil
	case !served.Contains(version):
		return nil, &protocol.VersionError{Key: key, Ours: &served, Theirs: &protocol.VersionRange{Min: version, Max: version}}
	}
	req, err := protocol.DecodeRequest(key, version, body)
	if err != nil {
		return nil, err
	}
	if mayWait(key) {
		c.readAhead()
	}
	if isGroupAPI(key) {
		return c.coordinate(header, req)
	}
	switch req := req.(type) {
	case *kmsg.FindCoordinatorRequest:
		return c.respond(header, findCoordinator(req, c.broker.advertised)), nil
	case *kmsg.SASLHandshakeRequest, *kmsg.SASLAuthenticateRequest:
		return c.respond(header, refuseSASL(req)), nil
	case *kmsg.ApiVersionsRequest:
		return c.apiVersions(frame, header, req)
	case *kmsg.ProduceRequest:
		return c.produce(frame, header, req)
	case *kmsg.InitProducerIDRequest:
		return c.initProducer(frame, header, req)
	case *kmsg.AddPartitionsToTxnRequest:
		return c.addPartitions(header, req)
	case *kmsg.AddOffsetsToTxnRequest:
		return c.addOffsets(header, req)
	case *kmsg.EndTxnRequest:
		return c.endTransaction(header, req)
	case *kmsg.MetadataRequest:
		if err := c.createNamed(req); err != nil {
			return nil, err
		}
		return amend(c, frame, header, req, func(resp *kmsg.MetadataResponse) {
			for i := range resp.Brokers {
				resp.Brokers[i].Rack = c.broker.rack()
			}
		})
	case *kmsg.DescribeClusterRequest:
		return amend(c, frame, header, req, func(resp *kmsg.DescribeClusterResponse) {
			for i := range resp.Brokers {
				resp.Brokers[i].Rack = c.broker.rack()
			}
		})
	case *kmsg.CreateTopicsRequest:
		return c.changeTopics(frame, header, req, splitCreate(req))
	case *kmsg.CreatePartitionsRequest:
		return c.changeTopics(frame, header, req, splitGrow(req))
	case *kmsg.DeleteTopicsRequest:
		return c.changeTopics(frame, header, req, deleted(req))
	case *kmsg.DescribeTopicPartitionsRequest:
		return c.describeTopicPartitions(frame, header, req)
	case *kmsg.DescribeConfigsRequest:
		return c.describeConfigs(frame, header, req)
	}
	return c.exchange(frame, true)
}

// mayWait tells whether the answer to a request may have to wait for what other clients do.
func mayWait(key int16) bool {
	switch kmsg.Key(key) {
	case kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Fetch:
		return true
	}
	return false
}

// respond encodes a response. The frame is good until the next one.
func (c *conn) respond(header protocol.RequestHeader, resp kmsg.Response) []byte {
	if cap(c.out) > maxKept {
		c.out = nil
	}
	c.out = protocol.AppendResponse(c.out[:0], header.CorrelationID, resp)
	return c.out
}

// coordinate has the coordinator answer.
func (c *conn) coordinate(header protocol.RequestHeader, req kmsg.Request) ([]byte, error) {
	ctx := c.ctx
	if commit, ok := req.(*kmsg.TxnOffsetCommitRequest); ok {
		held, release, err := c.broker.transactions.hold(ctx, commit.TransactionalID)
		if err != nil {
			return nil, err
		}
		defer release()
		ctx = held
	}
	resp, err := c.broker.coordinator.Handle(ctx, c.peer, req)
	switch {
	case errors.Is(err, coordinator.ErrSuperseded):
		return nil, errSilent
	case err != nil:
		return nil, err
	}
	return c.respond(header, resp), nil
}

// exchange has the data plane answer, over the connection's own link.
func (c *conn) exchange(frame []byte, answered bool) ([]byte, error) {
	if c.link == nil {
		l, err := c.broker.plane.open(c.ctx)
		if err != nil {
			return nil, err
		}
		c.link = l
		context.AfterFunc(c.ctx, l.close)
		c.unlink = context.AfterFunc(c.broker.planeCtx, l.close)
	}
	answer, err := c.link.exchange(frame, answered)
	if err != nil {
		return nil, fmt.Errorf("pass a request on: %w", err)
	}
	return answer, nil
}

// amend has the data plane answer, and changes the answer before it goes out.
func amend[R kmsg.Response](c *conn, frame []byte, header protocol.RequestHeader, req kmsg.Request, change func(R)) ([]byte, error) {
	answer, err := c.exchange(frame, true)
	if err != nil {
		return nil, err
	}
	resp := req.ResponseKind().(R)
	if _, err := protocol.ReadResponse(answer[4:], resp); err != nil {
		return nil, err
	}
	change(resp)
	return c.respond(header, resp), nil
}

// closeLink ends what exchange has begun.
func (c *conn) closeLink() {
	if c.link != nil {
		c.unlink()
		c.link.close()
	}
}
