/* SPDX-License-Identifier: Apache-2.0
 *
 * Box2D's broad phase, as its worlds use it: a tree of boxes that are larger than the entities. UpdatePairs reports
 * pairs that may be new. The caller keeps the pairs, drops those whose enlarged boxes parted, and compares the others
 * exactly.
 */
#include <string>
#include <vector>

#include <box2d/b2_broad_phase.h>
#include <box2d/b2_common.h>

#include "peer.h"

namespace
{

/* Box2D makes boxes larger by 0.1 and in the direction of travel by 4 displacements; these are shares of the true one.
 */
const float displacements[] = {1, 0.25f, 0.5f, 2};

/* A set of pairs: open addressing, at most half full. */
class PairSet
{
  public:
    PairSet() : table(1024, Empty) {}

    bool add(uint64_t pair)
    {
        if (count * 2 >= table.size()) {
            grow();
        }
        size_t at = find(pair);
        if (table[at] == pair) {
            return false;
        }
        table[at] = pair;
        count++;
        return true;
    }

    /* Later entries of the run move up to close the gap. */
    void remove(uint64_t pair)
    {
        size_t mask = table.size() - 1, gap = find(pair);

        for (size_t at = (gap + 1) & mask; table[at] != Empty; at = (at + 1) & mask) {
            if (((at - home(table[at])) & mask) >= ((at - gap) & mask)) {
                table[gap] = table[at];
                gap = at;
            }
        }
        table[gap] = Empty;
        count--;
    }

  private:
    static constexpr uint64_t Empty = UINT64_MAX;

    size_t home(uint64_t pair) const { return (pair * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table.size() - 1); }

    size_t find(uint64_t pair) const
    {
        size_t at = home(pair);

        while (table[at] != Empty && table[at] != pair) {
            at = (at + 1) & (table.size() - 1);
        }
        return at;
    }

    void grow()
    {
        std::vector<uint64_t> old(table.size() * 2, Empty);

        old.swap(table);
        for (uint64_t pair : old) {
            if (pair != Empty) {
                table[find(pair)] = pair;
            }
        }
    }

    std::vector<uint64_t> table;
    size_t count = 0;
};

struct Pair {
    uint32_t a, b;

    uint64_t key() const { return (uint64_t)a << 32 | b; }
};

class World
{
  public:
    World(const scene *s, float displacement_share) : share(displacement_share)
    {
        for (uint32_t i = 0; i < s->count; i++) {
            proxies.push_back(broad_phase.CreateProxy(box_of(s, i), (void *)(uintptr_t)i));
        }
    }

    void tick(const scene *s, peer_pairs *found)
    {
        for (uint32_t i = 0; i < s->moving; i++) {
            broad_phase.MoveProxy(proxies[i], box_of(s, i), b2Vec2(s->speed[0][i] * share, s->speed[1][i] * share));
        }
        broad_phase.UpdatePairs(this);
        for (size_t i = 0; i < pairs.size();) {
            Pair pair = pairs[i];
            if (!broad_phase.TestOverlap(proxies[pair.a], proxies[pair.b])) {
                known.remove(pair.key());
                pairs[i] = pairs.back();
                pairs.pop_back();
                continue;
            }
            if (scene_overlap(&s->box[pair.a], &s->box[pair.b])) {
                peer_pairs_add(found, pair.a, pair.b);
            }
            i++;
        }
    }

    /* Called by UpdatePairs. */
    void AddPair(void *user_a, void *user_b)
    {
        uint32_t a = (uint32_t)(uintptr_t)user_a, b = (uint32_t)(uintptr_t)user_b;
        Pair pair = a < b ? Pair{a, b} : Pair{b, a};

        if (known.add(pair.key())) {
            pairs.push_back(pair);
        }
    }

  private:
    static b2AABB box_of(const scene *s, uint32_t i)
    {
        b2AABB box;

        box.lowerBound.Set(s->box[i].lo[0], s->box[i].lo[1]);
        box.upperBound.Set(s->box[i].hi[0], s->box[i].hi[1]);
        return box;
    }

    float share;
    b2BroadPhase broad_phase;
    std::vector<int32> proxies;
    std::vector<Pair> pairs;
    PairSet known;
};

void *create(const peer *, const scene *s, uint32_t setting, char note[64])
{
    snprintf(note, 64, "displacement x %g", (double)displacements[setting]);
    return new World(s, displacements[setting]);
}

void tick(void *state, const scene *s, peer_pairs *found)
{
    static_cast<World *>(state)->tick(s, found);
}

void destroy(void *state)
{
    delete static_cast<World *>(state);
}

} // namespace

int main(int count, char **arguments)
{
    std::string version = std::to_string(b2_version.major) + "." + std::to_string(b2_version.minor) + "." +
                          std::to_string(b2_version.revision);
    const peer box2d = {"Box2D UpdatePairs",
                        version.c_str(),
                        0,
                        sizeof displacements / sizeof *displacements,
                        create,
                        tick,
                        nullptr,
                        destroy,
                        nullptr};

    return peer_main(&box2d, 1, count, arguments);
}
