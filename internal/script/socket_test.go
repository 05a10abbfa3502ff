package script

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestScenariosThroughASocket runs every scenario on the core behind frames and connections, in virtual time: what a real
// broker gets to see of a script, without one.
func TestScenariosThroughASocket(t *testing.T) {
	start := func(t testing.TB, s *Script) (Target, error) {
		target, err := inProcess(t).Start(s)
		if err != nil {
			return nil, err
		}
		listener := memnet.Listen(&net.TCPAddr{})
		d := &door{core: target.(*core)}
		d.connections.Go(func() { d.serve(listener) })
		t.Cleanup(func() {
			listener.Close()
			d.connections.Wait()
		})
		return &Socket{Addr: "broker:9092", GroupPrefix: "run-1-", TopicPrefix: "run-", Bubble: synctest.Wait, EndsAtOnce: true,
			Dial: listener.DialContext}, nil
	}
	eachScenario(t, func(t *testing.T, s *Script) {
		synctest.Test(t, func(t *testing.T) {
			runScript(t, s, Backend{Name: Core, Start: func(s *Script) (Target, error) { return start(t, s) }})
		})
	})
}

// A door is the least server that a script needs: frames in, frames out, one request of a connection after the other.
type door struct {
	core        *core
	connections sync.WaitGroup
}

func (d *door) serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		d.connections.Go(func() {
			defer conn.Close()
			d.serveConn(conn)
		})
	}
}

// serveConn answers one request after the other. While one has no answer the client sends nothing, so that the next thing
// to be read is the end, which ends the request.
func (d *door) serveConn(conn net.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	frames := make(chan []byte)
	d.connections.Go(func() {
		defer close(frames)
		defer cancel()
		for {
			frame, err := protocol.ReadFrame(conn, protocol.MaxFrame)
			if err != nil {
				return
			}
			frames <- frame
		}
	})
	for frame := range frames {
		response, err := d.exchange(ctx, frame)
		if err != nil {
			conn.Close() // which ends the frames
			continue
		}
		conn.Write(response)
	}
}

func (d *door) exchange(ctx context.Context, frame []byte) ([]byte, error) {
	header, body, err := protocol.ReadRequestHeader(frame)
	if err != nil {
		return nil, err
	}
	req := kmsg.RequestForKey(header.Key)
	req.SetVersion(header.Version)
	if err := req.ReadFrom(body); err != nil {
		return nil, err
	}
	resp, err := d.answer(ctx, header.ClientID, req)
	if err != nil {
		return nil, err
	}
	return protocol.AppendResponse(nil, header.CorrelationID, resp), nil
}

// answer answers the few requests about topics by itself, and has the core answer the others.
func (d *door) answer(ctx context.Context, client string, req kmsg.Request) (kmsg.Response, error) {
	switch r := req.(type) {
	case *kmsg.CreateTopicsRequest:
		resp := r.ResponseKind().(*kmsg.CreateTopicsResponse)
		for _, t := range r.Topics {
			d.core.CreateTopics(ctx, map[string]int32{t.Topic: t.NumPartitions})
			resp.Topics = append(resp.Topics, kmsg.CreateTopicsResponseTopic{Topic: t.Topic})
		}
		return resp, nil
	case *kmsg.DeleteTopicsRequest:
		return r.ResponseKind(), d.core.DeleteTopics(ctx, r.TopicNames)
	case *kmsg.MetadataRequest:
		resp := r.ResponseKind().(*kmsg.MetadataResponse)
		for _, t := range r.Topics {
			known, ok := d.core.topics.Topic(*t.Topic)
			topic := kmsg.MetadataResponseTopic{Topic: t.Topic, TopicID: known.ID}
			if !ok {
				topic.ErrorCode = int16(protocol.UnknownTopicOrPartition)
			}
			for p := range known.Partitions {
				topic.Partitions = append(topic.Partitions, kmsg.MetadataResponseTopicPartition{Partition: p})
			}
			resp.Topics = append(resp.Topics, topic)
		}
		return resp, nil
	}
	session, err := d.core.Open(ctx, protocol.Identity{ClientID: client})
	if err != nil {
		return nil, err
	}
	return session.Request(ctx, req)
}

func TestABrokenConnectionIsAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := memnet.Listen(&net.TCPAddr{})
		defer listener.Close()
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				conn.Close()
			}
		}()
		s, err := Parse("a.txt", "A: Heartbeat v4 group=g\n  ✗ connection closed\n")
		if err != nil {
			t.Fatal(err)
		}
		err = s.Run(t.Context(), Backend{Name: Core, Start: func(*Script) (Target, error) {
			return &Socket{Addr: "broker:9092", Bubble: synctest.Wait, Dial: listener.DialContext}, nil
		}})
		if err != nil {
			t.Error(err)
		}
	})
}
