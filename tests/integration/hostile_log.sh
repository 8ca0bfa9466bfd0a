#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Nobody reads the server's log: bad connections fill the pipe, and the server works on.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

mkfifo "$scratch/log"
exec 8<>"$scratch/log"
start_server 2>"$scratch/log"
export QUADRILLE_SERVER=$address

# Each sends a frame of 2 bytes that is no message. The pipe holds 64 KiB, about 350 lines.
bad_connections() {
    local _
    for _ in {1..1000}; do
        exec 7<>"/dev/tcp/${address%:*}/${address##*:}"
        printf '\2ab' >&7
        read -r -n 1 -t 0.2 _ <&7 || true
        exec 7>&-
    done
}
background bad_connections
attacker=$!
for _ in {1..50}; do
    ! kill -0 "$attacker" 2>/dev/null || sleep 0.2
done
expect 0 timeout 60 quadrille ping --count 1
