# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Functions by which a test script reports its result. Source this file.

# skip REASON: the test cannot run on this machine.
skip() {
    echo "skipped: $1"
    exit 77
}
fail() {
    echo "FAILED: $1"
    exit 1
}
# say TEXT: prints the next step.
say() { printf '==> %s\n' "$*"; }
