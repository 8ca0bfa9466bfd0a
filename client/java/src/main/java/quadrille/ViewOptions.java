// SPDX-License-Identifier: Apache-2.0
package quadrille;

import quadrille.internal.Fields;
import quadrille.v1.SetViewOptions;

/** A session's options for views in a room. They replace all earlier ones; what is not set has its default. */
public final class ViewOptions {
    final Fields fields = new Fields();

    /** Bytes of view data per tick, best 96 or more; 0: no limit. */
    public ViewOptions bytesMax(int bytes) {
        fields.put("bytes_max", bytes);
        return this;
    }

    /** The reverse view, which Room.watchers() reads. */
    public ViewOptions watch(SetViewOptions.Watch watch) {
        fields.put("watch", watch.getNumber());
        return this;
    }

    /** Sends each position once for all observers, exactly. */
    public ViewOptions relayOnce() {
        fields.put("relay_once", true);
        return this;
    }

    /** Sends each position once for all observers, to half of 2^-k units in one or two bytes; -8 to 20. */
    public ViewOptions relayOnce(int k) {
        fields.put("relay_k", k);
        return relayOnce();
    }
}
