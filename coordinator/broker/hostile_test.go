package broker_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/protocol"
)

// besides runs a test in a bubble with a hostile client, and a member that must not notice: its heartbeats are answered all the
// time, at once, and it keeps its generation.
func besides(t *testing.T, config broker.Config, test func(t *testing.T, w *world, c *client)) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, config)
		bystander := w.dial("bystander")
		beat := bystander.stable("bystanders")
		over, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for goesOn := true; goesOn; {
				select {
				case <-over:
					goesOn = false
				case <-time.After(3 * time.Second):
				}
				asked := time.Now()
				bystander.want("the bystander's heartbeat", ask[*kmsg.HeartbeatResponse](bystander, beat).ErrorCode, protocol.None)
				if waited := time.Since(asked); waited > 0 {
					t.Errorf("the bystander's heartbeat has waited %v", waited)
				}
			}
		}()
		test(t, w, w.dial("hostile"))
		close(over)
		<-stopped
	})
}

// raw returns a frame of these bytes, with its length.
func raw(b []byte) []byte { return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...) }

func header(key, version int16) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(key))
	b = binary.BigEndian.AppendUint16(b, uint16(version))
	return append(b, 0, 0, 0, 1, 0, 1, 'x')
}

func TestWhatIsNotARequestClosesItsConnection(t *testing.T) {
	beat := heartbeat("g")
	for name, test := range map[string]struct {
		bytes []byte
		why   string
	}{
		"a length of 2 GiB":       {[]byte{0x7f, 0xff, 0xff, 0xff}, "a frame of 2147483647 bytes"},
		"a negative length":       {[]byte{0xff, 0xff, 0xff, 0xff}, "a frame of -1 bytes"},
		"HTTP":                    {[]byte("GET / HTTP/1.1\r\n\r\n"), "speaks Kafka's protocol"},
		"an empty frame":          {raw(nil), "header: 8 bytes are needed"},
		"half a header":           {raw([]byte{0, 12, 0, 4}), "header: 8 bytes are needed"},
		"a client id that lies":   {raw([]byte{0, 12, 0, 4, 0, 0, 0, 1, 0x7f, 0xff}), "header.clientId"},
		"an unknown API":          {raw(header(3000, 0)), "API 3000"},
		"a negative API":          {raw(header(-1, 0)), "API -1"},
		"an API of share groups":  {raw(header(76, 1)), "ShareGroupHeartbeat"},
		"an API that is not ours": {raw(header(25, 0)), "AddOffsetsToTxn"},
		"a version too high":      {raw(append(header(12, 5), 0)), "Heartbeat: this side knows 0-4, the other side knows 5"},
		"a version too low":       {raw(header(8, 1)), "OffsetCommit: this side knows 2-10, the other side knows 1"},
		"a negative version":      {raw(header(18, -1)), "ApiVersions: this side knows 0-5, the other side knows -1"},
		"a body that is cut off":  {raw(append(header(12, 3), 0, 1, 'g', 0)), "malformed Heartbeat request v3: generationId"},
		"a string that lies":      {raw(append(header(12, 3), 0x7f, 0xff, 'g')), "malformed Heartbeat request v3: groupId"},
		"a byte too many":         {raw(append(beat.AppendTo(append(header(12, 4), 0)), 0)), "1 bytes follow the last field"},
		"a list of 2^31 elements": {raw(append(header(15, 0), 0x7f, 0xff, 0xff, 0xff)), "malformed DescribeGroups request v0: groups"},
		"a list of 2^32 elements": {raw(append(header(15, 5), 0, 0xff, 0xff, 0xff, 0xff, 0x0f)), "malformed DescribeGroups request v5: groups"},
		"a string of 2^32 bytes":  {raw(append(header(12, 4), 0, 0xff, 0xff, 0xff, 0xff, 0x0f)), "malformed Heartbeat request v4: groupId"},
		"a number without an end": {raw(append(header(12, 4), 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)), "malformed Heartbeat request v4: groupId"},
		"2^32 tags":               {raw(append(header(12, 4), 0xff, 0xff, 0xff, 0xff, 0x0f)), "header"},
	} {
		t.Run(name, func(t *testing.T) {
			besides(t, broker.Config{}, func(t *testing.T, w *world, c *client) {
				c.write(test.bytes)
				c.wantClosed()
				w.wantLog(test.why)
			})
		})
	}
}

func TestWhoLeavesInTheMiddleOfAFrame(t *testing.T) {
	for _, length := range []int{1, 4, 5, 20} {
		besides(t, broker.Config{}, func(t *testing.T, w *world, c *client) {
			c.write(c.frame(1, join("g", ""))[:length])
			c.conn.Close()
			synctest.Wait()
			if logged := w.logs.Len(); logged > 0 {
				t.Errorf("%v", w.logs.All()) // that a client is gone is no news
			}
		})
	}
}

