// SPDX-License-Identifier: Apache-2.0
package quadrille;

import quadrille.internal.Fields;
import quadrille.v1.Bounds;

/** What Room.query() asks for. Coordinates are x, y, and z in rooms of three dimensions. */
public final class Query {
    final Fields fields = new Fields();

    private Query() {
    }

    private static float at(float[] place, int axis) {
        return axis < place.length ? place[axis] : 0;
    }

    private static Query of(String where, Object message) {
        Query query = new Query();
        query.fields.put(where, message);
        return query;
    }

    /** The entities in a box, by id. */
    public static Query box(float[] min, float[] max) {
        return of("box", Bounds.newBuilder().setMinX(at(min, 0)).setMinY(at(min, 1)).setMinZ(at(min, 2))
                .setMaxX(at(max, 0)).setMaxY(at(max, 1)).setMaxZ(at(max, 2)).build());
    }

    /** The entities in a circle or sphere, by id. */
    public static Query circle(float radius, float... center) {
        return of("circle", quadrille.v1.Query.Circle.newBuilder().setX(at(center, 0)).setY(at(center, 1))
                .setZ(at(center, 2)).setRadius(radius).build());
    }

    /** The entities nearest to a point. */
    public static Query nearest(float... point) {
        return of("nearest", quadrille.v1.Query.Nearest.newBuilder().setX(at(point, 0)).setY(at(point, 1))
                .setZ(at(point, 2)).build());
    }

    /** The entities nearest to a point, up to a distance. */
    public static Query within(float distance, float... point) {
        return of("nearest", quadrille.v1.Query.Nearest.newBuilder().setX(at(point, 0)).setY(at(point, 1))
                .setZ(at(point, 2)).setWithin(distance).build());
    }

    /** The entities that a ray hits, the first hit first; length 0: a ray without end. */
    public static Query ray(float[] origin, float[] direction, float length) {
        return of("ray", quadrille.v1.Query.Ray.newBuilder().setX(at(origin, 0)).setY(at(origin, 1))
                .setZ(at(origin, 2)).setDirectionX(at(direction, 0)).setDirectionY(at(direction, 1))
                .setDirectionZ(at(direction, 2)).setLength(length).build());
    }

    /** Only entities with one of these bits in their category. */
    public Query categories(int bits) {
        fields.put("categories", bits);
        return this;
    }

    /** The most entities in the answer, up to 65,536 (1,024). */
    public Query limit(int limit) {
        fields.put("limit", limit);
        return this;
    }
}
