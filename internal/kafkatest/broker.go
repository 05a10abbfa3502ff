package kafkatest

import (
	"crypto/rand"
	"slices"
	"strings"
	"testing"
)

// A Broker is a running Kafka. Its methods may be called concurrently.
type Broker struct {
	version Version
	ports   ports
	process *process

	certificate []byte // PEM, of the TLS listener
}

// Addr returns the address of the plaintext listener, "127.0.0.1:41234".
func (b *Broker) Addr() string { return b.ports.plain }

// SASLAddr returns the address of the listener without TLS that asks for [User] and [Password], by the mechanism PLAIN,
// SCRAM-SHA-256 or SCRAM-SHA-512.
func (b *Broker) SASLAddr() string { return b.ports.sasl }

// TLSAddr returns the address of the listener with TLS, which asks for no password. No client trusts its certificate that
// was not given [Broker.CertificateAuthority].
func (b *Broker) TLSAddr() string { return b.ports.tls }

// CertificateAuthority returns what a client must trust to talk to the TLS listener, in PEM.
func (b *Broker) CertificateAuthority() []byte { return slices.Clone(b.certificate) }

// Version returns the version that the broker runs.
func (b *Broker) Version() Version { return b.version }

// Stop stops the broker as an operator would, with SIGTERM, and returns once it has ended. It is an error if it had to be
// killed after 20 s. Only a [Private] broker may be stopped. Stopping it again does nothing.
func (b *Broker) Stop() error { return b.process.stop(stopGrace) }

// Kill ends the broker at once, with SIGKILL, and returns once it has ended. Only a [Private] broker may be killed.
func (b *Broker) Kill() { b.process.kill() }

// Name returns a name for a group or a topic that no other call returns: the test's own, and something random after it.
func Name(t testing.TB) string {
	legal := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, t.Name())
	return legal[:min(len(legal), 200)] + "-" + rand.Text()[:8]
}
