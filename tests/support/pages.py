#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of all pages (*.md), as a reader would.

usage: tests/support/pages.py ROOT SCRATCH [PAGE...]

The caller gives it a network namespace, whose loopback interface this script brings up: the pages use port 7400. The
environment finds the installed programs and the library (PATH, PKG_CONFIG_PATH, LD_LIBRARY_PATH, CC). SCRATCH is an
empty folder. Only modules of python3-minimal are used.

    ```sh                   a script. The scripts of a page run in order, in one folder, in one shell. They run twice
    (indented block)        the same
    ```c                    a whole program: it is compiled without a warning. The page's scripts find it under the
                            name in its first line, /* NAME.c ... */
    ```c PATH, and the same with python, go, java, ts, rust
                            an excerpt: its lines are in that file, in this order. A line "..." stands for left-out
                            lines. Indentation does not count
    ```text                 no code: a diagram, a table or output
    norun: REASON           behind the kind, or in a comment <!-- norun: REASON --> above the block: the block does not
                            run. The reason is printed

Any other block is an error. A script gets a server on port 7400 that starts before each page's first run and ends after
its second, unless the page starts one itself.
"""
import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time

SCRIPT_SECONDS = 120
# Waits for at most ten seconds until something listens on a port.
LISTENS = "for _ in {{1..100}}; do grep -q ':{port:04X} 00000000:0000 0A' /proc/net/tcp && break; sleep 0.1; done\n"
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


class Block:
    def __init__(self, page, line, kind, words, lines, reason):
        self.page, self.line, self.kind, self.words, self.lines, self.reason = page, line, kind, words, lines, reason

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks_of(root, page):
    with open(os.path.join(root, page), encoding="utf-8") as file:
        lines = file.read().split("\n")
    blocks, i, reason = [], 0, None
    while i < len(lines):
        comment = re.fullmatch(r"<!-- norun: (.+) -->", lines[i].strip())
        if comment:
            reason, i = comment.group(1), i + 1
            continue
        fence = re.match(r"(\s*)```(.*)", lines[i])
        if fence:
            end = i + 1
            while lines[end].strip() != "```":
                end += 1
            head, _, said = fence.group(2).partition("norun:")
            words = head.split() or [""]
            body = [line[len(fence.group(1)):] for line in lines[i + 1:end]]
            blocks.append(Block(page, i + 1, words[0], words[1:], body, said.strip() or reason))
            i, reason = end + 1, None
        elif lines[i].startswith("    ") and (i == 0 or lines[i - 1].strip() == "" or reason):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or lines[end].strip() == ""):
                end += 1
            body = [line[4:] for line in lines[i:end]]
            while body[-1] == "":
                body.pop()
            blocks.append(Block(page, i + 1, "sh", [], body, reason))
            i, reason = end, None
        else:
            if lines[i].strip():
                reason = None
            i += 1
    return blocks


def pages_of(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "build", "node_modules")))
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), root)


def excerpt_fault(root, block):
    """Returns what is wrong with an excerpt; None: nothing."""
    path = os.path.join(root, block.words[0])
    if not os.path.isfile(path):
        return f"there is no file {block.words[0]}"
    with open(path, encoding="utf-8") as file:
        source = [line.strip() for line in file if line.strip()]
    at, follows = 0, False  # the next line of the source; whether it must be the next
    for line in (line.strip() for line in block.lines):
        if line in ("", "..."):
            follows = follows and line == ""
            continue
        try:
            found = source.index(line, at)
        except ValueError:
            return f"{block.words[0]} has no such line after the ones before it: {line}"
        if follows and found != at:
            return f"in {block.words[0]} other lines precede this one; write ... between: {line}"
        at, follows = found + 1, True
    return None


def compile_program(block, folder):
    name = re.match(r"/\* (\w+)\.c\b", block.lines[0])
    if not name:
        return "a program needs its name in its first line, as in /* hello.c */"
    source = os.path.join(folder, name.group(1) + ".c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(block.text)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "quadrille"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    done = subprocess.run([os.environ.get("CC", "cc"), "-Wall", "-Wextra", "-Werror", source, *flags, "-o",
                           source[:-2]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return None if done.returncode == 0 else f"does not compile:\n{done.stdout}"


def at_human_speed(block):
    """A reader types the next command after the one in the background has begun, and a server listens."""
    text = ""
    for line in block.lines:
        text += line + "\n"
        if re.search(r"&(\s*\w+=\$!)?\s*(#.*)?$", line):
            port = re.search(r"^\s*quadrille-server .*--listen [\w.]+:([1-9]\d*)", line)
            text += "sleep 0.5\n" + (LISTENS.format(port=int(port.group(1))) if port else "")
    return text


def run_script(text, folder):
    """Runs a script and ends what it has started. Returns what is wrong; None: nothing."""
    with open(os.path.join(folder, "output"), "w+", encoding="utf-8") as output:
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", text], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            fault = f"ended with status {process.returncode}" if process.wait(SCRIPT_SECONDS) else None
        except subprocess.TimeoutExpired:
            fault = f"did not end within {SCRIPT_SECONDS} s"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        return f"{fault}:\n{output.read()}" if fault else None


class Server:
    """The server that a page's scripts expect on the default port."""

    def __init__(self):
        self.process = subprocess.Popen(["quadrille-server", "--log-level", "warn"],
                                        stdout=subprocess.DEVNULL)
        for _ in range(200):
            if subprocess.run(["quadrille", "ping"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0:
                return
            time.sleep(0.05)
        sys.exit("the server does not answer")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def bring_loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def run_page(root, folder, page, blocks):
    faults = []
    scripts = [block for block in blocks if block.kind == "sh" and not block.reason]
    for block in blocks:
        fault = None
        if block.reason:
            print(f"norun {block.place}: {block.reason}")
        elif block.kind in ("c", "python", "go", "java", "ts", "rust") and block.words:
            fault = excerpt_fault(root, block)
        elif block.kind == "c":
            fault = compile_program(block, folder)
        elif block.kind not in ("sh", "text"):
            fault = f"its kind is '{block.kind}'; must be sh, text, c, or python, go, java, ts or rust with a path, or tagged norun: REASON"
        if fault:
            faults.append(f"{block.place}: {fault}")
    if scripts and not faults:
        text = "".join(f"echo '== {block.place}'\n{at_human_speed(block)}" for block in scripts)
        starts_server = re.search(r"^quadrille-server\b", text, re.M)
        server = None if starts_server else Server()
        for turn in ("", " again"):
            fault = run_script(text, folder)
            print(f"ran {page}{turn}: {len(scripts)} scripts")
            if fault:
                faults.append(f"{page}{turn}: {fault}")
                break
        if server:
            server.stop()
    return faults


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root, scratch, chosen = sys.argv[1], sys.argv[2], sys.argv[3:]
    bring_loopback_up()
    faults, count = [], 0
    for number, page in enumerate(pages_of(root)):
        if chosen and page not in chosen:
            continue
        blocks = blocks_of(root, page)
        count += len(blocks)
        folder = os.path.join(scratch, f"page {number}")
        os.mkdir(folder)
        faults += run_page(root, folder, page, blocks)
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{count} blocks, {len(faults)} faults")
    if count == 0:
        sys.exit("there are no blocks")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
