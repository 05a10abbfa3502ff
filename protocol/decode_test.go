package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fill gives every field of a kmsg struct a random value; lists and strings stay short, and may be empty or null.
func fill(rng *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if tags, ok := v.Addr().Interface().(*kmsg.Tags); ok {
			for range rng.IntN(3) {
				tags.Set(100+rng.Uint32N(1e6), make([]byte, rng.IntN(3))) // never one that is known
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "Version" {
				fill(rng, v.Field(i))
			}
		}
	case reflect.Pointer:
		if rng.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(rng, v.Elem())
		}
	case reflect.Slice:
		if rng.IntN(4) > 0 {
			n := rng.IntN(4)
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(rng, v.Index(i))
		}
	case reflect.String:
		v.SetString(strings.Repeat("s", rng.IntN(4)))
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.Uint8:
		v.SetUint(rng.Uint64N(256))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(rng.Int64() >> (64 - v.Type().Bits()))
	default:
		panic("no rule for " + v.Type().String())
	}
}

// eachVersion calls fn with a few random requests of each version of each API that DecodeRequest knows.
func eachVersion(t *testing.T, fn func(t *testing.T, req kmsg.Request)) {
	for key := range kmsg.MaxKey + 1 {
		s := requestSchema(int16(key))
		if s == nil {
			continue
		}
		for version := s.versions.Min; version <= s.versions.Max; version++ {
			t.Run(fmt.Sprintf("%s_v%d", APIName(int16(key)), version), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(key), uint64(version)))
				for range 30 {
					req := kmsg.RequestForKey(int16(key))
					req.SetVersion(version)
					fill(rng, reflect.ValueOf(req).Elem())
					fn(t, req)
				}
			})
		}
	}
}

// TestDecodeRequestReadsWhatKmsgWrites holds our schemas against kmsg's: a request passes as it is; without its last
// bytes, or with one more, it never does. So both know the same fields in each version (G-222).
func TestDecodeRequestReadsWhatKmsgWrites(t *testing.T) {
	eachVersion(t, func(t *testing.T, req kmsg.Request) {
		body := req.AppendTo(nil)
		read, err := DecodeRequest(req.Key(), req.GetVersion(), body)
		if err != nil {
			t.Fatalf("%x: %v", body, err)
		}
		if rewritten := read.AppendTo(nil); !bytes.Equal(rewritten, body) {
			t.Fatalf("got  %x\nwant %x", rewritten, body)
		}
		for length := range body {
			if _, err := DecodeRequest(req.Key(), req.GetVersion(), body[:length:length]); !isDecodeError(err) {
				t.Fatalf("%x cut to %d bytes: %v", body, length, err)
			}
		}
		if _, err := DecodeRequest(req.Key(), req.GetVersion(), append(body, 0)); !isDecodeError(err) {
			t.Fatalf("%x and one byte more: %v", body, err)
		}
	})
}

// TestDecodeRequestSurvivesDamage: a body with a byte of it changed is refused or read, and never panics.
func TestDecodeRequestSurvivesDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	eachVersion(t, func(t *testing.T, req kmsg.Request) {
		body := req.AppendTo(nil)
		for i := range body {
			damaged := bytes.Clone(body)
			damaged[i] = []byte{0, 0x7f, 0x80, 0xff, byte(rng.Uint32())}[rng.IntN(5)]
			if _, err := DecodeRequest(req.Key(), req.GetVersion(), damaged); err != nil && !isDecodeError(err) {
				t.Fatalf("%x: %v", damaged, err)
			}
		}
	})
}

func isDecodeError(err error) bool {
	var typed *DecodeError
	return errors.As(err, &typed) && errors.Is(err, InvalidRequest) && errors.Is(err, kerr.InvalidRequest)
}

