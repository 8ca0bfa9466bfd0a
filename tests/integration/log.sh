#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The log of a real server: a reader that does not read holds nobody up, a flood stays small, and JSON is JSON.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
command -v python3 >/dev/null || { echo 'python3 is missing'; exit 77; }

# bad_connections COUNT: each sends three bytes that are no frame, and closes.
bad_connections() {
    python3 - "$address" "$1" <<'END'
import socket, sys
host, port = sys.argv[1].rsplit(":", 1)
for _ in range(int(sys.argv[2])):
    link = socket.create_connection((host, int(port)))
    link.sendall(b"\x02\xff\xff")
    while link.recv(4096):
        pass
    link.close()
END
}

# Nobody reads: the pipe fills, and at level debug the ring does, too. The server serves, and it stops.
mkfifo "$scratch/pipe"
exec 8<>"$scratch/pipe"
start_server --log-level debug 2>"$scratch/pipe"
export QUADRILLE_SERVER=$address
bad_connections 1500
expect 0 timeout 20 quadrille ping
until_true eval '[ "$(quadrille stats --json | python3 -c "import json, sys; print(json.load(sys.stdin)[\"log_dropped\"])")" -gt 0 ]'
# The reader comes back: it gets whole lines, and the number of those that it missed.
cat <&8 >"$scratch/log" &
children+=("$!")
until_true grep -q ' warn  lines were dropped count=[1-9][0-9]*$' "$scratch/log"
kill -KILL "${children[-1]}"
wait "${children[-1]}" || true
! grep -vE '^[0-9T:.-]{23}Z (error|warn |info |debug) ' "$scratch/log" || fail 'a line is not whole'
bad_connections 1500
began=$SECONDS
stop_server
[ $((SECONDS - began)) -le 20 ] || fail "the server took $((SECONDS - began)) s to stop beside a full pipe"
exec 8<&-
rm "$scratch/output"

# A flood at the default level: ten lines for the address, and one that counts the others.
start_server 2>"$scratch/log"
bad_connections 500
stop_server
[ "$(grep -c 'warn  protocol broken peer=127.0.0.1:' "$scratch/log")" -eq 10 ] || fail "not ten lines: $(cat "$scratch/log")"
grep -q 'warn  lines were suppressed of="protocol broken" count=490 address=127.0.0.1$' "$scratch/log" ||
    fail "no count of the others: $(cat "$scratch/log")"
rm "$scratch/output"

# A name that tries to forge a field, in both formats.
for format in text json; do
    start_server --log-level debug --log-format "$format" 2>"$scratch/log"
    export QUADRILLE_SERVER=$address
    name=$'yard" peer=10.0.0.1 \\ \xe2\x98\x83'
    expect 0 quadrille open "$name"
    expect 0 quadrille close "$name"
    stop_server
    rm "$scratch/output"
    [ "$format" = json ] || grep -qF 'room closed room=' "$scratch/log" || fail 'the room is not in the log'
    [ "$format" = json ] || grep -qF ' name="yard\" peer=10.0.0.1 \\ \xe2\x98\x83" ' "$scratch/log" || fail 'the name is not quoted'
done
python3 - "$scratch/log" <<'END' || fail "the log is not JSON: $(cat "$scratch/log")"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="ascii")]
closed = [line for line in lines if line["message"] == "room closed"]
assert len(closed) == 1 and closed[0]["name"] == 'yard" peer=10.0.0.1 \\ \u2603', closed
assert lines[0]["message"] == "listening" and lines[0]["port"] > 0 and lines[0]["level"] == "info", lines[0]
END