// However many connections a client spoils, the log stays small.
func TestTheLogIsBounded(t *testing.T) {
	besides(t, broker.Config{}, func(t *testing.T, w *world, _ *client) {
		const spoiled = 5000
		for range spoiled {
			c := w.dial("hostile")
			c.write([]byte{0xff, 0xff, 0xff, 0xff})
			c.wantClosed()
			c.conn.Close()
		}
		if lines := w.logs.Len(); lines < 100 || lines > 110 {
			t.Errorf("%d lines are logged of %d connections", lines, spoiled)
		}
		time.Sleep(time.Second)
		c := w.dial("hostile")
		c.write(raw(header(3000, 0)))
		c.wantClosed()
		w.wantLog("API 3000")
	})
}

func TestAnUnknownTopicIsAnErrorInTheAnswer(t *testing.T) {
	besides(t, broker.Config{NoAutoCreate: true}, func(t *testing.T, w *world, c *client) {
		const topic = "nosuch"
		for name, ask := range map[string]func() int16{
			"OffsetCommit": func() int16 {
				req := kmsg.NewPtrOffsetCommitRequest()
				req.Version, req.Group, req.Generation = 8, "g", -1
				req.Topics = []kmsg.OffsetCommitRequestTopic{{Topic: topic, Partitions: make([]kmsg.OffsetCommitRequestTopicPartition, 1)}}
				return ask[*kmsg.OffsetCommitResponse](c, req).Topics[0].Partitions[0].ErrorCode
			},
			"OffsetDelete": func() int16 {
				req := kmsg.NewPtrOffsetDeleteRequest()
				req.Group = "bystanders"
				req.Topics = []kmsg.OffsetDeleteRequestTopic{{Topic: topic, Partitions: make([]kmsg.OffsetDeleteRequestTopicPartition, 1)}}
				return ask[*kmsg.OffsetDeleteResponse](c, req).Topics[0].Partitions[0].ErrorCode
			},
			"Produce": func() int16 {
				req := kmsg.NewPtrProduceRequest()
				req.Version, req.Acks = 9, -1
				req.Topics = []kmsg.ProduceRequestTopic{{Topic: topic, Partitions: []kmsg.ProduceRequestTopicPartition{{Records: batch("record")}}}}
				return ask[*kmsg.ProduceResponse](c, req).Topics[0].Partitions[0].ErrorCode
			},
			"Fetch": func() int16 {
				req := kmsg.NewPtrFetchRequest()
				req.Version, req.MaxBytes = 11, 1<<20
				req.Topics = []kmsg.FetchRequestTopic{{Topic: topic, Partitions: make([]kmsg.FetchRequestTopicPartition, 1)}}
				return ask[*kmsg.FetchResponse](c, req).Topics[0].Partitions[0].ErrorCode
			},
			"ListOffsets": func() int16 {
				req := kmsg.NewPtrListOffsetsRequest()
				req.Version = 5
				req.Topics = []kmsg.ListOffsetsRequestTopic{{Topic: topic, Partitions: make([]kmsg.ListOffsetsRequestTopicPartition, 1)}}
				return ask[*kmsg.ListOffsetsResponse](c, req).Topics[0].Partitions[0].ErrorCode
			},
			"Metadata": func() int16 {
				req := kmsg.NewPtrMetadataRequest()
				req.Version, req.Topics = 9, []kmsg.MetadataRequestTopic{{Topic: new(topic)}}
				return ask[*kmsg.MetadataResponse](c, req).Topics[0].ErrorCode
			},
			"DeleteTopics": func() int16 {
				req := kmsg.NewPtrDeleteTopicsRequest()
				req.Version, req.TopicNames = 4, []string{topic}
				return ask[*kmsg.DeleteTopicsResponse](c, req).Topics[0].ErrorCode
			},
			"CreatePartitions": func() int16 {
				req := kmsg.NewPtrCreatePartitionsRequest()
				req.Topics = []kmsg.CreatePartitionsRequestTopic{{Topic: topic, Count: 3}}
				return ask[*kmsg.CreatePartitionsResponse](c, req).Topics[0].ErrorCode
			},
		} {
			c.want(name, ask(), protocol.UnknownTopicOrPartition)
		}
	})
}

