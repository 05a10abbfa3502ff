package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

func TestConformOnKafka(t *testing.T) {
	t.Setenv(passwordVariable, kafkatest.Password)
	broker := kafkatest.Start(t, kafkatest.V4_4_0)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, broker.CertificateAuthority(), 0o600); err != nil {
		t.Fatal(err)
	}
	conform := func(args ...string) ([]conformLine, summary) {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), append([]string{"conform", "--json"}, args...), &stdout, &stderr, environment{}); code != exitOK {
			t.Errorf("%v: exit code %d, %s", args, code, stderr.String())
		}
		return jsonLines(t, stdout.String())
	}
	scripts, sum := conform("-b", broker.Addr(), "--parallel", "16", "--patience", "30s")
	wantAgreement(t, scripts, sum)
	for _, args := range [][]string{
		{"-b", broker.TLSAddr(), "--tls-ca", authority},
		{"-b", broker.SASLAddr(), "--user", kafkatest.User},
		{"-b", broker.SASLAddr(), "--user", kafkatest.User, "--sasl-mechanism", "SCRAM-SHA-512"},
	} {
		if _, sum := conform(append(args, "--run", "^(heartbeat|find)/versions$")...); sum.Agree != 2 {
			t.Errorf("%v: %+v", args, sum)
		}
	}
}
