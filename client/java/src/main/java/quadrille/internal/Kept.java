// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * What a session restores in a new session of the server: the entities and descriptions of one room, its observers,
 * options and subscription. Entities are columns; a map finds the row of an id. Rows are dense: the free ones are
 * behind all others.
 */
public final class Kept {
    private static final List<String> PLACE = List.of("x", "y", "z");
    private static final List<String> SIZES =
            List.of("half_x", "half_y", "half_z", "radius", "axis_x", "axis_y", "axis_z");
    private static final List<String> FORM = with(SIZES, "shape", "category", "mask");
    private static final List<String> PLACE_AND_FORM = with(PLACE, FORM.toArray(new String[0]));
    private static final List<String> DESCRIPTION = List.of("tag", "team", "visible_range", "hidden");
    private static final Set<String> OF_Z = Set.of("z", "half_z", "axis_z");
    private static final int ROWS_MIN = 64;
    private static final int BOX = 1;
    private static final int CAPSULE = 3;

    /** What is known of an entity, as bits. */
    private static final byte ROOM_OWNED = 1;
    private static final byte FOREIGN = 2; // handed over to this session: its shape is not known
    private static final byte MOVED = 4;
    private static final byte DESCRIBED = 8;
    private static final byte MISSING = 16; // the server could not spawn it yet

    /** A request that restores. */
    public record Restoring(String kind, Fields fields) {
    }

    /** One observer: the fields of its Observe, with one row, and its lists. */
    private record Observer(Fields fields, Fields lists) {
        boolean isAnchored() {
            return fields.bytes("anchored")[0] != 0;
        }

        int entity() {
            return fields.has("entity") ? fields.ints("entity")[0] : 0;
        }
    }

    private final IntMap rows = new IntMap();
    private int version; // rises when a row gets another entity
    private final Map<String, Object> columns = new LinkedHashMap<>();
    private byte[] flags = new byte[ROWS_MIN];
    private final Map<Integer, byte[]> payloads = new LinkedHashMap<>();
    private final Map<Integer, Observer> observers = new LinkedHashMap<>();
    private Fields viewOptions;
    private Fields subscription;

    public Kept() {
        columns.put("id", new int[ROWS_MIN]);
        PLACE.forEach(name -> columns.put(name, new float[ROWS_MIN]));
        SIZES.forEach(name -> columns.put(name, new float[ROWS_MIN]));
        columns.put("shape", new byte[ROWS_MIN]);
        columns.put("category", new int[ROWS_MIN]);
        columns.put("mask", new int[ROWS_MIN]);
        columns.put("tag", new long[ROWS_MIN]);
        columns.put("team", new int[ROWS_MIN]);
        columns.put("visible_range", new float[ROWS_MIN]);
        columns.put("hidden", new byte[ROWS_MIN]);
    }

    private static List<String> with(List<String> names, String... more) {
        List<String> all = new ArrayList<>(names);
        all.addAll(List.of(more));
        return List.copyOf(all);
    }

    // ---- entities ----

    public int size() {
        return rows.size();
    }

    public int version() {
        return version;
    }

    public boolean has(int id) {
        return rows.has(id);
    }

    public int row(int id) {
        return rows.get(id);
    }

    /** The value of a kept column in a row. */
    public float value(String name, int row) {
        return ((float[]) columns.get(name))[row];
    }

    public boolean isMissing(int id) {
        int row = rows.get(id);
        return row >= 0 && has(row, MISSING);
    }

    public void forgetMissing() {
        for (int row = 0; row < rows.size(); row++) {
            flags[row] &= ~MISSING;
        }
    }

    private boolean has(int row, int flag) {
        return (flags[row] & flag) != 0;
    }

    private void set(int row, byte flag, boolean value) {
        flags[row] = (byte) (value ? flags[row] | flag : flags[row] & ~flag);
    }

    /** Adds entities that are not kept yet. They are foreign. */
    public void add(int[] ids) {
        for (int id : ids) {
            if (!rows.has(id)) {
                addRow(id);
            }
        }
    }

