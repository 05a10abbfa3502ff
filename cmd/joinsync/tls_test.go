package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// identity makes a certificate for 127.0.0.1 that signs itself, and files with it and its key.
func identity(t *testing.T) (certificate tls.Certificate, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", keyDER)
}

// A trigger is an output that calls do when it has been told words.
type trigger struct {
	words string
	do    func()

	mu  sync.Mutex
	out bytes.Buffer
}

func (t *trigger) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Write(p)
	if strings.Contains(t.out.String(), t.words) {
		t.do()
	}
	return len(p), nil
}

// joinUntil runs joinsync join against a broker until it has printed words, or has ended by itself.
func joinUntil(t *testing.T, words string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stdout := &trigger{words: words, do: cancel}
	var stderr bytes.Buffer
	code := run(ctx, append([]string{"join", "--client-id", "anna"}, args...), stdout, &stderr, environment{})
	return result{code, stdout.out.String(), stderr.String()}
}

func TestJoinOverTLS(t *testing.T) {
	server, ca, _ := identity(t)
	client, certFile, keyFile := identity(t)
	clients := x509.NewCertPool()
	leaf, err := x509.ParseCertificate(client.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	clients.AddCert(leaf)

	broker := func(config *tls.Config) string {
		opts := []kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(6, "orders")}
		if config != nil {
			opts = append(opts, kfake.TLS(config))
		}
		fake, err := kfake.NewCluster(opts...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(fake.Close)
		return fake.ListenAddrs()[0]
	}
	plain := broker(nil)
	secure := broker(&tls.Config{Certificates: []tls.Certificate{server}})
	mutual := broker(&tls.Config{Certificates: []tls.Certificate{server}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients})

	const joined = " · led by anna\n"
	for _, test := range []struct {
		name   string
		args   []string
		stderr string // part of the error, empty for none
	}{
		{"with its authority", []string{"-b", secure, "--tls-ca", ca}, ""},
		{"without verification", []string{"-b", secure, "--tls-insecure"}, ""},
		{"with a client certificate", []string{"-b", mutual, "--tls-ca", ca, "--tls-cert", certFile, "--tls-key", keyFile}, ""},
		{"several brokers, one of them down", []string{"-b", closedPort(t), "-b", plain}, ""},
		{"with the system's authorities", []string{"-b", secure, "--tls"}, "trust the authority that signed the broker's certificate"},
		{"without a client certificate", []string{"-b", mutual, "--tls-ca", ca}, "give a client certificate that the broker trusts"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.args = append(test.args, "-g", "shop", "-t", "orders")
			if test.stderr == "" {
				joinUntil(t, joined, test.args...).want(t, exitOK, []string{joined, "anna has left group shop"}, nil)
				return
			}
			r := joinUntil(t, joined, append(test.args, "--bootstrap-timeout", "1s")...)
			r.want(t, exitError, nil, []string{test.stderr, "127.0.0.1:"})
			t.Log(r.stderr)
		})
	}
}

// closedPort returns an address that nobody listens on any more.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
