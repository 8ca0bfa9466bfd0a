# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Counts of tests for tests/run, tests/fresh and .ci/run, which end with the line "N passed, N failed, N skipped".
# Source this file.

passed=0
failed=0
skipped=0

# qd_add_totals LOG STATUS: adds the counts in the last such line of LOG, the output of a command that ended with
# STATUS. A command that printed no such line, or that failed without counting a failure, counts as a failure.
qd_add_totals() {
    local counts=()
    read -r -a counts < <(sed -n 's/^\([0-9]\+\) passed, \([0-9]\+\) failed, \([0-9]\+\) skipped$/\1 \2 \3/p' "$1" |
        tail -n 1) || true
    if [ ${#counts[@]} -ne 3 ]; then
        failed=$((failed + 1))
        return
    fi
    passed=$((passed + counts[0]))
    failed=$((failed + counts[1]))
    skipped=$((skipped + counts[2]))
    case $2 in
        0 | 77) ;;
        *) [ "${counts[1]}" -gt 0 ] || failed=$((failed + 1)) ;;
    esac
}

# qd_count_skip TEST REASON: counts a skipped test. In CI (CI=true) it is a failure, unless may_skip lists it.
qd_count_skip() {
    if [ "${CI:-}" = true ] && ! qd_may_skip "$1" "$2"; then
        echo "==> FAILED: $1 is skipped (${2:-no reason given}), and tests/support/may_skip does not list that" >&2
        failed=$((failed + 1))
    else
        echo "==> skipped: $1 (${2:-no reason given})" >&2
        skipped=$((skipped + 1))
    fi
}

qd_may_skip() {
    local test pattern
    while read -r test pattern; do
        [ "$test" != "$1" ] || [[ ! $2 =~ $pattern ]] || return 0
    done <"$(dirname "${BASH_SOURCE[0]}")/may_skip"
    return 1
}

qd_print_totals() {
    echo "$passed passed, $failed failed, $skipped skipped"
}
