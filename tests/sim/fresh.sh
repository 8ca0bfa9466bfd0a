#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# fresh.sh SOURCE COUNT [EMULATOR...] SIM_ALL: runs the cases and COUNT seeds that no earlier commit has had. The first one
# comes from the commit, or from the sources where there is no git, so that every machine plays the same for a commit.
set -euo pipefail
source=$1 count=$2

digest=$(git -C "$source" rev-parse --verify --quiet HEAD) ||
    digest=$(cd "$source" && find server proto tests/sim tests/support -type f -print0 | LC_ALL=C sort -z |
        xargs -0 sha256sum | sha256sum)
first=$((16#${digest:0:12}))

echo "$count seeds from $first (of ${digest:0:12}). Repeat them with: sim_all --jobs $(nproc) $count $first"
exec "${@:3}" --cases --jobs "$(nproc)" "$count" "$first"
