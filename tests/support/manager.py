#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command as a service manager does: manager.py [--listen HOST:PORT]... [--udp] FILE COMMAND...

Gives the command a socket for notifications, a listening socket for each --listen (with --udp one that does not
listen), and WATCHDOG_USEC from the environment. Writes what the command notifies to FILE, one line each. Passes on
SIGTERM and SIGHUP, and exits with the status of the command.
"""
import os
import signal
import socket
import sys
import tempfile

arguments = sys.argv[1:]
sockets, kind = [], socket.SOCK_STREAM
while arguments[0].startswith("--"):
    if arguments[0] == "--udp":
        kind = socket.SOCK_DGRAM
        del arguments[0]
        continue
    host, _, port = arguments[1].rpartition(":")
    each = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
    each.bind((host.strip("[]"), int(port)))
    if kind == socket.SOCK_STREAM:
        each.listen()
    sockets.append(each)
    del arguments[:2]
log = open(arguments[0], "w", buffering=1, encoding="utf-8")

folder = tempfile.TemporaryDirectory()
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(os.path.join(folder.name, "notify"))
os.environ["NOTIFY_SOCKET"] = notify.getsockname()


def give_sockets():
    # Above the numbers that the command gets, so that none is overwritten.
    spare = [os.dup2(each.fileno(), 100 + i) for i, each in enumerate(sockets)]
    for i, each in enumerate(spare):
        os.dup2(each, 3 + i)
    if sockets:
        os.environ["LISTEN_FDS"] = str(len(sockets))
        os.environ["LISTEN_PID"] = str(os.getpid())
    os.execvp(arguments[1], arguments[1:])


child = os.fork()
if child == 0:
    give_sockets()
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: os.kill(child, number))
notify.settimeout(0.1)
while True:
    try:
        for line in notify.recv(4096).decode().splitlines():
            print(line, file=log)
    except TimeoutError:
        pass
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        sys.exit(os.waitstatus_to_exitcode(status) % 256)
