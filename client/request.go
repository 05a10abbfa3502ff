package client

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// request sends req over m's session, waits up to timeout, and returns the response as the type it must have. Its
// errors are *lost.
func request[R kmsg.Response](ctx context.Context, m *Member, api string, req kmsg.Request, timeout time.Duration) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var none R
	resp, err := m.session.Request(ctx, req)
	if err != nil {
		return none, &lost{api: api, err: err}
	}
	m.reached.Store(true)
	typed, ok := resp.(R)
	if !ok {
		return none, &lost{api: api, err: fmt.Errorf("the session answered with %T", resp)}
	}
	return typed, nil
}

// instanceID is the group instance id as requests carry it: null in dynamic members.
func (m *Member) instanceID() *string {
	if m.cfg.InstanceID == "" {
		return nil
	}
	return kmsg.StringPtr(m.cfg.InstanceID)
}

// millis is d as requests carry it. Config.Validate has bounded it.
func millis(d time.Duration) int32 { return int32(d.Milliseconds()) }

// deref reads a nullable string; null counts as empty.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
