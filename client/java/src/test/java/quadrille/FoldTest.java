// SPDX-License-Identifier: Apache-2.0
package quadrille;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import quadrille.internal.Columns;
import quadrille.internal.ContradictionException;
import quadrille.internal.Fields;

/** Frames that contradict what was folded are refused. The conformance suite tests what right frames fold to. */
final class FoldTest {
    private static int[] ints(int... values) {
        return values;
    }

    private static Pairs pairs() {
        Pairs pairs = new Pairs(new ReentrantLock());
        Pairs.Difference first = pairs.apply(Fields.of("begin_a", ints(1, 3), "begin_b", ints(2, 4), "reset", true,
                "last", true));
        assertEquals(0, first.ended().size());
        assertEquals(2, first.begun().size());
        return pairs;
    }

    @Test
    void set_is_read_in_any_order() {
        Pairs pairs = pairs();
        assertTrue(pairs.has(2, 1) && pairs.has(3, 4));
        assertFalse(pairs.has(1, 3));
        assertEquals(2, pairs.rows().size());
    }

    @Test
    void old_set_stays_until_a_reset_is_complete() {
        Pairs pairs = pairs();
        assertNull(pairs.apply(Fields.of("begin_a", ints(5), "begin_b", ints(6), "reset", true)));
        assertTrue(pairs.has(1, 2) && !pairs.isKnown());
        Pairs.Difference difference = pairs.apply(Fields.of("begin_a", ints(3), "begin_b", ints(4), "last", true));
        assertArrayEquals(ints(1), difference.ended().first());
        assertArrayEquals(ints(5), difference.begun().first());
        assertTrue(pairs.has(3, 4) && pairs.has(5, 6) && pairs.size() == 2);
    }

    @Test
    void contradictions_make_the_set_unknown() {
        Fields[] frames = {
            Fields.of("begin_a", ints(1), "begin_b", ints(2), "last", true),
            Fields.of("end_a", ints(7), "end_b", ints(8), "last", true),
            Fields.of("begin_a", ints(5, 5), "begin_b", ints(6, 6), "last", true),
            Fields.of("begin_a", ints(5), "last", true),
        };
        for (Fields frame : frames) {
            Pairs pairs = pairs();
            assertThrows(ContradictionException.class, () -> pairs.apply(frame));
            assertFalse(pairs.isKnown());
        }
        Pairs empty = new Pairs(new ReentrantLock());
        assertThrows(ContradictionException.class, () -> empty.apply(frames[1]));
    }

    private static Fields enters(int... ids) {
        int[] observers = new int[ids.length];
        Arrays.fill(observers, 1);
        return Fields.of("enter_observer", observers, "enter_id", ids, "enter_x", new float[ids.length], "enter_y",
                new float[ids.length], "last", true);
    }

    private static void refuse(Fields... frames) {
        Views views = new Views();
        for (int i = 0; i < frames.length - 1; i++) {
            views.apply(frames[i], new Tick(0), false);
        }
        assertThrows(ContradictionException.class, () -> views.apply(frames[frames.length - 1], new Tick(0), false));
    }

    @Test
    void contradictions_of_views_are_refused() {
        Fields withSlot = enters(2).put("enter_slot", ints(1));
        refuse(enters(2), enters(2));
        refuse(Fields.of("leave_observer", ints(1), "leave_id", ints(2), "leave_reason", new byte[] {1}));
        refuse(enters(2), Fields.of("relay_observer", ints(1), "relay_id", ints(3), "relay_x", new float[1], "relay_y",
                new float[1]));
        refuse(withSlot, enters(3).put("enter_slot", ints(1)));
        refuse(withSlot, enters(3));
        refuse(withSlot, Fields.of("relay", new byte[] {0x11, 0, 1, 0, 0, 0, 0, 0}));
        refuse(withSlot, Fields.of("exact_slot", ints(5), "exact_x", new float[1], "exact_y", new float[1]));
        refuse(Fields.of("suspended", true), enters(2));
    }

    @Test
    void many_entities_grow_the_columns_and_leave_again() {
        Views views = new Views();
        int[] ids = Columns.range(0, 1000);
        int[] observers = Arrays.stream(ids).map(id -> id % 7).toArray();
        float[] x = new float[1000];
        for (int i = 0; i < 1000; i++) {
            x[i] = i;
        }
        views.apply(Fields.of("enter_observer", observers, "enter_id", ids, "enter_x", x, "enter_y", new float[1000],
                "last", true), new Tick(1), false);
        assertEquals(500, views.seen(500 % 7, 500).x());
        Tick news = new Tick(2);
        int[] even = Arrays.stream(ids).filter(id -> id % 2 == 0).toArray();
        views.apply(Fields.of("leave_observer", Arrays.stream(even).map(id -> id % 7).toArray(), "leave_id", even,
                "leave_reason", new byte[500], "last", true), news, false);
        assertEquals(500, news.leaves().size());
        assertEquals(500, views.observers().stream().mapToInt(views::size).sum());
    }

    @Test
    void merged_ticks_have_the_changes_of_both() {
        Tick first = new Tick(1);
        Tick second = new Tick(2);
        first.add(Tick.Kind.BEGINS, ints(1), ints(2));
        second.add(Tick.Kind.BEGINS, ints(3), ints(4));
        second.add(Tick.Kind.ENDS, ints(1), ints(2), new byte[] {7});
        first.merge(second);
        assertEquals(2, first.number());
        assertArrayEquals(ints(1, 3), first.begins().first());
        assertArrayEquals(ints(2, 4), first.begins().second());
        assertArrayEquals(new byte[] {7}, first.endReasons());
        assertEquals("Tick 2 ends=1 begins=2", first.toString());
        assertTrue(new Tick(3).isEmpty());
    }
}
