#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Closed or full standard streams: no socket gets their numbers, and lost output is reported.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

# The server logs a lot, to closed streams. Its port was free before.
start
stop_server
"$QD_SERVER" --listen "$address" --log-level debug <&- >&- 2>&- &
server_pid=$!
until_true quadrille ping
for _ in {1..20}; do
    expect 0 quadrille stats
done

# A connected program must not print into its connection.
closed() {
    local status=0
    "$@" >&- 2>"$scratch/err" || status=$?
    [ "$status" -eq 1 ] || fail "exit status $status for a closed output: $*"
    err '^quadrille [a-z]+: cannot write the output: '
}
closed quadrille ping
closed quadrille stats
closed quadrille swarm --seconds 0.2
prints '^no rooms$' quadrille rooms
# A connected program must not read from its connection as its standard input.
expect 0 quadrille open yard
status=0
quadrille spawn yard - <&- >"$scratch/out" 2>"$scratch/err" || status=$?
[ "$status" -eq 1 ] || fail "exit status $status for a closed input"
err 'cannot read the standard input'
quadrille ping 2>&- >"$scratch/out" || fail 'closed errors'
out '^pong'

if [ -e /dev/full ]; then
    for program in quadrille quadrille-bench "$QD_SERVER"; do
        for option in --help --version; do
            status=0
            "$program" $option >/dev/full 2>"$scratch/err" || status=$?
            [ "$status" -eq 1 ] || fail "exit status $status for a full disk: $program $option"
            err "^${program##*/}: cannot write the output: "
        done
    done
fi
