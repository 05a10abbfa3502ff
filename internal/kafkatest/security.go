package kafkatest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// User and Password are what a broker's SASL listener knows ([Broker.SASLAddr]).
const (
	User     = "alice"
	Password = "wonderland"
)

// addUser are the arguments with which the user is stored for SCRAM when the data folder is formatted.
const addUser = `--add-scram 'SCRAM-SHA-256=[name=` + User + `,password=` + Password + `]' ` +
	`--add-scram 'SCRAM-SHA-512=[name=` + User + `,password=` + Password + `]'`

// security are the properties of the listeners that do not just let everyone in.
var security = map[string]string{
	"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SSL,CONTROLLER:PLAINTEXT",

	"listener.name.sasl.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
	"listener.name.sasl.plain.sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required " +
		`user_` + User + `="` + Password + `";`,
	"listener.name.sasl.scram-sha-256.sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required;",
	"listener.name.sasl.scram-sha-512.sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required;",

	"listener.name.tls.ssl.keystore.type": "PEM",
}

// keystoreName is the file with the TLS listener's key and certificate.
const keystoreName = "keystore.pem"

// writeKeystore writes a key and a certificate of its own, valid for 127.0.0.1 and localhost, and returns the certificate.
func writeKeystore(folder string) (certificate []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "kafkatest"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:              []string{"localhost"},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	keystore := bytes.Join([][]byte{pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), certificate}, nil)
	return certificate, os.WriteFile(filepath.Join(folder, keystoreName), keystore, 0o600)
}
