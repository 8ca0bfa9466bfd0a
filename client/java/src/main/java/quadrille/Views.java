// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import quadrille.internal.ContradictionException;
import quadrille.internal.Fields;
import quadrille.internal.IntMap;
import quadrille.internal.Slots;

/** All views of a room, and the reverse view, folded from View frames. */
final class Views {
    private static final String[] FLOATS =
            {"x", "y", "z", "half_x", "half_y", "half_z", "radius", "axis_x", "axis_y", "axis_z"};
    private static final int ROWS_MIN = 64;
    private static final byte[] NO_PAYLOAD = {};

    private final Map<Integer, IntMap> index = new HashMap<>(); // observer -> id -> row
    private final Map<Integer, Set<Watcher>> watchers = new HashMap<>();
    private boolean isKnown = true;
    private boolean isSuspended;
    // One row per entity and view.
    private final float[][] floats = new float[FLOATS.length][ROWS_MIN];
    private byte[] shape = new byte[ROWS_MIN];
    private int[] category = new int[ROWS_MIN];
    private long[] tag = new long[ROWS_MIN];
    private byte[][] payload = new byte[ROWS_MIN][];
    private int[] slotOf = new int[ROWS_MIN];
    private int[] mark = new int[ROWS_MIN]; // the updates of the slot at the enter
    private int[] free = new int[ROWS_MIN];
    private int freeCount;
    private int count;
    private Slots slots; // null: positions come per observer

    Views() {
        freeRows(0, ROWS_MIN);
    }

    private void freeRows(int first, int end) {
        for (int row = end - 1; row >= first; row--) {
            free[freeCount++] = row;
        }
    }

    // ---- reading ----

    boolean isKnown() {
        return isKnown;
    }

    boolean isSuspended() {
        return isSuspended;
    }

    Set<Integer> observers() {
        return index.keySet();
    }

    int row(int observer, int id) {
        IntMap rows = index.get(observer);
        return rows == null ? IntMap.NONE : rows.get(id);
    }

    int size(int observer) {
        IntMap rows = index.get(observer);
        return rows == null ? 0 : rows.size();
    }

    int[] ids(int observer) {
        IntMap rows = index.get(observer);
        return rows == null ? new int[0] : rows.keys();
    }

    List<Watcher> watchers(int id) {
        return List.copyOf(watchers.getOrDefault(id, Set.of()));
    }

    private float place(int axis, int row) {
        boolean moved = slots != null && slots.updates(slotOf[row]) != mark[row];
        return moved ? slots.place(axis, slotOf[row]) : floats[axis][row];
    }

