#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The reader of the relay stream in JavaScript finds the positions of the golden vectors, and refuses what it must.
set -euo pipefail
if ! command -v node > /dev/null; then
    echo "skipped: node is not installed (apt: nodejs)"
    exit 77
fi
vectors=$(mktemp)
trap 'rm -f "$vectors"' EXIT
"$QD_BUILD/tests/unit_proto_relay" --list > "$vectors"
node "$QD_SOURCE/tests/support/relay_replay.mjs" "$vectors"
