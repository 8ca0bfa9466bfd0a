#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# quadrille-bench as a user runs it: its figures make sense, its rooms are gone afterwards, its errors name the fix.
. "$(dirname "$0")/../support/server.sh"

# bench [SCENARIO] OPTION...: of the server of this test.
bench() {
    local scenario=()
    [[ ${1:-} == -* ]] || { scenario=("$1"); shift; }
    "$QD_BIN/quadrille-bench" "${scenario[@]}" --server "$address" "$@"
}

# number NAME: a figure of the last JSON.
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
    local status=$1 text=$2
    shift 2
    local got=0
    bench "$@" >"$scratch/output" 2>"$scratch/errors" || got=$?
    [ "$got" = "$status" ] || fail "$*: status $got, not $status"
    grep -qF -- "$text" "$scratch/errors" || fail "$*: does not say '$text': $(cat "$scratch/errors")"
    [ ! -s "$scratch/output" ] || fail "$*: writes to the standard output"
}

start_server --rooms-max 20 --log-level error

# In lockstep and by the clock, every tick against brute force.
run_json --seconds 1 --rooms 3 --entities 200 --step --hz 100 --subscribe stays --check
positive ticks_checked stays
run_json --seconds 1.5 --rooms 2 --entities 300 --hz 50 --check
positive ticks_checked
grep -q 'updates/s' "$scratch/progress" || fail "no progress in 1.5 s"

# Three dimensions, and another index.
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

# Several writers a room, and steps without a rate.
run_json --seconds 0.5 --rooms 2 --connections 5 --entities 100 --hz 100
run_json --seconds 0.5 --rooms 2 --connections 5 --entities 100 --step --hz 0

# Fences, compared with brute force in the end; the bench reports what the server refuses.
bench fences --fences 300 --points 200 --side 1000 --seconds 0.5 --json >"$scratch/json" 2>"$scratch/progress" ||
    fail "fences: $(cat "$scratch/progress")"
grep -q '^{"fences":300,"points":200,.*"ok":true}$' "$scratch/json" || fail "fences: $(cat "$scratch/json")"
positive updates_per_s enters_per_s leaves_per_s inside p50 p99
bench fences --fences 100 --points 100 --side 500 --seconds 0.2 >"$scratch/output" || fail "fences as a table"
grep -q '^[1-9][0-9]* points in fences at the end, as by brute force$' "$scratch/output" ||
    fail "fences as a table: $(cat "$scratch/output")"
refused 1 'observers_max' fences --fences 20000 --points 10
refused 2 '--radius-min 5: must be at most --radius-max 4' fences --radius-min 5 --radius-max 4

# Readers beside the writers.
run_json --seconds 0.5 --rooms 2 --entities 100 --hz 50 --readers 3

# With readers that read nothing: the others are served.
run_json --seconds 0.5 --rooms 2 --entities 200 --hz 50 --stalled 3 --check
positive ticks_checked stalled server_memory_bytes

# The table, for people.
bench --seconds 0.5 --rooms 1 >"$scratch/table" 2>"$scratch/progress" || fail "$(cat "$scratch/progress")"
grep -q 'round trip' "$scratch/table" || fail "no table: $(cat "$scratch/table")"

# The scenarios, small, each with a server of its own, and beside it the raw limit. Their output is checked by
# themselves; no time is asserted.
scenario() {
    local rows=$1 name=$2
    shift 2
    "$QD_BIN/quadrille-bench" "$name" --server-binary "$QD_SERVER" --json --seconds 0.3 "$@" >"$scratch/json" \
        2>"$scratch/errors" ||
        fail "$name: $(cat "$scratch/errors" "$scratch/json")"
    grep -q "^{\"scenario\":\"$name\",.*\"ok\":true,.*}\$" "$scratch/json" || fail "$name: $(cat "$scratch/json")"
    [ "$(grep -o '"checked":[1-9]' "$scratch/json" | wc -l)" = "$rows" ] ||
        fail "$name: not $rows rows that were checked: $(cat "$scratch/json")"
}
scenario 2 ingest --connections 1 --batch 100 --entities 1000
scenario 1 ingest --connections 3 --batch 70 --entities 500 --ids
scenario 1 ingest --connections 3 --batch 70 --entities 500 --roster
grep -q "\"batch\":70,\"position_bytes\":8,\"raw_per_s\":[1-9]" "$scratch/json" || fail "not by roster: $(cat "$scratch/json")"
positive raw_per_s positions_per_s copy_ns events_per_s
scenario 1 latency --entities 200 --hz 50
positive p50_us raw_p50_us

