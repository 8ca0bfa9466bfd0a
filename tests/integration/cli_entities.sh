#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# spawn, move and despawn, in rooms of both modes, from the command line and from rows; and refusals.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

entities() { [ "$(quadrille stats "$1" | awk '$1 == "entities" { print $2 }')" = "$2" ] || fail "room $1: not $2 entities"; }

for mode in --hz=50 --step; do
    room=room$mode later=
    [ "$mode" != --step ] || later=': takes effect at the next step'
    quadrille open "$room" "$mode" --bounds -100,-100,100,100 >/dev/null
    prints "^1 entity spawned in room $room$later$" quadrille spawn "$room" 1 0 0 2
    expect 0 quadrille spawn "$room" 4294967295 -3.5 -1e-3 2 0 --category 2 --mask 4294967295
    expect 0 quadrille spawn "$room" 3 1 1 0.5 --circle
    entities "$room" 3

    fails 1 '^quadrille spawn: refused: entry 0 \(id 1\): another entity has this id; must be free' quadrille spawn "$room" 1 5 5 1
    err '^quadrille spawn: entity 1: ID_TAKEN$'
    fails 1 '^quadrille spawn: entity 4: NEGATIVE_SIZE$' quadrille spawn "$room" 4 5 5 -1
    entities "$room" 3

    # Rows: blank lines and comments are skipped; hy defaults to hx.
    printf '# id,x,y,hx,hy\n10,1,2,3,4\n\n 11 , -1 , .5 , 0 \r\n12,0,0,1\n' | expect 0 quadrille spawn "$room" -
    out '^3 entities spawned'
    entities "$room" 6
    printf '20,1,1,1\n21,1,one,1\n' | expect 1 quadrille spawn "$room" -
    err "^quadrille spawn: line 2: y is 'one'; must be a finite number$"
    printf '20,1\n' | fails 1 '^quadrille spawn: line 1 has 2 fields: a row is id,x,y,hx' quadrille spawn "$room" -
    # A header names the fields.
    printf 'shape,id,y,x\n' | fails 1 "line 1: id is 'shape';|has 4 fields|is 'shape'" quadrille spawn "$room" -
    printf 'id,x,y,colour\n' | fails 1 "the header has 'colour'; must be names that .quadrille snapshot" quadrille spawn "$room" -
    printf 'id,x,y,x\n' | fails 1 "the header has 'x' twice;" quadrille spawn "$room" -
    printf 'id,x,radius\n' | fails 1 'the header has no y: add it' quadrille spawn "$room" -
    printf 'id,x,y,z\n' | fails 1 'the header has z, but room .* has 2 dimensions: leave it out' quadrille spawn "$room" -
    printf 'id,x,y,shape\n20,1,1,disc\n' | fails 1 "line 2: shape is 'disc'; must be box, circle or capsule" \
        quadrille spawn "$room" -
    entities "$room" 6

    prints "^1 entity moved in room $room$later$" quadrille move "$room" 1 -5 -5
    printf '10,0,0\n99,0,0\n98,0,0\n' | fails 1 '^quadrille move: entity 99: UNKNOWN_ID$' quadrille move "$room" -
    err '^quadrille move: entity 98: UNKNOWN_ID$'

    prints '^2 entities despawned' quadrille despawn "$room" 10 11
    fails 1 '^quadrille despawn: entity 10: UNKNOWN_ID$' quadrille despawn "$room" 10 12
    printf '1\n3\n' | expect 0 quadrille despawn "$room" -
    expect 0 quadrille despawn "$room" 4294967295
    entities "$room" 0
done

# Teleport and change the shape; a snapshot shows the result.
quadrille open shapes --step --bounds -100,-100,100,100 >/dev/null
quadrille spawn shapes 7 1 2 3 --category 5 --mask 6 >/dev/null
quadrille spawn shapes 9 -1 -2 0.5 -3 4 --capsule >/dev/null
expect_output() { [ "$(cat "$scratch/out")" = "$1" ] || fail "not what a snapshot should say"; }
expect 0 quadrille snapshot shapes
expect_output 'id,x,y,hx,hy,radius,ax,ay,shape,category,mask
7,1,2,3,3,0,0,0,box,5,6
9,-1,-2,0,0,0.5,-3,4,capsule,1,4294967295'
prints '^1 entity teleported' quadrille teleport shapes 7 50.25 -50
prints '^1 entity reshaped' quadrille reshape shapes 7 2 --circle
printf '9,2,1,-1\n' | expect 0 quadrille reshape shapes - --capsule
fails 1 '^quadrille reshape: entity 9: NEGATIVE_SIZE$' quadrille reshape shapes 9 1 -1
fails 1 '^quadrille spawn: entity 10: NEGATIVE_SIZE$' quadrille spawn shapes 10 1 1 -1 1 1 --capsule
expect 0 quadrille snapshot shapes --limit 5
expect_output 'id,x,y,hx,hy,radius,ax,ay,shape,category,mask
7,50.25,-50,0,0,2,0,0,circle,5,6
9,-1,-2,0,0,2,1,-1,capsule,1,4294967295'
expect 0 quadrille snapshot shapes --region 48,-60,48.25,-40
expect_output 'id,x,y,hx,hy,radius,ax,ay,shape,category,mask
7,50.25,-50,0,0,2,0,0,circle,5,6'
expect 0 quadrille snapshot shapes --limit 1
[ "$(wc -l <"$scratch/out")" -eq 2 ] || fail 'one row behind the header'

