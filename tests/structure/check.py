#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the structure of server/: who includes and calls whom, what files are named, and what a README names.

usage: tests/structure/check.py SOURCE BUILD

A unit is a .c file and its .h file. An edge leads from a unit to each unit that it includes or whose functions it
calls; calls are read from the object files in BUILD, so they cannot be overlooked. The script prints each place that
breaks a rule, with the rule, and exits with 1:

  1. A folder includes only the folders that LAYERS lists for it.
  2. The units form no circle.
  3. No two .c files share a name.
  4. A folder has at most FILES_MAX .c and .h files, and a README.md that names each of them.
  5. Each file and each function that a README.md under server/ names exists.
  6. Each rule of proto/SPEC.md names its tests, and they exist. The rules of a section have consecutive numbers, and the
     comments of proto/quadrille.proto and other pages name only rules that exist.
  7. No .c or .h file of the project has more than LINES_MAX lines.
  8. Each error text of the server stands in tests/sim/errors.expected, unless UNSEEN gives the reason.
"""
import collections
import os
import re
import subprocess
import sys

FILES_MAX = 16
LINES_MAX = 600

# Which folders each folder may include. A folder may always include itself.
LAYERS = {
    "server": ["app", "app/health", "app/replay"],
    "app": ["app/config", "app/health", "app/replay", "record", "client/options", "admin", "session", "session/check", "actor", "actor/service", "room", "space", "work", "net", "net/tls", "base", "proto"],
    "app/config": ["client/options"],
    "app/health": ["net", "base"],
    "app/replay": ["record", "session/check", "actor", "actor/commands", "actor/tick", "actor/state", "actor/journal", "actor/service", "room", "base/bytes", "base", "proto"],
    "admin": ["admin/parts", "session", "session/check", "actor", "actor/service", "base", "proto"],
    "admin/parts": ["session/check", "base", "proto"],
    "session": ["session/check", "actor", "actor/state", "actor/service", "actor/pacing", "net", "base", "proto"],
    "session/check": ["actor/commands", "actor/service", "base/files", "base", "proto", "proto/relay", "proto/token"],
    "actor": ["actor/commands", "actor/tick", "actor/record", "actor/journal", "actor/relay", "actor/state", "actor/service", "actor/pacing", "room", "base", "proto"],
    "actor/commands": ["actor/tick", "actor/record", "actor/journal", "actor/relay", "actor/state", "actor/service", "actor/pacing", "room", "base", "proto"],
    "actor/tick": ["actor/record", "actor/journal", "actor/relay", "actor/state", "actor/service", "actor/pacing", "room", "base", "proto"],
    "actor/record": ["actor/journal", "actor/relay", "actor/state", "actor/service", "actor/pacing", "room", "base/bytes", "base", "proto"],
    "actor/state": ["actor/journal", "actor/relay", "actor/service", "actor/pacing", "room", "base", "proto"],
    "actor/service": ["actor/journal", "actor/pacing", "room", "base", "proto"],
    "actor/pacing": ["base"],
    "actor/journal": ["base/bytes", "base"],
    "record": ["base/bytes", "base"],
    "actor/relay": ["proto/relay", "base"],
    "room": ["room/views", "room/views/visibility", "room/views/derived", "room/views/join", "room/views/state", "room/pairs", "room/entities", "room/common", "space", "base"],
    "room/views": ["room/views/visibility", "room/views/derived", "room/views/join", "room/views/state", "room/entities", "room/common", "space", "base"],
    "room/views/visibility": ["room/views/derived", "room/views/join", "room/views/state", "room/entities", "room/common", "space", "base"],
    "room/views/derived": ["room/views/join", "room/views/state", "room/entities", "room/common", "base"],
    "room/views/join": ["room/views/state", "room/entities", "room/common", "base"],
    "room/views/state": ["room/entities", "room/common", "base"],
    "room/pairs": ["room/entities", "room/entities/ids", "room/common", "space", "base"],
    "room/entities": ["room/entities/ids", "room/common", "space", "base"],
    "room/entities/ids": ["base"],
    "room/common": ["space", "base", "proto"],
    "space": ["space/plan", "space/core", "space/tree/linear", "space/tree/sparse", "space/grid", "space/brute", "space/kernel", "base"],
    "space/tree/linear": ["space/plan", "space/tree", "space/move", "space/core", "space/kernel", "space/kernel/lanes", "space/geometry", "base"],
    "space/tree/sparse": ["space/plan", "space/tree", "space/move", "space/core", "space/kernel", "space/geometry", "base"],
    "space/tree": ["space/core", "space/kernel", "space/geometry", "base"],
    "space/grid": ["space/plan", "space/brute", "space/move", "space/core", "space/kernel", "space/geometry", "base"],
    "space/brute": ["space/move", "space/core", "space/kernel", "space/kernel/lanes", "space/geometry", "base"],
    "space/move": ["space/tree/linear", "space/brute", "space/core", "space/kernel", "space/geometry", "base"],
    "space/plan": ["space/core", "space/kernel", "space/geometry", "base"],
    "space/core": ["space/kernel", "space/geometry", "base"],
    "space/kernel": ["space/kernel/lanes", "space/core", "space/tree", "space/geometry", "base"],
    "space/kernel/lanes": ["space/kernel", "space/core", "space/geometry", "base"],
    "space/geometry": ["base"],
    "work": ["work/queues", "work/thread", "base"],
    "work/queues": ["base"],
    "work/thread": ["base"],
    "net": ["net/connection", "net/loop", "net/admission", "net/buffers", "net/tls", "base", "proto"],
    "net/connection": ["net/loop", "net/admission", "net/buffers", "net/tls", "base", "proto"],
    "net/loop": ["base"],
    "net/buffers": ["base", "proto"],
    "net/tls": ["base/files", "base"],
    "net/admission": ["base"],
    "base": ["base/memory", "base/log"],
    "base/bytes": ["base"],
    "base/log": ["proto"],  # a header without dependencies, proto/utf8.h
    "base/memory": ["base"],
    "base/files": ["base"],
}
# Headers that a folder with subfolders offers to the folders above it.
PUBLIC = {"space/space.h", "space/tuning.h", "space/types.h", "space/core/axes.h", "room/room.h", "room/room_views.h"}


def sources(root):
    found = []
    for folder, _, names in os.walk(os.path.join(root, "server")):
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names if name.endswith((".c", ".h"))]
    return sorted(found)


def all_files(root):
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git" and not name.startswith("build")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def folder_of(path):
    folder = os.path.dirname(path)
    return folder[len("server/"):] if folder.startswith("server/") else folder


def unit_of(path):
    return os.path.splitext(path)[0]


def includes(root, files):
    """Pairs of a file and a file that it includes; only of server/, proto/ and client/."""
    known = set(files)
    for path in files:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            target = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if target in known or target.startswith(("proto/", "client/")):
                yield path, target


def calls(root, build, files):
    """Pairs of a unit and a unit whose symbols its object file needs."""
    objects = collections.defaultdict(list)  # a library of objects -> (unit, defined, needed)
    known = {path: unit_of(path) for path in files if path.endswith(".c")}
    for folder, _, names in os.walk(os.path.join(build, "server")):
        for name in names:
            if not name.endswith(".c.o"):
                continue
            at = os.path.join(folder, name)
            library, _, inside = os.path.relpath(at, os.path.join(build, "server")).partition(".dir/")
            path = "server/" + inside[: -len(".o")]
            if path not in known:
                continue
            listing = subprocess.run(["nm", "--format=posix", at], capture_output=True, text=True, check=True).stdout
            defined, needed = set(), set()
            for line in listing.splitlines():
                symbol, kind = line.split()[:2]
                if not symbol.startswith("qd_"):
                    continue
                (needed if kind == "U" else defined if kind.isupper() else set()).add(symbol)
            objects[library].append((known[path], defined, needed))
    home = collections.defaultdict(dict)
    for library, members in objects.items():
        for unit, defined, _ in members:
            for symbol in defined:
                home[symbol][library] = unit
    for library, members in objects.items():
        for unit, _, needed in members:
            for symbol in needed:
                places = home.get(symbol, {})
                target = places.get(library) or next(iter(places.values()), None)
                if target and target != unit:
                    yield unit, target


def circles(edges):
    """The strongly connected components of more than one unit (Tarjan)."""
    index, low, stack, on, found = {}, {}, [], set(), []

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        on.add(unit)
        for target in sorted(edges[unit]):
            if target not in index:
                visit(target)
                low[unit] = min(low[unit], low[target])
            elif target in on:
                low[unit] = min(low[unit], index[target])
        if low[unit] == index[unit]:
            part = []
            while True:
                part.append(stack.pop())
                on.discard(part[-1])
                if part[-1] == unit:
                    break
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for unit in sorted(edges):
        if unit not in index:
            visit(unit)
    return found


def check_readmes(root, files):
    problems = []
    by_folder = collections.defaultdict(list)
    text = {}
    for path in files:
        by_folder[os.path.dirname(path)].append(os.path.basename(path))
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text[path] = file.read()
    functions = set(re.findall(r"\b([A-Za-z_]\w*)\(", "\n".join(text.values())))
    for folder, names in sorted(by_folder.items()):
        page = os.path.join(folder, "README.md")
        if not os.path.exists(os.path.join(root, page)):
            problems.append(f"{folder}: has no README.md; a folder explains itself on one page")
            continue
        with open(os.path.join(root, page), encoding="utf-8") as file:
            prose = file.read()
        for name in names:
            stem = os.path.splitext(name)[0]
            if not re.search(rf"\b{re.escape(stem)}\b", prose):
                problems.append(f"{page}: does not name {name}; each file has a line there")
    everything = all_files(root)
    suffixes = {path for path in everything}
    for page in [path for path in everything if path.startswith("server/") and path.endswith(".md")]:
        with open(os.path.join(root, page), encoding="utf-8") as file:
            prose = file.read()
        for name in set(re.findall(r"(?<![\w/.*])((?:[\w.-]+/)*[\w-]+\.(?:c|h|md|proto|py|sh))\b", prose)):
            beside = os.path.normpath(os.path.join(os.path.dirname(page), name))
            if not {name, beside} & suffixes and not any(path.endswith("/" + name) for path in suffixes):
                problems.append(f"{page}: names the file {name}, which does not exist")
        for name in set(re.findall(r"\b(qd_\w+)(?:\(\))?", prose)):
            if name not in functions and not re.search(rf"\b{name}\b", "\n".join(text.values())):
                problems.append(f"{page}: names {name}, which does not exist")
        for name in set(re.findall(r"`([a-z_]\w*)\(\)`", prose)):
            if name not in functions:
                problems.append(f"{page}: names the function {name}, which does not exist")
    return problems


SPEC = "proto/SPEC.md"
RULE = re.compile(r"\*\*([A-Z])(\d+)\.\*\*")
# Pages beside the specification that name its rules.
RULE_READERS = ["proto/quadrille.proto", "proto/README.md"]


def check_test(root, rule, path, name):
    at = os.path.join(root, path)
    if not os.path.exists(at):
        return [f"{SPEC}: {rule} names {path}, which does not exist"]
    with open(at, encoding="utf-8") as file:
        text = file.read()
    if name and not re.search(rf"\b[A-Z_]*(?:TEST|SCENARIO|CASE)[A-Z_]*\(\s*{name}\b", text):
        return [f"{SPEC}: {rule} names the test {name}, which {path} does not have"]
    return []


def check_spec(root):
    problems = []
    with open(os.path.join(root, SPEC), encoding="utf-8") as file:
        prose = file.read()
    rules, last = set(), {}
    starts = list(RULE.finditer(prose)) + [None]
    for start, after in zip(starts, starts[1:]):
        letter, number = start.group(1), int(start.group(2))
        rule = f"{letter}{number}"
        rules.add(rule)
        if number != last.get(letter, 0) + 1:
            problems.append(f"{SPEC}: {rule} follows {letter}{last.get(letter, 0)}; number the rules consecutively")
        last[letter] = number
        body = prose[start.end():after.start() if after else len(prose)]
        tests = re.findall(r"`(tests/[\w/]+\.(?:c|sh))(?::(\w+))?`", body)
        if not tests:
            problems.append(f"{SPEC}: {rule} names no test; name the one that fails if the rule is broken")
        for path, name in tests:
            problems += check_test(root, rule, path, name)
    letters = "".join(sorted(last))
    for page in [SPEC] + RULE_READERS:
        with open(os.path.join(root, page), encoding="utf-8") as file:
            text = file.read()
        for rule in sorted(set(re.findall(rf"(?<![\w^/])([{letters}]\d{{1,2}})(?!\w)", text)) - rules):
            problems.append(f"{page}: names the rule {rule}, which {SPEC} does not have")
    return problems


ERRORS = "tests/sim/errors.expected"
# Where error texts are written: texts of three words or more outside log lines.
ERROR_SOURCES = ("server/session/", "server/actor/", "server/app/server.c", "proto/decode_generic.c")
# Texts and parts of texts that no request of the simulation gets, each with the reason.
OF_ADMIN = "only the admin API does that; see tests/integration/admin_api.sh"
OF_TOKENS = "about the token file, for the operator; see tests/unit/session_token_file.c"
UNSEEN = {
    "the server has no memory left for a session (--memory-max). Connect again later":
        "the Error and GoAway need more memory than the token that did not fit",
    "the server has no memory left for this frame (--memory-max). Connect again later": "needs the reader of a socket",
    "line %u of %s: ": OF_TOKENS,
    "the token has %zu bytes; must have at most %u": OF_TOKENS,
    "an earlier line has the same token; must be in one line. Leave one out": OF_TOKENS,
    "an earlier line has the key %s, too; must be in one line. Give one another id": OF_TOKENS,
    "the server has no memory left to check a token (--memory-max). Connect again later":
        "the Error and GoAway need more memory than the grant that did not fit",
    "the word behind the token is no role; must be admin, writer or reader. A token has no spaces": OF_TOKENS,
    "has no token; must have at least one. Write one per line": OF_TOKENS,
    "cannot be read: %s": OF_TOKENS,
    "does not fit into memory": OF_TOKENS,
    "the server's operator has ended this session. Connect again for a new one": OF_ADMIN,
    "a number and a secret": "an assertion of the compiler",
    "the room has %u sessions; must have at most that many. Open another room": "needs 1,048,576 sessions",
}
LITERAL = r'(?:"(?:[^"\\\n]|\\.)*"|\bPRI[uxX]\d+)'
PLACE = re.compile(r"%(?:[-+ #0-9.]*(?:zu|ll[ux]|[udgsxX])|\d*PRI[uxX]\d+)")


def error_texts(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        code = re.sub(r"/\*.*?\*/|^#.*?(?<!\\)$", "", file.read(), flags=re.S | re.M)
    for match in re.finditer(rf"{LITERAL}(?:\s*{LITERAL})*", code):
        parts = re.findall(LITERAL, match.group())
        text = "".join(part[1:-1] if part[0] == '"' else part for part in parts).replace('\\"', '"')
        statement = re.split(r"[;{}]", code[:match.start()])[-1]
        if len(text.split()) > 2 and "qd_log(" not in statement:
            yield text


def check_errors(root, files):
    with open(os.path.join(root, ERRORS), encoding="utf-8") as file:
        expected = file.read()
    problems, unseen = [], set(UNSEEN)
    for path in [path for path in files if path.endswith(".c")] + ["proto/decode_generic.c"]:
        if not path.startswith(ERROR_SOURCES):
            continue
        for text in error_texts(root, path):
            unseen.discard(text)
            pattern = ".*?".join(re.escape(part) for part in PLACE.split(text))
            if text not in UNSEEN and not re.search(pattern, expected):
                problems.append(f"{path}: \"{text}\" is not in {ERRORS}; add a request that gets it to tests/sim, or the "
                                "text to UNSEEN in tests/structure/check.py")
    return problems + [f"UNSEEN has \"{text}\", which no source has; remove it" for text in sorted(unseen)]


def check_lengths(root):
    """Rule 7."""
    problems = []
    for part in ("client", "proto", "server", "tests"):
        for folder, folders, names in os.walk(os.path.join(root, part)):
            folders[:] = [name for name in folders if name not in ("node_modules", "target")]
            for name in names:
                path = os.path.join(folder, name)
                if not name.endswith((".c", ".h")):
                    continue
                with open(path, encoding="utf-8") as file:
                    lines = sum(1 for _ in file)
                if lines > LINES_MAX:
                    problems.append(f"{os.path.relpath(path, root)}: has {lines} lines; a file has at most {LINES_MAX}")
    return sorted(problems)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__.strip())
    root, build = (os.path.abspath(path) for path in arguments)
    files = sources(root)
    problems = []
    edges = collections.defaultdict(set)

    for folder in sorted({folder_of(path) or "server" for path in files} - set(LAYERS)):
        sys.exit(f"server/{folder}: a new folder; add it to LAYERS in tests/structure/check.py")
    for path, target in includes(root, files):
        here, there = folder_of(path), folder_of(target)
        if there == "base/memory" and "base" in LAYERS[here]:
            there = "base"
        if here != there and there not in LAYERS[here] and target[len("server/"):] not in PUBLIC:
            problems.append(f"{path}: includes {target}; {here}/ may include only {', '.join(LAYERS[here]) or 'itself'}")
        if target.startswith("server/") and unit_of(path) != unit_of(target):
            edges[unit_of(path)].add(unit_of(target))
    for unit, target in calls(root, build, files):
        edges[unit].add(target)
        here, there = folder_of(unit), folder_of(target)
        if here != there and not {there, there.split("/")[0]} & set(LAYERS[here]):
            problems.append(f"{unit}.c: calls {target}.c; {here}/ may call only {', '.join(LAYERS[here]) or 'itself'}")
    for part in circles(edges):
        problems.append("circle of %d files: %s" % (len(part), " ".join(part)))
    names = collections.defaultdict(list)
    count = collections.Counter()
    for path in files:
        count[os.path.dirname(path)] += 1
        if path.endswith(".c"):
            names[os.path.basename(path)].append(path)
    for name, paths in sorted(names.items()):
        if len(paths) > 1:
            problems.append(f"{' and '.join(paths)} share a name; name each after its own subject")
    for folder, number in sorted(count.items()):
        if number > FILES_MAX:
            problems.append(f"{folder}: has {number} files; a folder has at most {FILES_MAX}")
    problems += check_lengths(root)
    problems += check_readmes(root, files)
    problems += check_spec(root)
    problems += check_errors(root, files)
    for line in problems:
        print(line)
    print(f"{len(files)} files, {sum(map(len, edges.values()))} edges, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
