// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import quadrille.internal.Fields;
import quadrille.v1.ErrorCode;

/** What the server refuses in a room: some of it follows from a lost connection, and the program need not know. */
final class Refusals {
    /** The methods that make requests of a kind, if they have another name. */
    private static final Map<String, String> COMMANDS = Map.of("open_room", "open", "set_description", "describe",
            "set_view_options", "view_options", "set_exceptions", "except", "leave_room", "leave",
            "close_room", "close");

    private final Room room;
    private final Session session;
    private final RoomLog log;
    long giveUpAt; // when ids that are taken are refused, in nanoseconds

    Refusals(Room room, RoomLog log) {
        this.room = room;
        this.session = room.session;
        this.log = log;
    }

    /** Collects the refused entries of an Accepted frame that are the program's fault. */
    void addEntries(Entry entry, Fields fields) {
        int[] indexes = fields.ints("refused_index");
        byte[] codes = fields.bytes("refused_code");
        byte[] faults = fields.bytes("refused_field");
        if (entry.refused.isEmpty()) {
            entry.refused = new HashSet<>();
        }
        for (int i = 0; i < indexes.length; i++) {
            entry.refused.add(indexes[i]);
            int code = codes[i] & 0xFF;
            if (!passes(entry, indexes[i], code)) {
                int id = entry.fields.has("id") ? entry.ids()[indexes[i]] : 0;
                int fault = faults.length == 0 ? 0 : faults[i] & 0xFF;
                entry.refusedEntries.add(new RefusedEntry(entry.first + indexes[i], id, code, fault));
            }
        }
        if (!fields.text("text").isEmpty()) {
            entry.text = fields.text("text");
        }
    }

    /** Whether a refusal follows from a lost connection: an earlier session of the server still has the id. */
    private boolean passes(Entry entry, int index, int code) {
        boolean isTaken = code == ErrorCode.ERROR_CODE_ID_TAKEN_VALUE;
        if (entry.kind.equals("spawn") && isTaken && (entry.restores || entry.retried)) {
            if (entry.fields.is("room_owned")) {
                return true; // another session has restored it
            }
            if (System.nanoTime() >= giveUpAt) {
                log.kept().remove(new int[] {entry.ids()[index]});
                return false;
            }
            room.folding.isMissing = true;
            log.kept().miss(entry.fields, index);
            return true;
        }
        String column = entry.kind.equals("observe") ? "entity" : "id";
        return entry.fields.has(column) && log.kept().isMissing(entry.fields.ints(column)[index]);
    }

    void refuse(Entry entry, int code, String text, List<RefusedEntry> entries) {
        String command = COMMANDS.getOrDefault(entry.kind, entry.kind);
        Refusal refusal = new Refusal(room.name(), command, code, text, List.copyOf(entries));
        if (entry.request != null) {
            entry.request.refusal = refusal;
        }
        boolean isQuiet = entry.restores && (entry.kind.equals("open_room") || entry.kind.equals("adopt"));
        session.answer(entry, null, new RefusedException(refusal));
        if (!isQuiet) {
            session.report(refusal);
        }
    }

    /** The whole request is refused. */
    void refused(Entry entry, Fields error) {
        int code = (int) error.number("code");
        if (entry.kind.equals("step") && stepPasses(entry, code, error.number("tick_due"))) {
            return;
        }
        if (entry.kind.equals("get_snapshot") && entry.restores) {
            session.answer(entry, List.of(), null); // nothing is known of the earlier entities
        } else if (entry.roster != null && code == ErrorCode.ERROR_CODE_UNKNOWN_ROSTER_VALUE) {
            entry.roster = null;
            log.forgetRosters();
            log.sendLast(entry);
        } else if (entry.kind.equals("set_roster")) {
            log.drop(entry);
            log.forgetRosters(); // moves by them come again by ids
        } else if (entry.answer != null) {
            refuse(entry, code, error.text("text"), List.of());
        } else if (entry.kind.equals("set_exceptions") && code == ErrorCode.ERROR_CODE_UNKNOWN_OBSERVER_VALUE
                && log.kept().isAnchorMissing((int) entry.fields.number("observer"))) {
            log.done(entry, room.folding.tick);
        } else {
            log.drop(entry);
            refuse(entry, code, error.text("text"), List.of());
        }
    }

    /** Whether the program need not know that its Step was refused. */
    private boolean stepPasses(Entry entry, int code, long due) {
        boolean isWrong = code == ErrorCode.ERROR_CODE_WRONG_TICK_VALUE;
        if (!isWrong && code != ErrorCode.ERROR_CODE_TICK_OVER_VALUE) {
            return false;
        }
        if (due > 0) {
            room.folding.tick = Math.max(room.folding.tick, due - 1);
        }
        if (entry.retried && due > entry.step) {
            log.done(entry, entry.step); // an earlier connection had carried it out
            return true;
        }
        if (isWrong && !log.isLockstep && due > 0) {
            log.stepTick = due; // another session has stepped
            entry.step = due;
            log.sendLast(entry);
            return true;
        }
        return false;
    }
}
