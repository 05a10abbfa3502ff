package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// startTimeout bounds one start. It takes three seconds on an idle machine; a busy one needs more.
	startTimeout = 90 * time.Second
	// stopGrace is how long a broker or a consumer may take to end after SIGTERM.
	stopGrace = 20 * time.Second
	// startTries bounds how often a start is tried with other ports.
	startTries = 3
)

// shared holds the brokers of this test binary by their configuration. An entry is made before the broker is started:
// tests that run in parallel wait for one start.
var shared struct {
	sync.Mutex
	brokers map[string]func() (*Broker, error)
}

// Start returns a running broker of the given version: a single node that is its own controller, with Kafka's defaults but
// for one replica of everything, four partitions of __consumer_offsets, no initial rebalance delay (Kafka's: 3 s), session
// time-outs from 100 ms on (Kafka's: 6 s), and no sweep of old offsets. Options change that. The first call for a
// configuration starts the broker, later ones in the same test binary share it.
//
// The coordinator of every group is loaded, so that no test sees COORDINATOR_NOT_AVAILABLE or
// COORDINATOR_LOAD_IN_PROGRESS of a broker that is still new. Without Java or Maven, and with -short, the test is skipped.
func Start(t testing.TB, version Version, opts ...Option) *Broker {
	t.Helper()
	requireJars(t, version)
	cfg := newConfig(version, opts)
	start := func() (*Broker, error) { return start(cfg) }
	if !cfg.private {
		start = sharedStart(cfg.key(), start)
	}
	broker, err := start()
	if err != nil {
		t.Fatal(err)
	}
	if cfg.private {
		t.Cleanup(func() {
			if err := broker.Stop(); err != nil {
				t.Error(err)
			}
			broker.process.release()
		})
	}
	t.Cleanup(func() { broker.process.report(t, "kafka "+string(version)) })
	return broker
}

// sharedStart returns the one function that starts the broker of a configuration, or has started it.
func sharedStart(key string, start func() (*Broker, error)) func() (*Broker, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.brokers == nil {
		shared.brokers = make(map[string]func() (*Broker, error))
	}
	if shared.brokers[key] == nil {
		shared.brokers[key] = sync.OnceValues(start)
	}
	return shared.brokers[key]
}

// start starts a broker and waits until its groups are loaded. It tries again when another process took one of its ports.
func start(cfg config) (*Broker, error) {
	for try := 1; ; try++ {
		ports, err := freePorts()
		if err != nil {
			return nil, err
		}
		broker, err := startOnce(cfg, ports)
		if err == nil {
			return broker, nil
		}
		if !errors.Is(err, errPortTaken) || try == startTries {
			return nil, fmt.Errorf("start kafka %s: %w", cfg.version, err)
		}
	}
}

// errPortTaken marks a start that failed only because a port was no longer free.
var errPortTaken = errors.New("a port was taken by another process")

// formatAndRun formats the data folder and becomes the broker; its arguments are the command line of Java up to the class.
// The cluster id only has to be there: no two brokers ever meet.
const formatAndRun = `"$@" kafka.tools.StorageTool format -t joinsyncjoinsyncjoinsA -c server.properties ` + addUser + ` >&2 &&
exec "$@" kafka.Kafka server.properties`

func startOnce(cfg config, ports ports) (*Broker, error) {
	java, jars, err := JavaAndJars(cfg.version)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "joinsync-kafka-")
	if err != nil {
		return nil, err
	}
	properties := cfg.withPlace(ports, folder).text()
	if err := os.WriteFile(filepath.Join(folder, "server.properties"), []byte(properties), 0o644); err != nil {
		return nil, err
	}
	certificate, err := writeKeystore(folder)
	if err != nil {
		return nil, err
	}
	args := append([]string{"-c", formatAndRun, "kafka", java, "-Xmx512m"}, append(jvmFlags, "-cp", jars)...)
	process, err := startProcess(folder, nil, "/bin/sh", args...)
	if err != nil {
		return nil, err
	}
	broker := &Broker{version: cfg.version, ports: ports, process: process, certificate: certificate}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := broker.awaitReady(ctx, cfg); err != nil {
		return nil, broker.failedStart(err)
	}
	return broker, nil
}

// failedStart ends what is left of a broker and adds the end of its log to the error.
func (b *Broker) failedStart(err error) error {
	defer b.process.release()
	b.process.kill()
	if strings.Contains(b.process.log(), "Address already in use") {
		return errPortTaken
	}
	return fmt.Errorf("%w; the end of its log:\n%s", err, tail(b.process.log(), 40))
}
