// SPDX-License-Identifier: Apache-2.0

package quadrille_test

import (
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
	"testing"
	"time"

	"quadrille.example/quadrille"
)

// folder has a certificate, its key, and a file with the token "the-token-of-the-test".
type folder struct {
	cert, key, tokens string
	roots             *x509.CertPool
}

func newFolder(t *testing.T) folder {
	at := t.TempDir()
	f := folder{filepath.Join(at, "cert.pem"), filepath.Join(at, "key.pem"), filepath.Join(at, "tokens"),
		x509.NewCertPool()}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	f.roots.AppendCertsFromPEM(text)
	must(t, os.WriteFile(f.cert, text, 0o600))
	must(t, os.WriteFile(f.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	must(t, os.WriteFile(f.tokens, []byte("the-token-of-the-test writer\n"), 0o600))
	return f
}

func TestCertificateIsChecked(t *testing.T) {
	f := newFolder(t)
	server := startServer(t, "--tls-cert", f.cert, "--tls-key", f.key, "--token-file", f.tokens)
	session := connect(t, server.address, quadrille.Options{Token: "the-token-of-the-test",
		TLS: &tls.Config{RootCAs: f.roots}})
	if tick := step(t, open(t, session, "yard", yard())); tick.Number != 1 {
		t.Errorf("the tick is %d; must be 1", tick.Number)
	}
	// The session tries again until the context ends. A busy machine needs more time for the first attempt.
	for wait := 500 * time.Millisecond; wait < testTime; wait *= 2 {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		_, err := quadrille.Connect(ctx, server.address, quadrille.Options{TLS: &tls.Config{}})
		cancel()
		if err == nil {
			t.Fatal("a certificate of an unknown authority is accepted")
		}
		if strings.Contains(err.Error(), "certificate") {
			return
		}
	}
	t.Error("no error names the certificate")
}
