#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# top: the table as text, the errors of the admin API, and the screen on a terminal, with keys and new sizes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
umask 077
printf 'look reader\n' >"$scratch/tokens"
start --admin 127.0.0.1:0 --admin-token-file "$scratch/tokens"
read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
export QUADRILLE_ADMIN=127.0.0.1:${line##* } QUADRILLE_ADMIN_TOKEN=look
unset TERM

quadrille open alpha --hz 100 >"$scratch/none"
quadrille open zulu --step >"$scratch/none"
quadrille open "$(printf 'mike\xe2\x98\x83 %%')" --step >"$scratch/none"
printf '%s,1,1,1\n' 1 2 3 | quadrille spawn zulu - >"$scratch/none"
quadrille spawn alpha 1 1 1 1 >"$scratch/none"
background quadrille events alpha >"$scratch/events"
joined() { quadrille top --once --interval 0.1 | grep -qP '^alpha\t1\t1\t'; }
until_true joined

# ---- plain text ----
tab=$'\t'
names() { cut -f 1 "$scratch/out" | tr '\n' ' '; }
snowman=$(printf 'mike\xe2\x98\x83 %%')
expect 0 quadrille top --once --interval 0.5
[ "$(names)" = "name zulu alpha $snowman " ] || fail "not sorted by entities: $(names)"
out "^alpha${tab}1${tab}1${tab}100${tab}[0-9]+\.[0-9]${tab}0${tab}[0-9.]+${tab}[0-9]+$"
out "^zulu${tab}3${tab}0${tab}0${tab}0.0${tab}"
expect 0 quadrille top --interval 0.1 --sort name
[ "$(names)" = "name alpha $snowman zulu " ] || fail "not sorted by name: $(names)"
expect 0 quadrille top --once --interval 0.1 --sort name --reverse
[ "$(names)" = "name zulu $snowman alpha " ] || fail "not reversed: $(names)"
prints "^[0-9]+${tab}quadrille/[0-9.]+${tab}127.0.0.1:[0-9]+${tab}1${tab}0${tab}[0-9]+$" \
    quadrille top --once --interval 0.1 --table sessions
prints "^[0-9]+${tab}qd-worker${tab}[0-9.]+${tab}[0-9.]+$" quadrille top --once --interval 0.1 --table workers

# ---- JSON ----
for table in rooms sessions workers; do
    expect 0 quadrille top --json --interval 0.1 --table "$table"
    cp "$scratch/out" "$scratch/$table.json"
done
/usr/bin/python3 - "$scratch" <<'END' || fail 'not the JSON that it should be'
import json, pathlib, sys
rooms, sessions, workers = (json.loads((pathlib.Path(sys.argv[1]) / f"{table}.json").read_text())
                            for table in ("rooms", "sessions", "workers"))
assert [room["name"] for room in rooms] == ["zulu", "alpha", "mike\u2603 %"] and rooms[1]["hz"] == 100, rooms
assert all(set(room) == set(rooms[0]) for room in rooms) and rooms[0]["entities"] == 3, rooms
assert [session["rooms"] for session in sessions] == [1] and sessions[0]["client"].startswith("quadrille/"), sessions
assert any(worker["name"] == "qd-worker" and worker["cpu_%"] >= 0 for worker in workers), workers
END

# ---- more rooms than a page has ----
for i in {1..230}; do
    echo "room-$i"
done >"$scratch/names"
xargs -P 4 -I{} quadrille open {} --step <"$scratch/names" >"$scratch/none"
expect 0 quadrille top --once --interval 0.1
[ "$(grep -c '^room-' "$scratch/out")" -eq 230 ] || fail 'not all pages'

# ---- errors ----
fails 2 '^quadrille top: --sort is queue; must be name, .* or tick for the table rooms' quadrille top --sort queue
fails 2 '^quadrille top: --admin is nowhere; must be HOST:PORT' quadrille top --once --admin nowhere
fails 2 '^quadrille top: --admin is a/b:1; must be' quadrille top --once --admin a/b:1
fails 2 '^quadrille top: --interval is 0; must be' quadrille top --once --interval 0
fails 1 'cannot reach the admin API at 127.0.0.1:1: .*Start the server with --admin' quadrille top --admin 127.0.0.1:1
fails 1 "cannot reach the admin API at $address: " quadrille top --admin "$address"
fails 1 'answers 401: the token is unknown; .*Set QUADRILLE_ADMIN_TOKEN' env QUADRILLE_ADMIN_TOKEN=x quadrille top
fails 1 'answers 401: the request has no token' env QUADRILLE_ADMIN_TOKEN= quadrille top
fails 2 'QUADRILLE_ADMIN_TOKEN is no token; must have' env QUADRILLE_ADMIN_TOKEN='a b' quadrille top
mkdir "$scratch/web"
python3 -u -m http.server --bind 127.0.0.1 --directory "$scratch/web" 0 >"$scratch/web.log" 2>&1 &
children+=("$!")
until_true grep -q port "$scratch/web.log"
web=127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$scratch/web.log")
fails 1 "$web answers /v1/server with status 404 and no JSON object; must be the admin API" quadrille top --admin "$web"

# ---- the screen ----
# Debian's Python has Debian's package, whatever other Python comes first in PATH.
python=/usr/bin/python3
"$python" -c 'import pyte' 2>/dev/null ||
    { echo 'skipped: python3-pyte is missing: the screen of top is not tested'; exit 77; }
"$python" - <<'END' || fail 'the screen'
import fcntl, os, pty, pyte, re, select, signal, struct, subprocess, termios, time


class Terminal:
    """quadrille top on a terminal, and what the terminal shows."""

    def __init__(self, *options, rows=20, columns=100):
        self.master, self.slave = pty.openpty()
        self.screen, self.bytes = pyte.Screen(columns, rows), b""
        self.stream = pyte.ByteStream(self.screen)
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        # Unlike xterm, "screen" cannot repeat a character by a sequence (REP), which pyte does not know.
        self.program = subprocess.Popen(["quadrille", "top", "--interval", "0.2", *options],
                                        stdin=self.slave, stdout=self.slave, stderr=self.slave, start_new_session=True,
                                        env=dict(os.environ, TERM="screen", LC_ALL="C.UTF-8"))

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def read(self):
        while select.select([self.master], [], [], 0.05)[0]:
            data = os.read(self.master, 65536)
            self.bytes += data
            self.stream.feed(data)

    def until(self, pattern, first=""):
        """Waits until the screen matches, and the table's first row begins like that."""
        deadline = time.monotonic() + 60
        while not (re.search(pattern, "\n".join(self.screen.display)) and self.screen.display[4].startswith(first)):
            assert time.monotonic() < deadline, (pattern, first, self.screen.display)
            self.read()

    def press(self, keys):
        os.write(self.master, keys.encode())

    def ends(self, status):
        deadline = time.monotonic() + 60
        while self.program.poll() is None:
            assert time.monotonic() < deadline
            self.read()
        self.read()
        assert self.program.returncode == status, (self.program.returncode, self.screen.display)
        assert b"\x1b[?1049h" in self.bytes and self.bytes.rindex(b"\x1b[?1049l") > self.bytes.rindex(b"\x1b[?1049h")
        assert termios.tcgetattr(self.slave) == self.before, "the terminal is not restored"
        os.close(self.slave)
        os.close(self.master)


top = Terminal()
top.until(r"quadrille-server [0-9.]+ +up 0:.* rooms 233, 0 slowed")
top.until(r"sorted by entities, descending(.|\n)*\nalpha +1 +1 +100 ", "zulu ")
top.until(r"updates/s \d+  ticks/s \d+")
top.press("R")
top.until("sorted by entities, ascending", "mike")
top.press("<")
top.until("sorted by name, ascending", "alpha ")
top.press("R")
top.until("sorted by name, descending", "zulu ")
top.press("\x1bOC")  # the right arrow
top.until("sorted by entities, descending", "zulu ")
top.press("\x1bOB")  # down
top.until("sorted by entities, descending", "alpha ")
top.press("s")
top.until(r"sessions 1, sorted by queue, descending(.|\n)*127\.0\.0\.1:")
top.press("w")
top.until(r"workers \d+, sorted by cpu_%(.|\n)*qd-worker")
top.press("h")
top.until("reverse the order")
top.press("h r")
top.until(", paused")
# The last screen before the pause may still be on its way. Without a pause the uptime changes each second.
deadline = time.monotonic() + 60
frozen = None
while top.screen.display != frozen:
    assert time.monotonic() < deadline, "it does not pause"
    frozen = list(top.screen.display)
    time.sleep(1.5)
    top.read()
top.press(" ")
top.until(r"rooms 233, sorted by entities, descending  \(h")
top.resize(10, 60)
os.kill(top.program.pid, signal.SIGWINCH)
deadline = time.monotonic() + 60
while not (len(top.screen.display[3].rstrip()) <= 60 and top.screen.display[9].strip()
           and top.screen.display[3].startswith("name")):
    assert time.monotonic() < deadline, top.screen.display
    top.read()
top.press("q")
top.ends(0)

for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
    top = Terminal("--table", "workers")
    top.until("qd-worker")
    top.program.send_signal(number)
    top.ends(0)
END

# The end of the server ends top, with a message behind the restored screen.
python3 - "$server_pid" <<'END' || fail 'the end of the server'
import os, pty, signal, sys, time
pid, master = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execvp("quadrille", ["quadrille", "top", "--interval", "0.2"])
text, killed = b"", False
try:
    while True:
        text += os.read(master, 65536)
        if b"zulu" in text and not killed:
            killed = True
            os.kill(int(sys.argv[1]), signal.SIGKILL)
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert status == 1, status
assert b"quadrille top: cannot reach the admin API" in text[text.rindex(b"\x1b[?1049l"):], text[-500:]
END
wait "$server_pid" || true
server_pid=
