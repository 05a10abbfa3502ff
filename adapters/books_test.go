package adapters_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"sync"
)

// books are the test's ledger, as a member in a process of its own sees them. Each entry is a line, and the member goes on when
// it is answered: before it takes part in the next rebalance, the ledger knows what it has given up, and no two clocks are
// compared.
type books struct {
	mu   sync.Mutex
	conn net.Conn
	in   *bufio.Reader
}

// openBooks introduces a member by its client id.
func openBooks(addr, clientID string) (*books, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	b := &books{conn: conn, in: bufio.NewReader(conn)}
	b.write(clientID)
	return b, nil
}

func (b *books) take(partitions ...int32) { b.write(entry("take", partitions)) }
func (b *books) give(partitions ...int32) { b.write(entry("give", partitions)) }
func (b *books) lead()                    { b.write("lead") }

func entry(what string, partitions []int32) string {
	for _, p := range partitions {
		what += fmt.Sprint(" ", p)
	}
	return what
}

// write returns when the line is in the books. Where there are none any more, the test has ended, and so does the member.
func (b *books) write(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, err := fmt.Fprintln(b.conn, line)
	if err == nil {
		_, err = b.in.ReadString('\n')
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the ledger is closed:", err)
		os.Exit(1)
	}
}