func TestDecodeErrorNamesWhatIsWrong(t *testing.T) {
	const joinGroup, heartbeat, metadata, describeTopicPartitions = 11, 12, 3, 75
	cases := []struct {
		name         string
		key, version int16
		body, want   string
	}{
		{"null for a string that must be there", heartbeat, 0, "ffff" + "00000001" + "0000",
			"malformed Heartbeat request v0: groupId: null is not legal here"},
		{"null for a compact string that must be there", heartbeat, 4, "00" + "00000001" + "01" + "00" + "00",
			"malformed Heartbeat request v4: groupId: null is not legal here"},
		{"a string longer than the body", heartbeat, 0, "0005" + "6162",
			"malformed Heartbeat request v0: groupId: the length is 5, but 2 bytes remain"},
		{"the end within a number", heartbeat, 0, "0000" + "0000",
			"malformed Heartbeat request v0: generationId: 4 bytes are needed, but 2 remain"},
		{"bytes behind the end", heartbeat, 0, "0000" + "00000001" + "0000" + "beef",
			"malformed Heartbeat request v0: 2 bytes follow the last field"},
		{"a number that does not end", heartbeat, 4, "ffffffffffff",
			"malformed Heartbeat request v4: groupId: malformed variable-length number"},
		{"four billion tags", heartbeat, 4, "01" + "00000001" + "01" + "00" + "ffffffff0f",
			"malformed Heartbeat request v4: tagged fields: malformed variable-length number"},
		{"a tag longer than the body", heartbeat, 4, "01" + "00000001" + "01" + "00" + "01" + "05" + "0a",
			"malformed Heartbeat request v4: tagged fields: 10 bytes are needed, but 0 remain"},
		{"two billion protocols", joinGroup, 0, "0000" + "00000001" + "0000" + "0000" + "7fffffff",
			"malformed JoinGroup request v0: protocols: the length is 2147483647, but 0 bytes remain"},
		{"a null list", joinGroup, 0, "0000" + "00000001" + "0000" + "0000" + "ffffffff",
			"malformed JoinGroup request v0: protocols: null is not legal here"},
		{"a fault deep inside", joinGroup, 0, "0000" + "00000001" + "0000" + "0000" + "00000002" + "000161" + "00000000" + "000162" + "00000063",
			"malformed JoinGroup request v0: protocols[1].metadata: the length is 99, but 0 bytes remain"},
		{"a list that may be null later on", metadata, 0, "ffffffff",
			"malformed Metadata request v0: topics: null is not legal here"},
		{"a compact string longer than a string can be", heartbeat, 4, "818002" + strings.Repeat("61", 0x8000) + "00000001" + "01" + "00" + "00",
			"malformed Heartbeat request v4: groupId: the length is 32768, but a string has at most 32767 bytes"},
		{"a struct that is neither there nor null", describeTopicPartitions, 0, "01" + "00000001" + "02" + "0161" + "00000000" + "00" + "00",
			"malformed DescribeTopicPartitions request v0: cursor: 2 is neither -1 for null nor 1"},
		{"no byte for a struct", describeTopicPartitions, 0, "01" + "00000001",
			"malformed DescribeTopicPartitions request v0: cursor: 1 bytes are needed, but 0 remain"},
		{"a fault in a struct", describeTopicPartitions, 0, "01" + "00000001" + "01" + "00",
			"malformed DescribeTopicPartitions request v0: cursor.topicName: null is not legal here"},
	}
	for _, c := range cases {
		_, err := DecodeRequest(c.key, c.version, unhex(t, c.body))
		if err == nil || err.Error() != c.want || !isDecodeError(err) {
			t.Errorf("%s\ngot  %v\nwant %s", c.name, err, c.want)
		}
	}
	if _, err := DecodeRequest(metadata, 1, unhex(t, "ffffffff")); err != nil {
		t.Errorf("null for a list that may be null: %v", err)
	}
}

