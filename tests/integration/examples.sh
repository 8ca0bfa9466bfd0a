#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs every example with a real server, as C and as C++, and compares the output of hello and gateway. hello says what
# is wrong with the server or the room.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

# Each example runs twice: the second run finds nothing of the first one.
start_server
host=${address%:*} port=${address##*:}
for example in "$QD_BIN"/examples/example_*; do
    [ -x "$example" ] || continue
    case $example in
    */example_uv_*) arguments=("$host" "$port") ;;
    */example_bots*) arguments=("$address" 1) ;;
    *) arguments=("$address") ;;
    esac
    for run in 1 2; do
        echo "== ${example##*/} ${arguments[*]}, run $run"
        timeout 60 "$example" "${arguments[@]}" | tee "$scratch/printed"
        [ -s "$scratch/printed" ] || fail "${example##*/} printed nothing"
        cp "$scratch/printed" "$scratch/${example##*/}.$run"
    done
done
# same NAME: the expected output was that of each run, of the program in C and in C++.
same() {
    local file
    for file in "$scratch/example_$1".* "$scratch/example_$1_cpp".*; do
        [ ! -e "$file" ] || diff "$scratch/expected" "$file" || fail "$1 printed something else: ${file##*/}"
    done
}

cat >"$scratch/expected" <<'END'
tick 2: 1 and 2 touch
tick 4: 1 and 2 moved apart
END
same hello

# At tick 0 the reverse view begins, without watchers.
cat >"$scratch/expected" <<'END'
tick 0
tick 1
  to ann: spawn bob at 30,10
  to ann: spawn tower at 90,10
  to bob: spawn ann at 10,10
  to bob: spawn cid at 50,10
  to bob: spawn tower at 90,10
  to cid: spawn bob at 30,10
  to cid: spawn tower at 90,10
tick 2
  to cid: move bob to 34,10
  to ann: move bob to 34,10
tick 3
  to cid: move bob to 38,10
  to ann: move bob to 38,10
tick 4
  to ann: remove bob, out of range
  to bob: remove ann, out of range
  to cid: move bob to 42,10
tick 5
  to cid: move bob to 46,10
tick 6
  to bob: remove cid, hidden
  to cid: move bob to 50,10
tick 7
  to cid: move bob to 54,10
tick 8
  to cid: move bob to 58,10
ann replicates to nobody
bob replicates to cid
cid replicates to nobody
tower replicates to ann bob cid
END
same gateway

for run in 1 2; do
    grep -q 'pairs touch' "$scratch/example_bots.$run" || fail "bots never knew the set of pairs"
    grep -q 'pairs touch' "$scratch/example_session.$run" || fail "session never knew the set of pairs"
    grep -q ' 1 begin' "$scratch/example_uv_watch.$run" || fail "uv_watch saw no begin"
done

hello=$QD_BIN/examples/example_hello
echo "== hello after a run that was interrupted"
status=0
{ sleep 0.5; ASAN_OPTIONS=verify_asan_link_order=0 exec stdbuf -oL "$hello" "$address"; } | true ||
    status=${PIPESTATUS[0]}
[ "$status" -eq 141 ] || fail "hello ended with status $status instead of by SIGPIPE"
# The server may see the end of that session after the beginning of the next one, which would find the room.
is_closed() { ! quadrille rooms --server "$address" | grep -q hello; }
until_true is_closed
prints '^tick 2: 1 and 2 touch$' "$hello" "$address"

echo "== hello and a room with another configuration"
expect 0 quadrille open hello --bounds 0,0,9,9 --server "$address"
for run in 1 2; do
    fails 1 "^hello: the room 'hello' is open with another configuration: close it[.] [(].* is .*, but the room has" \
        "$hello" "$address"
done

echo "== hello and a server that does not answer"
kill -STOP "$server_pid"
fails 1 '^hello: .*(tim|5000 ms)' timeout 60 "$hello" "$address"
kill -CONT "$server_pid"
stop_server

echo "== hello without a server"
fails 1 "^hello: .*$address" "$hello" "$address"