    private int addRow(int id) {
        int row = rows.size();
        if (row == flags.length) {
            columns.replaceAll((name, column) -> Columns.slice(column, 0, 2 * row));
            flags = Arrays.copyOf(flags, 2 * row);
        }
        rows.put(id, row);
        columns.forEach((name, column) -> {
            if (column instanceof float[] floats) {
                floats[row] = 0;
            } else if (column instanceof int[] ints) {
                ints[row] = name.equals("id") ? id : name.equals("category") ? 1 : name.equals("mask") ? -1 : 0;
            } else if (column instanceof byte[] bytes) {
                bytes[row] = (byte) (name.equals("shape") ? BOX : 0);
            } else {
                ((long[]) column)[row] = 0;
            }
        });
        flags[row] = FOREIGN;
        version++;
        return row;
    }

    public void remove(int[] ids) {
        Set<Integer> gone = new HashSet<>();
        for (int id : ids) {
            if (removeRow(id)) {
                gone.add(id);
            }
        }
        if (!gone.isEmpty() && !observers.isEmpty()) {
            observers.values().removeIf(each -> each.isAnchored() && gone.contains(each.entity()));
        }
    }

    /** The last row takes the place of the one that is free. */
    private boolean removeRow(int id) {
        int row = rows.remove(id);
        if (row < 0) {
            return false;
        }
        int last = rows.size();
        if (row != last) {
            columns.values().forEach(column -> Columns.copyRow(column, last, column, row));
            flags[row] = flags[last];
            rows.put(((int[]) columns.get("id"))[row], row);
        }
        payloads.remove(id);
        version++;
        return true;
    }

    /** Rows of entities, and their places in a batch; places null: all in their order. */
    public record Rows(int[] places, int[] rows) {
    }

    public Rows rowsOf(int[] ids) {
        return rowsOf(ids, i -> true);
    }

    private Rows rowsOf(int[] ids, IntPredicate counts) {
        int[] places = new int[ids.length];
        int[] found = new int[ids.length];
        int n = 0;
        for (int i = 0; i < ids.length; i++) {
            int row = rows.get(ids[i]);
            if (row >= 0 && counts.test(i)) {
                places[n] = i;
                found[n++] = row;
            }
        }
        return n == ids.length ? new Rows(null, found) : new Rows(Arrays.copyOf(places, n), Arrays.copyOf(found, n));
    }

    // ---- requests that the server has carried out ----

    /** `refused`: entries that do not count. `number`: that of the server's session. */
    public void apply(String kind, Fields fields, Set<Integer> refused, long number) {
        switch (kind) {
            case "spawn" -> spawn(fields, refused);
            case "move", "teleport" -> moveRows(fields, counting(fields, refused));
            case "reshape" -> reshape(fields, counting(fields, refused));
            case "despawn" -> remove(idsOf(fields, counting(fields, refused)));
            case "set_description" -> describe(fields, counting(fields, refused));
            case "hand_over" -> handOver(fields, counting(fields, refused), number);
            case "observe" -> observe(fields, refused);
            case "move_observers" -> moveObservers(fields, refused);
            case "unobserve" -> unobserve(fields, refused);
            case "set_exceptions" -> setExceptions(fields);
            case "set_view_options" -> viewOptions = fields;
            case "subscribe" -> subscription = fields;
            case "unsubscribe" -> subscription = null;
            default -> throw new IllegalArgumentException(kind);
        }
    }

    /** An entity that is missing now gets what was refused for it, when it is spawned again. */
    private Rows counting(Fields fields, Set<Integer> refused) {
        int[] ids = fields.ints("id");
        return refused.isEmpty() ? rowsOf(ids) : rowsOf(ids, i -> !refused.contains(i) || isMissing(ids[i]));
    }

    private static int[] idsOf(Fields fields, Rows which) {
        int[] ids = fields.ints("id");
        return which.places == null ? ids : (int[]) Columns.take(ids, which.places);
    }

    private void setColumns(List<String> names, Fields fields, Rows which) {
        for (String name : names) {
            Object column = fields.get(name);
            if (column == null) {
                continue;
            }
            Object kept = columns.get(name);
            for (int i = 0; i < which.rows.length; i++) {
                Columns.copyRow(column, which.places == null ? i : which.places[i], kept, which.rows[i]);
            }
        }
    }

    private void spawn(Fields fields, Set<Integer> refused) {
        int[] ids = fields.ints("id");
        for (int i = 0; i < ids.length; i++) {
            if (!refused.contains(i) && !rows.has(ids[i])) {
                spawnOne(fields, i);
            }
        }
    }

