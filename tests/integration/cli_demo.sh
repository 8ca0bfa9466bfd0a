#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# client/demo with built programs: its output, and that it leaves no process.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
: "${QD_SOURCE:?the folder of the sources}"
demo=$QD_SOURCE/client/demo
export QD_SERVER QD_BIN

prints '^usage: client/demo ' "$demo" --help
for arguments in '--seconds' '--seconds 0' '--seconds soon' '--room attic' '--entities 0' '--fast' 'here'; do
    fails 2 '^client/demo: .*; see client/demo --help$' "$demo" $arguments
done

export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
nothing_left() {
    [ -z "$(ls -A "$TMPDIR")" ] || fail 'files are left'
    local port=${1##*:}
    expect 1 quadrille ping --server "127.0.0.1:$port"
}

cd /
prints '^tick [0-9]+  entities 50  pairs [0-9]+  begins/s ' "$demo" --seconds 2.5 --room demo-3 --entities 50
err '^==> Server at 127\.0\.0\.1:[0-9]+, 50 bots in each of three rooms; this is room demo-3 for 2\.5 s$'
nothing_left "$(sed -n 's/^==> Server at \([^,]*\),.*/\1/p' "$scratch/err")"

# A view of the demo.
prints '^[0-9]+ enter [0-9]+ at [0-9.]+,[0-9.]+$' "$demo" --seconds 2.5 --room demo-1 --entities 50 --view
out '^[0-9]+ leave [0-9]+ out of range$'
nothing_left "$(sed -n 's/^==> Server at \([^,]*\),.*/\1/p' "$scratch/err")"

for signal in INT TERM; do
    rm "$scratch/out"
    # Background processes of a script ignore SIGINT by default.
    background env --default-signal=INT "$demo" --seconds 600 --entities 50 >"$scratch/out" 2>"$scratch/err"
    running=$!
    until_true grep -q '^tick ' "$scratch/out"
    kill -$signal "$running"
    ends_with 0 "$running" "SIG$signal is no fine end"
    nothing_left "$(sed -n 's/^==> Server at \([^,]*\),.*/\1/p' "$scratch/err")"
done

# If the server cannot start, client/demo reports it and fails.
QD_SERVER=/bin/false fails 1 'The server did not start' "$demo" --seconds 1
