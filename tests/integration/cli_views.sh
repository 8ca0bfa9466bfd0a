#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# observe, watch --observer, why and describe: the view of an observer and its reasons, as a user sees them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

quadrille open yard --bounds 0,0,100,100 --hz 100 >/dev/null
printf '1,10,10,1\n2,15,10,1\n3,50,50,1\n' | quadrille spawn yard - >/dev/null
expect 0 quadrille describe yard 2 --tag 18446744073709551615 --payload 'an "orc"' --team 4
out '^1 entity described in room yard$'

# observing NAME ARGUMENT...: observes in the background and writes to $scratch/NAME.
observing() {
    local name=$1
    shift
    background quadrille "$@" >"$scratch/$name" 2>&1
    running=$!
}
has_event() { grep -Eq "^[0-9]+ $2\$" "$scratch/$1"; }
until_event() { until_true has_event "$@"; }
# why A B PATTERN: waits until the output matches.
why_says() { quadrille why yard "$1" "$2" | grep -Eq "$3"; }
until_why() { until_true why_says "$@"; }

# Around an entity: in range, within the margin, out of range, hidden, despawned.
observing around observe yard 1 --range 10 --margin 2 --relay 20:1
around=$running
until_event around 'enter 2 at 15,10 tag 18446744073709551615 payload "an \\x22orc\\x22"'
until_why 1 2 '^observer 1 of session [0-9]+ sees 2 \(distance 5, range 10, margin 2; it sees 1\)$'
until_why 1 3 'does not see 3: it is out of range \(distance 56\.5685, range 10, margin 2; it sees 1\)$'
until_why 1 1 'does not see 1: that is its own anchor '
quadrille move yard 3 10 18 >/dev/null
until_event around 'enter 3 at 10,18'
quadrille move yard 3 10 21.5 >/dev/null
until_event around 'relay 3 at 10,21\.5'
until_why 1 3 'sees 3: it is out of the range, but was in it and is within the margin \(distance 11\.5,'
quadrille move yard 3 10 23 >/dev/null
until_event around 'leave 3 out of range'
quadrille describe yard 2 --hidden >/dev/null
until_event around 'leave 2 hidden'
until_why 1 2 'does not see 2: it is hidden '
quadrille describe yard 2 --shown >/dev/null
until_why 1 2 ' sees 2 '
quadrille despawn yard 2 >/dev/null
until_event around 'leave 2 despawned'
prints '^no observer is at 3$' quadrille why yard 3 1
prints '^\{"tick": [0-9]+, "more": false, "observers": \[$' quadrille why yard 1 3 --json
out '"observer": 1, "seen": false, "why": "not seen: out of range", "distance": 13, "range": 10, "margin": 2, "limit": 0, "sees": 0\}'
prints '^observers +1$' quadrille stats yard
# If the anchor leaves, so does the observer.
quadrille spawn yard 2 15 10 1 >/dev/null
until_event around 'enter 2 at 15,10'
quadrille despawn yard 1 >/dev/null
until_event around 'leave 2 observer gone'
kill -INT "$around"
ends_with 0 "$around" 'interrupted'

# sees ENTERS ARGUMENT...: an observer with those arguments sees that, and nothing else. A busy machine may need longer.
sees() {
    local seconds
    for seconds in 1.5 6 24; do
        expect 0 quadrille observe "${@:2}" --seconds "$seconds"
        [ "$(grep -o 'enter [0-9]*' "$scratch/out")" != "$1" ] || return 0
    done
    fail "does not see $1: ${*:2}"
}

