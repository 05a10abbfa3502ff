package broker

import (
	"fmt"
	"sync"
)

// A connSet holds the connections that are open, and how many there may be.
type connSet struct {
	limit, limitPerHost int

	mu      sync.Mutex
	open    map[*conn]struct{}
	perHost map[string]int
}

func newConnSet(limit, limitPerHost int) connSet {
	return connSet{limit: limit, limitPerHost: limitPerHost, open: make(map[*conn]struct{}), perHost: make(map[string]int)}
}

// add takes a connection in, or says which limit is met.
func (s *connSet) add(c *conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	host := c.peer.Host
	switch {
	case len(s.open) >= s.limit:
		return fmt.Errorf("%d connections are open: close some, or raise MaxConnections (max.connections)", s.limit)
	case s.perHost[host] >= s.limitPerHost:
		return fmt.Errorf("%d connections from %s are open: close some, or raise MaxConnectionsPerIP (max.connections.per.ip)",
			s.limitPerHost, host)
	}
	s.open[c] = struct{}{}
	s.perHost[host]++
	return nil
}

func (s *connSet) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	if s.perHost[c.peer.Host]--; s.perHost[c.peer.Host] == 0 {
		delete(s.perHost, c.peer.Host)
	}
}

// each calls a function, which must not wait, for every connection that is open.
func (s *connSet) each(call func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		call(c)
	}
}
