# SPDX-License-Identifier: Apache-2.0
"""Golden vectors: frames that libquadrille has encoded, and blobs of the relay stream.

A frame is compared in flat text: `seq=1 spawn.room=300 spawn.id=1,2`. ../README.md defines it.
"""
import os
import re
import subprocess

from processes import Driver, Problem
from shapes import f32

REPEATED = ("room_list.rooms", "session_list.sessions")
TOKEN = re.compile(r'\s*([{}\[\]:,]|"(?:\\.|[^"\\])*"|[^\s{}\[\]:,"]+)')


def listed(folder, program):
    path = os.path.join(folder, program)
    return subprocess.run([path, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()


# ---- protobuf text -> flat text ----

def bytes_of(literal):
    """The bytes of a quoted string of protobuf text."""
    return literal[1:-1].encode("latin-1").decode("unicode_escape").encode("latin-1")


def value_of(token):
    return bytes_of(token).hex() if token.startswith('"') else token


def flatten(text):
    """Lines NAME=VALUES in the order of the text. Strings and bytes are in hexadecimal."""
    tokens, found = TOKEN.findall(text), []
    read_fields(tokens, 0, "", found)
    merged = {}
    for name, value in found:
        merged.setdefault(name, []).append(value)
    return {name: values for name, values in merged.items()}


def read_fields(tokens, at, prefix, found):
    counts = {}
    while at < len(tokens) and tokens[at] != "}":
        name = prefix + tokens[at]
        at += 1
        if tokens[at] == ":":
            at += 1
        if tokens[at] == "{":
            counts[name] = counts.get(name, -1) + 1
            found.append((name, "{}"))
            inner = f"{name}[{counts[name]}]" if name in REPEATED else name
            at = read_fields(tokens, at + 1, inner + ".", found) + 1
        elif tokens[at] == "[":
            while tokens[at] != "]":
                at += 1
                if tokens[at] not in "],":
                    found.append((name, value_of(tokens[at])))
                    at += 1
            at += 1
        else:
            found.append((name, value_of(tokens[at])))
            at += 1
        if at < len(tokens) and tokens[at] in (",", ";"):
            at += 1
    return at


# ---- comparison ----

def is_same(a, b):
    """Floats may be written in any way that gives the same float32."""
    if a == b:
        return True
    try:
        return repr(f32(float(a))) == repr(f32(float(b))) and bool(re.search("[.e]|inf|nan|^-?0$", a + " " + b))
    except ValueError:
        return False


def read_flat(lines):
    return {name: values.split(",") for name, values in (line.split("=", 1) for line in lines)}


def difference(found, wanted):
    for name in sorted(set(found) | set(wanted)):
        ours, theirs = found.get(name, []), wanted.get(name, [])
        if len(ours) != len(theirs) or not all(map(is_same, ours, theirs)):
            return f"{name} is {','.join(ours)}; must be {','.join(theirs)}"
    return None


# ---- the players ----

def frames(folder, command):
    """Encodes the ClientFrames, and decodes the ServerFrames."""
    driver, count = Driver("golden", command), 0
    try:
        for line in listed(folder, "unit_proto_golden"):
            frame, name, hexadecimal, text = line.split("|", 3)
            if frame == "ClientFrame":
                words = [f"{field}={','.join(values)}" for field, values in flatten(text).items()]
                lines, answer = driver.ask(" ".join(["encode", *words]))
                problem = None if lines == [f"frame {hexadecimal}"] else f"{lines}; must be {hexadecimal}"
            else:
                lines, answer = driver.ask(f"decode {hexadecimal}")
                problem = difference(read_flat(lines), flatten(text)) if answer == "ok" else None
            if problem or answer != "ok":
                raise Problem(f"{frame} {name}: {problem or answer}")
            count += 1
    finally:
        driver.kill()
    return f"{count} frames"


def relays(folder, command):
    """Plays blobs of the relay stream."""
    driver, count = Driver("golden", command), 0
    try:
        for line in listed(folder, "unit_proto_relay"):
            word, _, rest = line.partition(" ")
            sent = f"relay blob {rest}" if word == "refuse" else f"relay at {rest.split(' ')[0]}" if word == "at" \
                else f"relay {line}"
            lines, answer = driver.ask(sent)
            if answer != ("error refused" if word == "refuse" else "ok") or (word == "at" and lines != [line]):
                raise Problem(f"{line[:200]}: {lines} {answer}")
            count += word in ("blob", "refuse")
    finally:
        driver.kill()
    return f"{count} blobs"
