package kafkatest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// minJava is the oldest Java that runs the jars of both versions.
const minJava = 17

// jvmFlags make a JVM that lives for seconds start in half the time: no second compiler, no parallel collector.
var jvmFlags = []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Djava.awt.headless=true"}

// findJava returns the path of a Java that is new enough: JAVA_HOME's, or the first on PATH.
var findJava = sync.OnceValues(func() (string, error) {
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	path, err := exec.LookPath(java)
	if err != nil {
		return "", fmt.Errorf("%w; install Java %d or newer (Debian: apt-get install openjdk-17-jre-headless)", err, minJava)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s -version: %w: %s", path, err, out)
	}
	major, err := javaMajor(string(out))
	if err != nil {
		return "", fmt.Errorf("%s -version: %w", path, err)
	}
	if major < minJava {
		return "", fmt.Errorf("%s is Java %d; install Java %d or newer, or point JAVA_HOME at one", path, major, minJava)
	}
	return path, nil
})

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// javaMajor reads the major version out of what java -version prints: 17 of "17.0.15", 8 of "1.8.0_412".
func javaMajor(output string) (int, error) {
	match := javaVersion.FindStringSubmatch(output)
	if match == nil {
		return 0, fmt.Errorf("no version in %q", output)
	}
	return strconv.Atoi(match[1])
}
