package script

import (
	"context"
	"net"
	"path/filepath"
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
	backend := Backend{Name: Core, Lacks: InProcess.Lacks, Start: func(t testing.TB, settings map[string]string) Target {
		core := startCore(t, settings).(*core)
		listener := memnet.Listen(&net.TCPAddr{})
		d := &door{core: core}
		d.connections.Go(func() { d.serve(listener) })
		t.Cleanup(func() {
			listener.Close()
			d.connections.Wait()
		})
		return &Socket{Addr: "broker:9092", Prefix: "run-1-", Bubble: true, Dial: listener.DialContext}
	}}
	paths, err := filepath.Glob("../../testdata/scenarios/*/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { Run(t, path, backend, false) })
		})
	}
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
	case *kmsg.MetadataRequest:
		resp := r.ResponseKind().(*kmsg.MetadataResponse)
		for _, t := range r.Topics {
			known := d.core.topics[*t.Topic]
			topic := kmsg.MetadataResponseTopic{Topic: t.Topic, TopicID: known.ID}
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
		f := mustParse(t, "A: Heartbeat v4 group=g\n  ✗ connection closed\n")
		r := newRunner(&Socket{Addr: "broker:9092", Bubble: true, Dial: listener.DialContext}, false)
		defer r.close()
		if err := r.run(f, head{}, Core); err != nil {
			t.Error(err)
		}
	})
}
