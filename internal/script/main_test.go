package script

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets many scripts run side by side, unless -parallel says otherwise: on a real broker they spend nearly all
// of their time waiting.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", "16"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
