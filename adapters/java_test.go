package adapters_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// compiled are the classes below java/, and the assignor's of the example.
var compiled struct {
	once   sync.Once
	folder string
	err    error
}

// startJava starts a class of ours with the client's jars. Without a compiler the test is skipped, or fails where Kafka is
// required.
func startJava(t *testing.T, class string, args ...string) *kafkatest.Program {
	t.Helper()
	java, jars, err := kafkatest.JavaAndJars(kafkatest.V4_4_0)
	if err != nil {
		t.Fatal(err)
	}
	javac, err := exec.LookPath(filepath.Join(filepath.Dir(java), "javac"))
	if err != nil {
		if os.Getenv("JOINSYNC_REQUIRE_KAFKA") == "1" {
			t.Fatalf("%v; install a JDK (Debian: apt-get install openjdk-17-jdk-headless)", err)
		}
		t.Skipf("%v; install a JDK (Debian: apt-get install openjdk-17-jdk-headless)", err)
	}
	compiled.once.Do(func() { compiled.folder, compiled.err = compile(javac, jars) })
	if compiled.err != nil {
		t.Fatal(compiled.err)
	}
	classes := compiled.folder + string(filepath.ListSeparator) + jars
	flags := []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classes, class}
	return kafkatest.StartProgram(t, java, append(flags, args...)...)
}

func compile(javac, jars string) (folder string, err error) {
	var sources []string
	for _, pattern := range []string{"java/*.java", "../examples/capacity/java/*.java"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		sources = append(sources, found...)
	}
	if folder, err = os.MkdirTemp("", "joinsync-classes-"); err != nil {
		return "", err
	}
	command := exec.Command(javac, append([]string{"-Xlint:all", "-Werror", "-cp", jars, "-d", folder}, sources...)...)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return folder, command.Run()
}

func removeClasses() {
	if compiled.folder != "" {
		_ = os.RemoveAll(compiled.folder)
	}
}
