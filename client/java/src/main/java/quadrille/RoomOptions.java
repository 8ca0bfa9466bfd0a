// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.function.Consumer;
import quadrille.v1.Bounds;
import quadrille.v1.RoomConfig;
import quadrille.v1.TickMode;

/** The configuration of a room. Each method sets one field, and returns the options. Absent fields have their
 * default. */
public final class RoomOptions {
    private final RoomConfig.Builder config = RoomConfig.newBuilder();

    /** A room of two dimensions with these bounds. */
    public static RoomOptions bounds(float minX, float minY, float maxX, float maxY) {
        return new RoomOptions().with(config -> config.setBounds(
                Bounds.newBuilder().setMinX(minX).setMinY(minY).setMaxX(maxX).setMaxY(maxY)).setDimensions(2));
    }

    /** A room of three dimensions with these bounds. */
    public static RoomOptions bounds(float minX, float minY, float minZ, float maxX, float maxY, float maxZ) {
        return new RoomOptions().with(config -> config.setBounds(Bounds.newBuilder().setMinX(minX).setMinY(minY)
                .setMinZ(minZ).setMaxX(maxX).setMaxY(maxY).setMaxZ(maxZ)).setDimensions(3));
    }

    /** The room ticks by Room.step(). */
    public RoomOptions step() {
        config.setTickMode(TickMode.TICK_MODE_STEP);
        return this;
    }

    /** Ticks per second of the room's own clock (20). */
    public RoomOptions hz(int hz) {
        config.setTickHz(hz);
        return this;
    }

    /** Sets further fields, which quadrille.proto documents: with(config -> config.setSwept(true)). */
    public RoomOptions with(Consumer<RoomConfig.Builder> change) {
        change.accept(config);
        return this;
    }

    RoomConfig build() {
        return config.build();
    }
}
