module github.com/joinsync/joinsync/internal/wholepath

go 1.26.0

replace github.com/joinsync/joinsync => ../../

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/joinsync/joinsync v0.0.0
	github.com/twmb/franz-go v1.22.3
	github.com/twmb/franz-go/pkg/kmsg v1.15.1
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	github.com/twmb/franz-go/pkg/kfake v0.0.0-20260918054303-01f206a7e32c // indirect
	go.uber.org/multierr v1.10.0 // indirect
	go.uber.org/zap v1.28.0 // indirect
)