scenario 1 big-room --entities 500 --hz 50 --roster
positive late_max_ms events_per_s
scenario 1 many-rooms --rooms 20 --entities 30 --connections 3
positive open_ms close_ms idle_bytes room_ticks_min moves_per_s
scenario 2 fanout --entities 500 --readers 10 --hz 50
scenario 1 connections --connections 60 --active 20
positive connect_us moves_per_s
scenario 3 growth --entities-max 1000 --rooms-max 10 --data "$scratch/data"
positive updates_per_s
[ "$(grep -c '^[0-9]' "$scratch/data")" = 3 ] || fail "not the data of three rows: $(cat "$scratch/data")"

"$QD_BIN/quadrille-bench" latency --server-binary "$QD_SERVER" --seconds 0.2 --entities 100 >"$scratch/table" \
    2>"$scratch/errors" ||
    fail "latency as a table: $(cat "$scratch/errors")"
grep -q '^ *100 ' "$scratch/table" || fail "no row: $(cat "$scratch/table")"
"$QD_BIN/quadrille-bench" --help | grep -q '^  ingest ' || fail "no help for all"
"$QD_BIN/quadrille-bench" ingest --help | grep -q -- '--server-binary' || fail "no help for ingest"
# The bench reports the CPU time of a server that it did not start only with --server-pid.
bench latency --seconds 0.2 --entities 100 --json >"$scratch/json" 2>&1 || fail "$(cat "$scratch/json")"
grep -q '"user_ns":null' "$scratch/json" || fail "knows what it cannot: $(cat "$scratch/json")"
bench latency --seconds 0.2 --entities 100 --json --server-pid "$server_pid" >"$scratch/json" 2>&1 ||
    fail "$(cat "$scratch/json")"
grep -q '"user_ns":[0-9]' "$scratch/json" || fail "does not know the server's time: $(cat "$scratch/json")"

refused 2 "there is no scenario 'speed'" speed
refused 2 "--ids and --roster" ingest --ids --roster
refused 2 "at least two of the 5" connections --connections 5 --active 4
[ "$(ulimit -Hn)" = unlimited ] || refused 1 "ulimit -Hn" connections --connections 1000000
refused 1 "no such process" latency --server-pid 4194304
got=0
env -u QUADRILLE_SERVER "$QD_BIN/quadrille-bench" latency --server-pid 1 2>"$scratch/errors" || got=$?
{ [ "$got" = 1 ] && grep -qF -- "--server-pid 1: needs --server, whose process it is" "$scratch/errors"; } ||
    fail "--server-pid without --server: status $got: $(cat "$scratch/errors")"
refused 1 "--data /nonexistent/data: No such file" growth --data /nonexistent/data
refused 2 "--rooms 'many'" --rooms many
refused 2 "--subscribe 'all'" --subscribe all
refused 2 "--stalled needs events" --stalled 2 --subscribe none
refused 2 "--hz 0 is for --step" --hz 0
refused 2 "--index 'tree': must be one of auto, quadtree," --index tree
refused 2 "--dimensions '4'" --dimensions 4
refused 1 "index is INDEX_QUADTREE, which is for two dimensions" --index quadtree --dimensions 3
refused 1 "--rooms 21: this server takes at most 20" --rooms 21
refused 1 "--server" --server 127.0.0.1:1
got=0
"$QD_BIN/quadrille-bench" latency --server-binary /bin/false >"$scratch/output" 2>"$scratch/errors" || got=$?
[ "$got" = 1 ] || fail "a server that does not start: status $got, not 1"
grep -qF -- '--server-binary names another' "$scratch/errors" || fail "does not say so: $(cat "$scratch/errors")"

# Its rooms are closed, also when it is interrupted.
"$QD_BIN/quadrille-bench" --server "$address" --seconds 60 >/dev/null 2>"$scratch/interrupted" &
bench_pid=$!
until grep -q 'updates/s' "$scratch/interrupted"; do
    kill -0 "$bench_pid" || fail "the bench ended: $(cat "$scratch/interrupted")"
    sleep 0.1
done
kill -INT "$bench_pid"
status=0
wait "$bench_pid" || status=$?
[ "$status" = 1 ] || fail "interrupted: status $status, not 1"
grep -q interrupted "$scratch/interrupted" || fail "interrupted, and does not say so: $(cat "$scratch/interrupted")"
rooms=$("$QD_BIN/quadrille" --server "$address" rooms)
[[ $rooms != *bench-* ]] || fail "rooms are left: $rooms"

stop_server