    Seen seen(int observer, int id) {
        int row = row(observer, id);
        if (row < 0) {
            return null;
        }
        float[] f = new float[FLOATS.length];
        for (int i = 0; i < f.length; i++) {
            f[i] = i < 3 ? place(i, row) : floats[i][row];
        }
        byte[] bytes = payload[row] == null ? NO_PAYLOAD : payload[row].clone();
        return new Seen(id, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], shape[row], category[row],
                tag[row], bytes);
    }

    View.Positions positions(int observer) {
        IntMap rows = index.getOrDefault(observer, new IntMap());
        int[] found = rows.values();
        float[][] places = new float[3][found.length];
        for (int axis = 0; axis < 3; axis++) {
            for (int i = 0; i < found.length; i++) {
                places[axis][i] = place(axis, found[i]);
            }
        }
        return new View.Positions(rows.keys(), places[0], places[1], places[2]);
    }

    // ---- folding ----

    /** Folds one frame, and adds what changed to `tick`: relays only if they are wanted. Throws
     * ContradictionException. */
    void apply(Fields fields, Tick tick, boolean wantsRelays) {
        if (fields.is("suspended")) {
            forget(tick);
            watchers.clear();
            isSuspended = true;
            isKnown = false;
            return;
        }
        if (fields.is("reset")) {
            forget(tick);
            isSuspended = false;
        }
        if (fields.is("reset_watchers")) {
            watchers.clear();
        }
        if (isSuspended && (fields.has("enter_id") || fields.has("leave_id"))) {
            throw new ContradictionException("views are suspended");
        }
        leave(fields, tick);
        enter(fields, tick);
        move(fields, tick, wantsRelays);
        watch(fields);
        isKnown = fields.is("last") && !isSuspended;
    }

    private void forget(Tick tick) {
        index.forEach((observer, rows) -> {
            int[] ids = rows.keys();
            int[] observers = new int[ids.length];
            Arrays.fill(observers, observer);
            tick.add(Tick.Kind.LEAVES, observers, ids, new byte[ids.length]);
        });
        index.clear();
        Arrays.fill(payload, null);
        freeCount = 0;
        freeRows(0, shape.length);
        count = 0;
        slots = null;
    }

    private static void demand(boolean holds, String text) {
        if (!holds) {
            throw new ContradictionException(text);
        }
    }

    private void leave(Fields fields, Tick tick) {
        int[] observers = fields.ints("leave_observer");
        int[] ids = fields.ints("leave_id");
        byte[] reasons = fields.bytes("leave_reason");
        demand(observers.length == ids.length && reasons.length == ids.length, "columns of leaves differ in length");
        for (int i = 0; i < ids.length; i++) {
            IntMap rows = index.get(observers[i]);
            int row = rows == null ? IntMap.NONE : rows.remove(ids[i]);
            demand(row >= 0, "an entity leaves a view that does not have it");
            if (rows.size() == 0) {
                index.remove(observers[i]);
            }
            free[freeCount++] = row;
            payload[row] = null;
            count--;
            if (slots != null) {
                slots.leave(ids[i], observers[i]);
            }
        }
        tick.add(Tick.Kind.LEAVES, observers, ids, reasons);
    }

    private void enter(Fields fields, Tick tick) {
        int[] observers = fields.ints("enter_observer");
        int[] ids = fields.ints("enter_id");
        if (ids.length == 0) {
            return;
        }
        demand(observers.length == ids.length, "columns of enters differ in length");
        if (count == 0) {
            slots = fields.has("enter_slot")
                    ? new Slots(fields.has("relay_k"), (int) fields.number("relay_k"), fields.has("enter_z")) : null;
        }
        demand((slots != null) == fields.has("enter_slot"), "slots come with all enters or with none");
        reserve(ids.length);
        byte[] sizes = fields.bytes("enter_payload_size");
        int payloadAt = 0;
        for (int i = 0; i < ids.length; i++) {
            int row = free[--freeCount];
            int before = index.computeIfAbsent(observers[i], any -> new IntMap()).put(ids[i], row);
            demand(before == IntMap.NONE, "an entity enters a view that has it");
            setRow(row, fields, i);
            if (sizes.length > 0 && sizes[i] != 0) {
                payload[row] = Arrays.copyOfRange(fields.bytes("enter_payload"), payloadAt, payloadAt + sizes[i]);
                payloadAt += sizes[i];
            }
            if (slots != null) {
                enterSlot(row, observers[i], ids[i], fields, i);
            }
        }
        count += ids.length;
        tick.add(Tick.Kind.ENTERS, observers, ids);
    }

    private void enterSlot(int row, int observer, int id, Fields fields, int i) {
        int number = fields.ints("enter_slot")[i];
        if (number != 0) {
            slots.start(number - 1, id, floats[0][row], floats[1][row], floats[2][row]);
        }
        slotOf[row] = slots.enter(id, observer);
        mark[row] = slots.updates(slotOf[row]);
    }

    private void setRow(int row, Fields fields, int i) {
        for (int k = 0; k < FLOATS.length; k++) {
            float[] column = fields.floats(NAMES[k]);
            floats[k][row] = column == null ? 0 : column[i];
        }
        shape[row] = fields.has("enter_shape") ? fields.bytes("enter_shape")[i] : 1;
        category[row] = fields.has("enter_category") ? fields.ints("enter_category")[i] : 1;
        tag[row] = fields.has("enter_tag") ? fields.longs("enter_tag")[i] : 0;
    }

    private static final String[] NAMES = Arrays.stream(FLOATS).map(name -> "enter_" + name).toArray(String[]::new);

    private void reserve(int rows) {
        while (freeCount < rows) {
            int size = shape.length;
            for (int k = 0; k < floats.length; k++) {
                floats[k] = Arrays.copyOf(floats[k], 2 * size);
            }
            shape = Arrays.copyOf(shape, 2 * size);
            category = Arrays.copyOf(category, 2 * size);
            tag = Arrays.copyOf(tag, 2 * size);
            payload = Arrays.copyOf(payload, 2 * size);
            slotOf = Arrays.copyOf(slotOf, 2 * size);
            mark = Arrays.copyOf(mark, 2 * size);
            free = Arrays.copyOf(free, 2 * size);
            freeRows(size, 2 * size);
        }
    }

    // ---- relays ----

    private void move(Fields fields, Tick tick, boolean wantsRelays) {
        if (fields.has("relay_id")) {
            moveEntries(fields, tick, wantsRelays);
        }
        byte[] blob = fields.bytes("relay");
        int[] exact = fields.ints("exact_slot");
        demand(slots != null || blob.length == 0 && exact.length == 0, "positions of slots without slots");
        if (blob.length > 0) {
            place(slots.read(blob), tick, wantsRelays);
        }
        if (exact.length > 0) {
            slots.set(exact, fields.floats("exact_x"), fields.floats("exact_y"), fields.floats("exact_z"));
            place(exact, tick, wantsRelays);
        }
    }

    private void moveEntries(Fields fields, Tick tick, boolean wantsRelays) {
        int[] observers = fields.ints("relay_observer");
        int[] ids = fields.ints("relay_id");
        float[][] places = new float[3][];
        for (int axis = 0; axis < 3; axis++) {
            float[] column = fields.floats("relay_" + FLOATS[axis]);
            places[axis] = column == null ? new float[ids.length] : column;
        }
        for (int i = 0; i < ids.length; i++) {
            int row = row(observers[i], ids[i]);
            demand(row >= 0, "a position of an entity that is not in the view");
            for (int axis = 0; axis < 3; axis++) {
                floats[axis][row] = places[axis][i];
            }
        }
        if (wantsRelays) {
            tick.add(Tick.Kind.RELAYS, observers, ids, places[0], places[1], places[2]);
        }
    }

    /** Reports the positions of slots to each view that has the entity. */
    private void place(int[] numbers, Tick tick, boolean wantsRelays) {
        slots.touch(numbers);
        if (!wantsRelays) {
            return;
        }
        int total = 0;
        for (int slot : numbers) {
            total += slots.viewers(slot).size();
        }
        int[] observers = new int[total];
        int[] ids = new int[total];
        float[][] places = new float[3][total];
        int n = 0;
        for (int slot : numbers) {
            for (int observer : slots.viewers(slot)) {
                observers[n] = observer;
                ids[n] = slots.id(slot);
                for (int axis = 0; axis < 3; axis++) {
                    places[axis][n] = slots.place(axis, slot);
                }
                n++;
            }
        }
        tick.add(Tick.Kind.RELAYS, observers, ids, places[0], places[1], places[2]);
    }

    // ---- the reverse view ----

    private void watch(Fields fields) {
        int[] left = fields.ints("watcher_leave_entity");
        for (int i = 0; i < left.length; i++) {
            Watcher watcher = watcherOf(fields, "watcher_leave_", i);
            Set<Watcher> of = watchers.getOrDefault(left[i], Set.of());
            demand(of.contains(watcher), "an observer that is not in the reverse view leaves it");
            of.remove(watcher);
            if (of.isEmpty()) {
                watchers.remove(left[i]);
            }
        }
        int[] entered = fields.ints("watcher_enter_entity");
        for (int i = 0; i < entered.length; i++) {
            watchers.computeIfAbsent(entered[i], any -> new HashSet<>()).add(watcherOf(fields, "watcher_enter_", i));
        }
    }

    private static Watcher watcherOf(Fields fields, String prefix, int i) {
        return new Watcher(fields.longs(prefix + "session")[i], fields.ints(prefix + "observer")[i]);
    }
}
