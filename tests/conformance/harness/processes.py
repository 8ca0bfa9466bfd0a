# SPDX-License-Identifier: Apache-2.0
"""The server, and the driver of an SDK, as child processes."""
import os
import select
import shlex
import signal
import subprocess
import time

ANSWER_SECONDS = 60


class Problem(Exception):
    """A scenario failed. The text says why."""


class Server:
    def __init__(self, program, options):
        self.process = subprocess.Popen([program, "--listen", "127.0.0.1:0", "--log-level", "warn", *options],
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "listening on " not in line:
            raise Problem(f"the server did not start; its first line is {line!r}")
        self.address = line.split()[-1]

    def stop(self, number=signal.SIGTERM):
        """Fails if a server that gets SIGTERM does not end with status 0."""
        self.process.send_signal(number)
        status = self.process.wait(ANSWER_SECONDS)
        self.process.stdout.close()
        if number == signal.SIGTERM and status != 0:
            raise Problem(f"the server ended with status {status}")


class Driver:
    """Speaks the driver protocol (../README.md) to one process."""

    def __init__(self, name, command):
        self.name, self.rest = name, b""
        self.process = subprocess.Popen(shlex.split(command) if isinstance(command, str) else command,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Problem(f"the driver of '{self.name}' has ended; its command was '{line[:100]}'") from None

    def read_line(self, line):
        deadline = time.monotonic() + ANSWER_SECONDS
        while b"\n" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Problem(f"no answer to '{line[:100]}' within {ANSWER_SECONDS} s")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                raise Problem(f"the driver ended instead of answering '{line[:100]}'")
            self.rest += piece
        answer, _, self.rest = self.rest.partition(b"\n")
        return answer.decode()

    def receive(self, line):
        """The lines before the last one, and the last one: "ok ..." or "error ..."."""
        lines = []
        while True:
            answer = self.read_line(line)
            if answer.split(" ")[0] in ("ok", "error"):
                return lines, answer
            lines.append(answer)

    def ask(self, line):
        self.send(line)
        return self.receive(line)

    def kill(self):
        self.process.kill()
        self.end()

    def quit(self):
        if self.process.poll() is None:
            self.send("quit")
            self.receive("quit")
        self.end()

    def end(self):
        self.process.wait(ANSWER_SECONDS)
        for each in (self.process.stdin, self.process.stdout):
            try:
                each.close()
            except BrokenPipeError:
                pass
