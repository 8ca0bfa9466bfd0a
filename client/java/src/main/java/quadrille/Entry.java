// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import quadrille.internal.Fields;
import quadrille.internal.Kept;
import quadrille.internal.Rosters;

/** One frame of a request in a log. */
final class Entry {
    /** Requests with an answer of their own, which may be lost with a connection. To repeat them changes nothing. */
    private static final Set<String> ANSWERED = Set.of("open_room", "adopt", "get_snapshot", "query", "why",
            "leave_room", "close_room", "list_rooms", "list_sessions", "get_stats", "ping", "subscribe", "unsubscribe");

    /** Gets the answer to a call: either the result or the error is null. It runs while the session is locked. */
    interface Answer {
        void done(Object result, RuntimeException error);
    }

    final Room room; // null: the session's own
    final String kind;
    Fields fields;
    final Request request; // null: no request of the program
    final int first; // the index of its first row in the request
    final boolean isAnswered;
    final boolean confirm;
    boolean restores;
    long seq; // 0: not sent in this session of the server
    boolean retried; // it was sent in an earlier session of the server
    boolean accepted; // the server has it
    Set<Integer> refused = Set.of();
    Rosters.Roster roster; // of a move: send positions alone
    Kept.Rows rows; // of a move: its entities in Kept
    int rowsVersion;
    long step; // of a step: the tick that it makes
    Answer answer; // null: no call
    final List<Fields> frames = new ArrayList<>(0); // of an answer that has several
    final List<RefusedEntry> refusedEntries = new ArrayList<>(0);
    String text = ""; // of its refusal
    EntryList list;
    Entry before;
    Entry after;

    Entry(Room room, String kind, Fields fields, Request request, int first) {
        this.room = room;
        this.kind = kind;
        this.fields = fields;
        this.request = request;
        this.first = first;
        isAnswered = ANSWERED.contains(kind);
        confirm = request != null && !kind.equals("move") && !kind.equals("step") && !isAnswered;
        restores = request == null;
    }

    int[] ids() {
        return fields.ints("id");
    }

    void accept() {
        if (request != null && !accepted) {
            accepted = true;
            request.unaccepted--;
        }
    }

    void forgetAnswers() {
        frames.clear();
        refusedEntries.clear();
    }

    /** The kind and the fields that go to the server. */
    String wireKind() {
        return roster != null ? "move_roster" : kind;
    }

    Fields wireFields() {
        if (room != null && !kind.equals("open_room")) {
            fields.put("room", room.handle);
        }
        if (kind.equals("step")) {
            fields.put("tick", step);
        }
        return roster == null ? fields : Fields.of("room", room.handle, "roster", roster.number(),
                "x", fields.get("x"), "y", fields.get("y"), "z", fields.get("z"));
    }
}
