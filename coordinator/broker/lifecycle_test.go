package broker_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/protocol"
)

func TestClosingAnswersParkedRequestsAndThenHangsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		led := w.dial("leader").joined("g")
		parked, idle := w.dial("parked"), w.dial("idle")
		parked.joinsBehind(led)
		if err := w.broker.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if resp := receive[*kmsg.JoinGroupResponse](parked, 1, join("g", "")); protocol.ErrorCode(resp.ErrorCode) != protocol.NotCoordinator {
			t.Errorf("the parked request: %v", protocol.ErrorCode(resp.ErrorCode))
		}
		parked.wantClosed()
		idle.wantClosed()
		if _, err := w.net.Dial(t.Context()); err == nil {
			t.Error("a closed broker takes connections")
		}
		if err := w.broker.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A client that does not read its answers holds a broker up that wants to close, for as long as the caller lets it.
func TestClosingWaitsForAnswersUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		c := w.dial("deaf")
		go func() {
			for beat := c.frame(1, heartbeat("g")); ; {
				if _, err := c.conn.Write(beat); err != nil {
					return
				}
			}
		}()
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		start := time.Now()
		if err := w.broker.Close(ctx); err != nil || time.Since(start) != 30*time.Second {
			t.Errorf("closed after %v: %v", time.Since(start), err)
		}
	})
}

func TestMembersInTheProcessShareTheGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, broker.Config{})
		joined := w.dial("outside").joined("g")
		resp, err := w.broker.Coordinator().Handle(t.Context(), coordinator.Peer{}, &kmsg.DescribeGroupsRequest{Groups: []string{"g"}})
		if err != nil {
			t.Fatal(err)
		}
		group := resp.(*kmsg.DescribeGroupsResponse).Groups[0]
		if len(group.Members) != 1 || group.Members[0].MemberID != joined.MemberID || group.Members[0].ClientHost != "/127.0.0.1" ||
			group.Members[0].ClientID != "outside" {
			t.Errorf("%+v", group)
		}
	})
}

// selfSigned returns a certificate for broker.example, and what to trust.
func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"broker.example"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}
