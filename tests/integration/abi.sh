#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compares the ABI of the shared library with client/abi/libquadrille.abi: the functions, and the layout of the types in
# the public headers. Additions pass; a change or a removal fails. To accept the ABI as it is, run:
#
#     tests/integration/abi.sh --renew BUILD-FOLDER
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
baseline=$root/client/abi/libquadrille.abi
build=${QD_BUILD:-}
[ "${1:-}" != --renew ] || build=${2:?the build folder}
: "${build:?the build folder}"
{ command -v abidw && command -v abidiff; } > /dev/null || skip "needs abidw and abidiff (apt-get install abigail-tools)"
[ "$(uname -m)" = x86_64 ] || skip "needs x86-64, the baseline's architecture"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Writes the ABI without places, which every edit changes.
write_abi() {
    abidw --headers-dir "$build/client/include/quadrille" --drop-private-types --exported-interfaces-only \
        --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed --type-id-style hash \
        "$build/client/libquadrille.so" | sed "s|path='[^']*/|path='|" > "$1"
}
write_abi "$scratch/abi"
[ "$(grep -c "<elf-symbol name='qd_" "$scratch/abi")" -ge 50 ] || fail "abidw found fewer than 50 functions"

if [ "${1:-}" = --renew ]; then
    mkdir -p "${baseline%/*}"
    cp "$scratch/abi" "$baseline"
    exit
fi

# differ OLD NEW: whether NEW changes or removes something.
differ() {
    ! abidiff --no-added-syms "$1" "$2" > "$scratch/differences" 2>&1
}
if differ "$baseline" "$scratch/abi"; then
    cat "$scratch/differences"
    fail "the ABI has changed. Below 1.0 this needs a new minor version: then tests/integration/abi.sh --renew $build"
fi

# An addition passes. The comparison notices a function that is gone, and a field that has moved.
sed "/elf-symbol name='qd_pairs_count'/d; /function-decl name='qd_pairs_count'/,/<\/function-decl>/d" "$scratch/abi" \
    > "$scratch/smaller"
if differ "$scratch/smaller" "$scratch/abi"; then fail "an added function fails: $(cat "$scratch/differences")"; fi
differ "$scratch/abi" "$scratch/smaller" || fail "abidiff does not notice a function that is gone"
awk "/class-decl name='qd_msg_tick' / { here = 1 }
    here && sub(/layout-offset-in-bits='64'/, \"layout-offset-in-bits='96'\") { here = 0 }
    { print }" "$scratch/abi" > "$scratch/moved"
differ "$scratch/abi" "$scratch/moved" || fail "abidiff does not notice a field that has moved"
