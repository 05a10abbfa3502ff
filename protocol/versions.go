package protocol

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A VersionRange is the versions of one API that a side knows, both ends included.
type VersionRange struct{ Min, Max int16 }

// Contains reports whether version lies in the range.
func (r VersionRange) Contains(version int16) bool { return r.Min <= version && version <= r.Max }

// String returns the range as "0-9", or as "0" if it holds one version only.
func (r VersionRange) String() string {
	if r.Min == r.Max {
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}

// Versions holds the range of each API that a side knows, by API key.
type Versions map[int16]VersionRange

// CoordinatorVersions returns what our coordinator serves: the group APIs in the versions of Kafka 4.4.0. These keep
// version 0 of everything but OffsetCommit and OffsetFetch (KIP-896); older versions of those two belong to offsets in
// ZooKeeper. The map is the caller's own.
func CoordinatorVersions() Versions {
	return Versions{
		int16(kmsg.OffsetCommit):    {2, 10},
		int16(kmsg.OffsetFetch):     {1, 10},
		int16(kmsg.FindCoordinator): {0, 6},
		int16(kmsg.JoinGroup):       {0, 9},
		int16(kmsg.Heartbeat):       {0, 4},
		int16(kmsg.LeaveGroup):      {0, 5},
		int16(kmsg.SyncGroup):       {0, 5},
		int16(kmsg.DescribeGroups):  {0, 6},
		int16(kmsg.ListGroups):      {0, 5},
		int16(kmsg.ApiVersions):     {0, 5},
		int16(kmsg.TxnOffsetCommit): {0, 6},
		int16(kmsg.DeleteGroups):    {0, 3},
		int16(kmsg.OffsetDelete):    {0, 0},
	}
}

// MemberVersions returns what our member speaks: all that a broker since Kafka 1.0 or so understands. Topics in
// OffsetCommit and OffsetFetch have names up to version 9 and ids alone from version 10 on; the member speaks names.
// The map is the caller's own.
func MemberVersions() Versions {
	return Versions{
		int16(kmsg.ListOffsets):     {1, 11},
		int16(kmsg.Metadata):        {1, 13},
		int16(kmsg.OffsetCommit):    {2, 9},
		int16(kmsg.OffsetFetch):     {1, 9},
		int16(kmsg.FindCoordinator): {0, 6},
		int16(kmsg.JoinGroup):       {0, 9},
		int16(kmsg.Heartbeat):       {0, 4},
		int16(kmsg.LeaveGroup):      {0, 5},
		int16(kmsg.SyncGroup):       {0, 5},
		int16(kmsg.ApiVersions):     {0, 5},
	}
}

// VersionsOf returns the versions that an ApiVersions response lists.
func VersionsOf(resp *kmsg.ApiVersionsResponse) Versions {
	versions := make(Versions, len(resp.ApiKeys))
	for _, api := range resp.ApiKeys {
		versions[api.ApiKey] = VersionRange{api.MinVersion, api.MaxVersion}
	}
	return versions
}

// APIKeys returns the versions as an ApiVersions response lists them, by ascending key.
func (v Versions) APIKeys() []kmsg.ApiVersionsResponseApiKey {
	list := make([]kmsg.ApiVersionsResponseApiKey, 0, len(v))
	for _, key := range slices.Sorted(maps.Keys(v)) {
		api := kmsg.NewApiVersionsResponseApiKey()
		api.ApiKey, api.MinVersion, api.MaxVersion = key, v[key].Min, v[key].Max
		list = append(list, api)
	}
	return list
}

// Negotiate returns the highest version of the API that both sides know. The error is a [*VersionError].
func (v Versions) Negotiate(key int16, theirs Versions) (int16, error) {
	ourRange, weKnow := v[key]
	theirRange, theyKnow := theirs[key]
	if weKnow && theyKnow {
		if version := min(ourRange.Max, theirRange.Max); ourRange.Contains(version) && theirRange.Contains(version) {
			return version, nil
		}
	}
	err := &VersionError{Key: key}
	if weKnow {
		err.Ours = &ourRange
	}
	if theyKnow {
		err.Theirs = &theirRange
	}
	return 0, err
}

// A VersionError says that two sides have no version of an API in common. errors.Is finds [UnsupportedVersion], and
// kerr's error of that name, in it.
type VersionError struct {
	// Key is the API's key.
	Key int16
	// Ours and Theirs are what each side knows; nil if it does not know the API at all.
	Ours, Theirs *VersionRange
}

// Error names the API, both ranges and which side to upgrade.
func (e *VersionError) Error() string {
	cure := "upgrade the older one"
	switch {
	case e.Theirs == nil || e.Ours != nil && e.Theirs.Max < e.Ours.Min:
		cure = "upgrade the other side"
	case e.Ours == nil || e.Ours.Max < e.Theirs.Min:
		cure = "upgrade this side"
	}
	return fmt.Sprintf("no common version of %s: this side knows %s, the other side knows %s: %s",
		APIName(e.Key), knows(e.Ours), knows(e.Theirs), cure)
}

// Unwrap returns [UnsupportedVersion].
func (e *VersionError) Unwrap() error { return UnsupportedVersion }

func knows(r *VersionRange) string {
	if r == nil {
		return "none"
	}
	return r.String()
}

// APIName returns the name of an API, such as "JoinGroup", or "API 1234" for a key that kmsg does not know.
func APIName(key int16) string {
	if name := kmsg.NameForKey(key); name != "Unknown" {
		return name
	}
	return fmt.Sprintf("API %d", key)
}
