// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * Which moves name the same ids again: those send positions alone, through a roster. These are the rosters of one room
 * in one session of the server. The least recently used one makes place.
 */
public final class Rosters {
    public static final int ROSTERS_MAX = 16;
    private static final int IDS_MIN = 4; // below that a roster saves next to nothing

    /** A list of ids that the server knows by its number. Do not change the ids. */
    public record Roster(int number, int[] ids) {
    }

    /** The roster of a move, null: move by ids; whether to register it first; rosters to drop before. */
    public record Choice(Roster roster, boolean registers, List<Integer> dropped) {
    }

    private static final Choice NONE = new Choice(null, false, List.of());

    private final ArrayDeque<Roster> rosters = new ArrayDeque<>(); // the most recently used first
    private int[] before; // ids of the last move without a roster

    public Choice find(int[] ids, long idsMax) {
        for (Roster each : rosters) {
            if (each.ids.length == ids.length && each.ids[0] == ids[0] && Arrays.equals(each.ids, ids)) {
                if (rosters.peekFirst() != each) {
                    rosters.remove(each);
                    rosters.addFirst(each);
                }
                return new Choice(each, false, List.of());
            }
        }
        boolean again = before != null && Arrays.equals(before, ids);
        if (ids.length < IDS_MIN || ids.length > idsMax || !again) {
            before = ids.clone();
            return NONE;
        }
        before = null;
        List<Integer> dropped = new ArrayList<>();
        while (rosters.size() == ROSTERS_MAX || total() + ids.length > idsMax) {
            dropped.add(rosters.removeLast().number);
        }
        Roster roster = new Roster(freeNumber(), ids.clone());
        rosters.addFirst(roster);
        return new Choice(roster, true, dropped);
    }

    /** The ids in all rosters. */
    public long total() {
        return rosters.stream().mapToLong(each -> each.ids.length).sum();
    }

    private int freeNumber() {
        boolean[] used = new boolean[ROSTERS_MAX + 1];
        for (Iterator<Roster> each = rosters.iterator(); each.hasNext(); ) {
            used[each.next().number] = true;
        }
        int number = 0;
        while (used[number]) {
            number++;
        }
        return number;
    }

    public void forget() {
        rosters.clear();
        before = null;
    }
}
