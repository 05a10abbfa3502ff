package script_test

import (
	"testing"
	"testing/synctest"

	"github.com/joinsync/joinsync/internal/script"
)

// TestScenariosOnServer runs every scenario over the wire, in virtual time.
func TestScenariosOnServer(t *testing.T) {
	if *rewrite {
		t.Skip("the core's answers are the server's")
	}
	eachScenario(t, func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) { script.Run(t, path, script.Served, false) })
	})
}
