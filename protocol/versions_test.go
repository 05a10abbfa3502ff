package protocol

import (
	"errors"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestNegotiateTakesTheHighestCommonVersion(t *testing.T) {
	const none = -1
	cases := []struct {
		ours, theirs VersionRange
		want         int16
	}{
		{VersionRange{0, 9}, VersionRange{0, 9}, 9},
		{VersionRange{0, 9}, VersionRange{0, 5}, 5},
		{VersionRange{0, 5}, VersionRange{0, 9}, 5},
		{VersionRange{2, 10}, VersionRange{0, 2}, 2},
		{VersionRange{0, 2}, VersionRange{2, 10}, 2},
		{VersionRange{}, VersionRange{}, 0},
		{VersionRange{2, 10}, VersionRange{0, 1}, none},
		{VersionRange{0, 1}, VersionRange{2, 10}, none},
		{VersionRange{0, 9}, VersionRange{5, 3}, none}, // an empty range, such as only a faulty peer sends
		{VersionRange{0, 9}, VersionRange{-3, -1}, none},
	}
	for _, c := range cases {
		got, err := Versions{11: c.ours}.Negotiate(11, Versions{11: c.theirs})
		if (err != nil) != (c.want == none) || err == nil && got != c.want {
			t.Errorf("ours %v, theirs %v: %d, %v, want %d", c.ours, c.theirs, got, err, c.want)
		}
	}
}

func TestVersionErrorNamesTheAPIBothRangesAndTheCure(t *testing.T) {
	cases := []struct {
		ours, theirs Versions
		want         string
	}{
		{Versions{8: {2, 10}}, Versions{8: {0, 1}},
			"no common version of OffsetCommit: this side knows 2-10, the other side knows 0-1: upgrade the other side"},
		{Versions{8: {0, 1}}, Versions{8: {2, 10}},
			"no common version of OffsetCommit: this side knows 0-1, the other side knows 2-10: upgrade this side"},
		{Versions{8: {2, 10}}, Versions{},
			"no common version of OffsetCommit: this side knows 2-10, the other side knows none: upgrade the other side"},
		{nil, Versions{8: {0, 0}},
			"no common version of OffsetCommit: this side knows none, the other side knows 0: upgrade this side"},
	}
	for _, c := range cases {
		_, err := c.ours.Negotiate(8, c.theirs)
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		var typed *VersionError
		if !errors.As(err, &typed) || typed.Key != 8 || !errors.Is(err, UnsupportedVersion) || !errors.Is(err, kerr.UnsupportedVersion) {
			t.Errorf("%v cannot be told from other errors", err)
		}
	}
	if _, err := (Versions{}).Negotiate(9999, nil); err == nil || APIName(9999) != "API 9999" {
		t.Errorf("an API that nobody knows is negotiated as %s, %v", APIName(9999), err)
	}
}

// TestEveryVersionWeNameExists: kmsg must be able to encode what the tables promise, and whoever asks gets a map of
// its own.
func TestEveryVersionWeNameExists(t *testing.T) {
	for _, table := range []func() Versions{CoordinatorVersions, MemberVersions} {
		for key, r := range table() {
			req := kmsg.RequestForKey(key)
			if req == nil || r.Min < 0 || r.Min > r.Max || r.Max > req.MaxVersion() {
				t.Errorf("%s %v", APIName(key), r)
			}
		}
		mine := table()
		delete(mine, int16(kmsg.JoinGroup))
		if _, ok := table()[int16(kmsg.JoinGroup)]; !ok {
			t.Error("a caller's change reached the table")
		}
	}
	for key, r := range MemberVersions() {
		if coordinator, ok := CoordinatorVersions()[key]; ok && (r.Min < coordinator.Min || r.Max > coordinator.Max) {
			t.Errorf("our member speaks %s %v, our coordinator serves %v", APIName(key), r, coordinator)
		}
	}
}

func TestVersionsOfAnApiVersionsResponse(t *testing.T) {
	resp := kmsg.NewApiVersionsResponse()
	resp.ApiKeys = CoordinatorVersions().APIKeys()
	for i := range resp.ApiKeys[1:] {
		if resp.ApiKeys[i].ApiKey >= resp.ApiKeys[i+1].ApiKey {
			t.Errorf("key %d stands before %d", resp.ApiKeys[i].ApiKey, resp.ApiKeys[i+1].ApiKey)
		}
	}
	if got, want := fmt.Sprint(VersionsOf(&resp)), fmt.Sprint(CoordinatorVersions()); got != want {
		t.Errorf("the response says\n%s, the table\n%s", got, want)
	}
}

func ExampleVersions_Negotiate() {
	broker := Versions{int16(kmsg.JoinGroup): {Min: 0, Max: 5}}
	version, err := MemberVersions().Negotiate(int16(kmsg.JoinGroup), broker)
	fmt.Println(version, err)
	// Output: 5 <nil>
}
