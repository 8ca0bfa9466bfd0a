#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The space on another machine: base/ and space/ with their model tests, cross-compiled for arm64 and run in emulation.
# The kernels there are the portable one and NEON's; what they find must be what brute force finds. The compiler's
# options are the build's (QD_OPTIONS).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/arm64.sh"

scripts=100 # of each test: emulation takes ten times as long
cd "$work"
read -ra options <<< "$QD_OPTIONS"
"$compiler" "${options[@]}" -c "$QD_SOURCE"/server/base/*.c "$QD_SOURCE"/server/space/*.c
for test in "$QD_SOURCE"/tests/model/space_*.c; do
    name=$(basename "$test" .c)
    "$compiler" "${options[@]}" -I "$QD_SOURCE" "$test" ./*.o -lm -pthread -o "$name"
    "${emulate[@]}" "./$name" "$scripts" | tee "$name.log"
done
grep -q 'from portable, neon$' space_kernels.log || fail "the NEON kernel is not among those of this machine"
