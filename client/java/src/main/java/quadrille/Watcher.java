// SPDX-License-Identifier: Apache-2.0
package quadrille;

/**
 * An observer that sees an entity.
 *
 * @param session the number of the session that owns the observer
 * @param observer its id there, unsigned
 */
public record Watcher(long session, int observer) {
}
