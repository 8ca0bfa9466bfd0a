// SPDX-License-Identifier: Apache-2.0
package quadrille;

/**
 * An entity as one observer knows it: its values at the enter, with the last reported position.
 *
 * @param id unsigned
 * @param shape the number of a Shape
 */
public record Seen(int id, float x, float y, float z, float halfX, float halfY, float halfZ, float radius, float axisX,
                   float axisY, float axisZ, int shape, int category, long tag, byte[] payload) {
}
