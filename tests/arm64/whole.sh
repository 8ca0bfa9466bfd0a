#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests the project on arm64 in emulation, which takes minutes. The script compiles everything, runs the unit and model
# tests with a few seeds, and runs the tools with the server. It covers the portable kernel and the NEON kernel. The
# libraries come from Debian's arm64 packages, unpacked into a temporary folder; the packages and package lists of this
# machine stay unchanged.
set -euo pipefail
seeds=30 # of each test: emulation takes ten times as long
source "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

compiler=aarch64-linux-gnu-gcc
emulate=("$(command -v qemu-aarch64 || command -v qemu-aarch64-static)" -L /usr/aarch64-linux-gnu) ||
    skip "needs qemu-aarch64 (apt-get install qemu-user-static)"
{ command -v "$compiler" > /dev/null && [ -e /usr/aarch64-linux-gnu/include/stdio.h ]; } ||
    skip "needs $compiler and its libc (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null || skip "needs apt-get and dpkg-deb"

# run_quietly COMMAND...: prints the end of the output if the command fails, else nothing.
run_quietly() {
    "$@" > "$work/log" 2>&1 || { tail -n 60 "$work/log"; fail "$*"; }
}

say "fetching the libraries"
packages=(libuv1 libuv1-dev libprotobuf-c1 libprotobuf-c-dev libjemalloc2 libjemalloc-dev zlib1g zlib1g-dev
    libssl3 libssl-dev libinih1 libinih-dev libwebsockets17 libwebsockets-dev libcap2 libcap-dev libjansson4 libjansson-dev
    libncursesw6 libtinfo6 libncurses-dev libcmocka0 libcmocka-dev)
root=$work/root
mkdir -p "$root" "$work"/apt/{lists,archives}/partial "$work/packages"
touch "$work/apt/status"
apt_arm64() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
        -o Dir::State="$work/apt" -o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/apt" \
        -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}
(cd "$work/packages" && apt_arm64 update && apt_arm64 download "${packages[@]}") > "$work/log" 2>&1 ||
    { tail -n 5 "$work/log"; skip "cannot download Debian 12 packages for arm64"; }
for package in "$work"/packages/*.deb; do
    dpkg-deb -x "$package" "$root"
done

say "compiling"
build=$work/build
export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export C_INCLUDE_PATH=$root/usr/include/aarch64-linux-gnu CPLUS_INCLUDE_PATH=$root/usr/include/aarch64-linux-gnu
libraries=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu
emulate+=(-E "LD_LIBRARY_PATH=$libraries")
run_quietly cmake -S "$QD_SOURCE" -B "$build" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_EXE_LINKER_FLAGS="-L$root/lib/aarch64-linux-gnu -Wl,-rpath-link,$libraries" \
    -DCMAKE_CROSSCOMPILING_EMULATOR="$(IFS=';' && echo "${emulate[*]}")" \
    -DQD_WERROR=ON -DQD_SEEDS=$seeds
run_quietly cmake --build "$build" --parallel "$(nproc)"

# The unit tests of the space and of the spatial join would take longest, and the model tests cover more. What is
# resident of an emulated process is not its own.
say "unit tests, model tests, simulated seeds"
# With as many slots as in tests/run.
run_quietly ctest --test-dir "$build" -R '^(unit|model|sim)/' \
    -E '^unit/(space_|room_kept_views|room_spatial_join|base_footprint)' --output-on-failure --no-tests=error \
    -j "$((2 * $(nproc)))"
sed -n '/tests passed/p' "$work/log"
# One test for two dimensions, one for three.
[ "$(grep -c 'the same from portable, neon$' "$build/Testing/Temporary/LastTest.log")" -eq 2 ] ||
    fail "the NEON kernel was not tested"

say "the tools and the server"
mkdir "$work/bin"
for program in server/quadrille-server client/quadrille client/quadrille-bench; do
    printf '#!/bin/bash\nexec %s "$@"\n' "$(printf '%q ' "${emulate[@]}" "$build/$program")" > "$work/bin/${program##*/}"
    chmod +x "$work/bin/${program##*/}"
done
export QD_SERVER=$work/bin/quadrille-server QD_BIN=$work/bin
for test in cli_entities cli_events cli_rooms bench; do
    run_quietly "$QD_SOURCE/tests/integration/$test.sh"
done
echo "all tests pass on arm64"