# At a point; a box, a cone, the mask, the nearest, both lists, teams, and the end by --count.
quadrille spawn yard 4 20 10 1 --category 2 >/dev/null
quadrille spawn yard 5 50 50 1 --category 4 >/dev/null
prints '^[0-9]+ enter 2 at 15,10$' quadrille observe yard 15,10 --range 6 --count 2
out '^[0-9]+ enter 4 at 20,10$'
sees 'enter 4' yard 15,10 --range 6 --mask 2
sees 'enter 2' yard 15,12 --range 100 --limit 1
sees 'enter 2' yard 15,10 --box 0,15
sees 'enter 2' yard 16,10 --range 10 --cone -1,0 --angle 20
sees $'enter 2\nenter 5' yard 15,10 --range 6 --show 5,77 --hide 4
quadrille describe yard 2 --team 3 >/dev/null
sees 'enter 4' yard 15,10 --range 6 --team 4
quadrille describe yard 5 --visible-range 90 >/dev/null
expect 0 quadrille observe yard 15,10 --range 1 --enter-budget 1 --json --count 2
out '^\{"tick": [0-9]+, "kind": "enter", "id": 2, "x": 15, "y": 10\}$'
out '^\{"tick": [0-9]+, "kind": "enter", "id": 5, "x": 50, "y": 50\}$'
[ "$(grep -o '"tick": [0-9]*' "$scratch/out" | sort -u | wc -l)" -eq 2 ] || fail 'a budget of one a tick was not kept'
fails 1 'only 1 of --count 2 enters and leaves came' quadrille observe yard 90,10 --range 1 --count 2 --seconds 1.5

# watch prints lines without a terminal, and a map on a terminal.
observing lines watch yard --observer 15,10 --range 6
until_event lines 'enter 2 at 15,10'
quadrille move yard 2 70 10 >/dev/null
until_event lines 'leave 2 out of range'
QUADRILLE_TOKEN=other quadrille spawn yard 6 16 10 1 >/dev/null
until_event lines 'enter 6 at 16,10'
kill -TERM "$running"
ends_with 0 "$running" 'terminated'
fails 2 'no --observer given' quadrille watch yard --range 3

# The reverse view begins with all present watchers, then lists changes.
quadrille open field --bounds 0,0,100,100 --step --empty-close-ms 600000 >/dev/null
printf '1,10,10,1\n2,15,10,1\n3,50,50,1\n' | quadrille spawn field - >/dev/null
expect 0 quadrille watchers field --seconds 1.5
[ "$(cat "$scratch/out")" = '0 reset' ] || fail 'nobody sees anything'
quadrille open watched --bounds 0,0,100,100 --hz 100 >/dev/null
printf '1,10,10,1\n2,15,10,1\n3,50,50,1\n' | quadrille spawn watched - >/dev/null
observing seer observe watched 1 --range 10
seer=$running
until_event seer 'enter 2 at 15,10'
prints '^[0-9]+ reset$' quadrille watchers watched --count 1
out '^[0-9]+ enter 2 observer 1 of session [0-9]+$'
observing watchers watchers watched 2 3
watchers=$running
observing all watchers watched --json --count 3
until_event watchers 'enter 2 observer 1 of session [0-9]+'
all_has() { grep -Eq "$1" "$scratch/all"; }
until_true all_has '^\{"tick": [0-9]+, "kind": "enter", "entity": 2, "observer": 1, "session": [0-9]+\}$'
quadrille move watched 2 90 90 >/dev/null
until_event watchers 'leave 2 observer 1 of session [0-9]+'
quadrille spawn watched 4 11 10 1 >/dev/null
ends_with 0 "$running" 'watchers --count'
all_has '"kind": "leave", "entity": 2' || fail 'no leave'
all_has '"kind": "enter", "entity": 4' || fail 'not all entities'
! grep -q 'enter 4' "$scratch/watchers" || fail 'an entity that was not asked for'
kill -INT "$seer" "$watchers"
ends_with 0 "$seer" 'interrupted'
ends_with 0 "$watchers" 'interrupted'
fails 1 'UNKNOWN_ROOM' quadrille watchers nowhere
fails 2 "the entity is 'x'; must be an id" quadrille watchers watched 1 x

# Three dimensions.
quadrille open tower --bounds 0,0,0,100,100,100 --hz 100 >/dev/null
printf '1,10,10,10,1\n2,10,10,20,1\n3,10,10,30,1\n' | quadrille spawn tower - --dimensions 3 >/dev/null
prints 'enter 1 at 10,10,10$' quadrille observe tower 1 --range 12 --self --count 2
out 'enter 2 at 10,10,20$'
expect 0 quadrille observe tower 10,10,10 --range 50 --cone 0,0,1 --angle 1 --count 3
sees $'enter 2\nenter 3' tower 10,10,30 --box 1,1,10.5
expect 1 quadrille observe tower 10,10 --range 3
err '^quadrille observe: room tower has 3 dimensions, but the given values have 2: give z as well$'
expect 1 quadrille observe yard 3 --range 3 --cone 1,0,0
err 'room yard has 2 dimensions, but the given values have 3: give x and y only'

