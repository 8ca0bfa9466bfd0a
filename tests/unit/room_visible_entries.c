/* SPDX-License-Identifier: Apache-2.0
 *
 * The visible entries of an observer: a set shrinks after a crowd has gone, and keeps the remaining entries.
 */
#include "server/room/views/state/visible_entries.h"
#include "tests/support/test.h"

#define CROWD 3000u
#define LEFT  20u /* stay */

TEST(a_set_shrinks_when_a_crowd_has_gone)
{
    qd_visible_entries set = {.multiplier = qd_visible_entries_multiplier(7)};
    qd_heap heap;

    (void)state;
    qd_heap_init(&heap);
    qd_visible_entries_relay(&set, &heap, true);
    for (uint32_t slot = 0; slot < CROWD; slot++) {
        uint32_t *place = qd_visible_entries_put(&set, &heap, slot, QD_ENTRY_INNER);

        *qd_entry_reported(&set, place) = slot;
        *qd_entry_id(&set, place) = slot + 1;
    }
    const uint32_t most = set.capacity;
    qd_visible_entries_trim(&set, &heap);
    assert_int_equal(set.capacity, most);

    for (uint32_t slot = LEFT; slot < CROWD; slot++) {
        qd_visible_entries_remove(&set, qd_visible_entries_find(&set, slot));
        qd_visible_entries_trim(&set, &heap);
    }
    assert_int_equal(set.count, LEFT);
    assert_true(set.capacity <= 16 * LEFT);
    for (uint32_t slot = 0; slot < LEFT; slot++) {
        uint32_t *place = qd_visible_entries_find(&set, slot);

        assert_non_null(place);
        assert_int_equal(*place, slot << QD_ENTRY_SHIFT | QD_ENTRY_INNER);
        assert_int_equal(*qd_entry_reported(&set, place), slot);
        assert_int_equal(*qd_entry_id(&set, place), slot + 1);
    }
    assert_null(qd_visible_entries_find(&set, LEFT));

    qd_visible_entries_deinit(&set, &heap);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

TEST_MAIN()
