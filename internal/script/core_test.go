package script_test

import (
	"testing"
	"testing/synctest"

	"github.com/joinsync/joinsync/internal/script"
)

// TestScenariosOnCore runs every scenario on this library's coordinator, in virtual time.
func TestScenariosOnCore(t *testing.T) {
	if *rewrite && *from != script.Core {
		t.Skipf("rewriting from %s", *from)
	}
	eachScenario(t, func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) { script.Run(t, path, script.InProcess, *rewrite) })
	})
}
