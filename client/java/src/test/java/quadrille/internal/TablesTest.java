// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The hash tables and the rosters, against those of the standard library. */
final class TablesTest {
    @Test
    void random_changes_of_a_map_keep_what_a_hash_map_keeps() {
        Random random = new Random(1);
        IntMap map = new IntMap();
        Map<Integer, Integer> model = new HashMap<>();
        for (int i = 0; i < 200000; i++) {
            int key = random.nextInt(2000) * 0x10001 - 7;
            int before = model.getOrDefault(key, IntMap.NONE);
            assertEquals(before, map.get(key));
            if (random.nextInt(3) == 0) {
                assertEquals(before, map.remove(key));
                model.remove(key);
            } else {
                assertEquals(before, map.put(key, i));
                model.put(key, i);
            }
            assertEquals(model.size(), map.size());
        }
        Map<Integer, Integer> visited = new HashMap<>();
        map.forEach(visited::put);
        assertEquals(model, visited);
        int[] keys = map.keys();
        int[] values = map.values();
        for (int i = 0; i < keys.length; i++) {
            assertEquals(model.get(keys[i]), values[i]);
        }
    }

    @Test
    void random_changes_of_a_set_keep_what_a_hash_set_keeps() {
        Random random = new Random(2);
        LongSet set = new LongSet();
        Set<Long> model = new HashSet<>();
        for (int i = 0; i < 200000; i++) {
            long key = (long) random.nextInt(60) << 32 | random.nextInt(60) + 1;
            assertEquals(model.contains(key), set.has(key));
            if (random.nextBoolean()) {
                assertEquals(model.remove(key), set.remove(key));
            } else {
                assertEquals(model.add(key), set.add(key));
            }
            assertEquals(model.size(), set.size());
        }
        long[] found = set.toArray();
        Arrays.sort(found);
        assertArrayEquals(model.stream().mapToLong(Long::longValue).sorted().toArray(), found);
        assertFalse(set.has(0));
        assertFalse(set.remove(0));
    }

    @Test
    void ids_that_come_again_get_a_roster_and_others_do_not() {
        Rosters rosters = new Rosters();
        int[] ids = Columns.range(0, 10);
        int[] others = Columns.range(5, 10);
        assertNull(rosters.find(ids, 1000).roster());
        assertTrue(rosters.find(ids, 1000).registers());
        assertEquals(0, rosters.find(ids, 1000).roster().number());
        assertFalse(rosters.find(ids, 1000).registers());
        assertNull(rosters.find(others, 1000).roster());
        assertEquals(0, rosters.find(ids, 1000).roster().number());
        ids[3] = 77; // the program's array is another one now
        assertNull(rosters.find(ids, 1000).roster());
    }

    @Test
    void rosters_stay_within_the_limits() {
        Rosters rosters = new Rosters();
        for (int first = 0; first < 1000; first += 10) {
            int[] ids = Columns.range(first, 10);
            rosters.find(ids, 35);
            Rosters.Choice choice = rosters.find(ids, 35);
            assertEquals(first >= 30 ? 1 : 0, choice.dropped().size());
            assertTrue(choice.registers() && choice.roster().number() < Rosters.ROSTERS_MAX);
            assertTrue(rosters.total() <= 35);
        }
        int[] tooMany = Columns.range(0, 36);
        rosters.find(tooMany, 35);
        assertNull(rosters.find(tooMany, 35).roster());
    }
}
