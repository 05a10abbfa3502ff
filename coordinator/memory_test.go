package coordinator_test

import (
	"testing"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/coordinator/storetest"
)

func TestMemoryStoreKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) coordinator.Store { return coordinator.NewMemoryStore() })
}
