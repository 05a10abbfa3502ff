package broker

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
)

// An endpoint is where clients find the broker. It is the address of the data plane's listener, since that is what kfake
// tells clients in its answers.
type endpoint struct {
	host string
	port int32
}

// Network implements net.Addr.
func (endpoint) Network() string { return "tcp" }

// String implements net.Addr.
func (e endpoint) String() string { return net.JoinHostPort(e.host, strconv.Itoa(int(e.port))) }

// parseEndpoint reads a host and a port.
func parseEndpoint(text string) (endpoint, error) {
	host, portText, err := net.SplitHostPort(text)
	if err != nil {
		return endpoint{}, fmt.Errorf("%q is not HOST:PORT: %w", text, err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return endpoint{}, fmt.Errorf("%q: the port must be a number from 1 to 65535", text)
	}
	if everyHost(host) {
		return endpoint{}, fmt.Errorf("%q has no host that a client could connect to", text)
	}
	return endpoint{host: host, port: int32(port)}, nil
}

// everyHost tells whether a listener on that host listens on every address of the machine.
func everyHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// advertised returns the endpoint that clients are told.
func (c *Config) advertised(listening net.Addr) (endpoint, error) {
	e, err := parseEndpoint(cmp.Or(c.Advertise, listening.String()))
	if err != nil {
		return e, fmt.Errorf("broker: set Advertise to the host and port at which clients reach the broker: %w", err)
	}
	return e, nil
}

// checkAddresses looks at what is known of addresses before there is a listener.
func (c *Config) checkAddresses() error {
	if c.Advertise != "" {
		if _, err := parseEndpoint(c.Advertise); err != nil {
			return fmt.Errorf("broker: Advertise: %w", err)
		}
	}
	if c.Listener != nil {
		return nil
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("broker: Addr: %q is not HOST:PORT: %w", c.Addr, err)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("broker: Addr: %q: the port must be a number from 0 to 65535", c.Addr)
	}
	if c.Advertise == "" && everyHost(host) {
		return fmt.Errorf("broker: Addr: %q is every address of this machine: set Advertise to the one that clients are to use", c.Addr)
	}
	return nil
}
