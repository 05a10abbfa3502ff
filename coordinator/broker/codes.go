package broker

import "github.com/joinsync/joinsync/protocol"

// Codes that are not among those of groups.
const (
	invalidPartitions                  protocol.ErrorCode = 37
	invalidProducerEpoch               protocol.ErrorCode = 47
	invalidProducerIDMapping           protocol.ErrorCode = 49
	concurrentTransactions             protocol.ErrorCode = 51
	transactionalIDAuthorizationFailed protocol.ErrorCode = 53
	invalidRecord                      protocol.ErrorCode = 87
	producerFenced                     protocol.ErrorCode = 90
)
