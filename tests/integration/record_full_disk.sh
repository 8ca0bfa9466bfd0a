#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The record of a room ends when the disk is full and as much waits in memory as may; /metrics counts it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
command -v python3 >/dev/null || { echo 'python3 is missing'; exit 77; }
export PYTHONPATH=$QD_SOURCE/tests/support PYTHONDONTWRITEBYTECODE=1

mkdir "$scratch/disk"
disk=$scratch/disk
if ! unshare --mount --map-root-user mount -t tmpfs none "$disk" 2>"$scratch/none"; then
    echo 'skipped: this user may not mount a small disk'
    exit 77
fi
cat >"$scratch/server" <<END
#!/bin/sh
exec unshare --mount --map-root-user sh -c \\
    'mount -t tmpfs -o size=256k none "$disk" && exec "$QD_SERVER" --record "$disk" --record-file-bytes 64K "\$@"' sh "\$@"
END
chmod +x "$scratch/server"
QD_SERVER=$scratch/server start --admin 127.0.0.1:0
read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
export QD_ADMIN=127.0.0.1:${line##* }
background quadrille swarm --rooms 1 --entities 20000 --density 0.1 --hz 60 >"$scratch/swarm" 2>&1
until_true python3 -c 'from admin import *; assert metric("records_ended_total") == 1'