func TestRequestsBeforeAWrongOneAreAnswered(t *testing.T) {
	besides(t, broker.Config{}, func(t *testing.T, w *world, c *client) {
		c.write(append(c.frame(1, heartbeat("g")), 0xff, 0xff, 0xff, 0xff))
		receive[*kmsg.HeartbeatResponse](c, 1, heartbeat("g"))
		c.wantClosed()
	})
}

func TestTheFrameLimitIsTheConfigs(t *testing.T) {
	besides(t, broker.Config{MaxRequestBytes: 1000}, func(t *testing.T, w *world, c *client) {
		req := heartbeat(string(make([]byte, 900)))
		ask[*kmsg.HeartbeatResponse](c, req)
		req.Group += string(make([]byte, 200))
		c.send(1, req)
		c.wantClosed()
		w.wantLog("is not within 0 to 1000")
	})
}

func TestAnApiVersionsRequestOfTheFutureIsAnswered(t *testing.T) {
	besides(t, broker.Config{}, func(t *testing.T, w *world, c *client) {
		c.write(raw(append(header(18, 99), 0, 1, 2, 3))) // whatever follows
		resp := receive[*kmsg.ApiVersionsResponse](c, 1, &kmsg.ApiVersionsRequest{Version: 0})
		if protocol.ErrorCode(resp.ErrorCode) != protocol.UnsupportedVersion || len(resp.ApiKeys) != 1 ||
			resp.ApiKeys[0].ApiKey != 18 || resp.ApiKeys[0].MaxVersion != 5 {
			t.Errorf("%+v", resp) // KIP-511
		}
		c.wantAlive()
	})
}

func TestSilenceEndsWithTheIdleTimeout(t *testing.T) {
	beat := (&client{id: "x"}).frame(1, heartbeat("g"))
	for name, sent := range map[string][]byte{
		"nothing is sent": nil, "half a length": beat[:2], "half a request": beat[:len(beat)-3],
	} {
		t.Run(name, func(t *testing.T) {
			besides(t, broker.Config{IdleTimeout: time.Minute}, func(t *testing.T, w *world, c *client) {
				synctest.Wait()
				c.write(sent)
				start := time.Now()
				c.wantClosed()
				if took := time.Since(start); took != time.Minute {
					t.Errorf("closed after %v", took)
				}
				w.wantLog("nothing was sent or received for 1m0s (connections.max.idle.ms)")
				again := w.dial("again")
				again.wantAlive()
			})
		})
	}
}

func TestAConnectionThatIsUsedIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, broker.Config{IdleTimeout: time.Minute}).dial("slow")
		beat := c.frame(1, heartbeat("g"))
		for i := range beat {
			time.Sleep(59 * time.Second)
			c.write(beat[i : i+1])
		}
		receive[*kmsg.HeartbeatResponse](c, 1, heartbeat("g"))
		time.Sleep(59 * time.Second)
		c.wantAlive()
	})
}

func TestAnIdleTimeoutThatIsNegativeIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, broker.Config{IdleTimeout: -1}).dial("quiet")
		time.Sleep(1000 * time.Hour)
		c.wantAlive()
	})
}

// A client that never reads its answers fills the buffers between, then blocks nobody but itself.
func TestAClientThatNeverReads(t *testing.T) {
	besides(t, broker.Config{}, func(t *testing.T, w *world, c *client) {
		beat := c.frame(1, heartbeat("g"))
		sent := 0
		c.conn.SetWriteDeadline(time.Now().Add(time.Minute))
		for {
			n, err := c.conn.Write(beat)
			if err != nil {
				break
			}
			sent += n
		}
		if sent < 100_000 || sent > 1_000_000 {
			t.Errorf("%d bytes were taken without an answer being read", sent)
		}
		time.Sleep(11 * time.Minute)
		w.wantLog("connections.max.idle.ms")
		if _, err := c.conn.Write(beat); err == nil {
			t.Error("the connection is still open")
		}
	})
}

func TestThousandsOfPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	besides(t, broker.Config{}, func(t *testing.T, w *world, c *client) {
		const count = 20_000
		go func() {
			for i := range int32(count) {
				switch i % 3 {
				case 0:
					c.conn.Write(c.frame(i, heartbeat("g")))
				case 1:
					c.conn.Write(c.frame(i, &kmsg.MetadataRequest{Version: 1}))
				default:
					c.conn.Write(c.frame(i, join("g", "nobody")))
				}
			}
		}()
		for i := range int32(count) {
			switch i % 3 {
			case 0:
				receive[*kmsg.HeartbeatResponse](c, i, heartbeat("g"))
			case 1:
				receive[*kmsg.MetadataResponse](c, i, &kmsg.MetadataRequest{Version: 1})
			default:
				receive[*kmsg.JoinGroupResponse](c, i, join("g", "nobody"))
			}
		}
	})
}

func TestWhatFollowsAParkedRequestWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		leader, second := w.dial("leader"), w.dial("second")
		led := leader.joined("g")
		second.joinsBehind(led)
		second.send(2, heartbeat("g"))
		second.wantSilence(5 * time.Second)
		ask[*kmsg.JoinGroupResponse](leader, join("g", led.MemberID))
		receive[*kmsg.JoinGroupResponse](second, 1, join("g", ""))
		receive[*kmsg.HeartbeatResponse](second, 2, heartbeat("g"))
	})
}

// joinsBehind leaves the client's JoinGroup parked, as a second member that waits for the first to rejoin.
func (c *client) joinsBehind(*kmsg.JoinGroupResponse) (memberID string) {
	c.t.Helper()
	pending := ask[*kmsg.JoinGroupResponse](c, join("g", ""))
	c.send(1, join("g", pending.MemberID))
	synctest.Wait()
	return pending.MemberID
}

func TestAClientThatGoesAwayWhileItIsParkedEndsItsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		led := w.dial("leader").joined("g")
		gone := w.dial("gone")
		gone.joinsBehind(led)
		gone.conn.Close()
		synctest.Wait()
		if err := w.broker.Close(t.Context()); err != nil { // it would wait for the connection
			t.Error(err)
		}
	})
}

// A member that sends its JoinGroup again, on another connection, gets its answer there. The first connection stays
// silent, whatever else is sent on it, as Kafka's does (G-015).
func TestAReplacedRequestIsNeverAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		leader, first, again := w.dial("leader"), w.dial("first"), w.dial("first")
		led := leader.joined("g")
		member := first.joinsBehind(led)
		again.send(1, join("g", member))
		synctest.Wait()
		first.send(2, heartbeat("g"))
		first.wantSilence(5 * time.Second)
		ask[*kmsg.JoinGroupResponse](leader, join("g", led.MemberID))
		if resp := receive[*kmsg.JoinGroupResponse](again, 1, join("g", "")); resp.ErrorCode != 0 || resp.MemberID != member {
			t.Errorf("%+v", resp)
		}
		first.wantSilence(time.Minute)
		first.conn.Close()
		synctest.Wait()
		again.wantAlive()
	})
}

func TestADoubledProtocolCountsOnce(t *testing.T) { // G-093, which wedges Kafka's group and ends kfake's process
	besides(t, broker.Config{}, func(t *testing.T, w *world, c *client) {
		first := ask[*kmsg.JoinGroupResponse](c, join("g", ""))
		req := join("g", first.MemberID)
		req.Protocols = append(req.Protocols, req.Protocols[0])
		if resp := ask[*kmsg.JoinGroupResponse](c, req); resp.ErrorCode != 0 || *resp.Protocol != "range" {
			t.Errorf("%+v", resp)
		}
	})
}

func TestConnectionLimits(t *testing.T) {
	for name, test := range map[string]struct {
		config broker.Config
		why    string
	}{
		"all together": {broker.Config{MaxConnections: 2}, "max.connections"},
		"of a host":    {broker.Config{MaxConnectionsPerIP: 2}, "max.connections.per.ip"},
	} {
		t.Run(name, func(t *testing.T) {
			besides(t, test.config, func(t *testing.T, w *world, c *client) {
				c.wantAlive()
				w.dial("one too many").wantClosed()
				w.wantLog(test.why)
				c.conn.Close()
				synctest.Wait()
				w.dial("in its place").wantAlive()
			})
		})
	}
}

func TestATakenPortIsAnErrorWithACure(t *testing.T) {
	first, err := broker.Listen(t.Context(), broker.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close(context.Background())
	second, err := broker.Listen(t.Context(), broker.Config{Addr: first.Addr().String()})
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Fatalf("%v, %v", second, err)
	}
	if want := fmt.Sprintf("broker: listen tcp %s: bind: address already in use: choose an address with Addr that this "+
		"machine has and nobody else listens on", first.Addr()); err.Error() != want {
		t.Error(err)
	}
}

func TestAnAcceptThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})
		b, err := broker.Listen(t.Context(), broker.Config{Listener: &failing{Listener: inner, failures: 3}})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close(t.Context())
		conn, err := inner.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := &client{t: t, conn: conn}
		c.wantAlive()
	})
}

// failing is a listener without file descriptors, for a while.
type failing struct {
	*memnet.Listener
	failures int
}

func (f *failing) Accept() (net.Conn, error) {
	if f.failures--; f.failures >= 0 {
		return nil, syscall.EMFILE
	}
	return f.Listener.Accept()
}
