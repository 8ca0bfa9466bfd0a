#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the CSV of bench_client_siege as SVG: python3 siege.py siege.csv siege.svg

Prints the peaks, and exits with 1 if the resident memory was ever 1.15 times the limit or more.
"""
import csv
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 960, 420, 64, 40, 20, 44
LINES = [
    ("resident", "resident memory", "#1f77b4"),
    ("used", "the server's own count", "#2ca02c"),
    ("sockets", "kernel memory of the sockets", "#9467bd"),
    ("group", "control group", "#ff7f0e"),
]
MIB = 1024 * 1024


def rows_of(path):
    with open(path, newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def plot(rows, limit):
    last = max(row["second"] for row in rows)
    most = 1.25 * max(limit, max(row[name] for row in rows for name, _, _ in LINES))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(second):
        return LEFT + width * second / last

    def y(size):
        return TOP + height * (1 - size / most)

    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12" fill="#333">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    step = next(s for s in (8, 16, 32, 64, 128, 256, 512, 1024, 4096) if most / MIB / s <= 8)
    for size in range(0, int(most / MIB) + 1, step):
        at = y(size * MIB)
        svg.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        svg.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{size} MiB</text>')
    for part in range(7):
        second = last * part / 6
        svg.append(
            f'<text x="{x(second):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{second / 60:.1f} min</text>'
        )
    for factor, name in ((1, "--memory-max"), (1.15, "1.15 times the limit")):
        at = y(limit * factor)
        svg.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#d62728" '
            f'stroke-dasharray="{"none" if factor == 1 else "6 4"}"/>'
        )
        svg.append(f'<text x="{WIDTH - RIGHT}" y="{at - 5:.1f}" text-anchor="end" fill="#d62728">{name}</text>')
    at = LEFT
    for name, text, color in LINES:
        if not any(row[name] for row in rows):
            continue
        points = " ".join(f'{x(row["second"]):.1f},{y(row[name]):.1f}' for row in rows)
        svg.append(f'<polyline points="{points}" fill="none" stroke="{color}"/>')
        svg.append(f'<text x="{at}" y="{TOP - 16}" fill="{color}">{text}</text>')
        at += 7 * len(text) + 24
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


def main():
    rows = rows_of(sys.argv[1])
    if not rows:
        sys.exit(f"{sys.argv[1]} has no samples; must have at least one. Run tests/bench/siege again")
    limit = max(row["limit"] for row in rows)
    with open(sys.argv[2], "w") as file:
        file.write(plot(rows, limit))
    peak = max(row["peak"] for row in rows)
    waits = sorted(row["witness_ms"] for row in rows)
    print(
        f"{len(rows)} s, limit {limit / MIB:.0f} MiB, peak {peak / MIB:.0f} MiB ({peak / limit:.2f} times), sockets at "
        f'most {max(row["sockets"] for row in rows) / MIB:.1f} MiB, refused {sum(row["refused"] for row in rows):.0f}, '
        f"witness's longest wait {waits[-1]:.0f} ms (median of seconds {waits[len(waits) // 2]:.1f} ms)"
    )
    sys.exit(peak >= 1.15 * limit)


main()
