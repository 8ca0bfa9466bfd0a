#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Help, versions and invalid command lines: each error names the option, its value and the fix.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

prints '^quadrille [0-9]+\.[0-9]+\.[0-9]+ \(commit ([0-9a-f]{12}(\+changes)?|unknown)\)$' quadrille --version
prints '^usage: quadrille ' quadrille --help
cp "$scratch/out" "$scratch/expected"
for status in 0 1 2; do
    out "^  $status  [a-z]"
done
expect 0 quadrille help
cmp -s "$scratch/out" "$scratch/expected" || fail 'quadrille help differs from quadrille --help'
# --help shows the help even if the rest is wrong.
prints '^usage: quadrille open' quadrille open --hz nonsense --help
for command in rooms sessions stats open close step spawn move teleport reshape despawn adopt describe snapshot query watch events \
    observe watchers why swarm replay token ping help; do
    prints "^  $command +[a-z]" quadrille --help
    prints "^usage: quadrille $command" quadrille $command --help
    case $command in help | token) ;; *) out '--server HOST:PORT' ;; esac
    cp "$scratch/out" "$scratch/help"
    expect 2 quadrille $command --nonsense
    err "^quadrille $command: unknown option '--nonsense'\..* See quadrille $command --help\.$"
    expect 0 quadrille help $command
    cmp -s "$scratch/out" "$scratch/help" || fail "quadrille help $command differs from quadrille $command --help"
done

fails 2 'too few arguments: needs COMMAND' quadrille
fails 2 "unknown command 'dance'\. See" quadrille dance
fails 2 "unknown command 'swrm'; the nearest is swarm" quadrille swrm
fails 2 "unknown command 'dance'" quadrille help dance
fails 2 "unknown option '--hertz'" quadrille open a --hertz 3
fails 2 "unknown option '--secnods'. Did you mean --seconds\\?" quadrille-bench --secnods=3
fails 2 "unknown scenario 'latncy'; the nearest is latency" quadrille-bench latncy
fails 2 "unknown option '--colour'" quadrille --colour rooms
fails 2 '--server needs a value: --server HOST:PORT' quadrille --server
fails 2 '--count needs a value: --count N' quadrille ping --count
fails 2 "--json is 'yes'; must be without a value" quadrille rooms --json=yes
# A repeated option is refused, whatever its kind.
fails 2 '--hz is given twice; give it once' quadrille open a --hz 3 --hz=3
fails 2 '--json is given twice; give it once' quadrille rooms --json --json
fails 2 '--server is given twice; give it once' quadrille --server a:1 --server b:2 rooms
fails 2 '--rooms is given twice; give it once' quadrille-bench --rooms 1 --rooms 2

# Too few and too many arguments.
fails 2 'too few arguments: needs NAME' quadrille open
fails 2 'too many arguments' quadrille open a b
fails 2 'the entity has 2 values; must be id,x,y,hx' quadrille spawn room 1 2
fails 2 'the entity has 2 values; must be id,x,y, in three dimensions id,x,y,z, or - for rows' quadrille move room 1 2
fails 2 'too many arguments' quadrille move room 1 2 3 4 5
expect 2 quadrille spawn room 1 2 3 4 5 6
err 'the entity has 6 values; must be id,x,y,hx\[,hy\], in three dimensions id,x,y,z,hx\[,hy,hz\], or'
fails 2 'the entity has 5 values; must be id,x,y,radius,ax,ay, in three' quadrille spawn room 1 2 3 4 5 --capsule
fails 2 'the entity has 3 values; must be id,radius,ax,ay, in three' quadrille reshape room 1 2 3 --capsule
fails 2 '--circle and --capsule exclude each other' quadrille spawn room 1 2 3 4 --capsule --circle

# Invalid values.
fails 2 "--count is 0; must be a whole number from 1 to " quadrille ping --count 0
fails 2 "--hz is 1001; must be a whole number from 1 to 1000" quadrille open a --hz 1001
fails 2 "--hz is '20x';" quadrille open a --hz=20x
fails 2 '--step and --hz exclude each other' quadrille open a --hz 20 --step
fails 2 "--depth is 22; must be a whole number from 1 to 21" quadrille open a --depth 22
for bounds in 0,0,1 0,0,1,1,1 1,0,0,1 0,0,0,1 0,0,nan,1 0,0,1e39,1 a,b,c,d '' 0,0,0,1,1,0 0,0,0,1,1,1,1; do
    fails 2 "--bounds is '$bounds'; must be four numbers MINX,MINY,MAXX,MAXY, or six" quadrille open a --bounds "$bounds"
done
fails 2 '--dimensions 3 needs --bounds of six numbers' quadrille open a --bounds 0,0,1,1 --dimensions 3
fails 2 '--dimensions 2 needs --bounds of four numbers' quadrille swarm --bounds 0,0,0,1,1,1 --dimensions 2
fails 2 "--dimensions is 4;" quadrille open a --dimensions 4
for index in tree Quadtree '' 2x; do
    expect 2 quadrille open a --index "$index"
    err "--index is '$index'; must be auto, quadtree, octree, sparse, hash, grid or brute"
done
fails 2 "--prune is 'never'; must be auto, candidates, traversal or lazy" quadrille open a --prune never
fails 2 "--cell-size is -1;" quadrille open a --cell-size -1
fails 2 "id is '-1'; must be a whole number" quadrille spawn room -1 0 0 1
fails 2 "id is '4294967296';" quadrille spawn room 4294967296 0 0 1
fails 2 "x is 'nan'; must be a finite number" quadrille spawn room 1 nan 0 1
fails 2 "hx is '1e39';" quadrille spawn room 1 0 0 1e39
fails 2 "--seconds is -1;" quadrille events room --seconds -1
fails 2 "--motion is 'waltz'; must be uniform, flock, crowd or mix" quadrille swarm --motion waltz
fails 2 "--density is 0;" quadrille swarm --density 0
fails 2 'no --room given' quadrille replay trace.csv
fails 2 '--check needs --step' quadrille replay trace.csv --room r --check
fails 2 '--events needs --step' quadrille replay trace.csv --room r --events -
fails 2 '--step and --hz exclude each other' quadrille replay trace.csv --room r --hz 10 --step

# An unreachable server, and invalid addresses. No program listens on port 1.
for command in 'rooms' 'stats' 'open a' 'close a' 'spawn a 1 0 0 1' 'move a 1 0 0' 'despawn a 1' \
    'teleport a 1 0 0' 'reshape a 1 1' 'snapshot a' 'query a nearest 0,0' 'watch a' 'events a' 'swarm' 'ping' \
    'sessions' 'sessions a' 'step a' 'step a 2' 'describe a 1 --team 1' 'observe a 1 --range 1' 'watch a --observer 1 --range 1' 'why a 1 2'; do
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
