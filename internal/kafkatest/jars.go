package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fetchTimeout bounds one fetch of all jars of a version (some 55 MB), and the wait for another test binary's fetch.
const fetchTimeout = 5 * time.Minute

// pom asks Maven for the broker, its tools, and a logger that writes to standard error. 3.9.2 brings a second logger,
// which would swallow every line. VERSION stands for Kafka's version, MORE for what only some versions have.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>joinsync</groupId>
  <artifactId>kafkatest</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>VERSION</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>VERSION</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
    MORE
  </dependencies>
</project>
`

// fileConnectors are Connect's connectors for files, which are not published of 4.4.0 and run with no other version.
const fileConnectors = `<dependency><groupId>org.apache.kafka</groupId><artifactId>connect-file</artifactId><version>VERSION</version></dependency>`

func pomOf(version Version) string {
	more := ""
	if version == V3_9_2 {
		more = fileConnectors
	}
	return strings.ReplaceAll(strings.Replace(pom, "MORE", more, 1), "VERSION", string(version))
}

// folder names the folder for the jars of a version: another one where other jars are asked for.
func folder(version Version) string {
	return fmt.Sprintf("%s-%08x", version, crc32.ChecksumIEEE([]byte(pomOf(version))))
}

// classpath returns the class path of all jars of a version and fetches them first when the cache has none.
func classpath(version Version) (string, error) {
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	lib := filepath.Join(cache, folder(version))
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make the cache folder, or set JOINSYNC_KAFKA_CACHE to one that can be written: %w", err)
	}
	// Every test binary of a run may get here at once; the first fetches, the others wait and find the jars.
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	unlock, err := lockFile(ctx, lib+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(lib); errors.Is(err, fs.ErrNotExist) {
		if err := fetchJars(ctx, version, lib); err != nil {
			return "", fmt.Errorf("fetch the jars of kafka %s: %w", version, err)
		}
	} else if err != nil {
		return "", err
	}
	return filepath.Join(lib, "*"), nil
}

// cacheFolder returns the folder that holds one folder of jars per version.
func cacheFolder() (string, error) {
	if folder := os.Getenv("JOINSYNC_KAFKA_CACHE"); folder != "" {
		return filepath.Abs(folder)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder for kafka's jars; set JOINSYNC_KAFKA_CACHE: %w", err)
	}
	return filepath.Join(user, "joinsync", "kafka"), nil
}

// fetchJars fills lib by way of a folder beside it and one rename, so that lib is complete whenever it exists.
func fetchJars(ctx context.Context, version Version, lib string) error {
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("%w; install Maven (Debian: apt-get install maven)", err)
	}
	work, err := os.MkdirTemp(filepath.Dir(lib), ".fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), []byte(pomOf(version)), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, maven, "--quiet", "--batch-mode",
		"-DoutputDirectory=lib", "-DexcludeArtifactIds=slf4j-reload4j", "dependency:copy-dependencies")
	cmd.Dir = work
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mvn dependency:copy-dependencies: %w\n%s", err, tail(string(out), 20))
	}
	return os.Rename(filepath.Join(work, "lib"), lib)
}
