package broker

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// javaHost writes the host of an address as Java does: with a slash before it, and IPv6 in full (G-009).
func javaHost(addr net.Addr) string {
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "/" + addr.String()
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return "/" + host
	}
	if ip = ip.Unmap(); ip.Is4() {
		return "/" + ip.String()
	}
	bytes := ip.As16()
	var text strings.Builder
	for i := 0; i < len(bytes); i += 2 {
		text.WriteByte("/:"[min(i, 1)])
		fmt.Fprintf(&text, "%x", int(bytes[i])<<8|int(bytes[i+1]))
	}
	if zone := ip.Zone(); zone != "" {
		text.WriteString("%" + zone)
	}
	return text.String()
}
