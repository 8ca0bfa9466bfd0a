// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import quadrille.internal.Columns;

/** What has changed in a room up to a tick, as columns. */
public final class Tick {
    /** Kinds of changes. */
    enum Kind { ENDS, BEGINS, PASSED, STAYS, LEAVES, ENTERS, RELAYS }

    /**
     * Positions of entities in views.
     *
     * @param observers whose view it is
     * @param ids of the entities
     */
    public record Relays(int[] observers, int[] ids, float[] x, float[] y, float[] z) {
        /** The number of positions. */
        public int size() {
            return ids.length;
        }
    }

    private static final byte[] NO_REASONS = {};

    long number;
    boolean isReset;
    long[] late = {};
    private final Map<Kind, List<Object[]>> chunks = new EnumMap<>(Kind.class);

    Tick(long number) {
        this.number = number;
    }

    /** Adds columns of one length. */
    void add(Kind kind, Object... columns) {
        if (Columns.size(columns[0]) > 0) {
            chunks.computeIfAbsent(kind, any -> new ArrayList<>(1)).add(columns);
        }
    }

    /** Appends later changes. */
    void merge(Tick other) {
        number = other.number;
        isReset |= other.isReset;
        other.chunks.forEach((kind, more) -> chunks.computeIfAbsent(kind, any -> new ArrayList<>()).addAll(more));
    }

    boolean isEmpty() {
        return chunks.isEmpty() && !isReset;
    }

    private Object[] columns(Kind kind) {
        List<Object[]> found = chunks.get(kind);
        if (found == null) {
            return null;
        }
        if (found.size() > 1) {
            Object[] joined = found.get(0).clone();
            for (int column = 0; column < joined.length; column++) {
                joined[column] = join(found, column);
            }
            chunks.put(kind, new ArrayList<>(List.<Object[]>of(joined)));
        }
        return chunks.get(kind).get(0);
    }

    private static Object join(List<Object[]> chunks, int column) {
        int size = chunks.stream().mapToInt(chunk -> Columns.size(chunk[column])).sum();
        Object all = Columns.empty(chunks.get(0)[column], size);
        int at = 0;
        for (Object[] chunk : chunks) {
            System.arraycopy(chunk[column], 0, all, at, Columns.size(chunk[column]));
            at += Columns.size(chunk[column]);
        }
        return all;
    }

    private synchronized Rows rows(Kind kind) {
        Object[] found = columns(kind);
        return found == null ? Rows.NONE : new Rows((int[]) found[0], (int[]) found[1]);
    }

    private synchronized byte[] reasons(Kind kind) {
        Object[] found = columns(kind);
        return found == null ? NO_REASONS : (byte[]) found[2];
    }

    /** The number of the tick. */
    public long number() {
        return number;
    }

    /** Whether the set of pairs was replaced: ends and begins are the difference, ends with the reason 0. */
    public boolean isReset() {
        return isReset;
    }

    /** In lockstep: the sessions that did not step in time. */
    public long[] late() {
        return late;
    }

    /** Pairs that touch now. */
    public Rows begins() {
        return rows(Kind.BEGINS);
    }

    /** Pairs that touch no more. */
    public Rows ends() {
        return rows(Kind.ENDS);
    }

    /** The number of an EndReason per end, or 0 by a reset. */
    public byte[] endReasons() {
        return reasons(Kind.ENDS);
    }

    /** Pairs that touched only between two ticks. */
    public Rows passed() {
        return rows(Kind.PASSED);
    }

    /** Pairs that still touch, if subscribe() has asked for them. */
    public Rows stays() {
        return rows(Kind.STAYS);
    }

    /** Entities that entered views. */
    public Rows enters() {
        return rows(Kind.ENTERS);
    }

    /** Entities that left views. */
    public Rows leaves() {
        return rows(Kind.LEAVES);
    }

    /** The number of a LeaveReason per leave, or 0 by a reset. */
    public byte[] leaveReasons() {
        return reasons(Kind.LEAVES);
    }

    /** Positions of entities in views. They are collected if the room has a handler of relays or ticks. */
    public synchronized Relays relays() {
        Object[] found = columns(Kind.RELAYS);
        return found == null ? new Relays(new int[0], new int[0], new float[0], new float[0], new float[0])
                : new Relays((int[]) found[0], (int[]) found[1], (float[]) found[2], (float[]) found[3],
                        (float[]) found[4]);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Tick ").append(number).append(isReset ? " reset" : "");
        for (Kind kind : Kind.values()) {
            synchronized (this) {
                Object[] found = columns(kind);
                text.append(found == null ? "" : " " + kind.name().toLowerCase(java.util.Locale.ROOT) + "="
                        + Columns.size(found[0]));
            }
        }
        return text.toString();
    }
}
