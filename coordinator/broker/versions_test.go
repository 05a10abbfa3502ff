package broker_test

import (
	"maps"
	"net"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/protocol"
)

// apiVersions asks what a broker serves.
func (c *client) apiVersions() *kmsg.ApiVersionsResponse {
	c.t.Helper()
	req := kmsg.NewPtrApiVersionsRequest()
	req.Version, req.ClientSoftwareName, req.ClientSoftwareVersion = 4, "test", "1"
	return ask[*kmsg.ApiVersionsResponse](c, req)
}

func TestWhatIsAdvertised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		resp := w.dial("client").apiVersions()
		served := protocol.VersionsOf(resp)
		coordinated := w.broker.Coordinator().Versions()
		delete(coordinated, int16(kmsg.Metadata)) // the data plane's
		for key, want := range coordinated {
			if served[key] != want {
				t.Errorf("%s %v, but the coordinator serves %v", protocol.APIName(key), served[key], want)
			}
		}
		for _, key := range []kmsg.Key{kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.CreateTopics, kmsg.DeleteTopics,
			kmsg.FindCoordinator, kmsg.InitProducerID, kmsg.AddOffsetsToTxn, kmsg.EndTxn, kmsg.ApiVersions, kmsg.SASLHandshake} {
			if _, ok := served[key.Int16()]; !ok {
				t.Errorf("%s is missing", key.Name())
			}
		}
		for _, key := range []kmsg.Key{kmsg.ConsumerGroupHeartbeat, kmsg.ConsumerGroupDescribe, kmsg.ShareGroupHeartbeat, kmsg.ShareFetch,
			kmsg.DescribeTransactions, kmsg.AlterUserSCRAMCredentials, kmsg.IncrementalAlterConfigs} {
			if _, ok := served[key.Int16()]; ok {
				t.Errorf("%s is advertised", key.Name())
			}
		}
		for _, feature := range resp.FinalizedFeatures {
			if feature.Name == "group.version" || feature.Name == "share.version" {
				t.Errorf("the feature %s is advertised", feature.Name) // clients would use the protocols of KIP-848 and KIP-932
			}
		}
	})
}

// Every version of every API that is advertised is answered, or closes the connection for a reason that is in the
// request: an empty one has nothing wrong with it.
func TestEveryVersionThatIsAdvertisedIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		c := w.dial("client")
		for _, api := range c.apiVersions().ApiKeys {
			for version := api.MinVersion; version <= api.MaxVersion; version++ {
				req := kmsg.RequestForKey(api.ApiKey)
				req.SetVersion(version)
				if produce, ok := req.(*kmsg.ProduceRequest); ok {
					produce.Acks = 1
				}
				ask[kmsg.Response](c, req)
			}
		}
	})
}

func find(version int16, kind int8, keys ...string) *kmsg.FindCoordinatorRequest {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.Version, req.CoordinatorType, req.CoordinatorKeys = version, kind, keys
	if len(keys) > 0 {
		req.CoordinatorKey = keys[0]
	}
	return req
}

// finds are requests, and the codes that Kafka 4.4.0 answers them with.
var finds = map[string]struct {
	req  *kmsg.FindCoordinatorRequest
	want []protocol.ErrorCode
}{
	"a group in v0":              {find(0, 0, "g"), []protocol.ErrorCode{0}},
	"a group":                    {find(3, 0, "g"), []protocol.ErrorCode{0}},
	"groups":                     {find(4, 0, "g", "h", ""), []protocol.ErrorCode{0, 0, 0}}, // G-217
	"nothing":                    {find(4, 0), nil},
	"a transaction":              {find(6, 1, "t"), []protocol.ErrorCode{0}},
	"what there is not":          {find(2, 7, "g"), []protocol.ErrorCode{protocol.InvalidRequest}},
	"twice what there is not":    {find(5, 7, "g", "h"), []protocol.ErrorCode{protocol.InvalidRequest, protocol.InvalidRequest}}, // G-216
	"shares too early":           {find(5, 2, "g"), []protocol.ErrorCode{protocol.InvalidRequest}},                               // G-212
	"shares with a bad key":      {find(6, 2, "g"), []protocol.ErrorCode{protocol.InvalidRequest}},
	"shares with a worse key":    {find(6, 2, "g:AAAAAAAAAAAAAAAAAAAAAQ:x"), []protocol.ErrorCode{protocol.InvalidRequest}},
	"shares with half a key":     {find(6, 2, "AAAAAAAAAAAAAAAAAAAAAQ:0"), []protocol.ErrorCode{protocol.InvalidRequest}},
	"shares with no topic":       {find(6, 2, "g:?:0"), []protocol.ErrorCode{protocol.InvalidRequest}},
	"shares with a whole key":    {find(6, 2, "g:AAAAAAAAAAAAAAAAAAAAAQ:0"), []protocol.ErrorCode{protocol.CoordinatorNotAvailable}},
	"shares of a group of parts": {find(6, 2, "g:h:AAAAAAAAAAAAAAAAAAAAAQ:0"), []protocol.ErrorCode{protocol.CoordinatorNotAvailable}},
}

