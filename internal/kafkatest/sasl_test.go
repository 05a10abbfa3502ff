package kafkatest_test

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

func TestSASLListenerKnowsTheRightPasswordOnly(t *testing.T) {
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) {
			broker := kafkatest.Start(t, version)
			right := plain.Auth{User: kafkatest.User, Pass: kafkatest.Password}
			if err := client(t, broker.SASLAddr(), kgo.SASL(right.AsMechanism())).Ping(deadline(t)); err != nil {
				t.Errorf("right password: %v", err)
			}
			wrong := plain.Auth{User: kafkatest.User, Pass: "through the looking-glass"}
			err := client(t, broker.SASLAddr(), kgo.SASL(wrong.AsMechanism())).Ping(deadline(t))
			if !errors.Is(err, kerr.SaslAuthenticationFailed) {
				t.Errorf("wrong password: %v, want SASL_AUTHENTICATION_FAILED", err)
			}
		})
	}
}
