package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/joinsync/joinsync/assignor/assignortest"
)

func TestByCapacity(t *testing.T) {
	assignortest.Check(t, byCapacity(1), assignortest.Balanced(1)) // all of one capacity
}

func TestWhoCanTakeMoreGetsMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		if err := run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		want := "capacity 1 owns [orders-1 orders-4]\n" +
			"capacity 2 owns [orders-0 orders-2 orders-3 orders-5]\n"
		if got := out.String(); got != want {
			t.Errorf("printed\n%swant\n%s", got, want)
		}
	})
}
