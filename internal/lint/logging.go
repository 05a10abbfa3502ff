package lint

// checkLogging finds loggers that do not come from a config field, and log lines without typed fields.
func checkLogging(files []*file) (found []finding) {
	for _, f := range files {
		for _, name := range []string{"L", "S", "ReplaceGlobals"} {
			for _, call := range calls(f.syntax, "zap", name) {
				found = append(found, f.find(call.Pos(), "zap.%s uses the global logger; take a *zap.Logger in the config, "+
					"nil for none", name))
			}
		}
	}
	return found
}
