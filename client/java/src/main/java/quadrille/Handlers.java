// SPDX-License-Identifier: Apache-2.0
package quadrille;

import quadrille.v1.EndReason;
import quadrille.v1.LeaveReason;

/** The handlers of a room's changes. Ids are unsigned. */
public final class Handlers {
    private Handlers() {
    }

    /** Gets a pair, with a below b. */
    public interface OfPair {
        void on(int a, int b);
    }

    /** Gets a pair that ended, and why: END_REASON_UNSPECIFIED by a reset. */
    public interface OfEnd {
        void on(int a, int b, EndReason reason);
    }

    /** Gets an observer and an entity that it sees now. */
    public interface OfEnter {
        void on(int observer, int id);
    }

    /** Gets an observer and an entity that it sees no more, and why: LEAVE_REASON_UNSPECIFIED by a reset. */
    public interface OfLeave {
        void on(int observer, int id, LeaveReason reason);
    }

    /** Gets the position of an entity in a view. */
    public interface OfRelay {
        void on(int observer, int id, float x, float y, float z);
    }

    /** Gets the ids of entities. */
    public interface OfIds {
        void on(int[] ids);
    }

    /** Gets the state of a session, and the reason for people, which is empty if it connects. */
    public interface OfState {
        void on(Session.State state, String reason);
    }
}
