# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts that test the tools share: a real server, and a few words to say what is expected. To be sourced.
# From CTest come QD_SERVER (the server) and QD_BIN (the folder of the tools). $scratch is removed at the end.
#
#   start_server OPTION...        starts the server and waits until it listens; sets address (HOST:PORT)
#   start OPTION...               the same, and sets QUADRILLE_SERVER, which quadrille reads
#   stop_server                   stops it; its status must be 0
#   expect STATUS COMMAND...      runs it; its output goes to $scratch/out and $scratch/err
#   prints PATTERN COMMAND...     the same; the status is 0, and a line of the output is like this extended regular
#                                 expression
#   fails STATUS PATTERN COMMAND...   the same for a line of its errors
#   out PATTERN, err PATTERN      another line of that output is like it; no_out: none is
#   background COMMAND...         starts a child, whose number is then $!
#   until_true COMMAND...         tries again until it succeeds, for a minute
#   ends_with STATUS PID TEXT     waits for a child, which must end so
#
# Children do not outlive the test. At the end of a good test the server is stopped, and must say that all was well.

set -euo pipefail
: "${QD_SERVER:?the server}" "${QD_BIN:?the folder of quadrille}"
PATH=$QD_BIN:$PATH
unset QUADRILLE_TOKEN QUADRILLE_SERVER NO_COLOR
children=()
scratch=$(mktemp -d)
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
        [ ! -s "$scratch/$file" ] || { echo "--- $file ---"; tail -n 20 "$scratch/$file"; } >&2
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

# Starts it with the options given and waits until it listens.
start_server() {
    mkfifo "$scratch/output"
    "$QD_SERVER" --listen 127.0.0.1:0 "$@" >"$scratch/output" &
    server_pid=$!
    # Stays open: the server may write more.
    exec 9<"$scratch/output"
    local line=
    read -r -t 30 line <&9 || fail "the server did not start"
    address=${line##* }
    case $line in *"listening on "*) ;; *) fail "not what a server says: $line" ;; esac
}

until_true() {
    local _
    for _ in {1..600}; do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    fail "never came true: $*"
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

# Not in a subshell: only a parent can wait.
ends_with() {
    local status=0
    wait "$2" || status=$?
    [ "$status" -eq "$1" ] || fail "exit status $status instead of $1: ${*:3}"
}

out() { grep -Eq -- "$1" "$scratch/out" || fail "no line of the output is like: $1"; }
no_out() { ! grep -Eq -- "$1" "$scratch/out" || fail "a line of the output is like: $1"; }
err() { grep -Eq -- "$1" "$scratch/err" || fail "no line of the errors is like: $1"; }
