// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The slots of a session's views in one room: each entity's position once, for all views that have it. */
public final class Slots {
    private static final int SLOTS_MIN = 64;

    /** An entity with a slot. */
    private static final class Entity {
        final int id;
        final int slot;
        final List<Integer> viewers = new ArrayList<>(1);

        Entity(int id, int slot) {
            this.id = id;
            this.slot = slot;
        }
    }

    private final Relay relay; // null: positions are exact
    private final Map<Integer, Entity> byId = new HashMap<>();
    private Entity[] bySlot = new Entity[SLOTS_MIN];
    private final float[][] places = new float[3][SLOTS_MIN];
    private int[] updates = new int[SLOTS_MIN]; // how often a slot's position has come

    public Slots(boolean hasPrecision, int k, boolean hasZ) {
        relay = hasPrecision ? new Relay(k, hasZ ? 3 : 2, 0) : null;
    }

    private static void demand(boolean holds, String text) {
        if (!holds) {
            throw new ContradictionException(text);
        }
    }

    /** Gives a slot to the entity, which enters there. */
    public void start(int slot, int id, float x, float y, float z) {
        reserve(slot);
        demand(bySlot[slot] == null && !byId.containsKey(id), "a slot is in use, or the entity has one");
        bySlot[slot] = new Entity(id, slot);
        byId.put(id, bySlot[slot]);
        if (relay != null) {
            relay.start(slot, x, y, z);
        }
    }

    private void reserve(int slot) {
        demand(slot >= 0 && slot < 1 << 24, "a slot is not below 2^24");
        if (slot >= bySlot.length) {
            int size = Math.max(slot + 1, 2 * bySlot.length);
            bySlot = Arrays.copyOf(bySlot, size);
            updates = Arrays.copyOf(updates, size);
            for (int axis = 0; axis < 3; axis++) {
                places[axis] = Arrays.copyOf(places[axis], size);
            }
        }
    }

    /** An observer sees the entity. Returns the entity's slot. */
    public int enter(int id, int observer) {
        Entity entity = byId.get(id);
        demand(entity != null, "an entity without a slot enters a view");
        entity.viewers.add(observer);
        return entity.slot;
    }

    /** The slot is free once the last view of the entity ends. */
    public void leave(int id, int observer) {
        Entity entity = byId.get(id);
        demand(entity != null && entity.viewers.remove((Integer) observer), "an entity without a slot leaves a view");
        if (entity.viewers.isEmpty()) {
            byId.remove(id);
            bySlot[entity.slot] = null;
        }
    }

    /** Applies a blob. Returns the slots that it names. */
    public int[] read(byte[] blob) {
        demand(relay != null, "a blob of positions without a precision");
        int[] named = relay.read(blob);
        for (int slot : named) {
            for (int axis = 0; axis < relay.axes(); axis++) {
                places[axis][slot] = relay.position(axis, slot);
            }
        }
        return named;
    }

    /** Sets exact positions; z null: 0. */
    public void set(int[] slots, float[] x, float[] y, float[] z) {
        for (int i = 0; i < slots.length; i++) {
            demand(slots[i] >= 0 && slots[i] < bySlot.length, "a position of a slot that is not in use");
            places[0][slots[i]] = x[i];
            places[1][slots[i]] = y[i];
            places[2][slots[i]] = z == null ? 0 : z[i];
            if (relay != null) {
                relay.start(slots[i], x[i], y[i], places[2][slots[i]]);
            }
        }
    }

    /** These positions have come. */
    public void touch(int[] slots) {
        for (int slot : slots) {
            demand(bySlot[slot] != null, "a position of a slot that is not in use");
            updates[slot]++;
        }
    }

    public int updates(int slot) {
        return updates[slot];
    }

    public float place(int axis, int slot) {
        return places[axis][slot];
    }

    public int id(int slot) {
        return bySlot[slot].id;
    }

    /** The observers that see the entity of the slot. */
    public List<Integer> viewers(int slot) {
        return bySlot[slot].viewers;
    }
}
