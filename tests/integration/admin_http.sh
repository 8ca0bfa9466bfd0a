#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The admin server over HTTP: who may ask what, readiness while the server stops, and clients that attack.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
command -v python3 >/dev/null || { echo 'python3 is missing'; exit 77; }
export PYTHONPATH=$QD_SOURCE/tests/support PYTHONDONTWRITEBYTECODE=1

# Port 0 is for the admin server, too; its line follows the first one.
start_admin() {
    start --admin 127.0.0.1:0 "$@"
    local line=
    read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
    export QD_ADMIN=127.0.0.1:${line##* }
}

# Without a token file: this machine may read, nobody may change anything, and no web page may read.
start_admin
python3 - <<'END' || fail 'without tokens'
from admin import *
assert ask("/healthz").text == "ok\n" and ask("/readyz").text == "ok\n"
assert ask("/metrics").headers["content-type"].startswith("text/plain; version=0.0.4")
assert "default-src 'none'" in ask("/metrics").headers["content-security-policy"]
assert ask("/metrics", headers={"Host": "rebound.example"}).status == 403
assert ask("/metrics", headers={"Host": "127.0.0.1.example"}).status == 403
for host in ["localhost", "localhost:80", "127.0.0.1", "[::1]:80"]:
    assert ask("/metrics", headers={"Host": host}).status == 200, host
assert ask("/nothing").status == 404 and ask("/metrics/").status == 404
answer = ask("/metrics", "DELETE")
assert answer.status == 405 and answer.headers["allow"] == "GET"
assert ask("/metrics", "PUT", body="x" * 1000).status == 405
assert ask("/metrics", "PUT", body="x" * 2000).status == 413
assert ask("/" + "x" * 1200).status == 414
link = http.client.HTTPConnection(HOST, PORT, timeout=10)
for _ in range(5):  # on one connection
    link.request("GET", "/metrics")
    assert link.getresponse().read().startswith(b"# HELP quadrille_")
END

# Hostile clients. The server serves others meanwhile, and its memory stays within its reservation.
python3 - <<'END' || fail 'hostile clients'
from admin import *
import random
rng = random.Random(1)
good = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
assert raw(good, piece=1).endswith(b"ok\n"), "segments of one byte"
for _ in range(200):
    raw(rng.randbytes(rng.randrange(1, 3000)), wait=0.05)
for start in [b"GET ", b"GET / HTTP/1.1\r\n", b"PUT /metrics HTTP/1.1\r\nContent-Length: "]:
    for _ in range(50):
        raw(start + rng.randbytes(rng.randrange(1, 3000)) + b"\r\n\r\n", wait=0.05)
answer = raw(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"x" * 200000 + b"\r\n\r\n", wait=2)
assert b"200 OK" not in answer, "huge headers"
answer = raw(b"GET /metrics HTTP/1.1\r\n" + b"X-Y: z\r\n" * 20000 + b"\r\n", wait=2)
assert b"200 OK" not in answer, "many headers"
raw(b"PUT /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n" + b"x" * 5000, wait=0.2)
raw(b"PUT /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", wait=0.2)
for upgrade in [b"websocket", b"h2c"]:
    answer = raw(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                 b"Upgrade: " + upgrade + b"\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                 b"Sec-WebSocket-Version: 13\r\n\r\n", wait=1)
    assert b" 101 " not in answer, (upgrade, answer)
raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(200), wait=0.2)
# Twice as many as have places hold a request back, or never read the answer. Newer ones are served all the time.
slow = []
for i in range(96):
    link = socket.create_connection((HOST, PORT))
    link.sendall(b"GET /metrics HTTP/1.1\r\nX-Slow: " if i % 2 else good.replace(b"healthz", b"metrics") * 20)
    slow.append(link)
    assert ask("/healthz").status == 200, i
assert metric("admin_memory_peak_bytes") < 2 << 20
END
expect 0 quadrille ping
stop_server
rm "$scratch/output"

# With a token file. 503 comes within 100 ms of SIGTERM, although a client keeps the server from ending at once.
printf 'prometheus-token reader\nplain-token\noperator-token admin\n' >"$scratch/tokens"
chmod 600 "$scratch/tokens"
start_admin --admin-token-file "$scratch/tokens"
quadrille open yard --hz 20 >"$scratch/none"
python3 - "$server_pid" <<'END' || fail 'with tokens'
from admin import *
import signal, sys
assert ask("/healthz").status == 200 and ask("/readyz").status == 200
answer = ask("/metrics")
assert answer.status == 401 and answer.headers["www-authenticate"] == "Bearer"
assert ask("/nothing").status == 401
for token in ["x", "prometheus-toke", "prometheus-tokenn", "x" * 3000]:
    assert ask("/metrics", token=token).status in (401, 431, 400), token
assert ask("/metrics", headers={"Authorization": "Basic prometheus-token"}).status == 401
assert ask("/metrics", token="prometheus-token", headers={"Host": "server.example"}).status == 200
assert metric("rooms", token="plain-token") == 1
END
sed -i 's/prometheus-token/newer-token/' "$scratch/tokens"
kill -HUP "$server_pid"
until_true python3 -c 'from admin import *; assert ask("/metrics", token="newer-token").status == 200'
python3 -c 'from admin import *; assert ask("/metrics", token="prometheus-token").status == 401' ||
    fail 'a token that is gone'
# A client keeps its connection open, so the server waits for a while before it ends.
python3 - "$server_pid" "$address" <<'END' || fail 'readiness'
from admin import *
import signal, subprocess, sys
link = http.client.HTTPConnection(HOST, PORT, timeout=10)
held = socket.create_connection((sys.argv[2].rsplit(":", 1)[0], int(sys.argv[2].rsplit(":", 1)[1])))
# The server accepts connections in their order: after the answer to this one, it has that one.
subprocess.run(["quadrille", "ping"], check=True, stdout=subprocess.DEVNULL)
statuses = []
os.kill(int(sys.argv[1]), signal.SIGTERM)
end = time.monotonic() + 0.1
while time.monotonic() < end and 503 not in statuses:
    link.request("GET", "/readyz")
    response = link.getresponse()
    response.read()
    statuses.append(response.status)
assert statuses[-1] == 503, statuses
END
status=0
wait "$server_pid" || status=$?
server_pid=
[ "$status" = 0 ] || fail "the server ended with status $status"

# What is not safe does not start.
refuses() {
    fails "$1" "$2" timeout 10 "$QD_SERVER" --listen 127.0.0.1:0 "${@:3}"
}
refuses 1 '^quadrille-server: --admin is 0.0.0.0, and there is no --admin-token-file; must be a loopback address then' \
    --admin 0.0.0.0:0
printf 'token admin yard*\n' >"$scratch/tokens"
refuses 1 'is for the rooms yard\*; must be for all' --admin 127.0.0.1:0 --admin-token-file "$scratch/tokens"
chmod 644 "$scratch/tokens"
refuses 1 'has the mode 644; must not be readable by other users' \
    --admin 127.0.0.1:0 --admin-token-file "$scratch/tokens"
