#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks the golden vectors in unit/golden_vectors.h with protoc, which shares no code with protobuf-c: the text encodes
# to the bytes, and decoding and encoding the bytes gives the same bytes.
set -euo pipefail
if ! command -v protoc > /dev/null; then
    echo "skipped: protoc is not installed (apt: protobuf-compiler)"
    exit 77
fi

protoc_frame() { # protoc_frame encode|decode FRAME
    protoc "--$1=quadrille.v1.$2" "--proto_path=$QD_SOURCE/proto" quadrille.proto
}
to_hex() { od -An -v -tx1 | tr -d ' \n'; }
to_bytes() { printf '%b' "$(sed 's/../\\x&/g' <<< "$1")"; }

vectors=$("$QD_BUILD/tests/unit_proto_golden" --list)
count=0
while IFS='|' read -r frame name hex text; do
    encoded=$(protoc_frame encode "$frame" <<< "$text" | to_hex)
    again=$(to_bytes "$hex" | protoc_frame decode "$frame" | protoc_frame encode "$frame" | to_hex)
    if [ "$encoded" != "$hex" ] || [ "$again" != "$hex" ]; then
        printf '%s %s\n  vector   %s\n  from text %s\n  again     %s\n' "$frame" "$name" "$hex" "$encoded" "$again"
        exit 1
    fi
    count=$((count + 1))
done <<< "$vectors"
[ "$count" -gt 0 ] || { echo "unit_proto_golden listed no vectors"; exit 1; }
echo "protoc agrees with all $count vectors"
