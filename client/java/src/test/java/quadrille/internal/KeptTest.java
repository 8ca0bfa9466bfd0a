// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a session restores, against a map. */
final class KeptTest {
    @Test
    void random_changes_keep_what_a_map_keeps() {
        Random random = new Random(3);
        Kept kept = new Kept();
        Map<Integer, Float> model = new HashMap<>();
        for (int turn = 0; turn < 2000; turn++) {
            int[] ids = random.ints(0, 300).distinct().limit(1 + random.nextInt(40)).toArray();
            float[] values = new float[ids.length];
            Set<Integer> refused = new HashSet<>();
            for (int i = 0; i < ids.length; i++) {
                values[i] = random.nextInt(1000) / 4f;
                if (random.nextInt(5) == 0) {
                    refused.add(i);
                }
            }
            String kind = List.of("spawn", "move", "despawn").get(random.nextInt(3));
            kept.apply(kind, Fields.of("id", ids, "x", values, "y", values), refused, 1);
            for (int i = 0; i < ids.length; i++) {
                if (refused.contains(i)) {
                    continue;
                }
                if (kind.equals("despawn")) {
                    model.remove(ids[i]);
                } else if (kind.equals("move") == model.containsKey(ids[i])) {
                    model.put(ids[i], values[i]);
                }
            }
            assertEquals(model.size(), kept.size());
            model.forEach((id, x) -> assertEquals(x, kept.value("x", kept.row(id))));
        }
    }

    @Test
    void requests_bring_a_room_to_the_state() {
        Kept kept = new Kept();
        float[] zeros = new float[3];
        kept.apply("spawn", Fields.of("id", new int[] {1, 2, 3}, "x", new float[] {1, 2, 3}, "y", zeros,
                "half_x", new float[] {1, 1, 1}), Set.of(), 1);
        kept.apply("set_description", Fields.of("id", new int[] {2, 3}, "payload", new byte[] {'a', 'b', 'c'},
                "payload_size", new byte[] {1, 2}), Set.of(0), 1);
        kept.apply("observe", Fields.of("id", new int[] {7}, "entity", new int[] {3}, "range", new float[] {5},
                "relay_range", new float[] {9}, "relay_every", new int[] {1}), Set.of(), 1);
        kept.apply("hand_over", Fields.of("id", new int[] {1}, "session", 5L), Set.of(), 1);
        List<Kept.Restoring> requests = kept.requests(new int[] {9}, true, false).stream()
                .filter(each -> each.fields().ints("id").length > 0).toList();
        assertEquals(List.of("spawn", "despawn", "set_description", "observe"),
                requests.stream().map(Kept.Restoring::kind).toList());
        Set<Integer> spawned = new HashSet<>();
        for (int id : requests.get(0).fields().ints("id")) {
            spawned.add(id);
        }
        assertEquals(Set.of(2, 3), spawned);
        assertFalse(requests.get(0).fields().has("z"));
        assertArrayEquals(new int[] {9}, requests.get(1).fields().ints("id"));
        assertArrayEquals(new int[] {3}, requests.get(2).fields().ints("id"));
        assertArrayEquals(new byte[] {'b', 'c'}, requests.get(2).fields().bytes("payload"));
        assertArrayEquals(new byte[] {1}, requests.get(3).fields().bytes("anchored"));
        assertArrayEquals(new float[] {9}, requests.get(3).fields().floats("relay_range"));
        kept.apply("despawn", Fields.of("id", new int[] {3}), Set.of(), 1);
        assertEquals(1, kept.requests(new int[0], true, false).stream()
                .filter(each -> each.fields().ints("id").length > 0).count());
    }
}
