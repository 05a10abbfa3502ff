package main

import (
	"strings"
	"testing"
	"testing/synctest"
)

func TestTopicsStayTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		if err := run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		want := "anna owns [clicks-0 clicks-1 clicks-2 clicks-3]\n" +
			"bert owns [orders-0 orders-1 views-0 views-1 views-2]\n"
		if got := out.String(); got != want {
			t.Errorf("printed\n%swant\n%s", got, want)
		}
	})
}
