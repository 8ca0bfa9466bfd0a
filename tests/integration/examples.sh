#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs every example with a real server, and compares the output of hello and gateway.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

start_server
host=${address%:*} port=${address##*:}
for example in "$QD_BIN"/examples/example_*; do
    case $example in
    */example_uv_*) arguments=("$host" "$port") ;;
    */example_bots) arguments=("$address" 2) ;;
    *) arguments=("$address") ;;
    esac
    echo "== ${example##*/} ${arguments[*]}"
    timeout 60 "$example" "${arguments[@]}" | tee "$scratch/printed"
    [ -s "$scratch/printed" ] || fail "${example##*/} printed nothing"
    cp "$scratch/printed" "$scratch/${example##*/}"
done

cat >"$scratch/expected" <<'END'
tick 2: 1 and 2 touch
tick 4: 1 and 2 moved apart
END
diff "$scratch/expected" "$scratch/example_hello" || fail "hello printed something else"

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
  to ann: move bob to 34,10
  to cid: move bob to 34,10
tick 3
  to cid: move bob to 38,10
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
diff "$scratch/expected" "$scratch/example_gateway" || fail "gateway printed something else"

grep -q 'pairs touch' "$scratch/example_bots" || fail "bots never knew the set of pairs"
grep -q ' 1 begin' "$scratch/example_uv_watch" || fail "uv_watch saw no begin"
stop_server
