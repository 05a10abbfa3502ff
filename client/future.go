package client

import (
	"context"
	"sync"
)

// A Future is a value that is still to come, or the error that came instead. It completes once. All its methods may be
// called concurrently.
type Future[T any] struct {
	done  chan struct{} // closed once value and err are set
	value T
	err   error

	mu   sync.Mutex
	over bool     // complete has been called
	then []func() // to run on completion
}

func newFuture[T any]() *Future[T] {
	return &Future[T]{done: make(chan struct{})}
}

// Done is closed when the future is complete; Wait returns at once from then on.
func (f *Future[T]) Done() <-chan struct{} { return f.done }

// Wait returns the value or the error of the future, or ctx's error if that ends first. It only waits: giving up does
// not disturb what the future stands for.
func (f *Future[T]) Wait(ctx context.Context) (T, error) {
	select {
	case <-f.done:
		return f.value, f.err
	default:
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// complete settles the future; the first call wins. Chained futures complete in the caller's goroutine.
func (f *Future[T]) complete(value T, err error) {
	f.mu.Lock()
	if f.over {
		f.mu.Unlock()
		return
	}
	f.over, f.value, f.err = true, value, err
	chained := f.then
	f.then = nil
	f.mu.Unlock()

	close(f.done)
	for _, run := range chained {
		run()
	}
}

// whenDone runs fn once the future is complete: now if it is, else in the goroutine that completes it.
func (f *Future[T]) whenDone(fn func()) {
	f.mu.Lock()
	over := f.over
	if !over {
		f.then = append(f.then, fn)
	}
	f.mu.Unlock()
	if over {
		<-f.done // complete sets over before it closes done
		fn()
	}
}

// Chain returns a future that completes with fn of f's value, or with f's error. fn runs in the goroutine that
// completes f, so it must be quick and must not wait for the member.
func Chain[T, U any](f *Future[T], fn func(T) (U, error)) *Future[U] {
	chained := newFuture[U]()
	f.whenDone(func() {
		if f.err != nil {
			var none U
			chained.complete(none, f.err)
			return
		}
		chained.complete(fn(f.value))
	})
	return chained
}
