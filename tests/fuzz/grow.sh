#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# grow.sh [SECONDS [TARGET...]]: fuzzes each target for so many seconds (60), and adds to its corpus what reaches code that
# nothing there reaches. Added inputs are minimized, of at most 4 KiB, and named after their digest; a target has at most
# 200. Build first: tests/run --stage fuzz
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${QD_BUILD:-$root/build-fuzz}
seconds=${1:-60}
shift $(($# > 0 ? 1 : 0))
most=200

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    targets=("$root"/tests/fuzz/corpus/*/)
fi
for target in "${targets[@]}"; do
    name=$(basename "$target")
    corpus=$root/tests/fuzz/corpus/$name
    found=$build/tests/corpus/$name
    fresh=$(mktemp -d)
    trap 'rm -rf "$fresh"' EXIT
    mkdir -p "$found"
    "$build/tests/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
        "$found" "$corpus"
    # A merge into an empty folder takes the smallest inputs that reach everything; the corpus comes first.
    "$build/tests/fuzz_$name" -merge=1 -max_len=4096 -rss_limit_mb=2048 -verbosity=0 "$fresh" "$corpus" "$found"
    # The names of what is in the corpus already are others.
    known=$(find "$corpus" -type f -exec sha1sum {} + | cut -c 1-40)
    added=0
    for input in "$fresh"/*; do
        [ -e "$input" ] || continue
        digest=$(sha1sum "$input" | cut -c 1-40)
        count=$(find "$corpus" -type f | wc -l)
        if [ "$count" -lt "$most" ] && ! grep -q "$digest" <<<"$known"; then
            cp "$input" "$corpus/$digest"
            added=$((added + 1))
        fi
    done
    rm -rf "$fresh"
    echo "$name: $added added, $(find "$corpus" -type f | wc -l) in all"
done
