#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# TLS: the tools and openssl's client, certificates that are refused on either side, and a reload while a connection lives.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/certificates.sh"

make_ca ca
make_ca stranger
make_certificate good ca 'subjectAltName=IP:127.0.0.1,DNS:localhost'
make_certificate next ca 'subjectAltName=IP:127.0.0.1'
make_certificate expired ca 'subjectAltName=IP:127.0.0.1' -1
make_certificate elsewhere ca 'subjectAltName=IP:10.0.0.1,DNS:elsewhere.example'
make_certificate unknown stranger 'subjectAltName=IP:127.0.0.1'
make_certificate client ca 'extendedKeyUsage=clientAuth'

tls() { QUADRILLE_TLS_CA=$certs/ca.pem "$@"; }
start_tls() { # NAME OPTION...
    stop_server
    rm -f "$scratch/output"
    start --tls-cert "$certs/$1.pem" --tls-key "$certs/$1.key" "${@:2}" 2>"$scratch/log"
}
# Sends nothing; prints what openssl says of the handshake.
openssl_client() { openssl s_client -connect "$address" -CAfile "$certs/ca.pem" "$@" </dev/null 2>&1 || true; }
logged() { grep -q -- "$1" "$scratch/log" || fail "not in the log: $1: $(cat "$scratch/log")"; }

# ---- a good certificate ----

start_tls good
prints '^pong' tls quadrille ping
prints '^pong' quadrille ping --tls-ca "$certs/ca.pem" --server "localhost:${address##*:}"
prints '^pong' quadrille --tls --tls-ca "$certs/ca.pem" ping
openssl_client -alpn quadrille/1 -verify_return_error >"$scratch/out"
out 'Verification: OK'
out 'ALPN protocol: quadrille/1'
out 'TLSv1.3'
no_out 'New Session Ticket|Post-Handshake New Session|Early data was (accepted|sent)'
openssl_client -alpn quadrille/1 -tls1_2 >"$scratch/out"
out 'Protocol *: TLSv1.2'
out 'Secure Renegotiation IS supported'
out 'Compression: NONE'

# ---- handshakes that the server refuses ----

openssl_client -alpn quadrille/1 -tls1_1 -cipher ALL:@SECLEVEL=0 >"$scratch/out"
out 'alert protocol version'
openssl_client >"$scratch/out"
out 'alert no application protocol'
openssl_client -alpn http/1.1 >"$scratch/out"
out 'alert no application protocol'
openssl_client -alpn quadrille/1 -groups P-521 >"$scratch/out"
out 'alert handshake failure'
fails 1 'the server encrypts connections; connect with TLS' quadrille ping
logged 'TLS failed problem="the client does not speak TLS"'
logged 'TLS failed problem="the client offers no ALPN; must offer quadrille/1"'

# ---- servers that the client refuses ----

fails 1 'certificate is refused: unable to get local issuer certificate.*must be valid, be for 127.0.0.1' \
    quadrille ping --tls-ca "$certs/stranger.pem"
start_tls expired
logged 'the certificate is not valid at this time'
fails 1 'certificate is refused: certificate has expired' tls quadrille ping
start_tls elsewhere
fails 1 'certificate is refused: IP address mismatch' tls quadrille ping
fails 1 'certificate is refused: hostname mismatch' tls quadrille ping --server "localhost:${address##*:}"
start_tls unknown
fails 1 'certificate is refused: unable to get local issuer certificate' tls quadrille ping
fails 1 '^quadrille ping: --tls-ca names the CA' quadrille ping --tls
fails 1 'TLS: .*/nowhere cannot be read: No such file' quadrille ping --tls-ca /nowhere
fails 1 'TLS: the key is missing; must be given with the cert' quadrille ping --tls-cert "$certs/client.pem"

# A server without TLS.
stop_server
rm -f "$scratch/output"
start
fails 1 'the server answers without TLS' tls quadrille ping

# ---- certificates of clients ----

