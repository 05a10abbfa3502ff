package main

import (
	"strings"
	"testing"
	"testing/synctest"
)

func TestTwoMembersShareSixParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		if err := run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		want := "anna owns [orders-0 orders-1 orders-2] <nil>\nbert owns [orders-3 orders-4 orders-5] <nil>\n"
		if got := out.String(); got != want {
			t.Errorf("printed\n%swant\n%s", got, want)
		}
	})
}
