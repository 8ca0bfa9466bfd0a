/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

#include "../../common/order.h"

bool qd_observers_rank(qd_views *views)
{
    uint32_t count = views->live + views->gone, members = 0, at = 0;
    qd_order order;

    if (!views->order_stale) {
        return true;
    }
    if (count > 0 && (!qd_array_reserve(views->heap, views->order, views->order_capacity, count - 1) ||
                      !qd_order_in_block(&order, &views->scratch, views->heap, count))) {
        return false;
    }
    views->order_stale = false;
    views->order_count = count;
    if (count == 0) {
        return true;
    }
    for (uint32_t row = 0; row < views->count; row++) {
        const qd_observer *observer = &views->observers[row];

        if (observer->state == QD_OBSERVER_FREE) {
            continue;
        }
        order.keys[at] = (uint64_t)observer->member << 32 | observer->id;
        order.values[at++] = row;
        members |= observer->member;
    }
    QD_ASSERT(at == count);
    qd_order_sort(&order, count, 32, members ? 32u - (unsigned)__builtin_clz(members) : 0);
    for (uint32_t rank = 0; rank < count; rank++) {
        views->order[rank] = order.keys[rank];
        views->observers[order.values[rank]].rank = rank;
    }
    return true;
}
