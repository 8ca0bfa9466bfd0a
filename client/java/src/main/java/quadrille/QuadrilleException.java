// SPDX-License-Identifier: Apache-2.0
package quadrille;

/** The base of all exceptions of this library. A future that fails with one of them has it as the cause. */
public class QuadrilleException extends RuntimeException {
    private static final long serialVersionUID = 1;

    QuadrilleException(String text) {
        super(text);
    }
}
