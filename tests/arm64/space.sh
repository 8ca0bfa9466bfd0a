#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The space on another machine: base/ and space/ with their model tests, cross-compiled for arm64 and run in emulation.
# The kernels there are the portable one and NEON's; what they find must be what brute force finds. The compiler's
# options are the build's (QD_OPTIONS).
set -euo pipefail

skip() {
    echo "skipped: $1"
    exit 77
}
fail() {
    echo "FAILED: $1"
    exit 1
}

scripts=100 # of each test: emulation takes ten times as long
compiler=aarch64-linux-gnu-gcc
sysroot=/usr/aarch64-linux-gnu
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) ||
    skip "needs qemu-aarch64 (apt-get install qemu-user-static)"
{ command -v "$compiler" > /dev/null && [ -e "$sysroot/include/stdio.h" ]; } ||
    skip "needs $compiler and its libc (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
read -ra options <<< "$QD_OPTIONS"
"$compiler" "${options[@]}" -c "$QD_SOURCE"/server/base/*.c "$QD_SOURCE"/server/space/*.c
for test in "$QD_SOURCE"/tests/model/space_*.c; do
    name=$(basename "$test" .c)
    "$compiler" "${options[@]}" -I "$QD_SOURCE" "$test" ./*.o -lm -pthread -o "$name"
    "$emulator" -L "$sysroot" "./$name" "$scripts" | tee "$name.log"
done
grep -q 'from portable, neon$' space_kernels.log || fail "the NEON kernel is not among those of this machine"
