# SPDX-License-Identifier: Apache-2.0
"""Overlap by brute force, as proto/SPEC.md defines it (O3 to O5, S4, V3). Shares no code with the server.

Python computes in float64, as the rules demand. Swept boxes are decided in exact fractions.
"""
import struct
from fractions import Fraction

BOX, CIRCLE = 1, 2


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Body:
    """An entity. `at`, `half` have three values; z is 0 in two dimensions."""

    def __init__(self):
        self.at, self.half, self.radius, self.shape = [0.0] * 3, [0.0] * 3, 0.0, BOX
        self.category, self.mask = 1, 0xFFFFFFFF
        self.owner = None  # the session's name; None: the room
        self.tag, self.payload, self.team, self.hidden, self.visible_range = 0, "", 0, 0, 0.0
        self.was = None  # its corners at the last tick; None: it was not there, or has teleported

    def corners(self):
        """Pairs (lo, hi), one per axis."""
        return [(f32(c - h), f32(c + h)) for c, h in zip(self.at, self.half)]


def squared(a, b):
    return sum((p - q) * (p - q) for p, q in zip(a, b))


def overlap(a, b):
    if a.shape == BOX and b.shape == BOX:
        return all(p[0] <= q[1] and q[0] <= p[1] for p, q in zip(a.corners(), b.corners()))
    if a.shape == CIRCLE and b.shape == CIRCLE:
        return squared(a.at, b.at) <= (a.radius + b.radius) * (a.radius + b.radius)
    circle, box = (a, b) if a.shape == CIRCLE else (b, a)
    gaps = [max(lo - c, 0.0, c - hi) for c, (lo, hi) in zip(circle.at, box.corners())]
    return sum(gap * gap for gap in gaps) <= circle.radius * circle.radius


def filters_agree(a, b):
    return bool(a.category & b.mask) and bool(b.category & a.mask)


def passed(a, b):
    """Whether two boxes met between the last tick and this one, and at neither (S1, S4)."""
    if a.was is None or b.was is None or not filters_agree(a, b):
        return False
    before = all(p[0] <= q[1] and q[0] <= p[1] for p, q in zip(a.was, b.was))
    if before or overlap(a, b):
        return False
    first, last = Fraction(0), Fraction(1)
    for p0, p1, q0, q1 in zip(a.was, a.corners(), b.was, b.corners()):
        for start, end in ((p0[0] - q0[1], p1[0] - q1[1]), (q0[0] - p0[1], q1[0] - p1[1])):
            start, end = Fraction(start), Fraction(end)
            if start > 0 and end > 0:
                return False
            if start > 0:
                first = max(first, start / (start - end))
            elif end > 0:
                last = min(last, start / (start - end))
    return first <= last
