#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Standard streams that are closed, or take nothing: no socket gets their numbers, and lost output is reported.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

# A server that logs much, with nowhere to log to; at a port that was free just now.
start
stop_server
"$QD_SERVER" --listen "$address" --log-level debug <&- >&- 2>&- &
server_pid=$!
until_true quadrille ping
for _ in {1..20}; do
    expect 0 quadrille stats
done

# A program that prints while it is connected would print into the connection.
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
# Nor does it take what comes from the server for its input.
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
