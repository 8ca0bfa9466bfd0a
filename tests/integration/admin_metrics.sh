#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# /metrics: promtool accepts it, the values are those of what happened, and rooms have labels only on request.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
command -v python3 >/dev/null || { echo 'python3 is missing'; exit 77; }
command -v promtool >/dev/null || { echo 'skipped: promtool is missing (apt-get install prometheus)'; exit 77; }
export PYTHONPATH=$QD_SOURCE/tests/support PYTHONDONTWRITEBYTECODE=1

start --admin 127.0.0.1:0 --admin-room-labels 2
read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
export QD_ADMIN=127.0.0.1:${line##* }
quadrille open 'say "hi"\' --step >"$scratch/none"
quadrille open small --step >"$scratch/none"
quadrille open empty --step >"$scratch/none"
for id in 1 2 3; do
    quadrille spawn 'say "hi"\' "$id" 1 2 3 >"$scratch/none"
done
quadrille spawn small 1 1 2 3 >"$scratch/none"
quadrille step 'say "hi"\' 2 >"$scratch/none"
expect 0 quadrille events 'say "hi"\' --seconds 0.2
fails 1 'ID_TAKEN|taken' quadrille spawn small 1 1 2 3
fails 1 . quadrille open small --hz 50
python3 - "$scratch/metrics" <<'END' || fail 'the values'
from admin import *
import sys
text = ask("/metrics").text
open(sys.argv[1], "w").write(text)
assert metric("rooms") == 3
assert metric("ticks_total") >= 2 and metric("tick_duration_seconds_count") == metric("ticks_total")
assert metric('tick_duration_seconds_bucket{le="+Inf"}') == metric("tick_duration_seconds_count")
assert 0 < metric("tick_duration_seconds_sum") < 1
assert metric("room_queue_messages_sum") >= 5
assert metric('resets_total{of="pairs"}') >= 1
assert metric('refusals_total{code="ID_TAKEN"}') == 1 and metric('refusals_total{code="CONFIG_MISMATCH"}') >= 1
refusals = [float(line.split()[-1]) for line in text.splitlines() if line.startswith("quadrille_refusals_total{")]
assert sum(refusals) == metric("errors_total"), "each Error, and the one refused entry"
assert metric('quota_refusals_total{owner="session",quota="memory"}') == 0 and metric("records_ended_total") == 0
assert metric("received_bytes_total") > 0 and metric("updates_total") == 4
assert metric('room_entities{room="say \\"hi\\"\\\\"}') == 3 and metric('room_entities{room="small"}') == 1
assert 'room="empty"' not in text, "two labels"
buckets = [float(l.split()[-1]) for l in text.splitlines() if l.startswith("quadrille_tick_duration_seconds_bucket")]
assert buckets == sorted(buckets) and len(buckets) == 21
for line in text.splitlines():
    assert line.startswith(("# HELP quadrille_", "# TYPE quadrille_", "quadrille_")), line
END
promtool check metrics <"$scratch/metrics" || fail 'promtool'
stop_server
rm "$scratch/output"

# A room on its own clock fills the histogram of lateness; by default no room has a label. Sessions that wait because they
# create rooms too fast are counted.
start --admin 127.0.0.1:0 --token-creations-max 50
read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
export QD_ADMIN=127.0.0.1:${line##* }
quadrille open yard --hz 50 >"$scratch/none"
quadrille spawn yard 1 1 2 3 >"$scratch/none"
until_true python3 -c 'from admin import *; assert metric("tick_lateness_seconds_count") > 0'
python3 -c 'from admin import *; assert "room=" not in ask("/metrics").text' || fail 'a room has a label'
python3 -c 'from admin import *; assert metric("room_creations_paced_total") == 0' || fail 'a single room waits'
expect 0 quadrille swarm --rooms 30 --entities 1 --seconds 1
python3 -c 'from admin import *; assert metric("room_creations_paced_total") >= 10' || fail 'waits are not counted'
stop_server
rm "$scratch/output"

# What the memory quota of a session refuses is counted.
start --admin 127.0.0.1:0 --session-memory-max 1M
read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
export QD_ADMIN=127.0.0.1:${line##* }
fails 1 'QUOTA_SESSION' quadrille swarm --rooms 3 --entities 20000 --seconds 2
python3 -c 'from admin import *; assert metric("quota_refusals_total{owner=\"session\",quota=\"memory\"}") >= 1' ||
    fail 'what the memory quota refused is not counted'
