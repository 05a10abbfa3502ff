package script

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// inTransaction reports whether a request is one of a producer that the coordinator of its transactions answers, or is asked
// about, and returns the transactional id.
func inTransaction(req kmsg.Request) (id string, ok bool) {
	switch r := req.(type) {
	case *kmsg.InitProducerIDRequest:
		if r.TransactionalID != nil {
			return *r.TransactionalID, true
		}
	case *kmsg.AddOffsetsToTxnRequest:
		return r.TransactionalID, true
	case *kmsg.EndTxnRequest:
		return r.TransactionalID, true
	case *kmsg.TxnOffsetCommitRequest: // which a broker that has not got through to that coordinator refuses (G-282)
		return r.TransactionalID, true
	}
	return "", false
}

// pollInterval is how long to wait before the same is asked again.
const pollInterval = 20 * time.Millisecond

// requestInTransaction sends a request of a producer as producers do: again while the coordinator of the transactions is
// not there yet, or not done with the last one. Of an end it returns the answer when every group has heard of it, so that
// scripts see what comes of it.
func (s *socketSession) requestInTransaction(ctx context.Context, id string, req kmsg.Request) (kmsg.Response, error) {
	for {
		resp, err := s.send(ctx, req)
		if err != nil {
			return nil, err
		}
		switch code := transactionCode(resp); code {
		case protocol.CoordinatorLoadInProgress, protocol.CoordinatorNotAvailable, protocol.NotCoordinator, concurrentTransactions:
		case protocol.None:
			if _, ends := req.(*kmsg.EndTxnRequest); ends && !s.endsAtOnce {
				err = s.awaitEnd(ctx, id)
			}
			return resp, err
		default:
			return resp, nil
		}
		find := kmsg.NewPtrFindCoordinatorRequest() // which makes the topic of the transactions
		find.SetVersion(1)
		find.CoordinatorType, find.CoordinatorKey = 1, id
		if _, err := s.send(ctx, find); err != nil {
			return nil, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

const concurrentTransactions protocol.ErrorCode = 51

func transactionCode(resp kmsg.Response) protocol.ErrorCode {
	switch r := resp.(type) {
	case *kmsg.InitProducerIDResponse:
		return protocol.ErrorCode(r.ErrorCode)
	case *kmsg.AddOffsetsToTxnResponse:
		return protocol.ErrorCode(r.ErrorCode)
	case *kmsg.EndTxnResponse:
		return protocol.ErrorCode(r.ErrorCode)
	case *kmsg.TxnOffsetCommitResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				if code := protocol.ErrorCode(p.ErrorCode); code != protocol.None && code != protocol.UnknownTopicOrPartition {
					return code
				}
			}
		}
	}
	return protocol.None
}

// awaitEnd waits until the coordinator of the transactions has told everybody that one is over.
func (s *socketSession) awaitEnd(ctx context.Context, id string) error {
	for {
		describe := kmsg.NewPtrDescribeTransactionsRequest()
		describe.TransactionalIDs = []string{id}
		resp, err := s.send(ctx, describe)
		if err != nil {
			return fmt.Errorf("wait for the end of transaction %s: %w", id, err)
		}
		states := resp.(*kmsg.DescribeTransactionsResponse).TransactionStates
		if len(states) == 1 && !strings.HasPrefix(states[0].State, "Prepare") {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-time.After(pollInterval):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
