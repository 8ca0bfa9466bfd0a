#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# query: boxes, circles, nearest and rays, with their options, as lines and as JSON; and refusals.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

# The complete output.
expect_result() {
    expect 0 quadrille query yard "${@:2}"
    [ "$(cat "$scratch/out")" = "$1" ] || fail "not what a query should say: ${*:2}"
}
ticked() { [ "$(quadrille query yard box 0,0,100,100 --json | grep -c '"id"')" -eq "$1" ]; }

quadrille open yard --bounds 0,0,100,100 --hz 100 >/dev/null
expect 0 quadrille query yard box -1e9,-1e9,1e9,1e9 # nothing is there, which is an answer
[ ! -s "$scratch/out" ] || fail 'something in an empty room'
quadrille spawn yard 3 10 10 1 >/dev/null
quadrille spawn yard 2 30 10 2 --circle --category 2 >/dev/null
quadrille spawn yard 1 50 10 1 5 >/dev/null
until_true ticked 3

expect_result $'1\n2\n3' box 0,0,100,100
expect_result '3' box 11,11,28,28 # touching counts
expect_result '' box 11.5,11.5,27,27
expect_result $'2\n3' circle 20,10,9
expect_result $'3 4\n2 13\n1 34' nearest 15,10 -k 10
expect_result '3 4' nearest 15,10
expect_result $'3 4\n2 13' nearest 15,10 -k 10 --within 13
expect_result '2 0' nearest 30.5,10
expect_result $'3 9\n2 28\n1 49' ray 0,10,5,0
expect_result '3 9' ray 0,10,5,0 --first
expect_result $'3 9\n2 28' ray 0,10,5,0 --length 28
expect_result $'1 39\n2 58' ray 90,10,-.5,0 --limit=2
expect_result '2' box 0,0,100,100 --categories 2
expect_result '2 28' ray 0,10,1,0 --categories 6 --first
expect_result '' box 0,0,100,100 --categories 4
expect_result '1' box 0,0,100,100 --limit 1

prints '^\{"tick": [0-9]+, "more": true, "found": \[$' quadrille query yard nearest 10,14 -k 2 --json
out '^  \{"id": 3, "distance": 3\},$'
out '^  \{"id": 2, "distance": 18\.[0-9]+\}$'
out '^\]\}$'
prints '^\{"tick": [0-9]+, "more": false, "found": \[\]\}$' quadrille query yard circle -50,-50,1 --json

# Results above the default limit: the notice goes to stderr, not to the output.
seq 1001 2100 | awk '{ print $1 ",90,90,0" }' | quadrille spawn yard - >/dev/null
enough() { [ "$(quadrille query yard circle 90,90,0 --limit 65536 | wc -l)" -eq 1100 ]; }
until_true enough
expect 0 quadrille query yard circle 90,90,0
[ "$(wc -l <"$scratch/out")" -eq 1024 ] || fail '1,024 unasked'
err '^quadrille query: there are more than these 1024: raise --limit$'

# Three dimensions.
quadrille open tower --bounds 0,0,0,100,100,100 --hz 100 >/dev/null
printf '1,10,10,10,1,1,1\n2,10,10,20,1\n3,10,10,30,1\n' | quadrille spawn tower - --dimensions 3 >/dev/null
quadrille spawn tower 4 60 60 60 1 3 4 0 --dimensions 3 --capsule >/dev/null
standing() { [ "$(quadrille query tower box 0,0,0,100,100,100 --json | grep -c '"id"')" -eq 4 ]; }
until_true standing
in_tower() {
    expect 0 quadrille query tower "${@:2}"
    [ "$(cat "$scratch/out")" = "$1" ] || fail "not what a query should say: ${*:2}"
}
in_tower $'2\n3' box 0,0,21,100,100,29
in_tower '2' circle 10,10,24,3.5
in_tower $'1 4\n2 4' nearest 10,10,15 -k 2
in_tower $'3 29\n2 39\n1 49' ray 10,10,60,0,0,-5
in_tower '4 4' nearest 63,64,65
expect 1 quadrille query tower nearest 1,2
err '^quadrille query: room tower has 3 dimensions, but the given values have 2: give z as well$'
expect 1 quadrille query yard nearest 1,2,3
err '^quadrille query: room yard has 2 dimensions, but the given values have 3: give x and y only$'

# Errors from the server.
expect 1 quadrille query yard box 5,0,1,1
err 'refused: box goes from min_x 5 to max_x 1; must be numbers with min at most max.* \(INVALID\)'
fails 1 'ray\.direction is 0 on every axis; must have a length above 0' quadrille query yard ray 0,0,0,0
fails 1 'circle\.radius is -1; must be 0 or more' quadrille query yard circle 0,0,-1
fails 1 'UNKNOWN_ROOM' quadrille query nowhere box 0,0,1,1

# Errors that the CLI detects itself.
fails 2 'too few arguments' quadrille query yard box
fails 2 "the region is 'sphere'; must be box, circle, nearest or ray" quadrille query yard sphere 1,2,3
for numbers in 1,2,3 1,2,3,4,5 1,2,3,4,5,6,7 1,2,3,x 1,2,3, 1,,2,3 nan,0,1,1 '' ,; do
    expect 2 quadrille query yard box "$numbers"
    err "box is '$numbers'; must be numbers MINX,MINY,MAXX,MAXY, or MINX,MINY,MINZ,MAXX,MAXY,MAXZ in three dimensions"
done
fails 2 '-k needs nearest' quadrille query yard circle 1,2,3 -k 3
fails 2 '--within needs nearest' quadrille query yard ray 1,2,3,4 --within 3
fails 2 '--first needs ray' quadrille query yard nearest 1,2 --first
fails 2 '--length needs ray' quadrille query yard box 1,2,3,4 --length 3
fails 2 '--limit and -k exclude each other' quadrille query yard nearest 1,2 -k 3 --limit 4
fails 2 '--limit and --first exclude each other' quadrille query yard ray 1,2,3,4 --first --limit 4
fails 2 "--limit is 65537; must be a whole number from 1 to 65536" quadrille query yard box 1,2,3,4 --limit 65537
fails 2 "--within is -1; must be a number from 0 to " quadrille query yard nearest 1,2 --within -1
