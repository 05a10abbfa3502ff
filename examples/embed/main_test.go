package main

import (
	"os"
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
		want := "anna owns [orders-0 orders-1 orders-2]\nbert owns [orders-3 orders-4 orders-5]\n"
		if got := out.String(); got != want {
			t.Errorf("printed\n%swant\n%s", got, want)
		}
		readme, err := os.ReadFile("../../README.md")
		if err != nil {
			t.Fatal(err)
		}
		if shown := "    " + strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n", "\n    "); !strings.Contains(string(readme), shown) {
			t.Errorf("the README does not show\n%s", shown)
		}
	})
}
