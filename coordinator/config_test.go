package coordinator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/joinsync/joinsync/coordinator"
)

func TestConfigNamesEveryViolationAndTheCure(t *testing.T) {
	_, err := coordinator.New(t.Context(), coordinator.Config{
		MinSessionTimeout: time.Hour, MaxSessionTimeout: time.Minute, InitialRebalanceDelay: 1000 * time.Hour,
		MaxGroupSize: -1, Partitions: -1,
	})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"MinSessionTimeout is 1h0m0s, above MaxSessionTimeout (1m0s): lower it",
		"InitialRebalanceDelay is 1000h0m0s",
		"MaxGroupSize is -1: set it above zero",
		"Partitions is -1",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestNegativeInitialDelayIsNone(t *testing.T) {
	c := start(t, coordinator.Config{InitialRebalanceDelay: -1})
	if joined := connect(t, c, "client").join(); joined.Generation != 1 {
		t.Errorf("joined as %+v", joined)
	}
}
