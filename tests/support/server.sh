# SPDX-License-Identifier: Apache-2.0
#
# A server for the length of a shell test; source this (bash). Needs QD_SERVER. Leaves:
#
#   address   HOST:PORT of the server
#   scratch   an empty folder, removed at the end

set -euo pipefail

scratch=$(mktemp -d)
server_pid=

fail() {
    echo "$0: $*" >&2
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

# However the test ends, the server goes with it.
trap '[ -z "$server_pid" ] || kill -KILL "$server_pid" 2>/dev/null || true; rm -rf "$scratch"' EXIT
