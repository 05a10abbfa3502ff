module github.com/joinsync/joinsync/adapters/kafkagobalancer

go 1.26.0

replace github.com/joinsync/joinsync => ../../

require (
	github.com/joinsync/joinsync v0.0.0
	github.com/segmentio/kafka-go v0.4.51
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	github.com/twmb/franz-go v1.22.3 // indirect
	github.com/twmb/franz-go/pkg/kmsg v1.15.1 // indirect
	go.uber.org/multierr v1.10.0 // indirect
	go.uber.org/zap v1.28.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
