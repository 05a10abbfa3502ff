package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// passwordVariable is the environment variable that --password comes from if it is not given.
const passwordVariable = "JOINSYNC_PASSWORD"

// connection holds the flags that say how to reach a cluster.
type connection struct {
	bootstrap []string

	tls                    bool
	tlsCA, tlsCert, tlsKey string
	tlsInsecure            bool

	user, password, passwordFile, mechanism string
}

func (c *connection) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.BoolVar(&c.tls, "tls", false, "use TLS; each of the next four flags means it too")
	set.StringVar(&c.tlsCA, "tls-ca", "", "PEM `file` with the authorities to trust, instead of the system's")
	set.StringVar(&c.tlsCert, "tls-cert", "", "PEM `file` with a client certificate")
	set.StringVar(&c.tlsKey, "tls-key", "", "PEM `file` with the client certificate's key")
	set.BoolVar(&c.tlsInsecure, "tls-insecure", false, "do not verify the broker's certificate: for tests only")
	set.StringVar(&c.user, "user", "", "`name` to log in as, by SASL")
	set.StringVar(&c.password, "password", "", "`password` of the user; other users of this machine can see it: see the next flag")
	set.StringVar(&c.passwordFile, "password-file", "", "`file` whose first line is the password; without either flag it is taken from the\nenvironment variable "+passwordVariable)
	set.StringVar(&c.mechanism, "sasl-mechanism", "PLAIN", "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
}

// options turns the flags into those of kgo. The error names every flag that is wrong, and how to mend it.
func (c *connection) options() ([]kgo.Opt, error) {
	var wrong []error
	opts := []kgo.Opt{kgo.SeedBrokers(c.bootstrap...)}
	if len(c.bootstrap) == 0 {
		wrong = append(wrong, errors.New("--bootstrap is missing: give the address of a broker, such as localhost:9092"))
	}
	for _, address := range c.bootstrap {
		if !validAddress(address) {
			wrong = append(wrong, fmt.Errorf("--bootstrap has %q: write host:port, such as localhost:9092", address))
		}
	}
	tlsConfig, err := c.tlsConfig()
	if err != nil {
		wrong = append(wrong, err)
	} else if tlsConfig != nil {
		opts = append(opts, kgo.DialTLSConfig(tlsConfig))
	}
	mechanism, err := c.saslMechanism()
	if err != nil {
		wrong = append(wrong, err)
	} else if mechanism != nil {
		opts = append(opts, kgo.SASL(mechanism))
	}
	return opts, errors.Join(wrong...)
}

// validAddress reports whether kgo understands an address. It takes URLs for hosts.
func validAddress(address string) bool {
	cl, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		return false
	}
	cl.Close()
	return address != "" && !strings.Contains(address, "/")
}

// tlsConfig returns nil without TLS.
func (c *connection) tlsConfig() (*tls.Config, error) {
	if !c.secure() {
		return nil, nil
	}
	config := &tls.Config{InsecureSkipVerify: c.tlsInsecure}
	var wrong []error
	if c.tlsCA != "" {
		config.RootCAs = x509.NewCertPool()
		pem, err := os.ReadFile(c.tlsCA)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--tls-ca: %w", err))
		} else if !config.RootCAs.AppendCertsFromPEM(pem) {
			wrong = append(wrong, fmt.Errorf("--tls-ca: %s holds no certificate: give a file in PEM form", c.tlsCA))
		}
	}
	switch {
	case (c.tlsCert == "") != (c.tlsKey == ""):
		wrong = append(wrong, errors.New("--tls-cert and --tls-key go together: give both"))
	case c.tlsCert != "":
		certificate, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--tls-cert and --tls-key: %w: give a certificate and its key in PEM form", err))
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	return config, errors.Join(wrong...)
}

func (c *connection) secure() bool {
	return c.tls || c.tlsInsecure || c.tlsCA != "" || c.tlsCert != "" || c.tlsKey != ""
}

// exposed reports whether the password goes over the network for everyone to read.
func (c *connection) exposed() bool {
	return c.user != "" && !c.secure() && strings.EqualFold(c.mechanism, "PLAIN")
}

// saslMechanism returns nil without a user.
func (c *connection) saslMechanism() (sasl.Mechanism, error) {
	if c.user == "" {
		if c.password != "" || c.passwordFile != "" {
			return nil, errors.New("--user is missing: say whose the password is")
		}
		return nil, nil
	}
	password, err := c.readPassword()
	if err != nil {
		return nil, err
	}
	switch strings.ToUpper(c.mechanism) {
	case "PLAIN":
		return plain.Auth{User: c.user, Pass: password}.AsMechanism(), nil
	case "SCRAM-SHA-256":
		return scram.Auth{User: c.user, Pass: password}.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scram.Auth{User: c.user, Pass: password}.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("--sasl-mechanism is %q: use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", c.mechanism)
}

func (c *connection) readPassword() (string, error) {
	switch {
	case c.password != "" && c.passwordFile != "":
		return "", errors.New("--password and --password-file are both given: leave one of them out")
	case c.passwordFile != "":
		text, err := os.ReadFile(c.passwordFile)
		if err != nil {
			return "", fmt.Errorf("--password-file: %w", err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		return strings.TrimSuffix(line, "\r"), nil
	case c.password != "":
		return c.password, nil
	}
	if password := os.Getenv(passwordVariable); password != "" {
		return password, nil
	}
	return "", fmt.Errorf("the password of --user %s is missing: give it by --password-file, or in the environment variable %s",
		c.user, passwordVariable)
}
