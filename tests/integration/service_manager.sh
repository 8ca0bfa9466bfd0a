#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The server beside a service manager: it notifies that it is ready, alive, reloading and stopping, and takes over a
# listening socket.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
command -v python3 >/dev/null || { echo 'skipped: python3 is missing'; exit 77; }

log=$scratch/notified
notified() { grep -q -- "$1" "$log" 2>/dev/null; }
count() { grep -c -- "$1" "$log" || true; }
more_than() { [ "$(count "$1")" -gt "$2" ]; }

# manage [--listen ADDRESS]... -- OPTION...: starts the server, and waits until it is ready.
manage() {
    local listen=()
    while [ "$1" != -- ]; do listen+=("$1"); shift; done
    shift
    rm -f "$log"
    background python3 "$QD_SOURCE/tests/support/manager.py" "${listen[@]}" "$log" "$QD_SERVER" "$@" \
        >"$scratch/printed" 2>"$scratch/logged"
    manager=$!
    until_true notified '^READY=1$'
}
# Sets QUADRILLE_SERVER.
reach() {
    QUADRILLE_SERVER=$(sed -n 's/.* listening on //p' "$scratch/printed")
    export QUADRILLE_SERVER
    prints '^pong' quadrille ping
}
stop_managed() {
    kill -TERM "$manager"
    ends_with 0 "$manager" 'the server'
    notified '^STOPPING=1$' || fail 'the server did not notify that it stops'
}

# Ready, alive, reloading, stopping.
export WATCHDOG_USEC=400000
manage -- --listen 127.0.0.1:0
reach
notified "^STATUS=Listening on 127.0.0.1 port ${QUADRILLE_SERVER##*:}$" || fail 'the status is another one'
until_true more_than '^WATCHDOG=1$' 3
kill -HUP "$manager"
until_true more_than '^READY=1$' 1
[ "$(grep -n '^RELOADING=1$' "$log" | cut -d: -f1)" -lt "$(grep -n '^READY=1$' "$log" | tail -n 1 | cut -d: -f1)" ] ||
    fail 'the server was not reloading before it was ready'
stop_managed
unset WATCHDOG_USEC

# Without a watchdog no sign of life is due. A manager that is gone does no harm.
manage -- --listen 127.0.0.1:0
sleep 0.5
[ "$(count '^WATCHDOG=1$')" -eq 0 ] || fail 'the server notifies a watchdog that does not watch'
stop_managed
NOTIFY_SOCKET=$scratch/none expect 0 "$QD_SERVER" --version

# A socket from the manager. The rule for addresses that others reach holds for it, too.
manage --listen 127.0.0.1:0 -- --listen 127.0.0.1:1
reach
grep -q 'gave the socket, so --listen has no effect' "$scratch/logged" || fail 'the server does not log that --listen has no effect'
stop_managed
manage --listen '[::1]:0' --
reach
stop_managed
managed() { python3 "$QD_SOURCE/tests/support/manager.py" "$@"; }
fails 1 '--listen is 0.0.0.0, and there is no --token-file' managed --listen 0.0.0.0:0 "$log" "$QD_SERVER"
fails 1 'gives 2 sockets \(LISTEN_FDS\); must be 1' managed --listen 127.0.0.1:0 --listen 127.0.0.1:0 "$log" "$QD_SERVER"
fails 1 'of another kind; must be TCP and listen' managed --udp --listen 127.0.0.1:0 "$log" "$QD_SERVER"
LISTEN_FDS=1 LISTEN_PID=1 start    # for another process
stop_server

# By the real one, where it is installed.
if command -v systemd-socket-activate >/dev/null; then
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    background systemd-socket-activate --listen "127.0.0.1:$port" "$QD_SERVER" --log-level error >"$scratch/none" 2>&1
    until_true quadrille ping --server "127.0.0.1:$port" >"$scratch/none" 2>&1
fi

# A server whose threads hang does not notify its life.
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
[ "$scope" -eq 0 ] || [ "$(id -u)" -eq 0 ] || { echo 'skipped: needs root to stop a thread (kernel.yama.ptrace_scope)'; exit 77; }
export WATCHDOG_USEC=1000000
manage -- --listen 127.0.0.1:0
until_true more_than '^WATCHDOG=1$' 1
background python3 "$QD_SOURCE/tests/support/hang.py" "$(pgrep -P "$manager")" "$scratch/hangs" qd-loop
tracer=$!
until_true grep -q 'is not notified of life.*a network thread' "$scratch/logged"
before=$(count '^WATCHDOG=1$')
sleep 2
[ "$(count '^WATCHDOG=1$')" -eq "$before" ] || fail 'a server that hangs notifies its life'
rm "$scratch/hangs"
ends_with 0 "$tracer" 'tests/support/hang.py'
until_true more_than '^WATCHDOG=1$' "$before"
stop_managed
