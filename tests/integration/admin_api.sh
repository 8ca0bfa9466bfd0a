#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The admin API: each answer matches openapi.json, pages follow each other, and commands have their effect.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
python3 -c 'import jsonschema' 2>/dev/null || { echo 'skipped: python3-jsonschema is missing'; exit 77; }
export PYTHONPATH=$QD_SOURCE/tests/support PYTHONDONTWRITEBYTECODE=1

printf 'look reader\nchange admin\n' >"$scratch/tokens"
chmod 600 "$scratch/tokens"
start --admin 127.0.0.1:0 --admin-token-file "$scratch/tokens" 2>"$scratch/log"
read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
export QD_ADMIN=127.0.0.1:${line##* }
for room in 'say "hi"\' 'a/b c%2F' cube yard "$(printf '\xe2\x98\x83')"; do
    quadrille open "$room" --step >"$scratch/none"
done
quadrille spawn yard 1 1 2 3 >"$scratch/none"
background quadrille events yard
held=$!

python3 - "$held" <<'END' || fail 'the API'
from admin import *
import jsonschema, sys, urllib.parse
api = json.load(open(os.environ["QD_SOURCE"] + "/server/admin/openapi.json"))
seen = set()


def nullable(schema):
    """JSON Schema's word for OpenAPI's `nullable`."""
    if isinstance(schema, dict):
        schema = {key: nullable(value) for key, value in schema.items()}
        if schema.pop("nullable", False):
            schema["type"] = [schema["type"], "null"]
    elif isinstance(schema, list):
        schema = [nullable(value) for value in schema]
    return schema


schemas = nullable(api["components"])


def call(path, template=None, method="GET", token="change", status=200, body=None):
    template = template or path.partition("?")[0]
    answer = ask(path, method, token, body)
    assert answer.status == status, (path, answer.status, answer.text)
    described = api["paths"][template][method.lower()]["responses"][str(status)]["content"]
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in described, (path, kind)
    seen.add((template, method, status))
    if kind == "application/json":
        schema = dict(described[kind]["schema"], components=schemas)
        jsonschema.validate(answer.json(), schema)
        return answer.json()
    assert kind != "text/plain" or answer.text.endswith("\n")


for path in ["/healthz", "/readyz", "/metrics", "/v1/threads", "/v1/log-level"]:
    call(path, token="look")
server = call("/v1/server", token="look")
assert server["rooms"] == 5 and server["sessions"] >= 1 and server["uptime_seconds"] > 0, server
assert server["version"].startswith("quadrille") and server["updates"] == 1, server
assert 0 < server["memory_bytes"] < server["memory_max_bytes"], server
assert {"qd-admin", "qd-worker", "qd-loop"} <= {row["name"] for row in call("/v1/threads")["threads"]}

names, after = [], ""
while after is not None:
    page = call("/v1/rooms?limit=2&after=" + urllib.parse.quote(after, safe=""))
    assert 1 <= len(page["rooms"]) <= 2
    names += [row["name"] for row in page["rooms"]]
    after = page["next"]
assert names == sorted(['say "hi"\\', "a/b c%2F", "cube", "yard", "\u2603"]), names
for name in names:
    assert call("/v1/rooms/" + urllib.parse.quote(name, safe=""), "/v1/rooms/{name}")["name"] == name
deadline = time.monotonic() + 60
while call("/v1/rooms/yard", "/v1/rooms/{name}")["sessions"] == 0:
    assert time.monotonic() < deadline
yard = call("/v1/rooms/yard", "/v1/rooms/{name}")
assert yard["entities"] == 1 and yard["tick_mode"] == "step" and yard["max"] == [1000, 1000, 0], yard
call("/v1/rooms/none", "/v1/rooms/{name}", status=404)
for limit in ["0", "201", "-1", "x", "1x"]:
    call("/v1/rooms?limit=" + limit, status=400)

sessions = call("/v1/sessions")["sessions"]
held = [row for row in sessions if row["rooms"] == 1 and not row["detached"]]
assert len(held) == 1 and held[0]["peer"].startswith("127.0.0.1:"), sessions
number = held[0]["session"]
assert call(f"/v1/sessions?after={number - 1}&limit=1")["sessions"][0]["session"] == number
call("/v1/sessions?after=x", status=400)

# Only an admin changes anything.
for path, method, body in [("/v1/rooms/yard", "DELETE", None), (f"/v1/sessions/{number}", "DELETE", None),
                           ("/v1/log-level", "PUT", '{"level": "debug"}')]:
    template = path.replace("yard", "{name}").replace(f"s/{number}", "s/{number}")
    call(path, template, method, token="look", status=403, body=body)
    call(path, template, method, token=None, status=401, body=body)
assert call("/v1/log-level")["level"] == "warn"
assert call("/v1/log-level", method="PUT", body='{"level": "debug"}')["level"] == "debug"
assert call("/v1/log-level")["level"] == "debug"
for body in ["", "x", '{"level": "loud"}', '{"level": 1}', "[" * 1000, '{"level": "warn", "level": "warn"}']:
    call("/v1/log-level", method="PUT", status=400, body=body)
assert call("/v1/log-level", method="PUT", body='{"level": "warn"}')["level"] == "warn"

call(f"/v1/sessions/{number}", "/v1/sessions/{number}", "DELETE")
for wrong in [number, 10 ** 30, "x", "-1"]:
    call(f"/v1/sessions/{wrong}", "/v1/sessions/{number}", "DELETE", status=404)
call("/v1/rooms/cube", "/v1/rooms/{name}", "DELETE")
call("/v1/rooms/cube", "/v1/rooms/{name}", "DELETE", status=404)
assert "cube" not in [row["name"] for row in call("/v1/rooms")["rooms"]]
missing = {(path, method.upper()) for path in api["paths"] for method in api["paths"][path]} - {row[:2] for row in seen}
assert not missing, f"not tested: {missing}"
END
status=0
wait "$held" || status=$?
[ "$status" -ne 0 ] || fail 'the client of the ended session does not report it'
expect 0 quadrille open cube --step
out created
grep -q 'an operator sets the log level peer=127.0.0.1 token=2 level=debug$' "$scratch/log" || fail 'the log'

# Many rooms: a page has at most 200 rows, and the admin server's memory is enough for it.
for i in {1..230}; do
    echo "room-$i"
done >"$scratch/names"
xargs -P 4 -I{} quadrille open {} --step <"$scratch/names" >"$scratch/none"
python3 - <<'END' || fail 'many rooms'
from admin import *
page = ask("/v1/rooms?limit=200", token="look").json()
assert len(page["rooms"]) == 200 and page["next"] == page["rooms"][-1]["name"]
assert metric("admin_memory_peak_bytes", token="look") < 2 << 20
END
