#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Help, versions, and command lines that make no sense: each error names the option, its value and the fix.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

expect 0 quadrille --version
out '^quadrille [0-9]+\.[0-9]+\.[0-9]+$'
expect 0 quadrille --help
out '^usage: quadrille '
for command in rooms stats open close spawn move teleport reshape despawn adopt describe snapshot query watch events \
    observe watchers why swarm replay ping; do
    expect 0 quadrille --help
    out "^  $command +[a-z]"
    expect 0 quadrille $command --help
    out "^usage: quadrille $command"
    out '--server HOST:PORT'
    expect 2 quadrille $command --nonsense
    err "^quadrille $command: unknown option '--nonsense'; see quadrille $command --help$"
done

expect 2 quadrille
err 'no command given'
expect 2 quadrille dance
err "unknown command 'dance'"
expect 2 quadrille --colour rooms
err "unknown option '--colour'"
expect 2 quadrille --server
err '--server needs a value'
expect 2 quadrille ping --count
err '--count needs a value: --count N'
expect 2 quadrille rooms --json=yes
err '--json takes no value'

# Too few and too many arguments.
expect 2 quadrille open
err 'too few arguments: needs NAME'
expect 2 quadrille open a b
err 'too many arguments'
expect 2 quadrille spawn room 1 2
err 'the entity has 2 values: must be id,x,y,hx'
expect 2 quadrille move room 1 2 3 4
err 'the entity has 4 values: must be id,x,y, or - for rows'
expect 2 quadrille move room 1 2 3 4 5
err 'too many arguments'
expect 2 quadrille teleport room 1 2 3 --dimensions 3
err 'the entity has 3 values: must be id,x,y,z, or'
expect 2 quadrille spawn room 1 2 3 4 5 6
err 'the entity has 6 values: must be id,x,y,hx\[,hy\], or'
expect 2 quadrille spawn room 1 2 3 4 5 6 --dimensions 3
err 'the entity has 6 values: must be id,x,y,z,hx\[,hy,hz\], or'
expect 2 quadrille spawn room 1 2 3 4 5 --capsule
err 'the entity has 5 values: must be id,x,y,hx,hy,radius, or'
expect 2 quadrille reshape room 1 2 3 --capsule --dimensions 3
err 'the entity has 3 values: must be id,hx,hy,hz,radius, or'
expect 2 quadrille spawn room 1 2 3 4 --capsule --circle
err '--circle and --capsule exclude each other'

# Values that make no sense.
expect 2 quadrille ping --count 0
err "--count '0': must be a whole number from 1 to "
expect 2 quadrille open a --hz 1001
err "--hz '1001': must be a whole number from 1 to 1000"
expect 2 quadrille open a --hz=20x
err "--hz '20x'"
expect 2 quadrille open a --hz 20 --step
err '--step and --hz exclude each other'
expect 2 quadrille open a --depth 22
err "--depth '22': must be a whole number from 1 to 21"
for bounds in 0,0,1 0,0,1,1,1 1,0,0,1 0,0,0,1 0,0,nan,1 0,0,1e39,1 a,b,c,d '' 0,0,0,1,1,0 0,0,0,1,1,1,1; do
    expect 2 quadrille open a --bounds "$bounds"
    err "--bounds '$bounds': must be four numbers MINX,MINY,MAXX,MAXY, or six"
done
expect 2 quadrille open a --bounds 0,0,1,1 --dimensions 3
err '--dimensions 3 needs --bounds of six numbers'
expect 2 quadrille swarm --bounds 0,0,0,1,1,1 --dimensions 2
err '--dimensions 2 needs --bounds of four numbers'
expect 2 quadrille open a --dimensions 4
err "--dimensions '4'"
for index in tree Quadtree '' 2; do
    expect 2 quadrille open a --index "$index"
    err "--index '$index': must be one of auto, quadtree, octree, sparse, hash, grid, brute"
done
expect 2 quadrille open a --prune never
err "--prune 'never': must be one of auto, candidates, walk, lazy"
expect 2 quadrille open a --cell-size -1
err "--cell-size '-1'"
expect 2 quadrille spawn room -1 0 0 1
err "id '-1': must be a whole number"
expect 2 quadrille spawn room 4294967296 0 0 1
err "id '4294967296'"
expect 2 quadrille spawn room 1 nan 0 1
err "x 'nan': must be a finite number"
expect 2 quadrille spawn room 1 0 0 1e39
err "hx '1e39'"
expect 2 quadrille events room --seconds -1
err "--seconds '-1'"
expect 2 quadrille swarm --motion waltz
err "--motion 'waltz': must be uniform, flock, crowd or mix"
expect 2 quadrille swarm --density 0
err "--density '0'"
expect 2 quadrille replay trace.csv
err 'no --room given'
expect 2 quadrille replay trace.csv --room r --check
err '--check needs --step'
expect 2 quadrille replay trace.csv --room r --events -
err '--events needs --step'
expect 2 quadrille replay trace.csv --room r --hz 10 --step
err '--step and --hz exclude each other'

# A server that is not there, and addresses that are none. Port 1 is nobody's.
for command in 'rooms' 'stats' 'open a' 'close a' 'spawn a 1 0 0 1' 'move a 1 0 0' 'despawn a 1' \
    'teleport a 1 0 0' 'reshape a 1 1' 'snapshot a' 'query a nearest 0,0' 'watch a' 'events a' 'swarm' 'ping' \
    'describe a 1 --team 1' 'observe a 1 --range 1' 'watch a --observer 1 --range 1' 'why a 1 2'; do
    expect 1 quadrille $command --server 127.0.0.1:1
    err "^quadrille [a-z]+: .*127\.0\.0\.1:1"
done
QUADRILLE_SERVER=127.0.0.1:1 expect 1 quadrille ping
err '127\.0\.0\.1:1'
expect 1 quadrille ping --server nonsense
err 'nonsense'

# The server may be named before the command, after it, or in the environment.
start
expect 0 quadrille ping
out "^pong from $address: [0-9]+ us$"
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
# A reader that went away is no reason to complain.
{ quadrille --server "$address" ping --count 3 2>"$scratch/err" || true; } | head -n 1 >/dev/null
[ ! -s "$scratch/err" ] || fail 'a closed pipe is complained about'
