// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import java.util.Arrays;

/**
 * Reads the relay stream (proto/RELAY.md): each position once per session, in one or two bytes. For each slot and axis
 * it has the position in steps, and the change that was sent last.
 */
public final class Relay {
    private static final int[] WIDTH = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24};
    private static final int GROUP = 16;
    private static final int SLOTS_MAX = 1 << 24;
    private static final int SLOTS_MIN = 64;
    private static final double STEPS_MAX = 1 << 30;

    private final double scale;
    private final int axes;
    private int count;
    private final int[][] at;
    private final int[][] last;
    private byte[] blob;
    private int position;
    private int end;
    private int[] slots = new int[SLOTS_MIN];
    private int slotCount;

    public Relay(int k, int axes, int count) {
        this.scale = Math.pow(2, k);
        this.axes = axes;
        this.count = count;
        this.at = new int[axes][Math.max(count, SLOTS_MIN)];
        this.last = new int[axes][Math.max(count, SLOTS_MIN)];
    }

    private static ContradictionException refusal() {
        return new ContradictionException("the bytes are no blob of version 1 of the relay stream for these slots");
    }

    /** Starts a slot at the exact position of an enter or of an exact entry. */
    public void start(int slot, float... position) {
        if (slot < 0 || slot >= SLOTS_MAX) {
            throw refusal();
        }
        count = Math.max(count, slot + 1);
        for (int axis = 0; axis < axes; axis++) {
            if (slot >= at[axis].length) {
                int size = Math.max(slot + 1, 2 * at[axis].length);
                at[axis] = Arrays.copyOf(at[axis], size);
                last[axis] = Arrays.copyOf(last[axis], size);
            }
            double steps = Math.floor(position[axis] * scale);
            at[axis][slot] = Math.abs(steps) < STEPS_MAX ? (int) steps : 0;
            last[axis][slot] = 0;
        }
    }

    /** The position of a slot in steps. */
    public int steps(int axis, int slot) {
        return at[axis][slot];
    }

    public int axes() {
        return axes;
    }

    public float position(int axis, int slot) {
        return (float) (at[axis][slot] / scale);
    }

    /** Applies a blob. Returns the slots that it names, ascending. After an exception the state is of no use. */
    public int[] read(byte[] bytes) {
        blob = bytes;
        end = bytes.length - 4;
        slotCount = 0;
        if (end < 3 || (blob[0] & 0x8F) != 1 || (blob[end] | blob[end + 1] | blob[end + 2] | blob[end + 3]) != 0) {
            throw refusal();
        }
        position = 1;
        readSlots(blob[0] >> 5 & 3);
        if (slotCount > 0 && slots[slotCount - 1] >= count) {
            throw refusal();
        }
        boolean predicted = (blob[0] & 16) != 0;
        for (int first = 0; first < slotCount; first += GROUP) {
            readGroup(first, Math.min(GROUP, slotCount - first), predicted);
        }
        if (position != end) {
            throw refusal();
        }
        return Arrays.copyOf(slots, slotCount);
    }

    private void readSlots(int kind) {
        long slot = readVarint();
        long number = readVarint();
        if (kind == 0) {
            if (slot + number > count) {
                throw refusal();
            }
            for (long i = 0; i < number; i++) {
                add(slot + i);
            }
        } else if (kind == 1) {
            readBitmap(slot, number);
        } else {
            for (long i = 0; i < number; i++) {
                long gap = readVarint();
                if (kind == 2) {
                    slot += gap;
                    add(slot++);
                } else {
                    long size = readVarint();
                    slot += 8 * gap;
                    readBitmap(slot, size);
                    slot += 8 * size;
                }
            }
        }
    }

    private void add(long slot) {
        if (slot >= count) {
            throw refusal();
        }
        if (slotCount == slots.length) {
            slots = Arrays.copyOf(slots, 2 * slotCount);
        }
        slots[slotCount++] = (int) slot;
    }

    private void readBitmap(long first, long size) {
        if (position + size > end) {
            throw refusal();
        }
        for (long i = 0; i < size; i++) {
            for (int bits = blob[position++] & 0xFF; bits != 0; bits &= bits - 1) {
                add(first + 8 * i + Integer.numberOfTrailingZeros(bits));
            }
        }
    }

    private long readVarint() {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            if (position >= end) {
                throw refusal();
            }
            byte each = blob[position++];
            value |= (long) (each & 0x7F) << shift;
            if (each >= 0) {
                if (value >>> 32 != 0) {
                    throw refusal();
                }
                return value;
            }
        }
        throw refusal();
    }

    private void readGroup(int first, int size, boolean predicted) {
        if (position + axes - 1 > end) {
            throw refusal();
        }
        int codes = blob[position] & 0xFF;
        if (axes == 3) {
            codes |= (blob[position + 1] & 0xFF) << 8;
            if (codes >> 12 != 0) {
                throw refusal();
            }
        }
        position += axes - 1;
        for (int axis = 0; axis < axes; axis++) {
            int width = WIDTH[codes >> 4 * axis & 15];
            int next = position + (size * width + 7 >> 3);
            if (next > end) {
                throw refusal();
            }
            readValues(at[axis], last[axis], first, size, width, predicted);
            position = next;
        }
    }

    private void readValues(int[] places, int[] changes, int first, int size, int width, boolean predicted) {
        int mask = (1 << width) - 1;
        for (int i = 0, bit = 8 * position; i < size; i++, bit += width) {
            int value = load(bit >> 3) >>> (bit & 7) & mask;
            int change = value >>> 1 ^ -(value & 1);
            int slot = slots[first + i];
            changes[slot] = predicted ? changes[slot] + change : change;
            places[slot] += changes[slot];
        }
    }

    /** Four bytes; a width of 24 at bit 7 takes 31. The zeros behind the values are there. */
    private int load(int from) {
        return blob[from] & 0xFF | (blob[from + 1] & 0xFF) << 8 | (blob[from + 2] & 0xFF) << 16
                | (blob[from + 3] & 0xFF) << 24;
    }
}
