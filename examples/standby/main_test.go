package main

import (
	"strings"
	"testing"
	"testing/synctest"
)

func TestSecondsTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		if err := run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		want := "anna owns [orders-0 orders-3] and follows [orders-1 orders-2]; 2 new, 0 of them warm\n" +
			"bert owns [orders-1 orders-4] and follows [orders-0 orders-5]; 2 new, 0 of them warm\n" +
			"carl owns [orders-2 orders-5] and follows [orders-3 orders-4]; 2 new, 0 of them warm\n" +
			"bert is gone\n" +
			"anna owns [orders-0 orders-1 orders-3] and follows [orders-2 orders-4 orders-5]; 1 new, 1 of them warm\n" +
			"carl owns [orders-2 orders-4 orders-5] and follows [orders-0 orders-1 orders-3]; 1 new, 1 of them warm\n"
		if got := out.String(); got != want {
			t.Errorf("printed\n%swant\n%s", got, want)
		}
	})
}