    private void spawnOne(Fields fields, int i) {
        int row = addRow(fields.ints("id")[i]);
        setColumns(PLACE_AND_FORM, fields, new Rows(new int[] {i}, new int[] {row}));
        set(row, FOREIGN, false);
        set(row, ROOM_OWNED, fields.is("room_owned"));
    }

    /** The server could not spawn that entry yet. */
    public void miss(Fields fields, int i) {
        int id = fields.ints("id")[i];
        if (!rows.has(id)) {
            spawnOne(fields, i);
        }
        set(rows.get(id), MISSING, true);
    }

    public void moveRows(Fields fields, Rows which) {
        for (String name : PLACE) {
            float[] column = fields.floats(name);
            if (column != null) {
                scatter(column, which, (float[]) columns.get(name));
            }
        }
        for (int row : which.rows) {
            flags[row] |= MOVED;
        }
    }

    private static void scatter(float[] column, Rows which, float[] kept) {
        int[] to = which.rows;
        if (which.places == null) {
            for (int i = 0; i < to.length; i++) {
                kept[to[i]] = column[i];
            }
            return;
        }
        for (int i = 0; i < to.length; i++) {
            kept[to[i]] = column[which.places[i]];
        }
    }

    private void reshape(Fields fields, Rows which) {
        setColumns(FORM, fields, which);
        byte[] shapes = (byte[]) columns.get("shape");
        for (int row : which.rows) {
            for (String name : SIZES) {
                boolean lacks = name.equals("radius") ? shapes[row] == BOX
                        : name.startsWith("half") ? shapes[row] != BOX : shapes[row] != CAPSULE;
                if (lacks) {
                    ((float[]) columns.get(name))[row] = 0;
                }
            }
        }
    }

    private void describe(Fields fields, Rows which) {
        setColumns(DESCRIPTION, fields, which);
        byte[] sizes = fields.has("payload_size") ? fields.bytes("payload_size") : null;
        int[] starts = sizes == null ? null : starts(sizes);
        for (int i = 0; i < which.rows.length; i++) {
            set(which.rows[i], DESCRIBED, true);
            if (sizes != null) {
                int place = which.places == null ? i : which.places[i];
                byte[] payload = Arrays.copyOfRange(fields.bytes("payload"), starts[place], starts[place + 1]);
                payloads.put(fields.ints("id")[place], payload);
            }
        }
    }

    /** Where each payload begins, and the end of the last one. */
    static int[] starts(byte[] sizes) {
        int[] starts = new int[sizes.length + 1];
        for (int i = 0; i < sizes.length; i++) {
            starts[i + 1] = starts[i] + (sizes[i] & 0xFF);
        }
        return starts;
    }

    private void handOver(Fields fields, Rows which, long number) {
        boolean toRoom = fields.is("room_owned");
        if (!toRoom && fields.number("session") != number) {
            remove(idsOf(fields, which));
            return;
        }
        for (int row : which.rows) {
            set(row, ROOM_OWNED, toRoom);
        }
    }

    // ---- views ----

    private void observe(Fields fields, Set<Integer> refused) {
        int[] ids = fields.ints("id");
        for (int i = 0; i < ids.length; i++) {
            if (!refused.contains(i) || waitsForAnchor(fields, i)) {
                Observer old = observers.get(ids[i]);
                Fields kept = row(fields, i);
                if (!kept.has("anchored")) {
                    kept.put("anchored", new byte[] {(byte) (fields.has("entity") ? 1 : 0)});
                }
                observers.put(ids[i], new Observer(kept, old == null ? null : old.lists));
            }
        }
    }

    private boolean waitsForAnchor(Fields fields, int i) {
        return fields.has("entity") && isMissing(fields.ints("entity")[i]);
    }

    /** The fields of one entry. */
    private static Fields row(Fields fields, int i) {
        Fields one = new Fields();
        fields.all().forEach((name, value) -> {
            boolean isRow = Columns.isColumn(value) && !name.startsWith("relay_");
            one.put(name, isRow ? Columns.slice(value, i, i + 1) : value);
        });
        return one;
    }

    private void moveObservers(Fields fields, Set<Integer> refused) {
        int[] ids = fields.ints("id");
        for (int i = 0; i < ids.length; i++) {
            Observer observer = observers.get(ids[i]);
            if (observer != null && !refused.contains(i)) {
                row(fields, i).all().forEach(observer.fields::put);
            }
        }
    }

