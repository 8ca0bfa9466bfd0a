// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import quadrille.internal.Columns;
import quadrille.internal.Fields;
import quadrille.internal.Kept;
import quadrille.internal.Rosters;
import quadrille.v1.RoomOpened;

/**
 * The requests of a room that the server has not carried out: sent again after a lost connection, or merged into the
 * state that is restored. The session is locked in all methods.
 */
final class RoomLog {
    private static final Set<String> KEPT = Set.of("spawn", "move", "teleport", "reshape", "despawn", "set_description",
            "hand_over", "observe", "move_observers", "unobserve", "set_exceptions", "set_view_options", "subscribe",
            "unsubscribe");
    private static final long FRAME_BYTES_DEFAULT = 4 << 20; // until Welcome

    private final Room room;
    private final Session session;
    private final Folding folding;
    final EntryList entries = new EntryList();
    private final Kept kept = new Kept();
    private Entry lastMove; // carried out, and not yet in `kept`
    private final Rosters rosters = new Rosters();
    final Refusals refusals;
    boolean isLockstep;
    long stepTick; // the last tick that a Step was sent for
    long lastRequest;
    private final List<Request> merged = new ArrayList<>(); // carried out as soon as the restored state is
    private final List<Long> late = new ArrayList<>();
    private long heldBytes; // of requests while there is no connection
    private final Map<Rosters.Roster, Kept.Rows> rowsOfRosters = new HashMap<>();
    private int rowsVersion; // of rowsOfRosters

    RoomLog(Room room) {
        this.room = room;
        session = room.session;
        folding = room.folding;
        refusals = new Refusals(room, this);
    }

    // ---- making requests ----

    Request push(String kind, Fields fields) {
        long frameBytesMax = session.frameBytesMax();
        List<Split> parts = Split.of(kind, fields, frameBytesMax > 0 ? frameBytesMax : FRAME_BYTES_DEFAULT);
        Request request = new Request(room, session.nextRequest(), parts.size());
        lastRequest = request.number;
        for (Split part : parts) {
            Entry entry = new Entry(room, kind, part.fields(), request, part.first());
            if (room.isReady && session.isReady()) {
                send(entry);
            } else {
                copy(entry);
                heldBytes += bytesOf(entry.fields);
            }
            entries.add(entry);
        }
        if (heldBytes > session.options.backlogBytesMax) {
            session.isMerged = true;
            heldBytes = 0;
            merge(true);
        }
        return request;
    }

    private static long bytesOf(Fields fields) {
        return fields.all().values().stream().filter(Columns::isColumn).mapToLong(Columns::bytes).sum();
    }

    /** A request of the session's own; none if it would be empty. */
    void restoreRequest(Kept.Restoring restoring) {
        Fields fields = restoring.fields();
        if (fields.has("id") && fields.ints("id").length == 0) {
            return;
        }
        for (Split part : Split.of(restoring.kind(), fields, session.frameBytesMax())) {
            Entry entry = new Entry(room, restoring.kind(), part.fields(), null, part.first());
            entries.add(entry);
            if (session.isReady()) {
                session.transmit(entry);
            }
        }
    }

    private void send(Entry entry) {
        if (entry.kind.equals("step")) {
            stepTick = Math.max(stepTick, folding.tick) + 1;
            entry.step = stepTick;
        } else if (entry.kind.equals("move") && entry.ids().length > 0) {
            chooseRoster(entry);
        }
        copy(entry);
        session.transmit(entry);
    }

    private void chooseRoster(Entry entry) {
        Rosters.Choice choice = rosters.find(entry.ids(), session.rosterIdsMax());
        for (int number : choice.dropped()) {
            sendRoster(number, new int[0]);
        }
        entry.roster = choice.roster();
        if (choice.registers()) {
            rowsOfRosters.clear();
            sendRoster(entry.roster.number(), entry.roster.ids());
        }
    }

    private void sendRoster(int number, int[] ids) {
        Entry setting = new Entry(room, "set_roster", Fields.of("roster", number, "id", ids), null, 0);
        entries.add(setting);
        session.transmit(setting);
    }

    /** The program may change its arrays as soon as a call returns. */
    private static void copy(Entry entry) {
        Fields own = new Fields();
        entry.fields.all().forEach((name, value) -> own.put(name, !Columns.isColumn(value) ? value
                : entry.roster != null && name.equals("id") ? entry.roster.ids() : Columns.copy(value)));
        entry.fields = own;
    }

    boolean isPending(long request) {
        return entries.has(entry -> entry.request != null && entry.request.number <= request)
                || merged.stream().anyMatch(each -> each.number <= request);
    }

