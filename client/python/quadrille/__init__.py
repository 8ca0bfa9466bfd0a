# SPDX-License-Identifier: Apache-2.0
"""Client of a Quadrille server: which entities touch, and which each observer sees, for many rooms at once.

    async with await quadrille.connect("127.0.0.1:7400") as session:
        room = await session.open("arena", bounds=(0, 0, 100, 100), step=True)
        room.subscribe()
        room.spawn([1, 2], [10, 30], [10, 10], half=1)
        room.move([2], [11], [10])
        tick = await room.step()
        print(tick.begins, room.pairs.has(1, 2))

`quadrille.blocking` has the same without async. `quadrille.errors` has what can go wrong.
"""
from . import blocking
from .enums import EndReason, ErrorCode, Index, LeaveReason, Region, Scope, Shape, TickMode, Watch
from .errors import QuadrilleError, Refusal, RefusedEntry, RefusedError, RoomClosedError, SessionEndedError
from .fold.pairs import Pairs
from .request import Request
from .room import Found, Room
from .session import Session, connect
from .fold.tick import Tick
from .fold.views import Seen, View

__version__ = "0.1.0"
__all__ = ["connect", "blocking", "Session", "Room", "Request", "Tick", "Pairs", "View", "Seen", "Found", "Refusal",
           "RefusedEntry", "QuadrilleError", "RefusedError", "RoomClosedError", "SessionEndedError", "ErrorCode",
           "EndReason", "LeaveReason", "Shape", "Region", "Scope", "Watch", "TickMode", "Index"]
