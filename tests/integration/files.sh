#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Connections are open files. The server raises the soft limit itself, and warns if the hard limit is too low.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

ulimit -Sn 40
start --connections-max 150 2>"$scratch/log" # which most hard limits are above
[ ! -s "$scratch/log" ] || fail "complains: $(cat "$scratch/log")"
expect 0 quadrille-bench load --server "$address" --rooms 1 --entities 100 --connections 100 --seconds 0.2
stop_server
rm "$scratch/output"

ulimit -n 300
start --connections-max 250 2>"$scratch/log"
until_true grep -q 'warn .*--connections-max needs more open files than are allowed; raise that .* connections_max=250 needed=[0-9]* allowed=300$' "$scratch/log"
expect 0 quadrille ping
