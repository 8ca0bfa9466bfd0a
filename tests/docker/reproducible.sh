#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the server from a copy of its source, in a folder with another name, and compares it with that of this build.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

has_option() { grep -q "^$1:[A-Z]*=$2\$" "$QD_BUILD/CMakeCache.txt"; }
{ has_option CMAKE_BUILD_TYPE Release || has_option CMAKE_BUILD_TYPE ''; } && has_option QD_SANITIZE '' && has_option QD_FUZZ OFF ||
    skip "needs a release build without sanitizers (cmake -DCMAKE_BUILD_TYPE=Release)"
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$QD_BUILD/CMakeCache.txt")

# The copy has no repository.
commit=$("$QD_SERVER" --version | sed -n 's/.* (commit \(.*\))$/\1/p')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/"another folder"
build=$source/b.2
mkdir "$source"
cp -r "$QD_SOURCE"/{CMakeLists.txt,proto,server,client} "$source"
say "building the server in $build"
{
    SOURCE_DATE_EPOCH=1 cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DQD_TESTS=OFF \
        -DCMAKE_C_COMPILER="$compiler" -DQD_COMMIT="$commit" && ninja -C "$build" quadrille-server
} > "$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "the build failed"; }

! grep -q -F -e "$source" "$build/server/quadrille-server" || fail "the server contains the path of its source"
cmp "$QD_SERVER" "$build/server/quadrille-server" ||
    fail "the server of another folder is different (is $QD_SERVER of the present source?)"
echo "both servers have the SHA-256 $(sha256sum < "$QD_SERVER" | cut -d ' ' -f 1)"
