// Package deps keeps requirements in go.mod until the code that needs them lands.
package deps

import (
	_ "github.com/spf13/cobra"
	_ "github.com/twmb/franz-go/pkg/kbin"
	_ "github.com/twmb/franz-go/pkg/kerr"
	_ "github.com/twmb/franz-go/pkg/kfake"
	_ "github.com/twmb/franz-go/pkg/kgo"
	_ "github.com/twmb/franz-go/pkg/kmsg"
	_ "go.uber.org/zap"
	_ "golang.org/x/term"
	_ "pgregory.net/rapid"
)
