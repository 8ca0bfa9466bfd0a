#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --check-health and /healthz: healthy when the server is full, unhealthy while a loop thread or the workers hang.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
export PYTHONPATH=$QD_SOURCE/tests/support PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo 'skipped: python3 is missing'; exit 77; }

check() { "$QD_SERVER" --check-health "$@"; }
fails 2 '--admin is not set; must be an address with a port for --check-health' check
fails 2 '--admin is an address with port 0' check --admin 127.0.0.1:0
fails 1 'no answer from the admin server at 127.0.0.1 port 1: Connection refused' check --admin 127.0.0.1:1

start --admin 127.0.0.1:0 --connections-max 2 --loops 2 --workers 2
read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
admin_port=${line##* }
export QUADRILLE_ADMIN=0.0.0.0:$admin_port QD_ADMIN=127.0.0.1:$admin_port
prints '^the server is healthy$' check

# A full server refuses a Ping, and is healthy.
quadrille open yard --hz 10 >"$scratch/none"
has_sessions() { python3 -c 'import sys; from admin import *; assert metric("sessions") == int(sys.argv[1])' "$1"; }
for sessions in 1 2; do
    until_true has_sessions "$((sessions - 1))"
    background quadrille events yard >"$scratch/none" 2>&1
    until_true has_sessions "$sessions"
done
fails 1 '--connections-max' quadrille ping
prints '^the server is healthy$' check

scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
[ "$scope" -eq 0 ] || [ "$(id -u)" -eq 0 ] || { echo 'skipped: needs root to stop a thread (kernel.yama.ptrace_scope)'; exit 77; }

# hang NAMES: stops the threads of these names. $tracer is the process that holds them; go_on lets them go on.
hang() {
    rm -f "$scratch/hangs"
    background python3 "$QD_SOURCE/tests/support/hang.py" "$server_pid" "$scratch/hangs" "$@"
    tracer=$!
    until_true test -e "$scratch/hangs"
}
go_on() {
    rm "$scratch/hangs"
    ends_with 0 "$tracer" 'tests/support/hang.py'
}
is_unhealthy() { ! check 2>"$scratch/err" >"$scratch/out"; }
for hung in 'a network thread:qd-loop' 'the workers:qd-worker'; do
    hang "${hung#*:}" qd-standby
    until_true is_unhealthy
    err "the server is not healthy: the time without an answer of ${hung%:*} is [5-9] s; must be below 5 s"
    go_on
    until_true check
done
