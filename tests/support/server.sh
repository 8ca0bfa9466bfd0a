# SPDX-License-Identifier: Apache-2.0
#
# A server process for a shell test. Source this file in bash, with QD_SERVER set. It sets:
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

# start_server OPTION...: starts the server and waits until it listens.
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

# The server is killed when the test ends, in any way.
trap '[ -z "$server_pid" ] || kill -KILL "$server_pid" 2>/dev/null || true; rm -rf "$scratch"' EXIT