    // ---- answers ----

    void take(String kind, long seq, Entry entry, Fields fields) {
        switch (kind) {
            case "tick" -> folding.foldTick(fields);
            case "view" -> folding.foldView(fields);
            case "applied" -> applied(seq, fields);
            case "accepted" -> {
                if (entry != null) {
                    accepted(entry, fields);
                }
            }
            case "handed_over" -> {
                if (entry == null) {
                    takeHandedOver(fields);
                } else {
                    session.collect(entry, fields);
                }
            }
            case "room_closed" -> roomClosed(entry, fields);
            default -> { }
        }
    }

    void takeHandedOver(Fields fields) {
        int[] ids = fields.ints("id");
        boolean isOwn = fields.number("to") == session.number();
        if (isOwn) {
            kept().add(ids);
        } else {
            kept().remove(ids);
        }
        if (ids.length > 0) {
            folding.call(isOwn ? folding.onGained : folding.onLost, handler -> handler.on(ids));
        }
    }

    private void roomClosed(Entry entry, Fields fields) {
        if (entry != null) {
            session.answer(entry, fields, null);
        } else if (fields.number("reason") == 1) {
            room.end("another session has closed the room '" + room.name() + "'");
        } else {
            room.shutDown(); // the server is stopping. The next one gets the room again
        }
    }

    private void accepted(Entry entry, Fields fields) {
        if (fields.has("refused_index")) {
            refusals.addEntries(entry, fields);
        } else if (entry.kind.endsWith("subscribe")) {
            done(entry, fields.number("tick"));
        }
        if (fields.is("last") && !entry.refusedEntries.isEmpty()) {
            refusals.refuse(entry, entry.refusedEntries.get(0).number(), entry.text, entry.refusedEntries);
        } else {
            entry.accept();
        }
    }

    private void applied(long seq, Fields fields) {
        long tick = fields.number("tick");
        long last = fields.number("seq");
        folding.tick = Math.max(folding.tick, tick);
        if (fields.has("late")) {
            for (long each : fields.longs("late")) {
                late.add(each);
            }
        }
        for (Entry entry = entries.first(), next; entry != null; entry = next) {
            next = entry.after;
            if (entry.isAnswered) {
                continue;
            }
            if (entry.seq > last || entry.seq == 0 && !entry.restores) {
                break;
            }
            if (entry.seq != 0 && (!entry.kind.equals("step") || entry.step <= tick)) {
                done(entry, entry.step != 0 ? entry.step : tick);
            }
        }
        // The frames of this tick came before. An Applied that is repeated after a lost connection has no seq: resets
        // follow it.
        if (seq != 0) {
            folding.viewStale = false;
        }
        folding.viewStale |= fields.is("views_lagging");
        folding.pairsStale |= fields.is("pairs_lagging");
    }

    long[] takeLate() {
        long[] found = late.stream().mapToLong(Long::longValue).toArray();
        late.clear();
        return found;
    }

    /** The entry is carried out at that tick. */
    void done(Entry entry, long tick) {
        if (!entry.restores && KEPT.contains(entry.kind)) {
            keep(entry);
        }
        drop(entry);
        finishPart(entry.request, tick);
        finishMerged(tick);
    }

    private static void finishPart(Request request, long tick) {
        if (request != null) {
            request.parts--;
            if (request.parts == 0) {
                request.tick = tick;
            }
        }
    }

    private void finishMerged(long tick) {
        if (!merged.isEmpty() && !entries.has(entry -> entry.restores && !entry.isAnswered)) {
            merged.forEach(request -> request.tick = tick);
            merged.clear();
        }
    }

    /** Applies the entry to the state that is restored. A move by a roster waits, because most often the next one by
     * the same roster replaces it. */
    private void keep(Entry entry) {
        boolean isWhole = entry.kind.equals("move") && entry.refused.isEmpty() && entry.roster != null;
        if (isWhole && lastMove != null && lastMove.roster == entry.roster) {
            lastMove = entry;
            return;
        }
        kept();
        if (isWhole) {
            lastMove = entry;
        } else {
            kept.apply(entry.kind, entry.fields, entry.refused, session.number());
        }
    }

    /** The state that is restored. */
    Kept kept() {
        if (lastMove != null) {
            kept.moveRows(lastMove.fields, rowsOf(lastMove.roster));
            lastMove = null;
        }
        return kept;
    }

