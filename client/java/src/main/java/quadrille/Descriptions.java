// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.io.ByteArrayOutputStream;

/** What observers get and see of entities, for Room.describe(). An absent column leaves its values unchanged. */
public final class Descriptions extends Batch<Descriptions> {
    private Descriptions(int[] ids) {
        super(ids);
    }

    /** Descriptions of the entities of these ids. */
    public static Descriptions of(int... ids) {
        return new Descriptions(ids);
    }

    /** Numbers without a meaning for the server. */
    public Descriptions tag(long... tags) {
        return put("tag", tags);
    }

    /** Up to 32 bytes per entity, without a meaning for the server. */
    public Descriptions payload(byte[]... payloads) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int[] sizes = new int[payloads.length];
        for (int i = 0; i < payloads.length; i++) {
            all.writeBytes(payloads[i]);
            sizes[i] = payloads[i].length;
        }
        return put("payload", all.toByteArray()).put("payload_size", sizes);
    }

    /** The least distance from which each is seen. */
    public Descriptions visibleRange(float... ranges) {
        return put("visible_range", ranges);
    }

    /** 0: none. */
    public Descriptions team(int... teams) {
        return put("team", teams);
    }

    /** Whether only observers with the entity on their list `show` see it. */
    public Descriptions hidden(boolean hidden) {
        return put("hidden", new int[] {hidden ? 1 : 0});
    }
}
