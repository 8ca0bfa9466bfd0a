#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# step, and which tick contains a change: commands wait for it, so that `query` and `why` see it. In a room that ticks by
# step they say that it takes effect later.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

is() { [ "$(cat "$scratch/out")" = "$1" ] || fail "the output is not: $1"; }
finds() { expect 0 quadrille query "$1" nearest 0,0 && is "$2"; }

# On a slow clock, every change is visible at once.
quadrille open slow --hz 4 >/dev/null
prints '^1 entity spawned in room slow$' quadrille spawn slow 1 3 4 0
finds slow '1 5'
expect 0 quadrille move slow 1 6 8
finds slow '1 10'
expect 0 quadrille teleport slow 1 0 30
finds slow '1 30'
expect 0 quadrille reshape slow 1 10 --circle
finds slow '1 20'
expect 0 quadrille despawn slow 1
finds slow ''
# The clock stands still while the room is empty; it starts again.
printf '1,0,9,0\n2,0,7,0\n' | expect 0 quadrille spawn slow -
finds slow '2 7'
# The last despawn as well, from a room that other sessions keep open.
expect 0 quadrille despawn slow 1 2
finds slow ''
: | prints '^0 entities spawned in room slow$' quadrille spawn slow -
# A batch of which entries are refused waits for the others.
expect 0 quadrille spawn slow 5 0 9 0
printf '5,0,1,0\n6,0,2,0\n' | fails 1 '^quadrille spawn: entity 5: ID_TAKEN$' quadrille spawn slow -
finds slow '6 2'
# A refused batch does not wait for a tick that may never come.
fails 1 'entity 99: UNKNOWN_ID' quadrille move slow 99 1 1

prints '^\{"room": "slow", "entities": 1, "tick": [1-9][0-9]*\}$' quadrille move slow 6 1 1 --json
prints '^\{"room": "slow", "entities": 1, "tick": null\}$' quadrille move slow 6 1 1 --json --no-wait
prints '^1 entity described in room slow$' quadrille describe slow 6 --tag 4
prints '^\{"room": "slow", "entities": 1, "tick": [1-9][0-9]*\}$' quadrille describe slow 6 --tag 5 --json

# Without waiting, a room of one tick per second still has the old position.
quadrille open crawl --hz 1 >/dev/null
expect 0 quadrille spawn crawl 1 0 5 0
tick() { quadrille rooms --json | sed -n 's/.*"name": "crawl".*"tick": \([0-9]*\),.*/\1/p'; }
for try in {1..20}; do
    before=$(tick)
    quadrille move crawl 1 0 "$((try + 5))" --no-wait >/dev/null
    quadrille query crawl nearest 0,0 >"$scratch/out"
    [ "$(tick)" != "$before" ] || break
    [ "$try" -lt 20 ] || fail 'twenty commands took a second each'
done
is "1 $((try + 4))"

# Step.
quadrille open steps --step >/dev/null
prints '^1 entity spawned in room steps: takes effect at the next step$' quadrille spawn steps 1 3 4 0
finds steps ''
prints '^tick 1$' quadrille step steps
finds steps '1 5'
prints '^1 entity described in room steps: takes effect at the next step$' quadrille describe steps 1 --team 3
prints '^\{"room": "steps", "entities": 1, "tick": null\}$' quadrille move steps 1 6 8 --json
finds steps '1 5'
expect 0 quadrille step steps 3
is $'tick 2\ntick 3\ntick 4'
finds steps '1 10'
expect 0 quadrille step steps 2 --json
is $'{"room": "steps", "tick": 5, "late": [], "late_total": 0}\n{"room": "steps", "tick": 6, "late": [], "late_total": 0}'
fails 1 '^quadrille step: room slow ticks on its own clock, at 4 Hz: open one with `quadrille open --step`$' quadrille step slow
fails 1 'no room "nowhere" is open' quadrille step nowhere
for n in 0 -1 1.5 x '' 1000001; do
    fails 2 "N is '$n'; must be a whole number from 1 to 1000000\." quadrille step steps "$n"
done

# Lockstep: alone, the command waits for the deadline each time; two of them make the tick together.
quadrille open pair --step --writers 2 --step-deadline-ms 100 >/dev/null
prints '^tick 1$' quadrille step pair
quadrille open duet --step --writers 2 --step-deadline-ms 30000 >/dev/null
background quadrille step duet
prints '^tick 1$' quadrille step duet
ends_with 0 "$!" 'the other session'
