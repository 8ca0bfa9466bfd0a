#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The space on another machine: base/ and space/ with their model tests, cross-compiled for arm64 and run in emulation.
# The kernels there are the portable one and NEON's; what they find must be what brute force finds. The compiler's
# options are the build's (QD_OPTIONS). For two axes and for three, as server/CMakeLists.txt and tests/CMakeLists.txt do.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/arm64.sh"

scripts=60 # of each test: emulation takes ten times as long
cd "$work"
read -ra options <<< "$QD_OPTIONS"
axeless=("$QD_SOURCE"/server/space/{array,solid,space}.c)
"$compiler" "${options[@]}" -I "$QD_SOURCE" -I "$QD_SOURCE/tests" -c "$QD_SOURCE"/server/base/*.c "${axeless[@]}" \
    "$QD_SOURCE"/tests/model/space/*.c # which the model tests share
for source in "$QD_SOURCE"/server/space/*.c; do
    if [[ " ${axeless[*]} " != *" $source "* ]]; then
        for axes in 2 3; do
            "$compiler" "${options[@]}" -DQD_AXES=$axes -c "$source" -o "$(basename "$source" .c)_${axes}d.o"
        done
    fi
done
# run_test SOURCE AXES SUFFIX
run_test() {
    local name
    name=$(basename "$1" .c)$3
    "$compiler" "${options[@]}" -DQD_AXES="$2" -I "$QD_SOURCE" -I "$QD_SOURCE/tests" "$1" ./*.o -lm -pthread -o "$name"
    "${emulate[@]}" "./$name" "$scripts" | tee "$name.log"
}
for test in "$QD_SOURCE"/tests/model/space_*.c; do
    if grep -q cmocka "$test"; then
        continue # needs a library: whole.sh has it
    elif grep -q QD_AXES "$test"; then
        run_test "$test" 2 _2d
        run_test "$test" 3 _3d
    else
        run_test "$test" 2 ""
    fi
done
for log in space_kernels_2d.log space_kernels_3d.log; do
    grep -q 'from portable, neon$' "$log" || fail "the NEON kernel is not among those of this machine"
done
