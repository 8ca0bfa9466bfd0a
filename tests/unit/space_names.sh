#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#     space_names.sh LIBRARY     is every name that its linker sees there once?
#
# The space is compiled for two axes and for three. A name of it that is missing from the list in space/axes.h is in
# both, and which of the two a caller gets is chance, or an error of the linker.
set -euo pipefail

names=$("${NM:-nm}" --extern-only --defined-only --format=posix "$1" | awk 'NF >= 2 && $2 ~ /^[TDBRC]$/ { print $1 }' | sort)
twice=$(uniq -d <<< "$names")
if [ -n "$twice" ]; then
    echo "FAILED: in both the space for two axes and that for three; add them to the list in space/axes.h:"
    echo "$twice"
    exit 1
fi
for axes in 2 3; do
    if ! grep -q "^qd_rows_insert_${axes}d\$" <<< "$names"; then
        echo "FAILED: no qd_rows_insert_${axes}d in $1: this is not the space, or nm tells nothing of it"
        exit 1
    fi
done
