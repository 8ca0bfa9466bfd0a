#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# quadrille-bench as a user runs it: its figures are plausible, it closes its rooms, and its errors name the fix.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

# bench [SCENARIO] OPTION...: measures the server of this test.
bench() {
    local scenario=()
    [[ ${1:-} == -* ]] || { scenario=("$1"); shift; }
    quadrille-bench "${scenario[@]}" --server "$address" "$@"
}

# number NAME: prints a figure of the last JSON.
number() {
    sed -E "s/.*\"$1\":([0-9.]+).*/\\1/;t;s/.*/0/" "$scratch/json"
}

positive() {
    local name
    for name in "$@"; do
        [[ $(number "$name") =~ [1-9] ]] || fail "$name is not above 0: $(cat "$scratch/json")"
    done
}

run_json() {
    bench --json "$@" >"$scratch/json" 2>"$scratch/progress" || fail "$*: $(cat "$scratch/progress")"
    [ "$(wc -l <"$scratch/json")" = 1 ] || fail "$*: not one line of JSON"
    grep -q '^{.*"ok":true.*}$' "$scratch/json" || fail "$*: $(cat "$scratch/json")"
    positive updates begins ends round_trips bytes_in_per_s bytes_out_per_s p50 p99 p99_9 max
}

refused() {
    fails "$1" "$2" bench "${@:3}"
    [ ! -s "$scratch/out" ] || fail "${*:3}: writes to the standard output"
}

start_server --rooms-max 20 --log-level error

# In step mode and in clock mode, every tick is compared with brute force.
run_json --seconds 1 --rooms 3 --entities 200 --step --hz 100 --subscribe stays --check
positive ticks_checked stays
run_json --seconds 1.5 --rooms 2 --entities 300 --hz 50 --check
positive ticks_checked
grep -q 'updates/s' "$scratch/progress" || fail "no progress in 1.5 s"

# In three dimensions, with another index.
run_json --seconds 1 --rooms 2 --entities 300 --dimensions 3 --step --hz 100 --subscribe stays --check
positive ticks_checked stays
grep -q '"dimensions":3,"index":"auto"' "$scratch/json" || fail "not three dimensions: $(cat "$scratch/json")"
run_json --seconds 0.5 --rooms 2 --entities 300 --index brute --hz 50 --check
positive ticks_checked

# By roster.
run_json --seconds 0.5 --rooms 2 --entities 300 --roster --hz 50 --check
positive ticks_checked
grep -q '"moves":"roster"' "$scratch/json" || fail "not by roster: $(cat "$scratch/json")"
run_json --seconds 0.5 --rooms 2 --entities 300 --roster --dimensions 3 --step --hz 100 --check
positive ticks_checked

# Several writers per room, and steps without a rate.
run_json --seconds 0.5 --rooms 2 --connections 5 --entities 100 --hz 100
run_json --seconds 0.5 --rooms 2 --connections 5 --entities 100 --step --hz 0

# Fences are compared with brute force at the end. The bench reports refusals of the server.
bench fences --fences 300 --points 200 --side 1000 --seconds 0.5 --json >"$scratch/json" 2>"$scratch/progress" ||
    fail "fences: $(cat "$scratch/progress")"
grep -q '"ok":true,"rows":\[{"fences":300,"points":200,' "$scratch/json" || fail "fences: $(cat "$scratch/json")"
positive updates_per_s enters_per_s leaves_per_s checked round_trip_p50_ms round_trip_p99_ms
prints 'points in fences at the end, as by brute force$' \
    bench fences --fences 100 --points 100 --side 500 --seconds 0.2
refused 1 'observers_max' fences --fences 20000 --points 10
refused 2 '--radius-min is 5; must be at most --radius-max 4' fences --radius-min 5 --radius-max 4

# Additional readers.
run_json --seconds 0.5 --rooms 2 --entities 100 --hz 50 --readers 3

