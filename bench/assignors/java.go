package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// kafkaClients is the version of the Java client.
const kafkaClients = kafkatest.V4_4_0

//go:embed Lead.java
var leadSource []byte

// javaSide compiles Java's side into a folder. The error says what is missing, and the cure.
func javaSide(ctx context.Context, folder string) (s side, version string, err error) {
	java, jars, err := kafkatest.JavaAndJars(kafkaClients)
	if err != nil {
		return s, "", err
	}
	javac, err := exec.LookPath(filepath.Join(filepath.Dir(java), "javac"))
	if err != nil {
		return s, "", fmt.Errorf("%w; install a JDK (Debian: apt-get install openjdk-17-jdk-headless), or point JAVA_HOME at one", err)
	}
	source := filepath.Join(folder, "Lead.java")
	if err := os.WriteFile(source, leadSource, 0o600); err != nil {
		return s, "", err
	}
	if out, err := exec.CommandContext(ctx, javac, "-cp", jars, "-d", folder, source).CombinedOutput(); err != nil {
		return s, "", fmt.Errorf("javac Lead.java: %w\n%s", err, out)
	}
	out, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return s, "", fmt.Errorf("java -version: %w", err)
	}
	version, _, _ = strings.Cut(string(out), "\n")
	classes := strings.Join([]string{folder, jars}, string(filepath.ListSeparator))
	return side{"Java", func(ctx context.Context, b *bench, assignor, in, out string) *exec.Cmd {
		return exec.CommandContext(ctx, java, "-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", fmt.Sprintf("-Xmx%dm", b.memory>>20),
			"-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", classes, "Lead", assignor, in, out,
			fmt.Sprint(b.javaWarm.Nanoseconds()), fmt.Sprint(b.while.Nanoseconds()))
	}}, version, nil
}
