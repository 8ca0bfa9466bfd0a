# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Functions that install missing packages and build. Source this file, from any folder, under `set -euo pipefail`. A
# function that takes time prints what it does; otherwise it is quick and silent. All messages go to the standard error.

qd_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# The packages for a build without tests.
QD_BUILD_PACKAGES=(build-essential cmake pkg-config libuv1-dev libprotobuf-c-dev protobuf-c-compiler protobuf-compiler
    libjemalloc-dev zlib1g-dev libssl-dev libwebsockets-dev libjansson-dev libinih-dev
    libncurses-dev)

qd_say() {
    printf '==> %s\n' "$*" >&2
}

# Prints the end of the log of a failed command.
qd_show_log() {
    echo "--- the end of $1 ---" >&2
    tail -n "${2:-40}" "$1" >&2
}

qd_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# qd_install_missing PACKAGE...: installs the missing Debian packages, as root or through sudo.
qd_install_missing() {
    local missing=() package as_root=() log
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        qd_say "This is not Debian or a derivative. Make sure that the contents of these packages are installed: $*"
        return 0
    fi
    for package in "$@"; do
        qd_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            qd_say "Missing: ${missing[*]}. To install them, run as root: apt-get install ${missing[*]}"
            return 1
        fi
        as_root=(sudo)
    fi
    log=$(mktemp)
    qd_say "Installing what the build needs: ${missing[*]}"
    # Fetch the package lists only if they are absent, as on a fresh machine, or so old that a download fails.
    if ! apt-cache show "${missing[@]}" >/dev/null 2>&1; then
        qd_apt "$log" update || { qd_fail_apt "$log"; return 1; }
    fi
    if ! qd_apt "$log" install -y --no-install-recommends "${missing[@]}"; then
        qd_say "Fetching newer package lists and trying again"
        qd_apt "$log" update && qd_apt "$log" install -y --no-install-recommends "${missing[@]}" ||
            { qd_fail_apt "$log"; return 1; }
    fi
    rm -f "$log"
}

# Uses as_root of its caller. sudo clears the environment, so `env` sets the variable.
qd_apt() {
    local log=$1
    shift
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@" \
        >>"$log" 2>&1 </dev/null
}

qd_fail_apt() {
    qd_show_log "$1" 20
    qd_say "apt-get failed; the whole log is $1"
}

# qd_build FOLDER [CMAKE OPTION...] [-- TARGET...]: configures FOLDER if its options changed, and builds.
qd_build() {
    local folder=$1 options=() targets=() log generator=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    [ $# -eq 0 ] || targets=(--target "$@")

    mkdir -p "$folder"
    log=$folder/build.log
    if [ ! -f "$folder/CMakeCache.txt" ] || [ "$(cat "$folder/.options" 2>/dev/null)" != "${options[*]}" ]; then
        [ -f "$folder/CMakeCache.txt" ] || ! command -v ninja >/dev/null || generator=(-G Ninja)
        qd_say "Configuring $folder"
        if ! cmake -S "$qd_root" -B "$folder" "${generator[@]}" "${options[@]}" >"$log" 2>&1; then
            qd_show_log "$log"
            qd_say "cmake failed; the whole log is $log"
            return 1
        fi
        printf '%s' "${options[*]}" >"$folder/.options"
    fi
    if ! cmake --build "$folder" --parallel "$(nproc)" "${targets[@]}" 2>&1 | tee "$log" | qd_show_progress "$folder"; then
        qd_show_log "$log"
        qd_say "The build failed; the whole log is $log"
        return 1
    fi
}

# Reads the output of make or ninja. If something is compiled, prints one line, and on a terminal a second one that
# shows the progress.
qd_show_progress() {
    local line said=
    while IFS= read -r line; do
        case $line in
            *Building* | *Generating* | *Linking*) ;;
            *) continue ;;
        esac
        [ -n "$said" ] || qd_say "Building in $1"
        said=yes
        [ ! -t 2 ] || printf '\r    %.100s\033[K' "$line" >&2
    done
    [ -z "$said" ] || [ ! -t 2 ] || printf '\r\033[K' >&2
}
