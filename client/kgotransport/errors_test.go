package kgotransport_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// serve lets handle deal with each connection to the address that it returns.
func serve(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go handle(conn)
		}
	}()
	return l.Addr().String()
}

// broker starts a fake broker and returns its address.
func broker(t *testing.T, opts ...kfake.Opt) string {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()[0]
}

// certificate makes a certificate for 127.0.0.1 that nobody has signed.
func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "broker"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// trusting is a TLS configuration that trusts a certificate.
func trusting(t *testing.T, c tls.Certificate) *tls.Config {
	t.Helper()
	leaf, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return &tls.Config{RootCAs: roots}
}

func say(text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = conn.Write([]byte(text))
		_, _ = io.Copy(io.Discard, conn)
	}
}

func hangUp(conn net.Conn) {
	_, _ = conn.Read(make([]byte, 4))
	_ = conn.Close()
}

// The peers of these are on the machine's own network, where their ends of a connection behave as they do in life.
func TestErrorsOfTheBootstrapNameTheAddressAndTheCure(t *testing.T) {
	certified := certificate(t)
	sasl := []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "wonderland")}
	tests := map[string]struct {
		addr      string
		opts      []kgo.Opt
		target    error
		permanent bool
		words     []string
	}{
		"closes at once": {
			addr:  serve(t, hangUp),
			words: []string{"check that the port is a Kafka listener's, and whether it wants TLS or SASL"},
		},
		"speaks HTTP": {
			addr:      serve(t, say("HTTP/1.1 400 Bad Request\r\n\r\n")),
			permanent: true,
			words:     []string{"HTTP", "check that the port is a Kafka listener's"},
		},
		"speaks gibberish": {
			addr:      serve(t, say("\x00\x00\x00\x05\x00\x00\x00\x00\x00")),
			permanent: true,
			words:     []string{"check that the port is a Kafka listener's"},
		},
		"wants TLS": {
			addr:  broker(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{certified}})),
			words: []string{"whether it wants TLS"},
		},
		"does not speak TLS": {
			addr:      serve(t, say("SSH-2.0-OpenSSH_9.9\r\n")),
			opts:      []kgo.Opt{kgo.DialTLS()},
			permanent: true,
			words:     []string{"turn TLS off, or use the port that has it"},
		},
		"Kafka does not speak TLS": { // it takes the handshake for a frame of 369 MB
			addr:  serve(t, hangUp),
			opts:  []kgo.Opt{kgo.DialTLS()},
			words: []string{"whether it wants TLS"},
		},
		"unknown authority": {
			addr:      broker(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{certified}})),
			opts:      []kgo.Opt{kgo.DialTLSConfig(&tls.Config{RootCAs: x509.NewCertPool()})},
			permanent: true,
			words:     []string{"trust the authority that signed the broker's certificate"},
		},
		"wants a certificate": {
			addr:      broker(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{certified}, ClientAuth: tls.RequireAnyClientCert})),
			opts:      []kgo.Opt{kgo.DialTLSConfig(trusting(t, certified))},
			permanent: true,
			words:     []string{"give a client certificate that the broker trusts"},
		},
		"wrong password, connection closed": {
			addr:  broker(t, sasl...),
			opts:  []kgo.Opt{kgo.SASL(plain.Auth{User: "alice", Pass: "looking-glass"}.AsMechanism())},
			words: []string{"check user name, password and SASL mechanism"},
		},
		"no password": {
			addr:  broker(t, sasl...),
			words: []string{"whether it wants TLS or SASL"},
		},
		"another mechanism": {
			addr:      broker(t, sasl...),
			opts:      []kgo.Opt{kgo.SASL(oauth{})},
			target:    kerr.UnsupportedSaslMechanism,
			permanent: true,
			words:     []string{"sasl.enabled.mechanisms"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, newTransport(t, append(tt.opts, kgo.SeedBrokers(tt.addr))...))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := s.Request(ctx, heartbeat())
			wantErr(t, err, tt.target, tt.permanent, append(tt.words, "bootstrap "+tt.addr)...)
			if ctx.Err() != nil {
				t.Error("it took as long as it was allowed to")
			}
		})
	}
}

func TestRefusedCredentialsArePermanent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "wonderland"))
		refuse(c)
		transport := c.transport(t, kgo.SASL(plain.Auth{User: "alice", Pass: "looking-glass"}.AsMechanism()))
		_, err := open(t, transport).Request(t.Context(), heartbeat())
		wantErr(t, err, protocol.SASLAuthenticationFailed, true,
			"bootstrap localhost:9092", "SASL_AUTHENTICATION_FAILED", "check user name, password and SASL mechanism", "go away")

		m, err := client.New(transport, shards{}, client.Config{Group: "g"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Join(t.Context()).Wait(t.Context())
		wantErr(t, err, protocol.SASLAuthenticationFailed, true, `group "g"`, "bootstrap localhost:9092", "check user name, password")
		<-m.Done()
	})
}

// refuse makes the cluster answer SaslAuthenticate as Kafka does. The fake broker by itself closes the connection.
func refuse(c *cluster) {
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode, resp.ErrorMessage = int16(protocol.SASLAuthenticationFailed), kmsg.StringPtr("go away")
		return resp, nil, true
	})
}

func TestSilentBootstrapIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := new(kfake.VirtualNetwork)
		l, err := network.Listen("tcp", "127.0.0.1:9092")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() { _, _ = io.Copy(io.Discard, conn) }()
			}
		}()
		s := open(t, newTransport(t, kgo.SeedBrokers("127.0.0.1:9092"), kgo.Dialer(network.DialContext)))
		began := time.Now()
		_, err = s.Request(t.Context(), heartbeat())
		wantErr(t, err, nil, false, "bootstrap 127.0.0.1:9092", "timeout", "check the address")
		if took := time.Since(began); took > 25*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestBrokerThatKnowsNoGroupsIsTooOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		versions := kversion.V0_8_0()
		versions.SetMaxKeyVersion(18, 0)
		versions.SetMaxKeyVersion(10, 1)
		_, err := open(t, newCluster(t, kfake.MaxVersions(versions)).transport(t)).Request(t.Context(), heartbeat())
		wantErr(t, err, nil, true, "broker is too old", "Kafka 1.0 or later")
	})
}

// A connection that nobody accepts on the machine's own network.
func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, newTransport(t, kgo.SeedBrokers(addr)))
	_, err = s.Request(t.Context(), heartbeat())
	wantErr(t, err, nil, false, "bootstrap "+addr, "connection refused", "check the address, and that the broker is up")
}

func TestUnknownHost(t *testing.T) {
	s := open(t, newTransport(t, kgo.SeedBrokers("no-such-host.invalid:9092")))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := s.Request(ctx, heartbeat())
	wantErr(t, err, nil, false, "bootstrap no-such-host.invalid:9092")
}

func TestMemberGivesAnUnreachableBootstrapUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := newTransport(t, kgo.SeedBrokers("127.0.0.1:9092"), kgo.Dialer(new(kfake.VirtualNetwork).DialContext))
		m, err := client.New(transport, shards{}, client.Config{Group: "g", BootstrapTimeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = m.Join(t.Context()).Wait(t.Context())
		wantErr(t, err, nil, false, `group "g"`, "BootstrapTimeout", "bootstrap 127.0.0.1:9092", "check the address")
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
