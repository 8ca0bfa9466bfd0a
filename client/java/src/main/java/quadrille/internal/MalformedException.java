// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

/** The bytes are not a frame of this protocol. */
public final class MalformedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public MalformedException(String text) {
        super(text);
    }
}
