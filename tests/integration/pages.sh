#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs every code block of every page, with the installed programs and library, in a network of its own. See
# support/pages.py for the kinds of blocks.
set -euo pipefail
: "${QD_SOURCE:?the source folder}" "${QD_BUILD:?the build folder}"

if [ "${1:-}" != inside ]; then
    # Root needs no user namespace, and has none in a changed root.
    [ "$(id -u)" -eq 0 ] && own=(--net) || own=(--user --map-root-user --net)
    unshare "${own[@]}" true 2>/dev/null || {
        echo "skipped: this machine does not allow a network namespace (unshare ${own[*]})"
        exit 77
    }
    exec unshare "${own[@]}" "$0" inside
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cmake --install "$QD_BUILD" --prefix "$prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
pkgconfig=$(dirname "$(find "$prefix" -name quadrille.pc)")
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$pkgconfig LD_LIBRARY_PATH=${pkgconfig%/pkgconfig}
export XDG_STATE_HOME=$scratch/state
unset QUADRILLE_SERVER QUADRILLE_TOKEN
mkdir "$scratch/pages"
python3 "$QD_SOURCE/tests/support/pages.py" "$QD_SOURCE" "$scratch/pages"