func TestFindCoordinator(t *testing.T) { // G-212, G-215 to G-217
	synctest.Test(t, func(t *testing.T) {
		c := start(t, broker.Config{Advertise: "kafka.example:1234"}).dial("client")
		for _, name := range slices.Sorted(maps.Keys(finds)) {
			test := finds[name]
			resp := ask[*kmsg.FindCoordinatorResponse](c, test.req)
			found := foundIn(resp)
			if len(found) != len(test.want) {
				t.Errorf("%s: %+v", name, found)
				continue
			}
			for i, f := range found {
				want := kmsg.FindCoordinatorResponseCoordinator{NodeID: -1, Port: -1}
				if test.want[i] == 0 {
					want = kmsg.FindCoordinatorResponseCoordinator{NodeID: 0, Host: "kafka.example", Port: 1234}
				}
				if f.ErrorCode == 0 && f.ErrorMessage != nil && *f.ErrorMessage != messageOf(test.req.Version) {
					t.Errorf("%s: message %q", name, *f.ErrorMessage)
				}
				if protocol.ErrorCode(f.ErrorCode) != test.want[i] || f.NodeID != want.NodeID || f.Host != want.Host || f.Port != want.Port {
					t.Errorf("%s: %+v, want %v and %+v", name, f, test.want[i].String(), want)
				}
			}
		}
	})
}

// foundIn returns what was found, in the form of version 4.
func foundIn(resp *kmsg.FindCoordinatorResponse) []kmsg.FindCoordinatorResponseCoordinator {
	if resp.Version >= 4 {
		return resp.Coordinators
	}
	return []kmsg.FindCoordinatorResponseCoordinator{{
		ErrorCode: resp.ErrorCode, ErrorMessage: resp.ErrorMessage, NodeID: resp.NodeID, Host: resp.Host, Port: resp.Port,
	}}
}

func TestKafkaFindsCoordinatorsAlike(t *testing.T) {
	kafka := kafkatest.Start(t, kafkatest.V4_4_0)
	c := dialTCP(t, kafka.Addr())
	for _, name := range slices.Sorted(maps.Keys(finds)) {
		test := finds[name]
		found := foundIn(ask[*kmsg.FindCoordinatorResponse](c, test.req))
		for i, f := range found {
			switch {
			case test.req.CoordinatorType == 1: // Kafka would have to make __transaction_state first
			case len(found) != len(test.want) || protocol.ErrorCode(f.ErrorCode) != test.want[i]:
				t.Errorf("%s: %+v, want %v", name, found, test.want)
			case f.ErrorCode == 0 && f.ErrorMessage != nil && *f.ErrorMessage != messageOf(test.req.Version):
				t.Errorf("%s: message %q", name, *f.ErrorMessage)
			}
		}
	}
}

// messageOf is what stands in the place of an error's message where there is none.
func messageOf(version int16) string {
	if version < 4 {
		return "NONE"
	}
	return ""
}

func dialTCP(t *testing.T, addr string) *client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{t: t, conn: conn, id: "client"}
}
