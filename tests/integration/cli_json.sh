#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --json: each command that prints values can print JSON, which a parser reads. --help names the parts.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
command -v python3 >/dev/null || { echo 'python3 is missing'; exit 77; }
start

# parses PYTHON COMMAND...: the output is one JSON value, or one per line; the expression on them, a list `v`, is true.
parses() {
    expect 0 "${@:2}"
    python3 - "$1" "$scratch/out" <<'END' || fail "not the JSON that it should be: ${*:2}"
import json, sys
text = open(sys.argv[2]).read()
try:
    v = [json.loads(text)]
except ValueError:
    v = [json.loads(line) for line in text.splitlines()]
sys.exit(0 if eval(sys.argv[1]) else 1)
END
}

name='say "hi"\'
parses 'v[0]["room"] == "say \"hi\"\\" and v[0]["created"] and v[0]["bounds"] == [0, 0, 1000, 1000]' \
    quadrille open "$name" --json
parses 'v[0]["room"] == "say \"hi\"\\"' quadrille close "$name" --json
parses 'v[0]["dimensions"] == 3 and len(v[0]["bounds"]) == 6 and v[0]["swept"]' \
    quadrille open cube --dimensions 3 --swept --json
quadrille open yard --step >/dev/null
for row in 'spawn yard 1 2 3 4' 'move yard 1 5 6' 'teleport yard 1 7 8' 'reshape yard 1 2' 'describe yard 1 --tag 7'; do
    parses 'v == [{"room": "yard", "entities": 1, "tick": None}]' quadrille $row --json
done
parses 'v[0]["tick"] > 0' quadrille spawn cube 1 2 3 4 5 --json
parses 'v == [{"id": 1, "x": 7, "y": 8, "hx": 2, "hy": 2, "radius": 0, "ax": 0, "ay": 0, "shape": "box", "category": 1,
    "mask": 4294967295}]' quadrille snapshot yard --json
parses 'v[0]["z"] == 4 and v[0]["hz"] == 5 and v[0]["az"] == 0' quadrille snapshot cube --json
parses '[t["tick"] for t in v] == [1, 2] and v[0]["late"] == []' quadrille step yard 2 --json
parses 'v[0]["found"] == [{"id": 1}]' quadrille query yard box 0,0,9,9 --json
parses 'v[0]["observers"] == []' quadrille why yard 1 1 --json
parses '{r["name"] for r in v[0]} == {"cube", "yard"}' quadrille rooms --json
parses 'len(v[0]) == 1 and v[0][0]["rooms"] == 0' quadrille sessions --json
# every field of the message, and nothing else
fields() { python3 - "$(dirname "${BASH_SOURCE[0]}")/../../proto/quadrille.proto" "$1" <<'END'; }
import re, sys
body = re.search(r"^message %s \{(.*?)^\}" % sys.argv[2], open(sys.argv[1]).read(), re.M | re.S).group(1)
print(sorted(re.findall(r"^  \w+ (\w+) = \d+;", body, re.M)))
END
parses "sorted(v[0]) == $(fields ServerStats)" quadrille stats --json
parses "sorted(v[0]) == $(fields RoomStats)" quadrille stats yard --json
parses 'v[0]["rooms"] == 2' quadrille stats --json
parses 'v[0]["entities"] == 1' quadrille stats yard --json
parses 'len(v) == 2 and all(p["round_trip_us"] > 0 for p in v)' quadrille ping --count 2 --json
parses 'v == [{"room": "yard", "entities": 0, "ids": []}]' quadrille adopt yard --json
parses 'v[0]["kind"] == "reset"' quadrille events yard --seconds 0.2 --json
parses 'v[0]["kind"] == "reset"' quadrille watchers yard --seconds 0.2 --json
quadrille spawn cube 2 2 3 4 5 --category 2 >/dev/null
parses '[x["id"] for x in v if x["kind"] == "enter"] == [2]' quadrille observe cube 1 --range 50 --count 1 --json
parses '[x["kind"] for x in v][0] == "room" and v[-1]["kind"] == "end" and v[-1]["updates"] > 0' \
    quadrille swarm --entities 5 --observers 2 --seconds 1.5 --json
printf 'tick,id,x,y,hx,hy\n1,1,0,0,1,1\n1,2,1,0,1,1\n2,1,9,0,1,1\n2,2,1,0,1,1\n' >"$scratch/trace.csv"
parses 'v == [{"ticks": 2, "rows": 4, "begins": 1, "ends": 1, "passed": 0, "checked": True, "ticks_different": 0}]' \
    quadrille replay "$scratch/trace.csv" --room trace --step --check --json
fails 2 '--json needs --step' quadrille replay "$scratch/trace.csv" --room trace --json
parses 'v == [{"room": "yard", "entities": 1, "tick": None}]' quadrille despawn yard 1 --json

# All other commands only draw or explain.
for command in $(quadrille --help | sed -n '/^commands:$/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    case $command in
        watch | help) ;;
        *) prints '^  --json +print JSON: [a-z]' quadrille "$command" --help ;;
    esac
done
