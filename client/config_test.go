package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

func TestZeroConfigIsKafkasDefault(t *testing.T) {
	m := newMember(t, newPeer(), newWork(), client.Config{Group: "g"})
	cfg := m.Config()
	if cfg.SessionTimeout != 45*time.Second || cfg.RebalanceTimeout != 5*time.Minute || cfg.HeartbeatInterval != 3*time.Second ||
		cfg.RequestTimeout != 30*time.Second || cfg.RetryBackoff != 100*time.Millisecond || cfg.RetryBackoffMax != time.Second ||
		cfg.BootstrapTimeout != time.Minute {
		t.Errorf("defaults are %+v", cfg)
	}
	if !strings.HasPrefix(cfg.ClientID, "work-g-") {
		t.Errorf("client id is %q", cfg.ClientID)
	}
}

// franz-go allows 256 bytes.
func TestDefaultClientIDOfALongGroupIsCut(t *testing.T) {
	m := newMember(t, newPeer(), newWork(), client.Config{Group: strings.Repeat("g", 1000), InstanceID: "i"})
	if id := m.Config().ClientID; len(id) != 255 || !strings.HasPrefix(id, "work-ggg") || !strings.HasSuffix(id, "ggg-i") {
		t.Errorf("client id is %q", id)
	}
}

func TestShortSessionTimeoutBringsItsHeartbeatInterval(t *testing.T) {
	m := newMember(t, newPeer(), newWork(), client.Config{SessionTimeout: 600 * time.Millisecond})
	if got := m.Config().HeartbeatInterval; got != 200*time.Millisecond {
		t.Errorf("heartbeat interval is %v", got)
	}
}

func TestConfigReportsAllViolationsTogether(t *testing.T) {
	_, err := client.New(newPeer(), newWork(), client.Config{
		ClientID:          strings.Repeat("c", 40000),
		InstanceID:        "no spaces",
		SessionTimeout:    time.Second,
		HeartbeatInterval: time.Second,
		RebalanceTimeout:  -1,
		RequestTimeout:    1000 * time.Hour,
		RetryBackoff:      time.Minute,
		RetryBackoffMax:   time.Second,
	})
	wantWords(t, err,
		`Group is "": name the group`, // G-523
		"ClientID is 40000 bytes long: use at most 32767",
		`InstanceID is "no spaces": use 1 to 249 of`,
		"RebalanceTimeout is -1ns: use 1ms to",
		"RequestTimeout is 1000h0m0s: use",
		"HeartbeatInterval is 1s: use less than SessionTimeout, which is 1s", // G-476
		"RetryBackoffMax is 1s: use at least RetryBackoff, which is 1m0s",
	)
}

// G-524.
func TestInstanceIDIsALegalTopicName(t *testing.T) {
	for id, legal := range map[string]bool{
		"pod-3.rack_A": true, ".": false, "..": false, "...": true, "a/b": false, "é": false,
		strings.Repeat("x", 249): true, strings.Repeat("x", 250): false,
	} {
		if err := (client.Config{Group: "g", InstanceID: id}).Validate(); (err == nil) != legal {
			t.Errorf("%q: %v", id, err)
		}
	}
}

type closedTransport struct{ error }

func (c closedTransport) Open(context.Context, protocol.Identity) (protocol.Session, error) {
	return nil, c.error
}

func TestNewReportsThatNoSessionOpens(t *testing.T) {
	shut := errors.New("shut")
	_, err := client.New(closedTransport{shut}, newWork(), client.Config{Group: "g"})
	wantErr(t, err, shut, `"g"`)
}
