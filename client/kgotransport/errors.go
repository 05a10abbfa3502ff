package kgotransport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/protocol"
)

// failure is a request that got no answer.
type failure struct {
	where     string // who did not answer
	err       error
	cure      string
	permanent bool
}

func (f *failure) Error() string {
	if f.cure == "" {
		return f.where + ": " + f.err.Error()
	}
	return f.where + ": " + f.err.Error() + ": " + f.cure
}

func (f *failure) Unwrap() error { return f.err }

// Permanent marks what no retry mends, for client.Permanent.
func (f *failure) Permanent() bool { return f.permanent }

// explain says where err comes from and what can be done about it.
func (s *session) explain(where string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, kgo.ErrClientClosed) {
		return &failure{where: where, err: err}
	}
	var known *kerr.Error
	if errors.As(err, &known) { // what the broker answers to authentication
		code := protocol.ErrorCode(known.Code)
		if err.Error() != known.Error() {
			return &failure{where: where, err: fmt.Errorf("%w (%w)", code, err), permanent: !code.Retriable()}
		}
		return &failure{where: where, err: code, permanent: !code.Retriable()}
	}
	cure, permanent := diagnose(err)
	if cure == "" && s.sasl && errors.Is(err, io.EOF) {
		cure = "the broker closed the connection: check user name, password and SASL mechanism"
	}
	if s.reached.Load() && !tooOld(err) {
		permanent = false // it has worked before, so it may work again
	}
	return &failure{where: where, err: err, cure: cure, permanent: permanent}
}

// Cures that fit more than one cause.
const (
	isItKafka = "check that the port is a Kafka listener's, and whether it wants TLS or SASL"
	isItThere = "check the address, and that the broker is up"
)

// diagnose finds the cure for a connection that could not be made or used, and whether it takes somebody to apply it.
func diagnose(err error) (cure string, permanent bool) {
	var dialing *dialError
	var closed *kgo.ErrFirstReadEOF
	var network net.Error
	var op *net.OpError
	var unknownHost *net.DNSError
	errors.As(err, &op)
	switch {
	case errors.As(err, &closed):
		return isItKafka, false
	case wrongCertificate(err):
		return "trust the authority that signed the broker's certificate, and use a host name that is in it", true
	case op != nil && op.Op == "remote error": // crypto/tls: the broker's alert
		return "give a client certificate that the broker trusts, and a TLS version that it speaks", true
	case notTLS(err):
		return "the listener does not speak TLS: turn TLS off, or use the port that has it", true
	case errors.As(err, &unknownHost):
		return "check the host name", false
	case errors.As(err, &network) && network.Timeout():
		return "check the address, and that nothing between here and the broker drops packets", false
	case op != nil && op.Op != "dial": // the peer has closed what was open, perhaps in the handshake of TLS
		return isItKafka, false
	case errors.As(err, &dialing):
		return isItThere, false
	case tooOld(err):
		return "use a broker of Kafka 1.0 or later", true
	case kgo.IsRetryableBrokerErr(err), errors.Is(err, io.EOF):
		return "", false
	}
	return isItKafka, true
}

func wrongCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

func notTLS(err error) bool {
	var header tls.RecordHeaderError
	return errors.As(err, &header)
}

// tooOld recognises the one error of kgo's that is about versions. It has neither name nor type.
func tooOld(err error) bool { return strings.Contains(err.Error(), "broker is too old") }
