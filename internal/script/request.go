package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// apis is the table of what scripts can send: for each API a new request and its fields.
var apis = map[string]func(n *namebook) (kmsg.Request, []field){
	"JoinGroup":       joinGroup,
	"SyncGroup":       syncGroup,
	"Heartbeat":       heartbeat,
	"LeaveGroup":      leaveGroup,
	"OffsetCommit":    offsetCommit,
	"OffsetFetch":     offsetFetch,
	"OffsetDelete":    offsetDelete,
	"DescribeGroups":  describeGroups,
	"ListGroups":      listGroups,
	"DeleteGroups":    deleteGroups,
	"FindCoordinator": findCoordinator,
	"ApiVersions":     apiVersions,
	"InitProducerID":  initProducerID,
	"AddOffsetsToTxn": addOffsetsToTxn,
	"TxnOffsetCommit": txnOffsetCommit,
	"EndTxn":          endTxn,
}

// parseRequest reads "JoinGroup v9 group=g …". Fields that are left out have the value in defaults, if the API has the
// field in this version, or else the value that Kafka's schema gives. It reports all faults together.
func parseRequest(line string, n *namebook, defaults map[string]string) (kmsg.Request, error) {
	words, err := split(line)
	if err != nil {
		return nil, err
	}
	if len(words) < 2 {
		return nil, fmt.Errorf("%q is no request; write an API and a version: JoinGroup v9 …", line)
	}
	name := words[0]
	api, ok := apis[name]
	if !ok {
		return nil, fmt.Errorf("there is no API %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(apis)), ", "))
	}
	req, fields := api(n)
	version, err := strconv.ParseInt(strings.TrimPrefix(words[1], "v"), 10, 16)
	if err != nil || words[1][0] != 'v' || version < 0 || int16(version) > req.MaxVersion() {
		return nil, fmt.Errorf("%s is no version of %s; there are v0 to v%d", words[1], name, req.MaxVersion())
	}
	req.SetVersion(int16(version))

	given := map[string]string{}
	for _, f := range fields {
		if value, ok := defaults[f.name]; ok && f.in(int16(version)) {
			given[f.name] = value
		}
	}
	var errs []error
	for _, w := range words[2:] {
		key, value, found, err := cut(w, '=')
		if err != nil || !found {
			errs = append(errs, fmt.Errorf("%q is no field; write key=value", w))
			continue
		}
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == key }) {
			errs = append(errs, fmt.Errorf("%s has no field %q; it has %s", name, key, fieldNames(fields)))
		}
		given[key] = value
	}
	for _, f := range fields {
		value, ok := given[f.name]
		if !ok {
			continue
		}
		if !f.in(int16(version)) {
			errs = append(errs, fmt.Errorf("%s: %s v%d does not have it", f.name, name, version))
		} else if err := f.set(value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
		}
	}
	return req, errors.Join(errs...)
}

// parseDefaults reads the fields of a defaults line.
func parseDefaults(line string) (map[string]string, error) {
	words, err := split(line)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, api := range apis {
		_, fields := api(newNamebook("", ""))
		for _, f := range fields {
			known[f.name] = true
		}
	}
	defaults := map[string]string{}
	var errs []error
	for _, w := range words {
		key, value, found, err := cut(w, '=')
		switch {
		case err != nil || !found:
			errs = append(errs, fmt.Errorf("%q is no field; write key=value", w))
		case !known[key]:
			errs = append(errs, fmt.Errorf("no API has a field %q; fields are %s", key,
				strings.Join(slices.Sorted(maps.Keys(known)), ", ")))
		}
		defaults[key] = value
	}
	return defaults, errors.Join(errs...)
}