# The room closes.
quadrille open hall --hz 100 >/dev/null
QUADRILLE_TOKEN=owner quadrille open den --hz 100 >/dev/null
QUADRILLE_TOKEN=owner quadrille spawn den 1 10 10 1 >/dev/null
observing closing observe den 10,10 --range 5
until_event closing 'enter 1 at 10,10'
QUADRILLE_TOKEN=owner quadrille close den >/dev/null
ends_with 0 "$running" 'a room that closed'
has_event closing 'leave 1 room closed' || fail 'no leave when the room closed'
grep -q 'the room was closed' "$scratch/closing" || fail 'it is not told that the room closed'

# A room limits its observers and the entities within their range.
quadrille open small --hz 100 --observers-max 1 --visible-entries-max 2 >/dev/null
printf '1,10,10,1\n2,11,10,1\n' | quadrille spawn small - >/dev/null
observing limited observe small 10,10 --range 5
limited=$running
until_event limited 'enter 2 at 11,10'
fails 1 'OBSERVERS_FULL' quadrille observe small 1,1 --range 1
quadrille spawn small 3 12 10 1 >/dev/null
until_event limited 'suspended: limit exceeded'
quadrille despawn small 1 >/dev/null
until_event limited 'reset'
until_event limited 'enter 3 at 12,10'
kill -INT "$limited"
ends_with 0 "$limited" 'interrupted'

# Errors from the server.
fails 1 'quadrille observe: entity 77: UNKNOWN_ID' quadrille observe yard 77 --range 3
fails 1 'BAD_REGION' quadrille observe yard 1,1 --range 3 --cone 0,0
fails 1 'refused: ' quadrille observe yard 1,1 --range 3 --relay 5:2,4:1
fails 1 'UNKNOWN_ID' quadrille why yard 77 3
fails 1 'entity 77: UNKNOWN_ID' quadrille describe yard 77 3 --team 1
fails 1 'UNKNOWN_ROOM' quadrille observe nowhere 1,1 --range 3

# Errors that the CLI detects itself.
for where in '' x 1, 1,2,3,4 -1 4294967296; do
    fails 2 "the observer is '$where'; must be an entity's id, or a point X,Y" quadrille observe yard --range 3 -- "$where"
done
fails 2 'no --range or --box given' quadrille observe yard 1
fails 2 '--box and --range exclude each other' quadrille observe yard 1 --range 1 --box 2
fails 2 '--box and --cone exclude each other' quadrille observe yard 1 --box 2 --cone 1,0
fails 2 "--box is '2,-1'; must be half extents" quadrille observe yard 1 --box 2,-1
fails 2 "--cone is '1'; must be a direction" quadrille observe yard 1 --range 2 --cone 1
fails 2 '--cone has 3 dimensions, but the values before it have 2' quadrille observe yard 1,2 --range 2 --cone 1,2,3
for tiers in 5 5: :1 5:x 1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1; do
    fails 2 "--relay is '.*'; must be 1 to 8 tiers RANGE:TICKS" quadrille observe yard 1 --range 2 --relay "$tiers"
done
fails 2 "--hide is '1,x'; must be 1 to 64 ids" quadrille observe yard 1 --range 2 --hide 1,x
fails 2 "--angle is 181;" quadrille observe yard 1 --range 2 --angle 181
fails 2 "the entity is 'x'; must be an id" quadrille why yard 1 x
fails 2 'nothing to set' quadrille describe yard 1
fails 2 '--hidden and --shown exclude each other' quadrille describe yard 1 --hidden --shown
fails 2 'must be 32 bytes or less' quadrille describe yard 1 --payload "$(printf '%033d' 0)"
fails 2 "--tag is '18446744073709551616'; must be" quadrille describe yard 1 --tag 18446744073709551616
fails 2 "the entity is 'x'; must be an id, a whole number" quadrille describe yard x --team 1