    /** The rows of the entities of a roster. */
    private Kept.Rows rowsOf(Rosters.Roster roster) {
        if (rowsVersion != kept.version()) {
            rowsOfRosters.clear();
            rowsVersion = kept.version();
        }
        return rowsOfRosters.computeIfAbsent(roster, any -> kept.rowsOf(roster.ids()));
    }

    void drop(Entry entry) {
        entries.remove(entry);
        session.forget(entry);
    }

    void forgetRosters() {
        rosters.forget();
        rowsOfRosters.clear();
    }

    /** Sends it under a new number, so it goes to the end of the log. */
    void sendLast(Entry entry) {
        entries.remove(entry);
        entries.add(entry);
        session.sendAgain(entry);
    }

    // ---- connections ----

    /** The server's session goes on. What it has not received is on its way. */
    void resumed() {
        if (room.handle == 0 && room.restore == null) {
            room.startRestore(); // opened while there was no connection
            return;
        }
        for (Entry entry : entries.where(each -> each.seq == 0 && each.restores)) {
            session.transmit(entry);
        }
        if (room.isReady) {
            List<Entry> probes = entries.where(each -> each.kind.equals("step") && each.seq != 0);
            replay();
            if (!probes.isEmpty()) {
                probe(probes);
            }
        }
    }

    /** The answer to OpenRoom has the tick: Steps up to it are carried out, even if their answers are lost. */
    private void probe(List<Entry> steps) {
        session.call(room, "open_room", room.openFields(), true, (result, error) -> {
            if (error != null) {
                return; // the room is closed, or restored in a new session
            }
            long tick = ((RoomOpened) result).getTick();
            stepsOver(tick);
            for (Entry entry : steps) {
                if (entry.list == entries && !isLockstep) {
                    stepTick = Math.max(tick, folding.tick) + 1;
                    entry.step = stepTick;
                    sendLast(entry);
                }
            }
        });
    }

    /** The server's session is new: opens the room again, and restores it. */
    void restarted() {
        if (room.restore != null) {
            room.restore.cancel();
        }
        for (Entry entry : entries.where(each -> each.restores)) {
            session.answer(entry, null, new QuadrilleException("the server's session is new"));
            drop(entry);
        }
        if (room.isClosed()) {
            return; // it was being left
        }
        for (Entry entry : entries.all()) {
            entry.retried |= entry.seq != 0;
            entry.seq = 0;
            entry.roster = null;
            entry.refused = Set.of();
            entry.forgetAnswers();
        }
        room.handle = 0;
        room.isReady = false;
        forgetRosters();
        merge(false);
        folding.foldRestart();
        room.startRestore();
    }

    /** Merges requests into the state that is restored, except those behind a Step, which belong to a later tick.
     * `unsent`: also those that were never sent. */
    private void merge(boolean unsent) {
        for (Entry entry = entries.first(), next; entry != null; entry = next) {
            next = entry.after;
            if (entry.kind.equals("step") || !unsent && !entry.retried) {
                return;
            }
            if (!KEPT.contains(entry.kind) || entry.restores) {
                continue;
            }
            keep(entry);
            drop(entry);
            entry.accept();
            entry.request.parts--;
            if (entry.request.parts == 0) {
                merged.add(entry.request);
            }
        }
    }

    /** The room is ready: sends its entries. */
    void replay() {
        heldBytes = 0;
        for (Entry entry : entries.where(each -> each.seq == 0)) {
            entries.remove(entry);
            if (entry.kind.equals("step")) {
                stepTick = Math.max(stepTick, folding.tick) + 1;
                entry.step = stepTick;
            }
            entries.add(entry);
            session.transmit(entry);
        }
        finishMerged(folding.tick);
    }

    /** The room has completed that tick: so are its Steps up to that tick, and all requests before them. */
    void stepsOver(long tick) {
        Entry last = null;
        for (Entry each = entries.first(); each != null; each = each.after) {
            last = each.kind.equals("step") && each.step > 0 && each.step <= tick ? each : last;
        }
        for (Entry entry = last == null ? null : entries.first(), next; entry != null; entry = next) {
            next = entry == last ? null : entry.after;
            if (!entry.isAnswered) {
                done(entry, last.step);
            }
        }
        folding.tick = Math.max(folding.tick, tick);
    }

    /** Drops all entries: they will never be carried out. */
    void forget(QuadrilleException error) {
        for (Entry entry : entries.all()) {
            if (entry.request != null) {
                entry.request.isClosed = true;
            }
            session.answer(entry, null, error);
            drop(entry);
        }
        merged.forEach(request -> request.isClosed = true);
        merged.clear();
    }
}