func TestDecodeRequestRefusesWhatItDoesNotKnow(t *testing.T) {
	cases := []struct {
		key, version int16
		want         string
	}{
		{11, 10, "no common version of JoinGroup: this side knows 0-9, the other side knows 10: upgrade this side"},
		{11, -1, "no common version of JoinGroup: this side knows 0-9, the other side knows -1: upgrade the other side"},
		{8, 1, "no common version of OffsetCommit: this side knows 2-10, the other side knows 1: upgrade the other side"},
		{4, 0, "no common version of LeaderAndISR: this side knows none, the other side knows 0: upgrade this side"},
		{9999, 0, "no common version of API 9999: this side knows none, the other side knows 0: upgrade this side"},
		{-1, 0, "no common version of API -1: this side knows none, the other side knows 0: upgrade this side"},
	}
	for _, c := range cases {
		_, err := DecodeRequest(c.key, c.version, nil)
		var typed *VersionError
		if err == nil || err.Error() != c.want || !errors.As(err, &typed) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func TestRequestVersionsAreThoseThatDecodeRequestTakes(t *testing.T) {
	versions := RequestVersions()
	for key := range kmsg.MaxKey + 1 {
		for version := int16(-1); version < 25; version++ {
			_, err := DecodeRequest(int16(key), version, nil)
			var refused *VersionError
			if served, ok := versions[int16(key)]; errors.As(err, &refused) == (ok && served.Contains(version)) {
				t.Errorf("%s v%d: listed as %v, but %v", APIName(int16(key)), version, served, err)
			}
		}
	}
}

// TestDecodeRequestKnowsAllThatOurTablesName: the coordinator can read what it serves, and what our member sends.
func TestDecodeRequestKnowsAllThatOurTablesName(t *testing.T) {
	for _, table := range []Versions{CoordinatorVersions(), MemberVersions()} {
		for key, r := range table {
			s := requestSchema(key)
			if s == nil || !s.versions.Contains(r.Min) || !s.versions.Contains(r.Max) {
				t.Errorf("%s %v cannot be read", APIName(key), r)
			}
		}
	}
}

func TestDecodingAHeartbeatAllocatesLittle(t *testing.T) {
	body := heartbeat().AppendTo(nil)
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := DecodeRequest(12, 4, body); err != nil {
			t.Error(err)
		}
	})
	if allocs > 2 { // the request, and the pointer to its instance id
		t.Errorf("%v allocations", allocs)
	}
}

// TestLiesAboutLengthsAllocateNothing: one megabyte that announces a million elements, none of which is there.
func TestLiesAboutLengthsAllocateNothing(t *testing.T) {
	body := append(unhex(t, "0000"+"00000001"+"0000"+"0000"+"00100000"), bytes.Repeat([]byte{0xff}, 1<<20)...)
	got := allocatedBytes(func() {
		for range 10 {
			if _, err := DecodeRequest(11, 0, body); err == nil {
				t.Error("read")
			}
		}
	})
	if got > 64<<10 {
		t.Errorf("refusing the request ten times allocates %d bytes", got)
	}
}

func heartbeat() *kmsg.HeartbeatRequest {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Version = 4
	req.Group, req.Generation = "orders-service", 42
	req.MemberID = "orders-1-0b54ee47-2b45-4ba1-9d1e-fd5b2b0c1c06"
	req.InstanceID = kmsg.StringPtr("orders-1")
	return req
}

func syncGroup(members int) *kmsg.SyncGroupRequest {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Version = 5
	req.Group, req.Generation, req.MemberID = "orders-service", 42, "orders-1-0b54ee47-2b45-4ba1-9d1e-fd5b2b0c1c06"
	req.ProtocolType, req.Protocol = kmsg.StringPtr("consumer"), kmsg.StringPtr("range")
	for i := range members {
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID = fmt.Sprintf("orders-%d-0b54ee47-2b45-4ba1-9d1e-fd5b2b0c1c06", i)
		a.MemberAssignment = make([]byte, 100)
		req.GroupAssignment = append(req.GroupAssignment, a)
	}
	return req
}

func BenchmarkDecodeRequest(b *testing.B) {
	for name, req := range map[string]kmsg.Request{"Heartbeat": heartbeat(), "SyncGroup1000": syncGroup(1000)} {
		body := req.AppendTo(nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeRequest(req.Key(), req.GetVersion(), body); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/kmsg-only", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read := kmsg.RequestForKey(req.Key())
				read.SetVersion(req.GetVersion())
				if err := read.(kmsg.UnsafeReadFrom).UnsafeReadFrom(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
