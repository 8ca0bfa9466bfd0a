#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks one rule that clang-format cannot: a blank line follows the declarations that open a block.

usage: tests/support/dialect.py --check|--fix FILE...

--check prints each place that breaks the rule and exits with 1; --fix inserts the blank lines.
The files must be formatted by clang-format: the script reads lines, not C.
"""
import re
import sys

NOT_TYPES = "return|goto|else|case|default|break|continue|if|for|while|do|switch|sizeof|typedef"
QUALIFIERS = r"(?:static|const|volatile|struct|union|enum|register|_Atomic|_Thread_local|unsigned|signed|long|short)\s+"
DECLARATION = re.compile(
    rf"^\s*(?:_Alignas\([^)]*\)\s*)?(?!(?:{NOT_TYPES})\b)(?:{QUALIFIERS})*"
    r"(?:_Atomic\([^)]*\)|[A-Za-z_]\w*)(?:\s+const)?"  # the type
    r"(?:\s+\**(?:const\s+)?|\s*\*+(?:const\s+)?)"
    r"(?:\(\*\w+\)\(|[A-Za-z_]\w*\s*(?:=(?!=)|;|,|\[|:))"  # a name and what may follow it
)
DIRECTIVE = re.compile(r"^\s*#")
COMMENT = re.compile(r"^\s*(?://|/\*)")


def bare(line):
    """The line without its comments and strings, so that brackets count."""
    line = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', '""', line)
    return re.sub(r"/\*.*?\*/|//.*|/\*.*", "", line)


def ends_of_statement(lines, first):
    """The number of the line in which the statement that begins in line `first` ends."""
    depth = 0
    for number in range(first, len(lines)):
        text = bare(lines[number])
        depth += sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
        if depth <= 0 and text.rstrip().rstrip("\\").rstrip().endswith(";"):
            return number
    return first


def skip_comment(lines, number):
    """The line behind the comment that begins in line `number`."""
    if lines[number].lstrip().startswith("/*"):
        while number < len(lines) and "*/" not in lines[number]:
            number += 1
    return number + 1


def opens_block(text):
    text = text.rstrip().rstrip("\\").rstrip()
    return text == "{" or text.endswith((") {", "else {", "do {", ": {"))


def missing(lines):
    """The numbers of the lines behind which a blank line is missing."""
    found = []
    for number, line in enumerate(lines):
        if not opens_block(bare(line)):
            continue
        at, last = number + 1, None
        while at < len(lines):
            if COMMENT.match(lines[at]) and not bare(lines[at]).strip():
                behind = skip_comment(lines, at)
                # A comment above a declaration belongs to it.
                if behind < len(lines) and DECLARATION.match(lines[behind]):
                    at = behind
                    continue
                break
            if not DECLARATION.match(lines[at]):
                break
            last = ends_of_statement(lines, at)
            at = last + 1
        if last is None or at >= len(lines):
            continue
        following = lines[last + 1].rstrip().rstrip("\\").strip()
        if following and not following.startswith("}") and not DIRECTIVE.match(following):
            found.append(last)
    return found


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in ("--check", "--fix"):
        sys.exit(__doc__.strip())
    bad = 0
    for path in arguments[1:]:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        places = missing(lines)
        if arguments[0] == "--check":
            for number in places:
                bad += 1
                print(f"{path}:{number + 1}: no blank line follows the declarations; run tests/support/dialect.py --fix")
        elif places:
            for number in reversed(places):
                # In a macro the blank line continues it.
                lines.insert(number + 1, "\\" if lines[number].endswith("\\") else "")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
