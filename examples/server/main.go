package main

import (
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:9092")
	if err != nil {
		log.Fatal(err)
	}
	topics := coordinator.FixedTopics{"orders": 6}
	c, err := coordinator.New(context.Background(), coordinator.Config{Topics: topics})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal((&server{c, topics, "127.0.0.1", 9092}).serve(listener))
}

// A server is the only broker of its cluster. Clients are told its host and port.
type server struct {
	coordinator *coordinator.Coordinator
	topics      coordinator.FixedTopics
	host        string
	port        int32
}

// serve serves until the listener is closed.
func (s *server) serve(listener net.Listener) error {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			if err := s.talk(conn); err != nil && !errors.Is(err, io.EOF) {
				log.Printf("closed a connection: %v", err)
			}
		}()
	}
}

// talk answers the requests of one client, each before the next is read, as Kafka does. A client whose join is parked waits here;
// heartbeats come over another connection.
func (s *server) talk(conn net.Conn) error {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil {
		return err
	}
	for {
		frame, err := protocol.ReadFrame(conn, protocol.MaxFrame)
		if err != nil {
			return err
		}
		header, body, err := protocol.ReadRequestHeader(frame)
		if err != nil {
			return err
		}
		req, err := protocol.DecodeRequest(header.Key, header.Version, body)
		if err != nil {
			return err
		}
		resp, err := s.answer(coordinator.Peer{ClientID: header.ClientID, Host: "/" + host}, req)
		switch {
		case errors.Is(err, coordinator.ErrSuperseded): // Kafka never answers it, nor what comes after it
			_, err = io.Copy(io.Discard, conn)
			return err
		case err != nil:
			return err
		}
		if _, err := conn.Write(protocol.AppendResponse(nil, header.CorrelationID, resp)); err != nil {
			return err
		}
	}
}

// answer answers one request.
func (s *server) answer(peer coordinator.Peer, req kmsg.Request) (kmsg.Response, error) {
	switch req := req.(type) {
	case *kmsg.ApiVersionsRequest:
		resp := req.ResponseKind().(*kmsg.ApiVersionsResponse)
		resp.ApiKeys = s.versions().APIKeys()
		return resp, nil
	case *kmsg.FindCoordinatorRequest:
		resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
		resp.Host, resp.Port = s.host, s.port // up to version 3
		for _, key := range req.CoordinatorKeys {
			found := kmsg.NewFindCoordinatorResponseCoordinator()
			found.Key, found.Host, found.Port = key, s.host, s.port
			resp.Coordinators = append(resp.Coordinators, found)
		}
		return resp, nil
	case *kmsg.MetadataRequest:
		return s.metadata(req), nil
	default:
		return s.coordinator.Handle(context.Background(), peer, req)
	}
}

// versions are those of the coordinator, and of what is answered here.
func (s *server) versions() protocol.Versions {
	versions, readable := s.coordinator.Versions(), protocol.RequestVersions()
	for _, key := range []kmsg.Key{kmsg.ApiVersions, kmsg.FindCoordinator, kmsg.Metadata} {
		versions[key.Int16()] = readable[key.Int16()]
	}
	return versions
}

// metadata names the broker, and the topics that are asked for; all of them, if none is.
func (s *server) metadata(req *kmsg.MetadataRequest) *kmsg.MetadataResponse {
	resp := req.ResponseKind().(*kmsg.MetadataResponse)
	broker := kmsg.NewMetadataResponseBroker()
	broker.Host, broker.Port = s.host, s.port
	resp.Brokers = append(resp.Brokers, broker)
	names := slices.Sorted(maps.Keys(s.topics))
	if req.Topics != nil {
		names = nil
		for _, t := range req.Topics {
			if t.Topic != nil { // not by its id
				names = append(names, *t.Topic)
			}
		}
	}
	for _, name := range names {
		topic := kmsg.NewMetadataResponseTopic()
		topic.Topic = kmsg.StringPtr(name)
		if s.topics[name] == 0 {
			topic.ErrorCode = int16(protocol.UnknownTopicOrPartition)
		}
		for p := range s.topics[name] {
			partition := kmsg.NewMetadataResponseTopicPartition()
			partition.Partition = p
			topic.Partitions = append(topic.Partitions, partition)
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}
