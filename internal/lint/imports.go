package lint

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// An edges row says what one package, or all below a folder, may import besides the standard library. Tests may import
// what they need: that is where client and coordinator meet.
type edges struct {
	folder string   // a folder, or with /... at its end also every folder below it
	may    []string // folders of this module, and modules or packages of others, each with all that is below it
	std    []string // the only packages of the standard library, nil for any
	not    []string // packages of the standard library that are out of bounds
	why    string   // what to do instead
}

const (
	kmsg = "github.com/twmb/franz-go/pkg/kmsg"
	kbin = "github.com/twmb/franz-go/pkg/kbin"
	kerr = "github.com/twmb/franz-go/pkg/kerr"
	kgo  = "github.com/twmb/franz-go"
	zap  = "go.uber.org/zap"

	kfake = kgo + "/pkg/kfake"
)

// network is what a package without sockets does not import.
var network = []string{"net", "crypto/tls", "syscall"}

// table lists who may import whom. The first row that fits a folder counts. A new package gets a row of its own, so that
// its place among the others is decided and not drifted into.
var table = []edges{
	{
		folder: "group",
		std: []string{"bytes", "cmp", "container/heap", "errors", "fmt", "iter", "maps", "math", "math/bits", "slices", "strconv",
			"strings", "unicode", "unicode/utf16", "unicode/utf8"},
		why: "group is a pure machine: time, ids and results of storage arrive in events, and what should be logged or sent " +
			"leaves in the output",
	},
	{
		folder: "protocol", may: []string{kmsg, kbin, kerr}, not: append([]string{"log", "log/slog", "time/tzdata"}, network...),
		why: "protocol is the wire without sockets and state: return data, and let the caller log, send and keep it",
	},
	{
		folder: "assignor/assignortest", may: []string{"protocol", "assignor", "internal/vector", "pgregory.net/rapid"}, not: network,
		why: "the checks are for whoever writes an assignor: what they need of the library is in assignor and protocol",
	},
	{
		folder: "assignor/...", may: []string{"protocol", "assignor"}, not: append([]string{"log", "log/slog"}, network...),
		why: "an assignor is a function of its problem: report in the plan what should be logged, and put what the wire needs " +
			"into protocol",
	},
	{
		folder: "coordinator", may: []string{"group", "protocol", kmsg, zap}, not: network,
		why: "the coordinator has no sockets and no assignors: connections belong into coordinator/broker, assignment to the leader",
	},
	{
		folder: "coordinator/broker", may: []string{"coordinator", "group", "protocol", "internal/memnet", kmsg, kbin, kerr, kfake, zap,
			"github.com/klauspost/compress", "github.com/pierrec/lz4"}, // which unpack what producers send
		why: "the door decodes, limits and passes on: what a group does belongs into group, and no member's code is needed here",
	},
	{
		folder: "coordinator/storetest", may: []string{"coordinator", "group", "protocol"}, not: network,
		why: "a store is tested through its interface, so that whoever writes one can run the same tests",
	},
	{
		folder: "client/kgotransport", may: []string{"client", "protocol", kgo, zap},
		why: "the transport turns requests into kgo's and nothing else: what a member decides belongs into client",
	},
	{
		folder: "client/...", may: []string{"client", "protocol", "assignor", "internal/offsets", kmsg, zap}, not: network,
		why: "a member knows its coordinator by protocol.Session only: franz-go belongs into client/kgotransport, and client and " +
			"coordinator meet in tests, cmd and examples",
	},
	{
		folder: "internal/offsets", may: []string{"protocol", "assignor", kmsg, kerr}, not: network,
		why: "offsets are asked for through whoever carries requests: this package builds them and reads the answers",
	},
	{
		folder: "internal/script/...", may: []string{""}, not: []string{"testing"},
		why: "joinsync conform runs scripts too, and the command has no tests in it: keep what needs a test in _test.go files",
	},
	{folder: "cmd/...", may: []string{""}},
	{folder: "examples/...", may: []string{""}},
	{folder: "internal/...", may: []string{""}},
}

// checkImports holds the root module's packages to the table. Nested modules may import what they like: the root does not depend
// on them.
func checkImports(files []*file, rows []edges) (found []finding) {
	for _, f := range files {
		if f.test() {
			continue
		}
		at := slices.IndexFunc(rows, func(e edges) bool { return within(f.folder(), e.folder) })
		if at < 0 {
			found = append(found, finding{f.path, fmt.Sprintf("no row for %s in the table of internal/lint/imports.go; "+
				"add one that says what it may import", f.folder())})
			continue
		}
		for _, spec := range f.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err == nil && !rows[at].allow(imported) {
				found = append(found, f.find(spec.Pos(), "%s must not import %s; %s", f.folder(), imported, rows[at].why))
			}
		}
	}
	return found
}

// allow reports whether the row lets its packages import a path.
func (e edges) allow(imported string) bool {
	if local, ok := strings.CutPrefix(imported, module+"/"); ok {
		return allowed(local, e.may)
	}
	if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
		return allowed(imported, e.may)
	}
	if e.std != nil {
		return slices.Contains(e.std, imported)
	}
	return !allowed(imported, e.not)
}

// allowed reports whether a path is, or is below, one of the listed ones. The empty one is above everything.
func allowed(imported string, list []string) bool {
	return slices.ContainsFunc(list, func(above string) bool { return above == "" || within(imported, above+"/...") })
}

// within reports whether a folder is the one of the pattern, or below it if the pattern ends with /... .
func within(folder, pattern string) bool {
	above, below := strings.CutSuffix(pattern, "/...")
	return folder == above || below && strings.HasPrefix(folder, path.Clean(above)+"/")
}