    private void unobserve(Fields fields, Set<Integer> refused) {
        int[] ids = fields.ints("id");
        for (int i = 0; i < ids.length; i++) {
            if (!refused.contains(i)) {
                observers.remove(ids[i]);
            }
        }
    }

    private void setExceptions(Fields fields) {
        observers.computeIfPresent((int) fields.number("observer"),
                (id, observer) -> new Observer(observer.fields, fields));
    }

    /** Whether the observer waits for an entity that is missing. */
    public boolean isAnchorMissing(int observer) {
        Observer found = observers.get(observer);
        return found != null && found.isAnchored() && isMissing(found.entity());
    }

    // ---- restoring ----

    /** The requests that bring a room to this state. `present`: the ids of own entities that are there. `fresh`: it is
     * a new room, without entities of the room itself. */
    public List<Restoring> requests(int[] present, boolean fresh, boolean hasZ) {
        List<Restoring> found = new ArrayList<>();
        IntMap there = new IntMap();
        for (int id : present) {
            there.put(id, 0);
        }
        int[] ids = (int[]) columns.get("id");
        IntPredicate isOwn = row -> !has(row, FOREIGN | ROOM_OWNED);
        IntPredicate isThere = row -> there.has(ids[row]);
        found.add(batch("spawn", isOwn.and(isThere.negate()), PLACE_AND_FORM, hasZ));
        if (fresh) {
            Restoring ofRoom = batch("spawn", row -> has(row, ROOM_OWNED) && !has(row, FOREIGN), PLACE_AND_FORM, hasZ);
            ofRoom.fields.put("room_owned", true);
            found.add(ofRoom);
        }
        if (present.length > 0) {
            IntPredicate moves = row -> isOwn.test(row) || has(row, MOVED);
            found.add(batch("teleport", isThere.and(moves), PLACE, hasZ));
            found.add(batch("reshape", isOwn.and(isThere), FORM, hasZ));
            int[] gone = Arrays.stream(present).filter(id -> !rows.has(id)).toArray();
            found.add(new Restoring("despawn", Fields.of("id", gone)));
        }
        found.add(descriptions(row -> has(row, DESCRIBED) && (fresh || isOwn.test(row))));
        addObservers(found, each -> true);
        if (viewOptions != null) {
            found.add(new Restoring("set_view_options", viewOptions.copy()));
        }
        if (subscription != null) {
            found.add(new Restoring("subscribe", subscription.copy()));
        }
        return found;
    }

    /** The same for entities that could not be spawned, and observers at them. */
    public List<Restoring> missingRequests(boolean hasZ) {
        List<Restoring> found = new ArrayList<>();
        found.add(batch("spawn", row -> has(row, MISSING), PLACE_AND_FORM, hasZ));
        found.add(descriptions(row -> has(row, MISSING) && has(row, DESCRIBED)));
        addObservers(found, each -> each.isAnchored() && isMissing(each.entity()));
        return found;
    }

    private Restoring batch(String kind, IntPredicate chosen, List<String> names, boolean hasZ) {
        int[] which = java.util.stream.IntStream.range(0, rows.size()).filter(chosen).toArray();
        Fields fields = Fields.of("id", Columns.take(columns.get("id"), which));
        for (String name : names) {
            if (hasZ || !OF_Z.contains(name)) {
                fields.put(name, Columns.take(columns.get(name), which));
            }
        }
        return new Restoring(kind, fields);
    }

    private Restoring descriptions(IntPredicate chosen) {
        Restoring found = batch("set_description", chosen, DESCRIPTION, true);
        int[] ids = found.fields.ints("id");
        byte[] sizes = new byte[ids.length];
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (int i = 0; i < ids.length; i++) {
            byte[] payload = payloads.getOrDefault(ids[i], new byte[0]);
            sizes[i] = (byte) payload.length;
            all.writeBytes(payload);
        }
        found.fields.put("payload_size", sizes).put("payload", all.toByteArray());
        return found;
    }

    /** One message per observer: each has its own tiers. */
    private void addObservers(List<Restoring> found, java.util.function.Predicate<Observer> chosen) {
        for (Observer each : observers.values()) {
            if (chosen.test(each)) {
                found.add(new Restoring("observe", each.fields.copy()));
                if (each.lists != null) {
                    found.add(new Restoring("set_exceptions", each.lists.copy()));
                }
            }
        }
    }

}
