// SPDX-License-Identifier: Apache-2.0
package quadrille;

/** The session has ended: it was closed, or the server refuses its token or version. */
public final class SessionEndedException extends QuadrilleException {
    private static final long serialVersionUID = 1;

    SessionEndedException(String text) {
        super(text);
    }
}
