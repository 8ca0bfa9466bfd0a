#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Help, versions and invalid command lines: each error names the option, its value and the fix.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

prints '^quadrille [0-9]+\.[0-9]+\.[0-9]+$' quadrille --version
prints '^usage: quadrille ' quadrille --help
for command in rooms stats open close spawn move teleport reshape despawn adopt describe snapshot query watch events \
    observe watchers why swarm replay ping; do
    prints "^  $command +[a-z]" quadrille --help
    prints "^usage: quadrille $command" quadrille $command --help
    out '--server HOST:PORT'
    expect 2 quadrille $command --nonsense
    err "^quadrille $command: unknown option '--nonsense'; see quadrille $command --help$"
done

fails 2 'no command given' quadrille
fails 2 "unknown command 'dance'" quadrille dance
fails 2 "unknown option '--colour'" quadrille --colour rooms
fails 2 '--server needs a value' quadrille --server
fails 2 '--count needs a value: --count N' quadrille ping --count
fails 2 '--json takes no value' quadrille rooms --json=yes

# Too few and too many arguments.
fails 2 'too few arguments: needs NAME' quadrille open
fails 2 'too many arguments' quadrille open a b
fails 2 'the entity has 2 values: must be id,x,y,hx' quadrille spawn room 1 2
fails 2 'the entity has 4 values: must be id,x,y, or - for rows' quadrille move room 1 2 3 4
fails 2 'too many arguments' quadrille move room 1 2 3 4 5
fails 2 'the entity has 3 values: must be id,x,y,z, or' quadrille teleport room 1 2 3 --dimensions 3
fails 2 'the entity has 6 values: must be id,x,y,hx\[,hy\], or' quadrille spawn room 1 2 3 4 5 6
fails 2 'the entity has 6 values: must be id,x,y,z,hx\[,hy,hz\], or' quadrille spawn room 1 2 3 4 5 6 --dimensions 3
fails 2 'the entity has 5 values: must be id,x,y,radius,ax,ay, or' quadrille spawn room 1 2 3 4 5 --capsule
expect 2 quadrille reshape room 1 2 3 --capsule --dimensions 3
err 'the entity has 3 values: must be id,radius,ax,ay,az, or'
fails 2 '--circle and --capsule exclude each other' quadrille spawn room 1 2 3 4 --capsule --circle

# Invalid values.
fails 2 "--count '0': must be a whole number from 1 to " quadrille ping --count 0
fails 2 "--hz '1001': must be a whole number from 1 to 1000" quadrille open a --hz 1001
fails 2 "--hz '20x'" quadrille open a --hz=20x
fails 2 '--step and --hz exclude each other' quadrille open a --hz 20 --step
fails 2 "--depth '22': must be a whole number from 1 to 21" quadrille open a --depth 22
for bounds in 0,0,1 0,0,1,1,1 1,0,0,1 0,0,0,1 0,0,nan,1 0,0,1e39,1 a,b,c,d '' 0,0,0,1,1,0 0,0,0,1,1,1,1; do
    fails 2 "--bounds '$bounds': must be four numbers MINX,MINY,MAXX,MAXY, or six" quadrille open a --bounds "$bounds"
done
fails 2 '--dimensions 3 needs --bounds of six numbers' quadrille open a --bounds 0,0,1,1 --dimensions 3
fails 2 '--dimensions 2 needs --bounds of four numbers' quadrille swarm --bounds 0,0,0,1,1,1 --dimensions 2
fails 2 "--dimensions '4'" quadrille open a --dimensions 4
for index in tree Quadtree '' 2; do
    expect 2 quadrille open a --index "$index"
    err "--index '$index': must be one of auto, quadtree, octree, sparse, hash, grid, brute"
done
fails 2 "--prune 'never': must be one of auto, candidates, walk, lazy" quadrille open a --prune never
fails 2 "--cell-size '-1'" quadrille open a --cell-size -1
fails 2 "id '-1': must be a whole number" quadrille spawn room -1 0 0 1
fails 2 "id '4294967296'" quadrille spawn room 4294967296 0 0 1
fails 2 "x 'nan': must be a finite number" quadrille spawn room 1 nan 0 1
fails 2 "hx '1e39'" quadrille spawn room 1 0 0 1e39
fails 2 "--seconds '-1'" quadrille events room --seconds -1
fails 2 "--motion 'waltz': must be uniform, flock, crowd or mix" quadrille swarm --motion waltz
fails 2 "--density '0'" quadrille swarm --density 0
fails 2 'no --room given' quadrille replay trace.csv
fails 2 '--check needs --step' quadrille replay trace.csv --room r --check
fails 2 '--events needs --step' quadrille replay trace.csv --room r --events -
fails 2 '--step and --hz exclude each other' quadrille replay trace.csv --room r --hz 10 --step

# An unreachable server, and invalid addresses. No program listens on port 1.
for command in 'rooms' 'stats' 'open a' 'close a' 'spawn a 1 0 0 1' 'move a 1 0 0' 'despawn a 1' \
    'teleport a 1 0 0' 'reshape a 1 1' 'snapshot a' 'query a nearest 0,0' 'watch a' 'events a' 'swarm' 'ping' \
    'describe a 1 --team 1' 'observe a 1 --range 1' 'watch a --observer 1 --range 1' 'why a 1 2'; do
    fails 1 "^quadrille [a-z]+: .*127\.0\.0\.1:1" quadrille $command --server 127.0.0.1:1
done
QUADRILLE_SERVER=127.0.0.1:1 fails 1 '127\.0\.0\.1:1' quadrille ping
fails 1 'nonsense' quadrille ping --server nonsense

# The server may be named before the command, after it, or in the environment.
start
prints "^pong from $address: [0-9]+ us$" quadrille ping
unset QUADRILLE_SERVER
expect 0 quadrille --server "$address" ping
expect 0 quadrille "--server=$address" ping
expect 0 quadrille ping --server "$address"
export QUADRILLE_SERVER=127.0.0.1:1
expect 0 quadrille ping --server "$address"

expect 0 quadrille ping --server "$address" --count 3
[ "$(grep -c '^pong' "$scratch/out")" -eq 3 ] || fail 'three pongs'
out '^3 round trips: min [0-9]+ us, median [0-9]+ us, max [0-9]+ us$'

# A command fails if it cannot write its output.
if [ -e /dev/full ]; then
    status=0
    quadrille --server "$address" stats >/dev/full 2>"$scratch/err" || status=$?
    [ "$status" -eq 1 ] || fail "exit status $status for a full disk"
    err 'cannot write the output'
fi
# A closed pipe is not an error.
{ quadrille --server "$address" ping --count 3 2>"$scratch/err" || true; } | head -n 1 >/dev/null
[ ! -s "$scratch/err" ] || fail 'a closed pipe is complained about'