# Readers that read nothing do not delay the others.
run_json --seconds 0.5 --rooms 2 --entities 200 --hz 50 --stalled 3 --check
positive ticks_checked stalled server_memory_bytes
grep -q '"stalled_reset":0,"stalled_disconnected":0' "$scratch/json" || fail "a queue was full: $(cat "$scratch/json")"
prints '3 +whose queues were never full' bench --seconds 0.3 --rooms 2 --entities 200 --stalled 3

# The result says whether their queues were full, and what the server did about it.
stalled=(--server-binary "$QD_SERVER" --rooms 1 --entities 5000 --subscribe stays --stalled 2 --json)
# A server that other programs slow down may not fill them in one run.
stall() { quadrille-bench "${stalled[@]}" "${@:2}" | grep -q "\"stalled\":2,$1"; }
export QUADRILLE_QUEUE_MAX=64K
until_true stall '"stalled_reset":2,"stalled_disconnected":0' --hz 100 --seconds 1
until_true stall '"stalled_reset":2,"stalled_disconnected":0' --step --hz 100 --seconds 1
QUADRILLE_SLOW_MS_MAX=200 until_true stall '"stalled_reset":0,"stalled_disconnected":2' --hz 100 --seconds 1.5
unset QUADRILLE_QUEUE_MAX

# With a neighbor, also in a scenario that measures more than once per row.
run_json --seconds 0.5 --rooms 1 --entities 100 --hz 50 --neighbor
grep -Eq '"neighbor_ms":\{"p50":[0-9.]*[1-9]' "$scratch/json" || fail "no neighbor: $(cat "$scratch/json")"
prints 'neighbor \(3\)' bench --seconds 0.3 --rooms 1 --neighbor

# The table, for people.
prints 'round trip' bench --seconds 0.5 --rooms 1

# Each scenario, small, with its own server and the raw limit. The scenarios check their output themselves; no time is
# asserted.
scenario() {
    local rows=$1 name=$2
    shift 2
    quadrille-bench "$name" --server-binary "$QD_SERVER" --json --seconds 0.3 "$@" >"$scratch/json" \
        2>"$scratch/errors" ||
        fail "$name: $(cat "$scratch/errors" "$scratch/json")"
    grep -q "^{\"scenario\":\"$name\",.*\"ok\":true,.*}\$" "$scratch/json" || fail "$name: $(cat "$scratch/json")"
    [ "$(grep -o '"checked":[1-9]' "$scratch/json" | wc -l)" = "$rows" ] ||
        fail "$name: not $rows rows that were checked: $(cat "$scratch/json")"
}
scenario 6 ingest --connections 1 --batch 100 --entities 1000
[ "$(grep -o '"positions_per_tick":1,' "$scratch/json" | wc -l)" = 4 ] ||
    fail "not 4 rows of one position per tick: $(cat "$scratch/json")"
scenario 3 ingest --connections 3 --batch 70 --entities 500 --ids --neighbor
positive neighbor_p50_ms neighbor_p99_ms neighbor_max_ms
scenario 1 ingest --connections 3 --batch 70 --entities 500 --roster --shuffle
grep -q "\"shuffled\":1,\"connections\":3,\"batch\":70,\"position_bytes\":8,\"raw_per_s\":[1-9]" "$scratch/json" ||
    fail "not shuffled by roster: $(cat "$scratch/json")"
positive raw_per_s positions_per_s copy_ns events_per_s
scenario 1 ingest --connections 2 --batch 1 --entities 50 --ids --shuffle
grep -q '"goal":"shuffled, by id, 2 connections, batches of 1: ns of CPU time per position"' "$scratch/json" ||
    fail "no goal for batches of 1: $(cat "$scratch/json")"
# Views of each kind, with an exact relay of 12 bytes per entity, and with at most 2.5.
scenario 7 views --entities 400 --neighbor
[ "$(grep -Eo '"neighbor_p50_ms":[0-9.]*[1-9]' "$scratch/json" | wc -l)" = 7 ] ||
    fail "not 7 rows with a neighbor: $(cat "$scratch/json")"
