package main

import (
	"github.com/spf13/cobra"

	"github.com/joinsync/joinsync/internal/demo"
	"github.com/joinsync/joinsync/internal/timeline"
)

func newDemo() *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play the life of a group in this process, and check it",
		Long: `demo plays the life of one consumer group, on a coordinator inside this process: three members share a topic, one
leaves, one is killed and expires, a late one resumes at the committed offsets. It shows each generation: why it came,
who leads, and who owns what; and the first join in its seven steps, with what is in each request and answer.

It needs no cluster and no port, and takes about six seconds. It exits with 0 when all that it shows holds, with 1 when
something does not or it was interrupted (Ctrl-C), and with 2 when it was called wrongly.`,
		Example: `  joinsync demo
  joinsync demo --json | jq -c 'select(.event == "generation") | [.generation, .reason]'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := demo.Run(cmd.Context(), timeline.For(cmd.OutOrStdout(), json)); err != nil {
				return &failure{err}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "print one JSON object a line: see joinsync help json")
	return cmd
}
