module github.com/joinsync/joinsync

go 1.26

require (
	github.com/spf13/cobra v1.10.2
	github.com/twmb/franz-go v1.22.3
	github.com/twmb/franz-go/pkg/kfake v0.0.0-20260918054303-01f206a7e32c
	github.com/twmb/franz-go/pkg/kmsg v1.15.1
	go.uber.org/zap v1.28.0
	golang.org/x/term v0.48.0
	pgregory.net/rapid v1.3.0
)
