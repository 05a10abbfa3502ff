package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/joinsync/joinsync/coordinator/broker"
)

// An announcer tells whoever has started joinsync serve how it stands.
type announcer struct {
	out  io.Writer
	json bool
}

// listening says that clients are welcome.
func (a announcer) listening(b *broker.Broker, topics map[string]int32) error {
	address, advertised := b.Addr().String(), b.Advertised()
	if a.json {
		return json.NewEncoder(a.out).Encode(struct {
			Event      string           `json:"event"`
			Address    string           `json:"address"`
			Advertised string           `json:"advertised"`
			Topics     map[string]int32 `json:"topics"`
		}{"listening", address, advertised, topics})
	}
	also := ""
	if advertised != address {
		also = ", which clients know as " + advertised
	}
	_, err := fmt.Fprintf(a.out, "listening on %s%s\n", address, also)
	return err
}

// closed says that all is over.
func (a announcer) closed() error {
	if !a.json {
		return nil
	}
	return json.NewEncoder(a.out).Encode(struct {
		Event string `json:"event"`
	}{"closed"})
}
