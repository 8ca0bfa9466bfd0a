// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.List;
import quadrille.internal.Fields;

/**
 * Why an observer sees an entity, or does not.
 *
 * @param session the number of the session that owns the observer
 * @param observer its id there, unsigned
 * @param why the reason
 * @param distance between the centers
 */
public record Visibility(long session, int observer, quadrille.v1.Visibility why, double distance) {
    static List<Visibility> of(Fields result) {
        List<Visibility> found = new ArrayList<>();
        for (int i = 0; i < result.ints("observer").length; i++) {
            quadrille.v1.Visibility why = quadrille.v1.Visibility.forNumber(result.bytes("visibility")[i]);
            found.add(new Visibility(result.longs("session")[i], result.ints("observer")[i],
                    why == null ? quadrille.v1.Visibility.UNRECOGNIZED : why, ((double[]) result.get("distance"))[i]));
        }
        return found;
    }
}