start_tls good --tls-client-ca "$certs/ca.pem"
fails 1 'certificate required' tls quadrille ping
prints '^pong' tls quadrille ping --tls-cert "$certs/client.pem" --tls-key "$certs/client.key"
fails 1 'unknown ca' tls quadrille ping --tls-cert "$certs/unknown.pem" --tls-key "$certs/unknown.key"
fails 1 'certificate expired' tls quadrille ping --tls-cert "$certs/expired.pem" --tls-key "$certs/expired.key"
logged 'TLS failed problem="peer did not return a certificate"'
logged 'TLS failed problem="unable to get local issuer certificate"'

# ---- reload ----

cp "$certs/good.pem" "$certs/now.pem"
(umask 077 && cp "$certs/good.key" "$certs/now.key")
start_tls now
QUADRILLE_TLS_CA=$certs/ca.pem background quadrille ping --count 1000 >"$scratch/pings"
pings=$!
has_ponged() { [ "$(wc -l <"$scratch/pings")" -ge "$1" ]; }
until_true has_ponged 1
serial() { openssl_client -alpn quadrille/1 | openssl x509 -noout -serial; }
[ "$(serial)" = "$(openssl x509 -noout -serial -in "$certs/good.pem")" ] || fail 'not the first certificate'

cp "$certs/next.pem" "$certs/now.pem"
kill -HUP "$server_pid"
until_true grep -q 'the configuration stays as it is.*is not the key of the certificate' "$scratch/log"
[ "$(serial)" = "$(openssl x509 -noout -serial -in "$certs/good.pem")" ] || fail 'half of a pair was taken'

cp "$certs/next.key" "$certs/now.key"
kill -HUP "$server_pid"
has_next() { [ "$(serial)" = "$(openssl x509 -noout -serial -in "$certs/next.pem")" ]; }
until_true has_next
before=$(wc -l <"$scratch/pings")
until_true has_ponged $((before + 2))
kill -INT "$pings"
ends_with 1 "$pings" 'a ping that was interrupted'

# ---- options ----

stop_server
refused() { fails "$1" "$2" "$QD_SERVER" --listen 127.0.0.1:0 "${@:3}"; }
refused 1 '--tls-key is missing; must be given with --tls-cert' --tls-cert "$certs/good.pem"
refused 1 '--tls-cert is missing; must be given with --tls-key' --tls-key "$certs/good.key"
refused 1 '--tls-client-ca is given without --tls-cert' --tls-client-ca "$certs/ca.pem"
refused 1 'TLS: .*next.key is not the key of the certificate in .*good.pem' --tls-cert "$certs/good.pem" \
    --tls-key "$certs/next.key"
chmod 640 "$certs/good.key"
refused 1 'TLS: .*good.key has the mode 640; must not be readable by other users. Run chmod 600' \
    --tls-cert "$certs/good.pem" --tls-key "$certs/good.key"
chmod 600 "$certs/good.key"

# TLS alone keeps nobody out; certificates of clients do.
fails 1 '--listen is 0.0.0.0, and there is no --token-file' "$QD_SERVER" --listen 0.0.0.0:0 \
    --tls-cert "$certs/good.pem" --tls-key "$certs/good.key"
fails 1 '--insecure is given with --tls-client-ca; must be alone' "$QD_SERVER" --listen 0.0.0.0:0 --insecure \
    --tls-cert "$certs/good.pem" --tls-key "$certs/good.key" --tls-client-ca "$certs/ca.pem"
"$QD_SERVER" --listen 0.0.0.0:0 --tls-cert "$certs/good.pem" --tls-key "$certs/good.key" \
    --tls-client-ca "$certs/ca.pem" >"$scratch/everywhere" 2>"$scratch/log" &
everywhere=$!
children+=("$everywhere")
until_true grep -q 'listening on' "$scratch/everywhere"
kill -TERM "$everywhere"
ends_with 0 "$everywhere" 'a server for clients with certificates'
