#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#     space_ticks.sh PROGRAM             is every count at most a tenth above the one in space_ticks.counts?
#     space_ticks.sh PROGRAM --renew     writes that file anew
#
# PROGRAM is instructions_space_ticks of a release build. callgrind counts the instructions of the ticks alone.
set -euo pipefail

skip() {
    echo "skipped: $1"
    exit 77
}

program=$1
table=$(dirname "${BASH_SOURCE[0]}")/space_ticks.counts
command -v valgrind > /dev/null || skip "needs valgrind (apt-get install valgrind)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count WORKLOAD KERNEL PHASE: the instructions of all that measured_PHASE does; status 77 without such a kernel.
count() {
    valgrind -q --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect="measured_$3*" \
        "$program" "$1" "$2" > "$work/log" 2>&1 || { local status=$?; cat "$work/log" >&2; return "$status"; }
    sed -n 's/^totals: //p' "$work/out" | grep .
}

compiler=$("$program" --compiler)
rows() { grep -v -e '^#' -e '^compiler' "$table"; }
if [ "${2:-}" = --renew ]; then
    {
        grep '^#' "$table"
        echo "compiler $compiler"
        rows | while read -r workload kernel phase _; do
            counted=$(count "$workload" "$kernel" "$phase")
            printf '%-8s %-9s %-7s %10d\n' "$workload" "$kernel" "$phase" "$counted"
        done
    } > "$work/table"
    cp "$work/table" "$table"
    exit 0
fi

known=$(sed -n 's/^compiler //p' "$table")
[ "$compiler" = "$known" ] || skip "the counts are of $known, and this is $compiler"
failed=0
away=
printf '%-8s %-9s %-7s %10s %10s %8s\n' workload kernel phase recorded now change
while read -r workload kernel phase recorded; do
    counted=$(count "$workload" "$kernel" "$phase") || {
        [ $? -eq 77 ] || exit 1
        away=$kernel
        continue
    }
    # Half of what was recorded is no progress, but a count that missed something.
    verdict=
    if [ "$((counted * 10))" -gt "$((recorded * 11))" ]; then
        verdict="  MORE THAN A TENTH ABOVE"
        failed=1
    elif [ "$((counted * 2))" -lt "$recorded" ]; then
        verdict="  LESS THAN HALF: renew, if this is meant"
        failed=1
    fi
    printf '%-8s %-9s %-7s %10d %10d %+7d%%%s\n' "$workload" "$kernel" "$phase" "$recorded" "$counted" \
        "$(((counted - recorded) * 100 / recorded))" "$verdict"
done < <(rows)
if [ "$failed" -ne 0 ]; then
    echo "FAILED: a tick takes other numbers of instructions. Where the work is worth it: $0 $program --renew"
    exit 1
fi
[ -z "$away" ] || skip "of this processor's kernels none is $away; the others are as they should be"
