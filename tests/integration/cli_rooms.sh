#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# rooms, stats, open and close.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

prints '^no rooms$' quadrille rooms
prints '^\[\]$' quadrille rooms --json

expect 0 quadrille open arena --bounds -10,-20.5,10,20 --hz 50 --depth 4 --entities-max 100 --events-max 1000 \
    --grace-ms 100 --empty-close-ms 600000
out '^room arena created: bounds -10,-20.5,10,20, index auto, 50 ticks per second, at most 100 entities'
expect 0 quadrille open steps --step --empty-close-ms 600000
out '^room steps created: bounds 0,0,1000,1000, index auto, ticks by step'
expect 0 quadrille open 'say "hi"\' --empty-close-ms 600000

expect 0 quadrille open ünïts --empty-close-ms 600000
prints '^ünïts {20}clock +20 +[0-9]+ +0 +0$' quadrille rooms
out '^name +mode +hz +tick +entities +sessions$'
out '^arena +clock +50 +[0-9]+ +0 +0$'
out '^steps +step +- +0 +0 +0$'
expect 0 quadrille rooms --json
[ "$(head -n 1 "$scratch/out")$(tail -n 1 "$scratch/out")" = '[]' ] || fail 'a JSON array'
out '^  \{"name": "arena", "tick_mode": "clock", "tick_hz": 50, "tick": [0-9]+, "entities": 0, "sessions": 0\},$'
out '^  \{"name": "say \\"hi\\"\\\\", '
out '^  \{"name": "steps", "tick_mode": "step", .*\},$'
out '^  \{"name": "ünïts", .*\}$'

# Open again with the same configuration, with a part of it, and with another one.
prints '^room arena was open already: ' quadrille open arena --bounds -10,-20.5,10,20 --hz 50
prints '^room arena was open already: bounds -10,-20.5,10,20, index auto, 50 ticks per second' quadrille open arena
expect 1 quadrille open arena --bounds -10,-20.5,10,20 --hz 51
err '^quadrille open: refused: .*tick_hz.*51.*CONFIG_MISMATCH'
fails 1 'bounds.*CONFIG_MISMATCH' quadrille open arena --bounds 0,0,1,1
fails 1 'tick_mode.*CONFIG_MISMATCH' quadrille open steps --hz 20
fails 1 'INVALID' quadrille open "$(printf '%065d' 0)"

# Three dimensions, and the index.
export QUADRILLE_TOKEN=chooser
expect 0 quadrille open cube --dimensions 3 --swept
out '^room cube created: bounds 0,0,0,1000,1000,1000, index auto, swept, 20 ticks per second'
expect 0 quadrille open cube --bounds 0,0,0,1000,1000,1000
out '^room cube was open already: bounds 0,0,0,1000,1000,1000, index auto, swept, '
prints '^room cube was open already: bounds 0,0,0,1000,1000,1000' quadrille open cube
fails 1 'dimensions is 2, but the room has 3.*CONFIG_MISMATCH' quadrille open cube --dimensions 2
expect 1 quadrille open cube --dimensions 3 --index octree
err 'index is INDEX_OCTREE, but the room has INDEX_AUTO.*CONFIG_MISMATCH'
fails 1 'swept is true, but the room has false.*CONFIG_MISMATCH' quadrille open steps --swept
expect 1 quadrille open steps --step --writers 2
expect 0 quadrille open together --step --writers 2 --step-deadline-ms 70 --empty-close-ms 1000
out ', ticks when 2 sessions have stepped or 70 ms after the first, '
expect 0 quadrille close together
expect 2 quadrille open bad --writers 2
expect 2 quadrille open bad --step --step-deadline-ms 70
expect 0 quadrille close cube
unset QUADRILLE_TOKEN
expect 0 quadrille open tree --index quadtree --depth 10 --empty-close-ms 1000
out '^room tree created: .*, index quadtree, '
expect 1 quadrille open bad --index quadtree --depth 11
err 'depth is 11; must be 1 to 10 with INDEX_QUADTREE in 2 dimensions \(INVALID\)'
fails 1 'index is INDEX_OCTREE, which is for three dimensions.*INVALID' quadrille open bad --index octree
fails 1 'depth is 3; must be absent with INDEX_BRUTE, which is no tree' quadrille open bad --index brute --depth 3
fails 1 'prune is PRUNE_LAZY; must be absent with INDEX_AUTO' quadrille open bad --prune lazy
fails 1 'cell_size is 4; must be absent with INDEX_AUTO' quadrille open bad --cell-size 4

# Many rooms are listed in pages.
token=opener
for i in {1..20}; do
    QUADRILLE_TOKEN=$token quadrille open "many-$i" --empty-close-ms 600000 >/dev/null
done
expect 0 quadrille rooms
[ "$(grep -c '^many-' "$scratch/out")" -eq 20 ] || fail 'twenty rooms'

# Statistics, of the server and of a room. The end of the session before may not have been counted yet.
is_alone() { quadrille stats "$@" >"$scratch/out" && grep -Eq '^sessions +1$' "$scratch/out"; }
until_true is_alone
out '^rooms +2[45]$' # `tree` may be gone already
prints '^  "rooms": 2[45],$' quadrille stats --json
expect 0 quadrille spawn arena 7 1 1 1
until_true is_alone arena
out '^entities +1$'
out '^index +quadtree$'
out '^passed +0$'
prints '^  "entities": 1,$' quadrille stats arena --json
out '^  "index": "quadtree",$'
out '^  "tick_us_p50": [0-9]+\.[0-9]+,$'
fails 1 '^quadrille stats: no room "nowhere" is open: .*`quadrille open`.*UNKNOWN_ROOM' quadrille stats nowhere

# Only a session of the token that opened a room may close it.
QUADRILLE_TOKEN=other fails 1 'cannot close room arena: another session created the room.* Set QUADRILLE_TOKEN .*NOT_ALLOWED' \
    quadrille close arena
fails 1 'UNKNOWN_ROOM' quadrille close nowhere
QUADRILLE_TOKEN=other fails 1 'NOT_ALLOWED' quadrille close many-1
QUADRILLE_TOKEN=$token prints '^room many-1 closed$' quadrille close many-1
expect 0 quadrille rooms
no_out '^many-1 '
out '^many-2 '

# An empty room closes automatically; with 0, as soon as it is left.
gone() { quadrille rooms >"$scratch/rooms" && ! grep -q '^brief ' "$scratch/rooms"; }
for time in 1 0; do
    expect 0 quadrille open brief --empty-close-ms $time
    until_true gone
done
prints '"grace_ms": 0, "empty_close_ms": 0\}$' quadrille open brief --grace-ms 0 --empty-close-ms 0 --json
