#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whole scenarios of other tests, once over TLS: the environment gives every server a certificate, and every client its CA.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/certificates.sh"

make_ca ca
make_certificate server ca 'subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost'
export QUADRILLE_TLS_CERT=$certs/server.pem QUADRILLE_TLS_KEY=$certs/server.key
export QUADRILLE_TLS_CA=$certs/ca.pem QD_TLS_CA=$certs/ca.pem

here=$(dirname "${BASH_SOURCE[0]}")
for name in cli_rooms cli_entities cli_events; do
    expect 0 "$here/$name.sh"
done
for name in rooms slow_readers; do
    expect 0 "$QD_BUILD/tests/integration_$name"
done
expect 0 quadrille-bench ingest --seconds 0.1
expect 0 quadrille-bench latency --seconds 0.1
