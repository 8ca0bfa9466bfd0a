#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# events: begins, ends with their reasons, stays, resets and scopes, as text and as JSON; and exit statuses.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

export QUADRILLE_TOKEN=tester
quadrille open arena --hz 100 >/dev/null
quadrille spawn arena 1 0 0 1 >/dev/null
quadrille spawn arena 2 1 0 1 >/dev/null

# A subscriber that joins later gets the present set after a reset.
prints '^[0-9]+ reset$' quadrille events arena --count 1
out '^[0-9]+ begin 1 2$'
prints '^\{"tick": [0-9]+, "kind": "reset"\}$' quadrille events arena --count 1 --json
out '^\{"tick": [0-9]+, "kind": "begin", "a": 1, "b": 2\}$'
expect 0 quadrille events arena --count 10 --stays
[ "$(grep -Ec '^[0-9]+ stay 1 2$' "$scratch/out")" -eq 9 ] || fail 'nine stays'

# The subscriber owns no entities, so scope own is empty.
prints 'reset$' quadrille events arena --own --seconds 1.5
no_out 'begin'
# Fewer events than requested.
fails 1 '^quadrille events: only 1 of --count 2 events came$' quadrille events arena --count 2 --seconds 1.5

# In a long stream, every end has its reason.
background quadrille events arena >"$scratch/stream" 2>"$scratch/stream-errors"
stream=$!
background quadrille events arena --json --count 8 >"$scratch/json"
json=$!
# A busy machine may skip ticks, and the output reports them.
events() { grep -v ' skipped ' "$scratch/stream"; }
last_event_is() { events | tail -n 1 | grep -Eq "^[0-9]+ $1\$"; }
until_true last_event_is 'begin 1 2'
quadrille move arena 2 50 50 >/dev/null
until_true last_event_is 'end 1 2 moved apart'
quadrille move arena 2 0 0.5 >/dev/null
until_true last_event_is 'begin 1 2'
quadrille despawn arena 1 >/dev/null
until_true last_event_is 'end 1 2 despawned'
printf '5,0,0,1\n4,0,0,1\n3,0,0,1\n' | quadrille spawn arena - --circle >/dev/null
until_true last_event_is 'begin 4 5'
# Within a tick, events are ordered.
events | tail -n 6 | awk '{ print $3 " " $4 }' >"$scratch/order"
printf '2 3\n2 4\n2 5\n3 4\n3 5\n4 5\n' | cmp - "$scratch/order" || fail 'the order of events'
ends_with 0 "$json" 'the JSON stream'
[ "$(grep -c '"kind": "begin", "a": [0-9]*, "b": [0-9]*}$' "$scratch/json")" -eq 6 ] || fail 'six begins'
grep -q '"kind": "end", "a": 1, "b": 2, "reason": "moved apart"}$' "$scratch/json" || fail 'no JSON end'

quadrille close arena >/dev/null
ends_with 0 "$stream" 'the stream of a room that was closed'
[ "$(events | tail -n 1 | cut -d ' ' -f 2-)" = 'end 4 5 room closed' ] || fail 'the last end'
grep -q 'the room was closed' "$scratch/stream-errors" || fail 'nothing said of the closed room'

# A swept room reports passed pairs.
quadrille open lane --swept --hz 100 --bounds 0,0,100,100 >/dev/null
printf '1,10,50,1\n2,50,50,1\n3,60,50,1\n' | quadrille spawn lane - >/dev/null
background quadrille events lane --json --count 2 >"$scratch/swept"
json=$!
until_true grep -q reset "$scratch/swept"
ticking() { quadrille stats lane >"$scratch/stats" && grep -Eq '^tick +([5-9]|[1-9][0-9]+)$' "$scratch/stats"; }
until_true ticking
quadrille move lane 1 90 50 >/dev/null
ends_with 0 "$json" 'the stream of a swept room'
tail -n 2 "$scratch/swept" | sed 's/"tick": [0-9]*, //' >"$scratch/passed"
printf '{"kind": "passed", "a": 1, "b": 2}\n{"kind": "passed", "a": 1, "b": 3}\n' | cmp - "$scratch/passed" ||
    fail 'what passed'
prints '^passed +2$' quadrille stats lane
quadrille close lane >/dev/null

# An interrupt is a success; the end of the server is a failure.
quadrille open other >/dev/null
for signal in INT TERM; do
    rm "$scratch/stream"
    background quadrille events other >"$scratch/stream"
    stream=$!
    until_true grep -q reset "$scratch/stream"
    kill -$signal "$stream"
    ends_with 0 "$stream" "SIG$signal is no fine end"
done
fails 1 'UNKNOWN_ROOM' quadrille events nowhere
