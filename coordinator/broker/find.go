package broker

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// Types of coordinators.
const (
	groupCoordinator = iota
	transactionCoordinator
	shareCoordinator
)

// findCoordinator answers that the coordinator of everything is this broker (G-212 to G-217). It is answered here, since
// kfake would name a coordinator of share groups too, which there is none of.
func findCoordinator(req *kmsg.FindCoordinatorRequest, at endpoint) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
	if req.Version < 4 { // KIP-699
		found := coordinatorFor(req, req.CoordinatorKey, at)
		resp.ErrorCode, resp.NodeID, resp.Host, resp.Port = found.ErrorCode, found.NodeID, found.Host, found.Port
		resp.ErrorMessage = new(protocol.ErrorCode(found.ErrorCode).String()) // "NONE" too
		return resp
	}
	for _, key := range req.CoordinatorKeys {
		resp.Coordinators = append(resp.Coordinators, coordinatorFor(req, key, at))
	}
	return resp
}

func coordinatorFor(req *kmsg.FindCoordinatorRequest, key string, at endpoint) kmsg.FindCoordinatorResponseCoordinator {
	found := kmsg.NewFindCoordinatorResponseCoordinator()
	found.Key, found.ErrorMessage = key, new("")
	code := protocol.None
	switch kind := req.CoordinatorType; {
	case kind == groupCoordinator || kind == transactionCoordinator:
		found.NodeID, found.Host, found.Port = nodeID, at.host, at.port
		return found
	case kind == shareCoordinator && req.Version >= 6 && isShareKey(key):
		code = protocol.CoordinatorNotAvailable // as from a broker without a topic for the state of shares
	default:
		code = protocol.InvalidRequest
	}
	found.ErrorCode = int16(code)
	found.NodeID, found.Host, found.Port = -1, "", -1
	return found
}

// nodeID is the number of the only broker that there is: kfake counts from 0.
const nodeID = 0

// isShareKey tells whether a key is group:topic id:partition.
func isShareKey(key string) bool {
	parts := strings.Split(key, ":")
	if len(parts) < 3 {
		return false
	}
	id, notID := base64.RawURLEncoding.DecodeString(parts[len(parts)-2])
	_, notNumber := strconv.ParseInt(parts[len(parts)-1], 10, 32)
	return notID == nil && len(id) == len(coordinator.Topic{}.ID) && notNumber == nil && strings.TrimSpace(strings.Join(parts[:len(parts)-2], ":")) != ""
}

// refuseSASL tells a client that it need not log in, as a listener without SASL does.
func refuseSASL(req kmsg.Request) kmsg.Response {
	resp := req.ResponseKind()
	switch r := resp.(type) {
	case *kmsg.SASLHandshakeResponse:
		r.ErrorCode = int16(protocol.IllegalSASLState)
	case *kmsg.SASLAuthenticateResponse:
		r.ErrorCode = int16(protocol.IllegalSASLState)
		r.ErrorMessage = new("this listener has no SASL: set the client's security protocol to PLAINTEXT or SSL")
	}
	return resp
}
