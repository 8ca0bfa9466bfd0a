# SPDX-License-Identifier: Apache-2.0
"""What can go wrong."""
from __future__ import annotations

from dataclasses import dataclass

from .enums import ErrorCode


def code_name(code: int) -> str:
    """The name of an ErrorCode, such as "UNKNOWN_ID"; its number if this version does not know it."""
    try:
        return ErrorCode(code).name
    except ValueError:
        return str(code)


@dataclass(frozen=True)
class RefusedEntry:
    """An entry of a batch that the server refused; the others were applied."""

    index: int  #: in the columns of the call
    id: int  #: of the entity or observer
    code: int  #: an ErrorCode
    field: int  #: the number of the field at fault, 0: the entry

    @property
    def reason(self) -> str:
        return code_name(self.code)


@dataclass(frozen=True)
class Refusal:
    """Why the server refused a request, or entries of it."""

    room: str  #: the room's name; empty: the session itself
    command: str  #: the method that made the request, such as "move"
    code: int  #: an ErrorCode; that of the first entry, if entries were refused
    text: str  #: for people: the value, the rule and the fix
    entries: tuple[RefusedEntry, ...]  #: empty: the whole request was refused

    @property
    def reason(self) -> str:
        return code_name(self.code)


class QuadrilleError(Exception):
    """The base of all errors of this package."""


class RefusedError(QuadrilleError):
    """The server refused what was awaited. `refusal` has the code and the entries."""

    def __init__(self, refusal: Refusal):
        super().__init__(f"{refusal.command}: {refusal.reason}: {refusal.text}")
        self.refusal = refusal
        self.code, self.entries = refusal.code, refusal.entries


class RoomClosedError(QuadrilleError):
    """The room is closed, or this session has left it."""


class SessionEndedError(QuadrilleError):
    """The session has ended: it was closed, or the server refuses its token or version."""


class ContradictionError(QuadrilleError):
    """A frame contradicts what was folded, which a server never sends. The session reconnects and gets a reset."""
