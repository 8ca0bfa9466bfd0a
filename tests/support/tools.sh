# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For the scripts that test the tools: a real server (server.sh) and functions that check output. Source this file.
# CTest sets QD_SERVER (the server) and QD_BIN (the folder of the tools).
#
#   start OPTION...               starts the server; sets QUADRILLE_SERVER, which quadrille reads
#   expect STATUS COMMAND...      runs the command, which must exit with STATUS; writes $scratch/out and $scratch/err
#   out PATTERN, err PATTERN      a line of that file must match the extended regular expression; no_out: no line may
#   until_true COMMAND...         repeats the command until it succeeds, for at most a minute
#   ends_with STATUS PID TEXT     waits for a child, which must exit with STATUS
#
# A test adds the children that it starts to `children`; they are killed when it ends. After a passed test, the server
# is stopped and must exit with status 0.

source "$(dirname "${BASH_SOURCE[0]}")/server.sh"
: "${QD_BIN:?the folder of quadrille}"
PATH=$QD_BIN:$PATH
unset QUADRILLE_TOKEN QUADRILLE_SERVER NO_COLOR
children=()

clean_up() {
    local status=$? child
    trap - EXIT
    for child in "${children[@]}"; do
        kill -KILL "$child" 2>/dev/null || true
    done
    [ "$status" -ne 0 ] || stop_server || status=1
    [ "$status" -eq 0 ] || kill -KILL "$server_pid" 2>/dev/null || true
    rm -rf "$scratch"
    exit "$status"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*" >&2
    local file
    for file in out err; do
        [ ! -s "$scratch/$file" ] || { echo "--- $file ---"; tail -n 20 "$scratch/$file"; } >&2
    done
    exit 1
}

until_true() {
    local _
    for _ in {1..600}; do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    fail "did not succeed within a minute: $*"
}

start() {
    start_server --log-level warn "$@"
    export QUADRILLE_SERVER=$address
}

expect() {
    local wanted=$1 status=0
    shift
    "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ "$status" -eq "$wanted" ] || fail "exit status $status instead of $wanted: $*"
}

# Not in a subshell, since only the parent can wait.
ends_with() {
    local status=0
    wait "$2" || status=$?
    [ "$status" -eq "$1" ] || fail "exit status $status instead of $1: ${*:3}"
}

out() { grep -Eq -- "$1" "$scratch/out" || fail "no line of the output matches: $1"; }
no_out() { ! grep -Eq -- "$1" "$scratch/out" || fail "a line of the output matches: $1"; }
err() { grep -Eq -- "$1" "$scratch/err" || fail "no line of the errors matches: $1"; }
