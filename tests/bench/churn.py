#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for growth in the CSV of bench_client_churn: python3 churn.py churn.csv WARM_UP_SECONDS

After the warm-up, the samples form at most 60 blocks of equal length. The slope is the median of the slopes between all
pairs of blocks (Theil and Sen). Its 95 % interval comes from the order of these slopes; neighboring blocks that resemble
each other make it wider. Exits with 1 if the whole interval of the memory or of the descriptors is above 0. Descriptors
count without those of the connected clients.
"""
import csv
import statistics
import sys

BLOCKS_MAX = 60
BLOCKS_MIN = 10
MEMORY_SECONDS_MIN = 600  # below that, the heap has not met its usual peaks
Z = 1.96


def blocks_of(values):
    length = max(1, len(values) // BLOCKS_MAX)
    return length, [statistics.fmean(values[at:at + length]) for at in range(0, len(values) - length + 1, length)]


def likeness(values, slope):
    """The correlation of neighbors, without the slope; at least 0."""
    rest = [value - slope * i for i, value in enumerate(values)]
    mean = statistics.fmean(rest)
    spread = sum((value - mean) ** 2 for value in rest)
    if spread == 0:
        return 0.0
    return max(0.0, sum((a - mean) * (b - mean) for a, b in zip(rest, rest[1:])) / spread)


def slope_of(values):
    """The slope per second, and its interval."""
    length, blocks = blocks_of(values)
    n = len(blocks)
    if n < BLOCKS_MIN:
        sys.exit(f"{n} blocks are left after the warm-up; must be at least {BLOCKS_MIN}. Use a longer --seconds")
    slopes = sorted((blocks[j] - blocks[i]) / (j - i) for i in range(n) for j in range(i + 1, n))
    slope = statistics.median(slopes)
    alike = min(0.9, likeness(blocks, slope))
    width = Z * (n * (n - 1) * (2 * n + 5) / 18 * (1 + alike) / (1 - alike)) ** 0.5
    below = max(0, int((len(slopes) - width) / 2))
    return slope / length, slopes[below] / length, slopes[-1 - below] / length


def report(name, values, scale, unit, judged):
    slope, low, high = (value * 3600 / scale for value in slope_of(values))
    print(f"{name}: {slope:+.3f} {unit} per hour, 95 % interval {low:+.3f} to {high:+.3f}; median "
          f"{statistics.median(values) / scale:.1f} {unit}{'' if judged else '; too short a run to judge'}")
    if judged and low > 0:
        print(f"{name} grows")
    return judged and low > 0


def main():
    with open(sys.argv[1], newline="") as file:
        rows = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(file)]
    rest = [row for row in rows if row["second"] > int(sys.argv[2])]
    if not rest:
        sys.exit(f"{sys.argv[1]} has no samples after the warm-up of {sys.argv[2]} s. Run tests/bench/churn again")
    last = rows[-1]
    print(f"{len(rows)} s, of which {len(rows) - len(rest)} s are the warm-up: {last['connections']} connections, "
          f"{last['resumed']} resumed sessions, {last['opened']} joins, {last['batches']} batches; in the median "
          f"{statistics.median(row['connected'] for row in rest):.0f} clients, {statistics.median(row['rooms'] for row in rest):.0f} rooms")
    grows = report("resident memory", [row["resident"] for row in rest], 2**20, "MiB", len(rest) >= MEMORY_SECONDS_MIN)
    grows |= report("descriptors without clients", [row["descriptors"] - row["connected"] for row in rest], 1,
                    "descriptors", True)
    if last["connections"] == 0 or last["opened"] == 0:
        sys.exit("no client connected or joined a room. Look at the errors above")
    sys.exit(grows)


main()
