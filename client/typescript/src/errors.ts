// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong.
import { ErrorCode } from "./protocol.js";

const NAMES = new Map<number, string>(Object.entries(ErrorCode).map(([name, code]) => [code, name]));

/** The name of an ErrorCode, such as "UNKNOWN_ID"; its number if this version does not know it. */
export function codeName(code: number): string {
  return NAMES.get(code) ?? String(code);
}

/** An entry of a batch that the server refused; the others were applied. */
export interface RefusedEntry {
  /** In the rows or columns of the call. */
  readonly index: number;
  /** Of the entity or observer. */
  readonly id: number;
  /** An ErrorCode. */
  readonly code: number;
  /** The name of the code, such as "NOT_FINITE". */
  readonly reason: string;
  /** The number of the field at fault in quadrille.proto; 0: the entry. */
  readonly field: number;
}

/** Why the server refused a request, or entries of it. */
export interface Refusal {
  /** The room's name; empty: the session itself. */
  readonly room: string;
  /** The method that made the request, such as "move". */
  readonly command: string;
  /** An ErrorCode; that of the first entry, if entries were refused. */
  readonly code: number;
  /** The name of the code. */
  readonly reason: string;
  /** For people: the value, the rule and the fix. */
  readonly text: string;
  /** Empty: the whole request was refused. */
  readonly entries: readonly RefusedEntry[];
}

/** The base of all errors of this package. */
export class QuadrilleError extends Error {
  override name = "QuadrilleError";
}

/** The server refused what was awaited. */
export class RefusedError extends QuadrilleError {
  override name = "RefusedError";
  readonly code: number;
  readonly entries: readonly RefusedEntry[];

  constructor(readonly refusal: Refusal) {
    super(`${refusal.command}: ${refusal.reason}: ${refusal.text}`);
    this.code = refusal.code;
    this.entries = refusal.entries;
  }
}

/** The room is closed, or this session has left it. */
export class RoomClosedError extends QuadrilleError {
  override name = "RoomClosedError";
}

/** The session has ended: it was closed, or the server refuses its token or version. */
export class SessionEndedError extends QuadrilleError {
  override name = "SessionEndedError";
}

/** A wait took longer than its timeoutMs. What it waited for goes on. */
export class TimeoutError extends QuadrilleError {
  override name = "TimeoutError";
}

/** A frame contradicts what was folded, which a server never sends. The session reconnects and gets a reset. */
export class ContradictionError extends QuadrilleError {
  override name = "ContradictionError";
}

/** The server's session is new: requests of the earlier one get no answer. */
export class NewSessionError extends QuadrilleError {
  override name = "NewSessionError";
}
