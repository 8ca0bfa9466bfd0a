// SPDX-License-Identifier: Apache-2.0
//
// Opens a room, and brings it to its kept state in a new session of the server. With a token it first takes over the
// entities that earlier sessions have left there.
import { RefusedError } from "./errors.js";
import { ErrorCode, type RoomOpened } from "./protocol.js";
import type { Room } from "./room.js";
import type { Fields } from "./wire.js";

const RESPAWN_MS = 50;
const RESPAWN_GRACE_MS = 2000;
const SNAPSHOT_MAX = 1 << 20;
const HOLDERS_MAX = 8;

class CanceledError extends Error {}

/** Ends when the room is ready. It goes on across connections that resume, and is canceled otherwise. */
export class Restoration {
  private canceled = false;

  constructor(private readonly room: Room) {}

  cancel(): void {
    this.canceled = true;
  }

  async run(): Promise<void> {
    try {
      await this.restore();
    } catch (error) {
      if (this.canceled) return;
      if (!(error instanceof RefusedError)) throw error;
      this.room.beRefused(error.refusal);
    }
  }

  private async call(kind: string, fields: Fields): Promise<any> {
    const answer = await this.room.session.call(this.room, kind, fields, { restores: true });
    if (this.canceled) throw new CanceledError();
    return answer;
  }

  private async sleep(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (this.canceled) throw new CanceledError();
  }

  private async restore(): Promise<void> {
    const { room } = this, opened = await this.open();
    const isFirst = !room.opened, isFresh = isFirst || room.epoch !== opened.epoch;
    room.enter(opened);
    if (!isFresh) room.stepsOver(opened.tick);
    room.tick = room.stepTick = opened.tick;
    if (isFresh) room.holders = [];
    const present = await this.takeOver(isFirst);
    room.holders = [...room.holders.slice(1 - HOLDERS_MAX), room.session.number];
    room.isMissing = false;
    room.kept.forgetMissing();
    room.giveUpAt = performance.now() + room.session.resumeMs + (opened.config?.graceMs ?? 0) + RESPAWN_GRACE_MS;
    for (const [kind, fields] of room.kept.requests(present, isFresh, room.hasZ)) room.restoreRequest(kind, fields);
    await this.call("openRoom", room.openFields()); // the answer comes after all refusals
    while (room.isMissing) {
      await this.sleep(RESPAWN_MS);
      await this.respawn();
    }
    room.beReady();
  }

  private async open(): Promise<RoomOpened> {
    const { room } = this;
    for (;;) {
      try {
        return await this.call("openRoom", room.openFields());
      } catch (error) {
        const passes = error instanceof RefusedError && (error.code === ErrorCode.LIMIT ||
          (room.opened && error.code === ErrorCode.UNKNOWN_ROOM));
        if (!passes || this.canceled) throw error;
        await this.sleep(room.session.times.backoffMaxMs / 4);
      }
    }
  }

  /** Adopts from earlier sessions. Returns the ids of own entities that are in the room. */
  private async takeOver(isFirst: boolean): Promise<Set<number>> {
    const { room } = this, { session } = room;
    if (!session.hasToken) return new Set();
    const adopts = isFirst && session.adopts ? [0] : [];
    adopts.push(...room.holders.filter((holder: number) => holder !== session.number));
    for (const holder of adopts) {
      try {
        const handed = await this.call("adopt", { session: holder });
        if (holder === 0) room.gained(handed);
      } catch (error) {
        if (!(error instanceof RefusedError) || this.canceled) throw error;
        if (holder === 0) session.report(error.refusal); // otherwise the session may be gone for long
      }
    }
    if (!adopts.length) return new Set();
    const frames: Fields[] = await this.call("getSnapshot", { limit: SNAPSHOT_MAX, own: true });
    return new Set(frames.flatMap((frame) => [...frame.id ?? []]));
  }

  /** Spawns entities again whose ids an earlier session of the server still had. */
  private async respawn(): Promise<void> {
    const { room } = this;
    await this.takeOver(false);
    room.isMissing = false;
    const requests = room.kept.missingRequests(room.hasZ);
    room.kept.forgetMissing();
    for (const [kind, fields] of requests) room.restoreRequest(kind, fields);
    await this.call("openRoom", room.openFields());
  }
}
