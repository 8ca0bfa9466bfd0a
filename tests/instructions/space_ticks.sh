#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#     space_ticks.sh PROGRAM             fails if a count is more than a tenth above the one in space_ticks.counts
#     space_ticks.sh PROGRAM --renew     writes new counts to that file
#
# PROGRAM is instructions_space_ticks of a release build. callgrind counts the instructions of the ticks alone.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

program=$1
table=$(dirname "${BASH_SOURCE[0]}")/space_ticks.counts
command -v valgrind > /dev/null || skip "needs valgrind (apt-get install valgrind)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count WORKLOAD DIMENSIONS INDEX KERNEL: prints the instructions of measured_update and of measured_traversal, including the
# functions that they call. Status 77: the processor cannot run the kernel.
count() {
    valgrind -q --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect='measured_*' \
        "$program" "$@" > "$work/log" 2>&1 || { local status=$?; cat "$work/log" >&2; return "$status"; }
    callgrind_annotate --inclusive=yes --threshold=100 --show-percs=no "$work/out" > "$work/functions"
    local phase
    for phase in update traversal; do
        sed -n "s/^ *\([0-9,]*\) .*:measured_$phase\(\.[a-z0-9.]*\)\{0,1\} .*/\1/p" "$work/functions" | tr -d , | grep .
    done | paste -s
}

compiler=$("$program" --compiler)
rows() { grep -v -e '^#' -e '^compiler' "$table"; }
if [ "${2:-}" = --renew ]; then
    {
        grep '^#' "$table"
        echo "compiler $compiler"
        rows | while read -r workload dimensions index kernel _; do
            counted=$(count "$workload" "$dimensions" "$index" "$kernel")
            read -r update traversal <<< "$counted"
            printf '%-8s %d  %-9s %-9s %10d %10d\n' "$workload" "$dimensions" "$index" "$kernel" "$update" "$traversal"
        done
    } > "$work/table"
    cp "$work/table" "$table"
    exit 0
fi

known=$(sed -n 's/^compiler //p' "$table")
[ "$compiler" = "$known" ] || skip "the counts are those of $known, but this is $compiler"
failed=0
away=

# judge WHAT RECORDED COUNTED: prints one line, and sets `failed` if the count is outside its bounds.
judge() {
    # Less than half of the recorded count means that the count missed something. Small counts may vary by a thousand
    # instructions.
    local verdict=
    if [ "$(($3 * 10))" -gt "$(($2 * 11 + 10000))" ]; then
        verdict="  MORE THAN A TENTH ABOVE"
        failed=1
    elif [ "$(($3 * 2))" -lt "$2" ]; then
        verdict="  LESS THAN HALF: if that is intended, run --renew"
        failed=1
    fi
    printf '%-40s %10d %10d %+7d%%%s\n' "$1" "$2" "$3" "$((($3 - $2) * 100 / ($2 + 1)))" "$verdict"
}

printf '%-40s %10s %10s %8s\n' 'workload, dimensions, index, kernel' recorded now change
while read -r workload dimensions index kernel update traversal; do
    counted=$(count "$workload" "$dimensions" "$index" "$kernel") || {
        [ $? -eq 77 ] || exit 1
        away=$kernel
        continue
    }
    read -r update_now traversal_now <<< "$counted"
    judge "$workload ${dimensions}D $index $kernel update" "$update" "$update_now"
    judge "$workload ${dimensions}D $index $kernel traversal" "$traversal" "$traversal_now"
done < <(rows)
if [ "$failed" -ne 0 ]; then
    echo "FAILED: the counts changed. If the change is worth it, record it: $0 $program --renew"
    exit 1
fi
[ -z "$away" ] || skip "of this processor's kernels none is $away; all other counts are within bounds"
