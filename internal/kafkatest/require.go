package kafkatest

import (
	"os"
	"sync"
	"testing"
)

// requireJars skips the test when this machine cannot run Kafka, or fails it when JOINSYNC_REQUIRE_KAFKA=1.
func requireJars(t testing.TB, versions ...Version) {
	t.Helper()
	if testing.Short() {
		t.Skip("a real kafka takes its time; run without -short")
	}
	for _, version := range versions {
		if _, _, err := JavaAndJars(version); err != nil {
			if os.Getenv("JOINSYNC_REQUIRE_KAFKA") == "1" {
				t.Fatalf("JOINSYNC_REQUIRE_KAFKA=1, but there is no kafka %s to test with: %v", version, err)
			}
			t.Skipf("no kafka %s to test with: %v", version, err)
		}
	}
}

// found keeps each version's outcome: after one failed fetch no test of this binary waits for another.
var found sync.Map // Version → func() (java, jars string, err error)

// JavaAndJars returns the path of Java and the class path of a version, for whoever starts a JVM by itself. The error says what
// to install.
func JavaAndJars(version Version) (java, jars string, err error) {
	find := sync.OnceValues(func() (string, error) { return classpath(version) })
	once, _ := found.LoadOrStore(version, find)
	java, err = findJava()
	if err != nil {
		return "", "", err
	}
	jars, err = once.(func() (string, error))()
	return java, jars, err
}
