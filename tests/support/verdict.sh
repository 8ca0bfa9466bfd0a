# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# How a script that is a test of its own says what became of it. To be sourced.

# skip WHY: it cannot run here.
skip() {
    echo "skipped: $1"
    exit 77
}
fail() {
    echo "FAILED: $1"
    exit 1
}
# say TEXT: what it is about to do.
say() { printf '==> %s\n' "$*"; }
