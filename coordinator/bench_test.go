package coordinator_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/coordinator"
)

func BenchmarkHeartbeat(b *testing.B) {
	c := start(b, coordinator.Config{})
	p := connect(b, c, "client")
	joined := p.stable()
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation = "g", joined.MemberID, joined.Generation
	b.ReportAllocs()
	for b.Loop() {
		if resp := ask[*kmsg.HeartbeatResponse](p, req); resp.ErrorCode != 0 {
			b.Fatal(resp.ErrorCode)
		}
	}
}

func BenchmarkCommit(b *testing.B) {
	c := start(b, coordinator.Config{})
	p := connect(b, c, "client")
	joined := p.stable()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if code := p.commit(joined, "t", int64(i)); code != 0 {
			b.Fatal(code)
		}
	}
}
