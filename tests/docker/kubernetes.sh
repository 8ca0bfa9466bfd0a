#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docker/kubernetes.yml: its parts agree, and a real server starts with its options and answers its probes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
python3 -c 'import yaml' 2>/dev/null || skip 'needs python3-yaml (apt-get install python3-yaml)'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 "$(dirname "${BASH_SOURCE[0]}")/kubernetes.py" "$QD_SERVER" "$scratch"
