/* SPDX-License-Identifier: Apache-2.0
 *
 * Bullet's btDbvtBroadphase with deferred collision (all pairs of a tick in one descent of its two trees) and its
 * hashed pair cache. The cached pairs are those of enlarged boxes, so they are compared exactly.
 */
#include <string>
#include <vector>

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include "peer.h"

namespace
{

/* The enlargement of the boxes, in ticks at top speed; 0: Bullet's default, 0.05. */
const float margins[] = {0, 0.5f, 1, 2, 4};
const btScalar margin_default = gDbvtMargin;

struct World {
    btDbvtBroadphase broad_phase;
    std::vector<btBroadphaseProxy *> proxies;
};

/* A corner; in two dimensions z is 0. */
btVector3 corner(const float (&at)[SCENE_AXES])
{
    return btVector3(at[0], at[1], SCENE_AXES == 2 ? 0 : at[SCENE_AXES - 1]);
}

void *create(const peer *, const scene *s, uint32_t setting, char note[64])
{
    World *world = new World;

    gDbvtMargin = margins[setting] > 0 ? margins[setting] * s->workload->speed_max : margin_default;
    world->broad_phase.m_deferedcollide = true;
    for (uint32_t i = 0; i < s->count; i++) {
        world->proxies.push_back(
            world->broad_phase.createProxy(corner(s->box[i].lo), corner(s->box[i].hi), 0, &s->box[i], 1, 1, nullptr));
    }
    snprintf(note, 64, "margin %.3g", (double)gDbvtMargin);
    return world;
}

void tick(void *state, const scene *s, peer_pairs *found)
{
    World *world = static_cast<World *>(state);

    for (uint32_t i = 0; i < s->moving; i++) {
        world->broad_phase.setAabb(world->proxies[i], corner(s->box[i].lo), corner(s->box[i].hi), nullptr);
    }
    world->broad_phase.calculateOverlappingPairs(nullptr);

    const btBroadphasePairArray &pairs = world->broad_phase.getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < pairs.size(); i++) {
        const scene_box *a = static_cast<const scene_box *>(pairs[i].m_pProxy0->m_clientObject);
        const scene_box *b = static_cast<const scene_box *>(pairs[i].m_pProxy1->m_clientObject);
        if (scene_overlap(a, b)) {
            peer_pairs_add(found, (uint32_t)(a - s->box), (uint32_t)(b - s->box));
        }
    }
}

/* destroyProxy would search all pairs for each proxy. */
void destroy(void *state)
{
    World *world = static_cast<World *>(state);
    std::vector<btBroadphaseProxy *> proxies = world->proxies;

    delete world;
    for (btBroadphaseProxy *proxy : proxies) {
        btAlignedFree(proxy);
    }
}

} // namespace

int main(int count, char **arguments)
{
    std::string version = std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
    const peer bullet = {"Bullet Dbvt", version.c_str(), 0,      sizeof margins / sizeof *margins, create, tick,
                         nullptr,       destroy,         nullptr};

    return peer_main(&bullet, 1, count, arguments);
}
