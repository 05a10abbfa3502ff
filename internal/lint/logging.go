package lint

// checkLogging finds loggers that do not come from a config field: a library logs where its caller says, or nowhere.
func checkLogging(files []*file) (found []finding) {
	for _, f := range files {
		for _, call := range calls(f.syntax, "zap.L", "zap.S", "zap.ReplaceGlobals") {
			found = append(found, f.find(call.Pos(), "this is the global logger; take a *zap.Logger in the config, nil for none"))
		}
	}
	return found
}
