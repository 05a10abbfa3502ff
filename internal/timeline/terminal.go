package timeline

import (
	"io"
	"os"

	"golang.org/x/term"
)

// For returns the configuration of a timeline on out. On a terminal the text is as wide as that, and coloured unless the
// environment says NO_COLOR (https://no-color.org) or that the terminal is a dumb one.
func For(out io.Writer, json bool) Config {
	cfg := Config{Out: out, JSON: json}
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return cfg
	}
	cfg.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		cfg.Width = width
	}
	return cfg
}
