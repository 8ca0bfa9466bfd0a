#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every example against a real server; what hello prints is known in advance.
. "$(dirname "$0")/../support/server.sh"

start_server
host=${address%:*} port=${address##*:}
for example in "$QD_BIN"/examples/example_*; do
    case $example in
    *.*) continue ;;
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
grep -q 'pairs touch' "$scratch/example_bots" || fail "bots never knew the set of pairs"
grep -q ' 1 begin' "$scratch/example_uv_watch" || fail "uv_watch saw no begin"
stop_server
