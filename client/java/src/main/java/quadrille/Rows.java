// SPDX-License-Identifier: Apache-2.0
package quadrille;

/**
 * Two columns of ids, which are unsigned: pairs (a, b), or entries of views (observer, id).
 *
 * @param first a, or the observer
 * @param second b, or the id
 */
public record Rows(int[] first, int[] second) {
    static final Rows NONE = new Rows(new int[0], new int[0]);

    /** The number of rows. */
    public int size() {
        return first.length;
    }
}