positive enters_per_tick leaves_per_tick bytes_per_tick
[ "$(grep -Eo '"relays_per_tick":[1-9]' "$scratch/json" | wc -l)" = 2 ] ||
    fail "not 2 rows with positions one by one: $(cat "$scratch/json")"
grep -q '"relay_once":1,"relay_k":null,[^}]*"relay_bytes_per_tick":4800,' "$scratch/json" ||
    fail "not 12 bytes per exact position: $(cat "$scratch/json")"
[ "$(grep -o '"met":true' "$scratch/json" | wc -l)" = 3 ] || fail "relays exceed their goals: $(cat "$scratch/json")"
scenario 1 latency --entities 200 --hz 50
positive p50_us raw_p50_us

scenario 1 big-room --entities 500 --hz 50 --roster
positive late_max_ms events_per_s
scenario 1 many-rooms --rooms 20 --entities 30 --connections 3
positive open_ms close_ms idle_bytes room_ticks_min moves_per_s
scenario 1 rest --rooms 20 --entities 30 --connections 3
positive room_ticks_min
scenario 2 fanout --entities 500 --readers 10 --hz 50
scenario 1 connections --connections 60 --active 20
for phase in 'connecting 40 times to a bare libuv loop' 'opening 40 idle sessions' 'pinging 40 idle sessions'; do
    grep -qx "$phase" "$scratch/errors" || fail "connections does not report: $phase"
done
positive connect_us moves_per_s
scenario 3 growth --entities-max 1000 --rooms-max 10 --data "$scratch/data"
positive updates_per_s
[ "$(grep -c '^[0-9]' "$scratch/data")" = 3 ] || fail "not the data of three rows: $(cat "$scratch/data")"

prints '^ *100 ' quadrille-bench latency --server-binary "$QD_SERVER" --seconds 0.2 --entities 100
prints '^  ingest ' quadrille-bench --help
prints '--server-binary' quadrille-bench ingest --help
# The bench reports the CPU time of a server that it did not start only with --server-pid.
prints '"user_ns":null' bench latency --seconds 0.2 --entities 100 --json
prints '"user_ns":[0-9]' bench latency --seconds 0.2 --entities 100 --json --server-pid "$server_pid"

refused 2 "unknown scenario 'speed'" speed
refused 2 "--ids and --roster" ingest --ids --roster
refused 2 "at least two of the 5" connections --connections 5 --active 4
[ "$(ulimit -Hn)" = unlimited ] || refused 1 "ulimit -Hn" connections --connections 1000000
refused 1 "no such process" latency --server-pid 4194304
fails 1 '--server-pid 1: needs --server, whose process it is' quadrille-bench latency --server-pid 1
refused 1 "--data /nonexistent/data: No such file" growth --data /nonexistent/data
refused 2 "--rooms is 'many';" --rooms many
refused 2 "--subscribe is 'all'; must be none, events or stays" --subscribe all
refused 2 "--stalled needs events" --stalled 2 --subscribe none
refused 2 "--hz 0 is for --step" --hz 0
refused 2 "--index is 'tree'; must be auto, quadtree," --index tree
refused 2 "--dimensions is 4;" --dimensions 4
refused 1 "index is INDEX_QUADTREE, which is for two dimensions" --index quadtree --dimensions 3
refused 1 "--rooms 21: this server takes at most 20" --rooms 21
fails 1 "--server" quadrille-bench --server 127.0.0.1:1
fails 1 '--server-binary names another' quadrille-bench latency --server-binary /bin/false

# An interrupted bench closes its rooms, too.
background quadrille-bench --server "$address" --seconds 60 >/dev/null 2>"$scratch/err"
under_way() { grep -q 'updates/s' "$scratch/err"; }
until_true under_way
kill -INT "$!"
ends_with 1 "$!" 'interrupted'
err interrupted
expect 0 quadrille rooms --server "$address"
no_out '^bench-'
