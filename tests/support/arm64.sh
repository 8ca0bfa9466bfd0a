# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the tests that compile for arm64 share. To be sourced, under `set -euo pipefail`; skips the test where the
# compiler or the emulator is absent. Leaves:
#
#   compiler    its name
#   emulate     the command that runs a program: "${emulate[@]}" PROGRAM ARGUMENT...
#   work        an empty folder, removed at the end

skip() {
    echo "skipped: $1"
    exit 77
}
fail() {
    echo "FAILED: $1"
    exit 1
}

compiler=aarch64-linux-gnu-gcc
emulate=("$(command -v qemu-aarch64 || command -v qemu-aarch64-static)" -L /usr/aarch64-linux-gnu) ||
    skip "needs qemu-aarch64 (apt-get install qemu-user-static)"
{ command -v "$compiler" > /dev/null && [ -e /usr/aarch64-linux-gnu/include/stdio.h ]; } ||
    skip "needs $compiler and its libc (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
