package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// planeAPIs are the APIs that the data plane may be asked. Those of groups are not among them and must never be. Nor are
// those that change the settings of brokers and groups, or accounts: nobody here would follow them.
var planeAPIs = []kmsg.Key{
	kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.CreateTopics, kmsg.DeleteTopics, kmsg.DeleteRecords,
	kmsg.InitProducerID, kmsg.OffsetForLeaderEpoch, kmsg.AddPartitionsToTxn, kmsg.EndTxn, kmsg.DescribeConfigs,
	kmsg.CreatePartitions, kmsg.DescribeCluster, kmsg.DescribeTopicPartitions, kmsg.ApiVersions,
}

// doorAPIs are answered at the door.
var doorAPIs = []kmsg.Key{kmsg.FindCoordinator, kmsg.SASLHandshake, kmsg.SASLAuthenticate, kmsg.AddOffsetsToTxn}

// isGroupAPI tells whether the coordinator answers an API, if it is served at all. The coordinator answers Metadata only
// to members within the process.
func isGroupAPI(key int16) bool {
	return !slices.Contains(planeAPIs, kmsg.Key(key)) && !slices.Contains(doorAPIs, kmsg.Key(key))
}

// safeMax are the highest versions of APIs that are served where kfake claims more. From Produce 13 on a request can end its
// process: it mixes up topics that it has only the ids of and does not know. AddPartitionsToTxn is for clients up to 3;
// later ones are those of brokers (KIP-890), for which kfake looks in the wrong place.
var safeMax = map[kmsg.Key]int16{kmsg.Produce: 12, kmsg.AddPartitionsToTxn: 3}

// servedVersions returns what is served, which is what is advertised: the coordinator's own APIs, and of the listed ones
// the versions that the other side knows and that can be decoded.
func servedVersions(coordinator, plane protocol.Versions) protocol.Versions {
	decoded := protocol.RequestVersions()
	served := protocol.Versions{}
	for key, versions := range coordinator {
		if isGroupAPI(key) {
			served[key] = versions
		}
	}
	for _, key := range doorAPIs {
		served[key.Int16()] = decoded[key.Int16()]
	}
	for _, key := range planeAPIs {
		ours, theirs := decoded[key.Int16()], plane[key.Int16()]
		served[key.Int16()] = protocol.VersionRange{Min: max(ours.Min, theirs.Min), Max: min(ours.Max, theirs.Max)}
		if safe, ok := safeMax[key]; ok {
			served[key.Int16()] = protocol.VersionRange{Min: ours.Min, Max: safe}
		}
	}
	return served
}

// planeFeatures are the finalized features of kfake's that hold for the broker as a whole. Those of groups that we do
// not serve would make clients use them.
var planeFeatures = []string{"metadata.version", "transaction.version"}

// apiVersions has kfake check the request, and answers with what is served.
func (c *conn) apiVersions(frame []byte, header protocol.RequestHeader, req *kmsg.ApiVersionsRequest) ([]byte, error) {
	return amend(c, frame, header, req, func(resp *kmsg.ApiVersionsResponse) {
		if resp.ErrorCode == 0 {
			resp.ApiKeys = c.broker.versions.APIKeys()
		}
		resp.SupportedFeatures = slices.DeleteFunc(resp.SupportedFeatures, func(f kmsg.ApiVersionsResponseSupportedFeature) bool {
			return !slices.Contains(planeFeatures, f.Name)
		})
		resp.FinalizedFeatures = slices.DeleteFunc(resp.FinalizedFeatures, func(f kmsg.ApiVersionsResponseFinalizedFeature) bool {
			return !slices.Contains(planeFeatures, f.Name)
		})
	})
}

// tooNewForVersions answers a client that asks in a version from the future: in version 0, which everyone reads, with
// the versions to ask in (KIP-511).
func tooNewForVersions(served protocol.VersionRange) kmsg.Response {
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.ErrorCode = int16(protocol.UnsupportedVersion)
	resp.ApiKeys = protocol.Versions{int16(kmsg.ApiVersions): served}.APIKeys()
	return resp
}
