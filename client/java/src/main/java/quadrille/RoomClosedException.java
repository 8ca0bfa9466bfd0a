// SPDX-License-Identifier: Apache-2.0
package quadrille;

/** The room is closed, or this session has left it. */
public final class RoomClosedException extends QuadrilleException {
    private static final long serialVersionUID = 1;

    RoomClosedException(String text) {
        super(text);
    }
}
