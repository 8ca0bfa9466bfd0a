# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For the scripts tests/run of the client libraries. Source it with the build folder as its argument; it sets $root and
# $build, and QD_SERVER, QD_BIN and QD_BUILD for the tests. $scratch is removed at the end.
#
#   sdk_check NAME COMMAND...          runs a command as one test
#   sdk_conformance NAME COMMAND [SCENARIO...]
#                                      runs the conformance suite beside libquadrille. COMMAND starts the driver: quote
#                                      paths with spaces in it
#   sdk_end                            prints the counts, and fails if a test did
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
source "$(dirname "${BASH_SOURCE[0]}")/totals.sh"
root=$qd_root
build=$(cd "${1:?the build folder}" && pwd)
export QD_SERVER=$build/server/quadrille-server QD_BIN=$build/client QD_BUILD=$build
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sdk_check() {
    if "${@:2}"; then
        passed=$((passed + 1))
    else
        qd_say "FAILED: $1"
        failed=$((failed + 1))
    fi
}

sdk_conformance() {
    local status=0
    "$root/tests/conformance/run" --server "$QD_SERVER" --golden "$build/tests" \
        --sdk "libquadrille='$build/tests/conformance/conformance_driver'" --sdk "$1=$2" "${@:3}" 2>&1 |
        tee "$scratch/conformance" || status=${PIPESTATUS[0]}
    qd_add_totals "$scratch/conformance" "$status"
}

sdk_end() {
    qd_print_totals
    [ "$failed" -eq 0 ]
}
