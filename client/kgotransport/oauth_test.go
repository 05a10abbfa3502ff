package kgotransport_test

import (
	"context"

	"github.com/twmb/franz-go/pkg/sasl"
)

// oauth is a SASL mechanism that no fake broker has.
type oauth struct{}

func (oauth) Name() string { return "OAUTHBEARER" }
func (oauth) Authenticate(context.Context, string) (sasl.Session, []byte, error) {
	return oauth{}, []byte("x"), nil
}
func (oauth) Challenge([]byte) (bool, []byte, error) { return true, nil, nil }
