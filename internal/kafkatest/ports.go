package kafkatest

import (
	"net"
	"testing"
)

// FreeAddr picks a port that nobody listens on, for a program that cannot tell which one it took, and returns its address,
// "127.0.0.1:41234". Someone may be faster than the program; then that does not start.
func FreeAddr(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// ports are the addresses of a broker's listeners, "127.0.0.1:41234".
type ports struct{ plain, sasl, tls, controller string }

// freePorts picks ports that nobody listens on. The broker binds them a second later, and someone may have been faster:
// then it does not start, and another try takes other ports.
func freePorts() (ports, error) {
	var addrs [4]string
	for i := range addrs {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return ports{}, err
		}
		defer listener.Close() // at the end, so that all differ
		addrs[i] = listener.Addr().String()
	}
	return ports{plain: addrs[0], sasl: addrs[1], tls: addrs[2], controller: addrs[3]}, nil
}