# Three dimensions.
quadrille open cube --step --dimensions 3 >/dev/null
expect 0 quadrille spawn cube 1 1 2 3 4 --dimensions 3
printf '2,1,2,3,4,5,6\n3,10,20,30,1\n' | prints '^2 entities spawned' quadrille spawn cube -
expect 0 quadrille move cube 1 7 8 9
expect 0 quadrille reshape cube 3 0.5 1 -2 3 --capsule
expect 0 quadrille snapshot cube
expect_output 'id,x,y,z,hx,hy,hz,radius,ax,ay,az,shape,category,mask
1,7,8,9,4,4,4,0,0,0,0,box,1,4294967295
2,1,2,3,4,5,6,0,0,0,0,box,1,4294967295
3,10,20,30,0,0,0,0.5,1,-2,3,capsule,1,4294967295'
expect 0 quadrille snapshot cube --region 0,0,26,100,100,26.5
expect_output 'id,x,y,z,hx,hy,hz,radius,ax,ay,az,shape,category,mask
3,10,20,30,0,0,0,0.5,1,-2,3,capsule,1,4294967295'
expect 0 quadrille despawn cube 2
for command in 'spawn cube 4 1 2 3' 'move cube 1 1 2' 'teleport cube 1 1 2' 'reshape cube 1 1 2'; do
    fails 1 'room cube has 3 dimensions, but the entity has [0-9] values: give id,(x,y,z|hx)' quadrille $command
done
fails 1 'room shapes has 2 dimensions, but the entity has 4 values: give id,x,y$' quadrille move shapes 7 1 2 3
fails 1 'room shapes has 2 dimensions, but the given values have 3' quadrille move shapes 7 1 2 --dimensions 3

# A snapshot is what spawn reads: all shapes, categories and masks, in both dimensions. Move and reshape take from it
# what they need.
quadrille spawn shapes 11 0.1 -0.2 1e-7 0.3 --category 9 --mask 4294967294 >/dev/null
for room in shapes cube; do
    quadrille open "$room-copy" --step --dimensions "$([ $room = cube ] && echo 3 || echo 2)" >/dev/null
    quadrille snapshot $room >"$scratch/snapshot"
    expect 0 quadrille spawn "$room-copy" - <"$scratch/snapshot"
    expect 0 quadrille snapshot "$room-copy"
    expect_output "$(cat "$scratch/snapshot")"
    for id in $(tail -n +2 "$scratch/snapshot" | cut -d, -f1); do
        if [ $room = cube ]; then
            quadrille teleport "$room-copy" "$id" 5 6 7
        else
            quadrille move "$room-copy" "$id" 5 6
        fi
        quadrille reshape "$room-copy" "$id" 2
    done >/dev/null
    expect 0 quadrille move "$room-copy" - <"$scratch/snapshot"
    expect 0 quadrille reshape "$room-copy" - <"$scratch/snapshot"
    expect 0 quadrille snapshot "$room-copy"
    expect_output "$(cat "$scratch/snapshot")"
    expect 0 quadrille despawn "$room-copy" - <"$scratch/snapshot"
    expect 0 quadrille snapshot "$room-copy"
    [ "$(wc -l <"$scratch/out")" -eq 1 ] || fail 'entities are left'
done
fails 1 'room cube has 3 dimensions' quadrille snapshot cube --region 0,0,1,1

# With more than one batch, the ids of refused entities are right in the second one, too.
quadrille open many --bounds 0,0,1000,1000 >/dev/null
seq 1 70000 | awk '{ print $1 ",1,1,0" }' >"$scratch/rows"
quadrille spawn many - <"$scratch/rows" >"$scratch/out" 2>"$scratch/err" || fail 'spawning 70,000'
out '^70000 entities spawned'
printf '69999\n' | expect 0 quadrille despawn many -
quadrille spawn many - <"$scratch/rows" >"$scratch/out" 2>"$scratch/err" && fail 'taken ids are no failure'
err '^quadrille spawn: entity 1: ID_TAKEN$'
err '^quadrille spawn: entity 65537: ID_TAKEN$'
err '^quadrille spawn: and [0-9]+ more$'
entities many 70000

fails 1 'UNKNOWN_ROOM' quadrille spawn nowhere 1 0 0 1
quadrille open small --entities-max 1 >/dev/null
expect 0 quadrille spawn small 1 0 0 1
fails 1 '^quadrille spawn: entity 2: ROOM_FULL$' quadrille spawn small 2 0 0 1
