# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For the scripts that test the tools: a real server and functions that check output. Source this file. CTest sets
# QD_SERVER (the server) and QD_BIN (the folder of the tools). The folder $scratch is removed at the end.
#
#   start_server OPTION...        starts the server and waits until it listens; sets address (HOST:PORT)
#   start OPTION...               the same, and sets QUADRILLE_SERVER, which quadrille reads
#   stop_server                   stops the server, which must exit with status 0
#   expect STATUS COMMAND...      runs the command, which must exit with STATUS; writes $scratch/out and $scratch/err
#   prints PATTERN COMMAND...     the same with status 0; a line of its output matches the extended regular expression
#   fails STATUS PATTERN COMMAND...   the same with STATUS and a line of its errors
#   out PATTERN, err PATTERN      another line of that file must match; no_out: no line may
#   background COMMAND...         starts a child, whose number is then $!
#   until_true COMMAND...         repeats the command until it succeeds, for at most a minute
#   ends_with STATUS PID TEXT     waits for a child, which must exit with STATUS
#
# Children are killed when the test ends. After a passed test, the server is stopped.

set -euo pipefail
: "${QD_SERVER:?the server}" "${QD_BIN:?the folder of quadrille}"
PATH=$QD_BIN:$PATH
unset QUADRILLE_TOKEN QUADRILLE_SERVER NO_COLOR
children=()
scratch=$(mktemp -d)
export XDG_STATE_HOME=$scratch/state
server_pid=

clean_up() {
    local status=$? child
    trap - EXIT
    for child in "${children[@]}"; do
        kill -KILL "$child" 2>/dev/null || true
    done
    [ "$status" -ne 0 ] || stop_server || status=1
    [ -z "$server_pid" ] || kill -KILL "$server_pid" 2>/dev/null || true
    rm -rf "$scratch"
    exit "$status"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*" >&2
    local file
    for file in out err; do
        [ ! -s "$scratch/$file" ] || { echo "--- $file ---"; tail -n 100 "$scratch/$file"; } >&2
    done
    exit 1
}

stop_server() {
    [ -n "$server_pid" ] || return 0
    kill -TERM "$server_pid"
    local status=0
    wait "$server_pid" || status=$?
    server_pid=
    [ "$status" = 0 ] || fail "the server ended with status $status"
}

start_server() {
    mkfifo "$scratch/output"
    "$QD_SERVER" --listen 127.0.0.1:0 "$@" >"$scratch/output" &
    server_pid=$!
    # The pipe stays open, since the server may write more.
    exec 9<"$scratch/output"
    local line=
    read -r -t 30 line <&9 || fail "the server did not start"
    address=${line##* }
    case $line in *"listening on "*) ;; *) fail "the first line of the server does not name its address: $line" ;; esac
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

prints() { expect 0 "${@:2}" && out "$1"; }
fails() { expect "$1" "${@:3}" && err "$2"; }

background() {
    "$@" &
    children+=("$!")
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
