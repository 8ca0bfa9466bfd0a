#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# swarm: bots that move, collide, and leave nothing behind.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

prints '^room swarm-1: 50 entities, uniform$' quadrille swarm --seconds 1 --entities 50
out '^room swarm-2: 50 entities, flock$'
out '^room swarm-3: 50 entities, crowd$'
out '^[1-9][0-9]* updates sent, [0-9]+ ticks skipped$'
prints '^no rooms$' quadrille rooms

# Some bots observe.
expect 0 quadrille swarm --rooms 2 --entities 60 --observers 20 --range 6 --density 0.3 --motion uniform --seconds 1.5
out '^[1-9] s: [1-9][0-9]* updates/s, [0-9.]+ enters/s, [0-9.]+ leaves/s, [0-9]+ seen$'
out '^[1-9][0-9]* enters, [1-9][0-9.]*/s; [1-9][0-9]* leaves, [1-9][0-9.]*/s; [0-9]+ seen by 40 observers at the end$'
fails 2 '--observers is 301; must be at most the number of --entities, 300' quadrille swarm --observers 301
fails 2 '--range needs --observers' quadrille swarm --range 3

for motion in uniform flock crowd; do
    background quadrille swarm --rooms 2 --prefix $motion --motion $motion --hz 50 --entities 200 --density 0.3 \
        --seed 7 >"$scratch/$motion" 2>&1
    swarm=$!
    # The bots move, so pairs begin and end.
    moving() { quadrille events $motion-2 --seconds 0.5 >"$scratch/events" && grep -q ' end ' "$scratch/events"; }
    until_true moving
    prints '^entities +200$' quadrille stats $motion-1
    expect 1 quadrille swarm --prefix $motion --seconds 1 --hz 50 --entities 200 --density 0.3
    err "^quadrille swarm: (room $motion-1 is open already|refused: .*CONFIG_MISMATCH)"
    kill -TERM "$swarm"
    ends_with 0 "$swarm" "the $motion swarm: $(cat "$scratch/$motion")"
    grep -q "^room $motion-2: 200 entities, $motion$" "$scratch/$motion" || fail "the rooms of $motion"
    prints '^no rooms$' quadrille rooms
done

# In three dimensions, with a chosen index.
background quadrille swarm --prefix deep --dimensions 3 --index octree --entities 200 --density 0.3 --hz 50 \
    >"$scratch/deep" 2>&1
swarm=$!
for room in deep-1 deep-2 deep-3; do
    moving() { quadrille events $room --seconds 0.5 >"$scratch/events" && grep -q ' end ' "$scratch/events"; }
    until_true moving
    prints '^index +octree$' quadrille stats $room
done
kill -TERM "$swarm"
ends_with 0 "$swarm" "the swarm in three dimensions: $(cat "$scratch/deep")"

# No entity leaves the given bounds.
background quadrille swarm --rooms 1 --motion uniform --bounds -8,-4,8,4 --entities 100 >/dev/null
swarm=$!
open() { quadrille stats swarm-1 >"$scratch/stats" && grep -q '^tick  *[1-9][0-9]' "$scratch/stats"; }
until_true open
fails 1 'bounds.*CONFIG_MISMATCH' quadrille open swarm-1 --bounds -8,-4,8,5
kill -TERM "$swarm"
ends_with 0 "$swarm" 'the swarm in bounds'
fails 2 '--prefix .*; must be 52 bytes or less' quadrille swarm --prefix "$(printf '%060d' 0)"

# If the server stops, the swarm reports it and fails.
background quadrille swarm >"$scratch/out" 2>"$scratch/err"
swarm=$!
until_true quadrille stats swarm-3
stop_server
ends_with 1 "$swarm" 'a server that stopped'
err '^quadrille swarm: '
[ "$(wc -l <"$scratch/err")" -eq 1 ] || fail 'more than one reason'
