package differ

import (
	"context"
	"net"

	"github.com/joinsync/joinsync/internal/script"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// dial connects, and returns when the broker has answered on the connection: before that a request would take longer than
// on others, and be overtaken by those that are sent after it.
func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	if _, err := script.Exchange(conn, kmsg.NewRequestFormatter(), kmsg.NewPtrApiVersionsRequest()); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
