// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import quadrille.internal.Fields;
import quadrille.internal.Kept;
import quadrille.v1.ErrorCode;
import quadrille.v1.RoomOpened;

/**
 * Opens a room, and brings it to its kept state in a new session of the server. With a token it first takes over the
 * entities that earlier sessions have left there. It goes on across connections that resume, and is canceled otherwise.
 * Each step continues with the answer to the one before.
 */
final class Restore {
    private static final long RESPAWN_MS = 50;
    private static final long RESPAWN_GRACE_MS = 2000;
    private static final int SNAPSHOT_MAX = 1 << 20;
    private static final int HOLDERS_MAX = 8;
    private static final long NANOS = 1_000_000;

    private final Room room;
    private final Session session;
    private boolean isCanceled;

    Restore(Room room) {
        this.room = room;
        this.session = room.session;
    }

    void cancel() {
        isCanceled = true;
    }

    private void call(String kind, Fields fields, Entry.Answer answer) {
        session.call(room, kind, fields, true, (result, error) -> {
            if (!isCanceled) {
                answer.done(result, error);
            }
        });
    }

    private void after(long milliseconds, Runnable task) {
        session.schedule(milliseconds, () -> {
            if (!isCanceled) {
                task.run();
            }
        });
    }

    void open() {
        call("open_room", room.openFields(), (result, error) -> {
            if (error == null) {
                opened((RoomOpened) result);
            } else if (error instanceof RefusedException refused) {
                ErrorCode code = refused.code();
                if (code == ErrorCode.ERROR_CODE_LIMIT
                        || room.wasOpened && code == ErrorCode.ERROR_CODE_UNKNOWN_ROOM) {
                    after(session.options.backoffMaxMs / 4, this::open);
                } else {
                    room.beRefused(refused.refusal());
                }
            }
        });
    }

    private void opened(RoomOpened opened) {
        boolean isFirst = !room.wasOpened;
        boolean isFresh = isFirst || room.epoch != opened.getEpoch();
        room.enter(opened);
        if (!isFresh) {
            room.log.stepsOver(opened.getTick());
        }
        room.folding.tick = opened.getTick();
        room.log.stepTick = opened.getTick();
        if (isFresh) {
            room.holders.clear();
        }
        takeOver(isFirst, present -> fill(opened, present, isFresh));
    }

    private void fill(RoomOpened opened, int[] present, boolean isFresh) {
        while (room.holders.size() >= HOLDERS_MAX) {
            room.holders.remove(0);
        }
        room.holders.add(session.number());
        room.folding.isMissing = false;
        room.log.kept().forgetMissing();
        long graceMs = session.resumeMs() + opened.getConfig().getGraceMs() + RESPAWN_GRACE_MS;
        room.log.refusals.giveUpAt = System.nanoTime() + graceMs * NANOS;
        restore(room.log.kept().requests(present, isFresh, room.hasZ));
    }

    private void restore(List<Kept.Restoring> requests) {
        requests.forEach(room.log::restoreRequest);
        // The answer comes after all refusals.
        call("open_room", room.openFields(), (result, error) -> {
            if (error instanceof RefusedException refused) {
                room.beRefused(refused.refusal());
            } else if (error == null && room.folding.isMissing) {
                after(RESPAWN_MS, this::respawn);
            } else if (error == null) {
                room.beReady();
            }
        });
    }

    /** Spawns entities again whose ids an earlier session of the server still had. */
    private void respawn() {
        takeOver(false, present -> {
            room.folding.isMissing = false;
            List<Kept.Restoring> requests = room.log.kept().missingRequests(room.hasZ);
            room.log.kept().forgetMissing(); // unless it is refused again
            restore(requests);
        });
    }

    /** Adopts from earlier sessions. `then` gets the ids of own entities that are in the room. */
    private void takeOver(boolean isFirst, Consumer<int[]> then) {
        List<Long> adopts = new ArrayList<>();
        if (!session.options.token.isEmpty()) {
            if (isFirst && session.options.adopt) {
                adopts.add(0L);
            }
            room.holders.stream().filter(holder -> holder != session.number()).forEach(adopts::add);
        }
        if (adopts.isEmpty()) {
            then.accept(new int[0]);
        } else {
            adopt(adopts, 0, then);
        }
    }

    @SuppressWarnings("unchecked")
    private void adopt(List<Long> holders, int next, Consumer<int[]> then) {
        if (next == holders.size()) {
            Fields fields = Fields.of("limit", SNAPSHOT_MAX, "own", true);
            call("get_snapshot", fields, (result, error) -> {
                if (error == null) {
                    List<Fields> frames = (List<Fields>) result;
                    then.accept(frames.stream().flatMapToInt(frame -> Arrays.stream(frame.ints("id"))).toArray());
                }
            });
            return;
        }
        long holder = holders.get(next);
        call("adopt", Fields.of("session", holder), (result, error) -> {
            if (error == null && holder == 0) {
                room.gained((List<Fields>) result);
            } else if (error instanceof RefusedException refused && holder == 0) {
                session.report(refused.refusal());
            } else if (error != null && !(error instanceof RefusedException)) {
                return;
            }
            adopt(holders, next + 1, then); // the session may be gone for long
        });
    }
}
