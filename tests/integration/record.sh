#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --record and --replay: a server is killed, and its rooms do and send the same again. A changed byte is found, and what
# the options cannot do is refused.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
: "${QD_SOURCE:?the folder of the sources}"
record=$scratch/record
indexes=(auto quadtree sparse hash grid brute)

first_file() { ls "$record"/*-000001.qdr; }
replays() { prints "$1" "$QD_SERVER" --replay "$(first_file)" "${@:2}"; }

# A token, which the record must not have.
echo 'sesame-0123456789abcdef admin' >"$scratch/tokens"
chmod 600 "$scratch/tokens"
export QUADRILLE_TOKEN=sesame-0123456789abcdef
start --record "$record" --token-file "$scratch/tokens" --workers 2

# Rooms that tick by Step, of each index, with refused requests.
for index in "${indexes[@]}"; do
    expect 0 quadrille open "step-$index" --step --index "$index" --bounds 0,0,100,100 --swept
    awk -v seed="$RANDOM" 'BEGIN { srand(seed); print "id,x,y,hx,hy"
        for (i = 0; i < 200; i++) printf "%d,%.2f,%.2f,2,1\n", i, rand() * 100, rand() * 100 }' >"$scratch/rows"
    expect 0 quadrille spawn "step-$index" - --no-wait <"$scratch/rows"
    expect 0 quadrille step "step-$index" 3
    expect 1 quadrille spawn "step-$index" 5 1 1 1 --no-wait
    expect 1 quadrille move "step-$index" 9999 1 1 --no-wait
    expect 0 quadrille move "step-$index" 7 50 50 --no-wait
    expect 0 quadrille teleport "step-$index" 8 50 50 --no-wait
    expect 0 quadrille despawn "step-$index" 9 --no-wait
    expect 0 quadrille step "step-$index" 2
    expect 0 quadrille query "step-$index" circle 50,50,20
    expect 0 quadrille snapshot "step-$index"
done
expect 0 quadrille replay "$QD_SOURCE/client/traces/rings.csv" --room rings --step --check
expect 0 quadrille open lockstep --step --writers 1 --step-deadline-ms 50
expect 0 quadrille step lockstep 2
expect 0 quadrille close lockstep

# Rooms on their own clock, in two and three dimensions, with observers and readers.
background quadrille swarm --rooms 3 --entities 150 --observers 30 --range 8 --density 0.3 --hz 50 >"$scratch/swarm" 2>&1
background quadrille swarm --rooms 2 --prefix deep --dimensions 3 --index octree --entities 100 --density 0.3 --hz 50 \
    >"$scratch/deep" 2>&1
until_true quadrille events deep-2 --seconds 0.3
expect 0 quadrille events swarm-1 --seconds 1 --stays
expect 0 quadrille observe swarm-2 20,20 --range 15 --relay 5:1,10:4 --seconds 1
sleep 0.5

kill -KILL "$server_pid"
wait "$server_pid" || true
server_pid=
rm "$scratch/output"
! grep -q sesame "$record"/* || fail "the record has the token"

replays '^13 of 13 rooms are identical$'
for index in "${indexes[@]}"; do
    out "^room step-$index, [0-9]+: tick 5, [0-9]+ entries: identical, and open at the end$"
done
out '^room rings, [0-9]+: tick [0-9]+, [0-9]+ entries: identical, and closed$'
out '^room lockstep, [0-9]+: tick 2, [0-9]+ entries: identical, and closed$'
out '^room deep-1, [0-9]+: tick [1-9][0-9]+, [0-9]+ entries: identical'

# One room, up to a tick, with its events.
replays '^\{"room":"swarm-1","session":[0-9]+,"tick":[0-9]+,.*"begin":\[\[[0-9]+,[0-9]+\]' --room swarm-1 --print-events
replays '^room step-hash, [0-9]+: tick 2, [0-9]+ entries: identical, and stopped$' --room step-hash --until 2
fails 1 '--room is attic; must be a room that the record opens' "$QD_SERVER" --replay "$(first_file)" --room attic

# A changed byte in the middle, and a cut.
file=$(first_file)
cp "$file" "$scratch/good"
size=$(stat -c %s "$file")
printf '\xff\x00\xff\x00' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
fails 2 'the block at byte [0-9]+ has another checksum than its bytes. The file is damaged$' "$QD_SERVER" --replay "$file"
cp "$scratch/good" "$file"
truncate -s $((size - 3)) "$file"
replays 'ends within the block at byte [0-9]+. The server was killed, or is still writing; what is before it was replayed$'
fails 2 'none.qdr cannot be read: No such file or directory' "$QD_SERVER" --replay "$record/none.qdr"
fails 2 'is no record; must be a file that --record has written' "$QD_SERVER" --replay "$QD_SOURCE/README.md"

# A record whose first files are gone says so.
rm -r "$record"
start --record "$record" --record-file-bytes 64K --record-bytes-max 256K --token-file "$scratch/tokens"
expect 0 quadrille swarm --rooms 2 --entities 400 --density 0.3 --hz 60 --seconds 4
stop_server
[ "$(cat "$record"/* | wc -c)" -lt 700000 ] || fail "the record is larger than its limit"
oldest=$(ls "$record" | sed -n 1p)
[ "$oldest" != "${oldest%1.qdr}1.qdr" ] || fail "no file was deleted: $(ls "$record")"
prints '^[1-9] rooms were opened before this file, and cannot be replayed from here' \
    "$QD_SERVER" --replay "$record/$oldest"

# What is refused.
fails 1 'is given without --replay; must be given with it' "$QD_SERVER" --until 5
fails 1 '--record-bytes-max is [0-9]+; must be at least twice --record-file-bytes' \
    "$QD_SERVER" --listen 127.0.0.1:0 --record "$record" --record-file-bytes 1G
fails 1 'into which no file can be written|cannot be created|cannot be opened' \
    "$QD_SERVER" --listen 127.0.0.1:0 --record "$QD_SOURCE/README.md"
