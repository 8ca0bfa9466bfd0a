/* SPDX-License-Identifier: Apache-2.0
 *
 * What a session keeps of a room, request by request.
 */
#include "client/session/kept.h"
#include "tests/support/test.h"

static const uint32_t ids[] = {1, 2, 3};
static const float numbers[] = {10, 20, 30}, others[] = {5, 6, 7};

static void spawn(qd_kept *kept, const uint8_t *refused)
{
    qd_client_message message = {
        .kind = QD_CLIENT_SPAWN,
        .as.batch.entities = {.count = 3, .id = ids, .x = numbers, .y = numbers, .half_x = others}};

    assert_true(qd_kept_apply(kept, &message, refused, 1));
}

TEST(refused_entries_are_not_kept)
{
    qd_kept kept = {0};

    spawn(&kept, (const uint8_t[]){0, 1, 0});
    assert_int_equal(kept.entity_count, 2);
    assert_null(qd_kept_find(&kept, 2));
    assert_float_equal(qd_kept_find(&kept, 3)->half_x, 7, 0);
    assert_int_equal(qd_kept_find(&kept, 3)->mask, UINT32_MAX);
    qd_kept_free(&kept);
}

TEST(roster_moves_reach_the_entities_of_its_entries)
{
    qd_kept kept = {0};
    const uint32_t order[] = {3, 1};
    qd_client_message set = {.kind = QD_CLIENT_SET_ROSTER, .as.set_roster = {.roster = 9, .count = 2, .id = order}};
    qd_client_message cut = {.kind = QD_CLIENT_SET_ROSTER, .as.set_roster = {.roster = 9, .first = 1}};
    qd_client_message move = {.kind = QD_CLIENT_MOVE_ROSTER,
                              .as.move_roster = {.roster = 9, .first = 1, .count = 1, .x = others, .y = others}};

    spawn(&kept, NULL);
    qd_kept_apply(&kept, &set, NULL, 1);
    qd_kept_apply(&kept, &move, NULL, 1);
    assert_float_equal(qd_kept_find(&kept, 1)->x, 5, 0);
    assert_float_equal(qd_kept_find(&kept, 3)->x, 30, 0);
    qd_kept_apply(&kept, &cut, NULL, 1);
    assert_int_equal(kept.rosters[9].count, 1);
    qd_kept_free(&kept);
}

TEST(observers_end_with_their_anchor)
{
    qd_kept kept = {0};
    qd_client_message observe = {.kind = QD_CLIENT_OBSERVE,
                                 .as.observers = {.count = 2, .id = ids, .entity = ids, .range = numbers}};
    qd_client_message except = {.kind = QD_CLIENT_SET_EXCEPTIONS,
                                .as.set_exceptions = {.observer = 1, .hide_count = 2, .hide = ids}};
    qd_client_message despawn = {.kind = QD_CLIENT_DESPAWN, .as.batch.entities = {.count = 1, .id = ids}};

    spawn(&kept, NULL);
    qd_kept_apply(&kept, &observe, NULL, 1);
    qd_kept_apply(&kept, &except, NULL, 1);
    assert_int_equal(qd_kept_observer_find(&kept, 1)->hide_count, 2);
    /* Observing again keeps the lists. */
    qd_kept_apply(&kept, &observe, NULL, 1);
    assert_int_equal(qd_kept_observer_find(&kept, 1)->hide_count, 2);
    qd_kept_apply(&kept, &despawn, NULL, 1);
    assert_null(qd_kept_observer_find(&kept, 1));
    assert_true(qd_kept_observer_find(&kept, 2)->anchored);
    qd_kept_free(&kept);
}

TEST(entities_that_are_handed_over_are_forgotten)
{
    qd_kept kept = {0};
    qd_client_message away = {.kind = QD_CLIENT_HAND_OVER, .as.hand_over = {.count = 2, .id = ids, .session = 4}};
    qd_client_message to_room = {.kind = QD_CLIENT_HAND_OVER,
                                 .as.hand_over = {.count = 1, .id = ids + 2, .room_owned = true}};

    spawn(&kept, NULL);
    qd_kept_apply(&kept, &away, (const uint8_t[]){0, 1}, 1);
    qd_kept_apply(&kept, &to_room, NULL, 1);
    assert_null(qd_kept_find(&kept, 1));
    assert_false(qd_kept_find(&kept, 2)->room_owned);
    assert_true(qd_kept_find(&kept, 3)->room_owned);
    qd_kept_free(&kept);
}

TEST_MAIN()
