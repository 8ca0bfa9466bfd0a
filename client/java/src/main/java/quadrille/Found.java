// SPDX-License-Identifier: Apache-2.0
package quadrille;

/**
 * The result of a query.
 *
 * @param ids unsigned
 * @param distances 0 for regions
 * @param tick which the result describes
 * @param more there are more than the limit
 */
public record Found(int[] ids, double[] distances, long tick, boolean more) {
}
