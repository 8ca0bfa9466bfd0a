// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

/** A frame contradicts what was folded, which a server never sends. The session reconnects and gets a reset. */
public final class ContradictionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ContradictionException(String text) {
        super(text);
    }
}
