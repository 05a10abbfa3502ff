package main

import (
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/joinsync/joinsync/internal/timeline"
)

// newRoot returns the command with all that is below it.
func newRoot(environment environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "joinsync",
		Short: "Group membership over Kafka's coordinator protocol",
		Long: `joinsync is group membership over Kafka's coordinator protocol: JoinGroup, SyncGroup, Heartbeat, LeaveGroup.

Start with the demo, which needs nothing but itself; then join a group of a cluster of yours, or of the broker that
serve is. To change how a group shares, ask assign first. If you build a broker of your own, conform compares it with
Kafka.`,
		Example: `  joinsync demo
  joinsync join --bootstrap localhost:9092 --group billing --topic orders
  joinsync serve --listen 127.0.0.1:9092 --topic orders:6
  joinsync conform --bootstrap localhost:9092
  joinsync assign --assignor sticky --bootstrap localhost:9092 --group billing`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newDemo(), newJoin(environment), newServe(), newConform(environment), newAssign(environment), &cobra.Command{
		Use:   "json",
		Short: "What --json of demo and join prints",
		Long:  timeline.Fields,
	})
	return root
}

// version is that of the module, with the commit it was built from if it was built in its repository.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	text := []string{info.Main.Version}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			text = append(text, setting.Value)
		case setting.Key == "vcs.modified" && setting.Value == "true":
			text = append(text, "modified")
		}
	}
	return strings.Join(append(text, info.GoVersion), " ")
}
