package protocol

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// DecodeRequest reads the body of a request, what follows the header, as strictly as Kafka's broker does and a little
// more: every byte must belong to a field, every length must be true, and null may stand only where it is legal.
// Nothing that a peer sends makes it panic or allocate out of proportion to the body.
//
// The request refers to body throughout, its strings too: body must not change from then on, and lives on as long as
// anything taken from the request does. Whoever keeps a string for longer than the request clones it.
//
// It knows the APIs of groups and those that a client needs around them, in the versions of Kafka 4.4.0; an API or a
// version beyond them is a [*VersionError], which a server answers with UNSUPPORTED_VERSION for ApiVersions and by
// closing the connection for everything else. Bytes that do not fit are a [*DecodeError].
func DecodeRequest(key, version int16, body []byte) (kmsg.Request, error) {
	s := requestSchema(key)
	if s == nil {
		return nil, &VersionError{Key: key, Theirs: &VersionRange{version, version}}
	}
	if !s.versions.Contains(version) {
		return nil, &VersionError{Key: key, Ours: &s.versions, Theirs: &VersionRange{version, version}}
	}
	switch rest, bad := s.walk(body, version); {
	case bad != nil:
		return nil, &DecodeError{Key: key, Version: version, Field: bad.path, Reason: bad.reason}
	case len(rest) > 0:
		return nil, &DecodeError{Key: key, Version: version, Reason: fmt.Sprintf("%d bytes follow the last field", len(rest))}
	}
	req := kmsg.RequestForKey(key)
	req.SetVersion(version)
	if err := req.(kmsg.UnsafeReadFrom).UnsafeReadFrom(body); err != nil {
		return nil, &DecodeError{Key: key, Version: version, Reason: err.Error()}
	}
	return req, nil
}

// RequestVersions returns what DecodeRequest reads. The map is the caller's own.
func RequestVersions() Versions {
	versions := Versions{}
	for _, schemas := range []map[kmsg.Key]*schema{groupSchemas, dataSchemas} {
		for key, s := range schemas {
			versions[key.Int16()] = s.versions
		}
	}
	return versions
}

func requestSchema(key int16) *schema {
	if s := groupSchemas[kmsg.Key(key)]; s != nil {
		return s
	}
	return dataSchemas[kmsg.Key(key)]
}

// A DecodeError says which bytes of a request or its header do not fit. errors.Is finds [InvalidRequest] in it, which
// is how Kafka sees it; Kafka closes the connection.
type DecodeError struct {
	Key, Version int16
	// Field is the path of the field in the words of Kafka's message definitions, such as "protocols[1].metadata";
	// empty if the fault is not in a field.
	Field string
	// Reason says what is wrong with it.
	Reason string
}

// Error names the API, its version, the field and what is wrong.
func (e *DecodeError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("malformed %s request v%d: %s", APIName(e.Key), e.Version, e.Reason)
	}
	return fmt.Sprintf("malformed %s request v%d: %s: %s", APIName(e.Key), e.Version, e.Field, e.Reason)
}

// Unwrap returns [InvalidRequest].
func (e *DecodeError) Unwrap() error { return InvalidRequest }
