package kafkatest_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

func TestSASLListenerKnowsTheRightPasswordOnly(t *testing.T) {
	mechanisms := map[string]func(password string) sasl.Mechanism{
		"PLAIN": func(p string) sasl.Mechanism { return plain.Auth{User: kafkatest.User, Pass: p}.AsMechanism() },
		"SCRAM-SHA-256": func(p string) sasl.Mechanism {
			return scram.Auth{User: kafkatest.User, Pass: p}.AsSha256Mechanism()
		},
		"SCRAM-SHA-512": func(p string) sasl.Mechanism {
			return scram.Auth{User: kafkatest.User, Pass: p}.AsSha512Mechanism()
		},
	}
	for _, version := range kafkatest.Versions {
		for name, mechanism := range mechanisms {
			t.Run(string(version)+" "+name, func(t *testing.T) {
				t.Parallel()
				broker := kafkatest.Start(t, version)
				right := client(t, broker.SASLAddr(), kgo.SASL(mechanism(kafkatest.Password)))
				if err := right.Ping(deadline(t)); err != nil {
					t.Errorf("right password: %v", err)
				}
				wrong := client(t, broker.SASLAddr(), kgo.SASL(mechanism("through the looking-glass")))
				if err := wrong.Ping(deadline(t)); !errors.Is(err, kerr.SaslAuthenticationFailed) {
					t.Errorf("wrong password: %v, want SASL_AUTHENTICATION_FAILED", err)
				}
			})
		}
	}
}

func TestTLSListenerIsTrustedByWhoKnowsItsAuthority(t *testing.T) {
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			broker := kafkatest.Start(t, version)
			known := x509.NewCertPool()
			if !known.AppendCertsFromPEM(broker.CertificateAuthority()) {
				t.Fatalf("no certificate in %q", broker.CertificateAuthority())
			}
			if err := client(t, broker.TLSAddr(), kgo.DialTLSConfig(&tls.Config{RootCAs: known})).Ping(deadline(t)); err != nil {
				t.Errorf("with the authority: %v", err)
			}
			err := client(t, broker.TLSAddr(), kgo.DialTLS()).Ping(deadline(t))
			if unknown := new(x509.UnknownAuthorityError); !errors.As(err, unknown) {
				t.Errorf("without the authority: %v", err)
			}
		})
	}
}
