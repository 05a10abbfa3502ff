package client

import (
	"context"
	"errors"
	"strconv"
	"testing"
)

func TestFutureCompletesOnce(t *testing.T) {
	f := newFuture[int]()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait ends with %v", err)
	}
	f.complete(1, nil)
	f.complete(2, errors.New("late"))
	<-f.Done()
	if v, err := f.Wait(ctx); v != 1 || err != nil { // a complete future needs no waiting
		t.Errorf("the future is %d, %v", v, err)
	}
}

func TestChainedFutureCompletesWithTheFirst(t *testing.T) {
	for _, early := range []bool{true, false} {
		f := newFuture[int]()
		if early {
			f.complete(7, nil)
		}
		text := Chain(f, func(v int) (string, error) { return strconv.Itoa(v), nil })
		f.complete(7, nil)
		if s, err := text.Wait(t.Context()); s != "7" || err != nil {
			t.Errorf("the chained future is %q, %v", s, err)
		}
	}
}

func TestChainedFutureCompletesWithAnyError(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	f := newFuture[int]()
	after := Chain(f, func(int) (int, error) { t.Error("called without a value"); return 0, nil })
	f.complete(0, first)
	if _, err := after.Wait(t.Context()); !errors.Is(err, first) {
		t.Errorf("ends with %v", err)
	}
	g := newFuture[int]()
	g.complete(1, nil)
	if _, err := Chain(g, func(int) (int, error) { return 0, second }).Wait(t.Context()); !errors.Is(err, second) {
		t.Errorf("ends with %v", err)
	}
}
