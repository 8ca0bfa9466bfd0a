/* SPDX-License-Identifier: Apache-2.0
 *
 * Rosters: the reference keeps what was named as a plain list. A batch by roster must give the answers and have the
 * effect of a batch by the ids of that list.
 */
#include "run.h"

void forget_rosters(struct run *run, uint32_t actor)
{
    for (uint32_t number = 0; number < ROSTERS; number++) {
        free(run->rosters[actor][number].id);
        run->rosters[actor][number] = (struct list){0};
    }
}

static uint32_t count_others(const struct run *run, uint32_t actor, uint32_t number)
{
    uint32_t count = 0;

    for (uint32_t other = 0; other < ROSTERS; other++) {
        count += other == number ? 0 : run->rosters[actor][other].count;
    }
    return count;
}

static void take_list(struct list *list, const qd_room_roster *roster)
{
    uint32_t end = roster->first + roster->count, count = roster->keep_rest && list->count > end ? list->count : end;

    list->id = realloc(list->id, (count + 1) * sizeof list->id[0]);
    memcpy(list->id + roster->first, roster->id, roster->count * sizeof roster->id[0]);
    list->count = count;
}

static void name(struct run *run, uint32_t actor, const qd_room_roster *roster)
{
    struct list *list = &run->rosters[actor][roster->number];
    uint32_t end = roster->first + roster->count, after = roster->keep_rest && list->count > end ? list->count : end;
    qd_status expected = QD_OK;
    uint32_t count;

    if (roster->first > list->count) {
        expected = QD_ERR_INVALID;
    } else if (count_others(run, actor, roster->number) + after > run->roster_ids_max) {
        expected = QD_ERR_FULL;
    }
    qd_status status = qd_room_roster_name(run->room, run->member[actor], roster);
    if (run->is_short && status == QD_ERR_NO_MEMORY && expected == QD_OK) {
        met->short_calls++;
        expected = status;
    }
    REQUIRE(run, status == expected);
    met->named += expected == QD_OK;
    met->full += expected == QD_ERR_FULL;
    if (expected == QD_OK) {
        take_list(list, roster);
    }
    const uint32_t *id = qd_room_roster_ids(run->room, run->member[actor], roster->number, &count);
    REQUIRE(run, count == list->count && (id != NULL) == (count > 0));
    REQUIRE(run, count == 0 || memcmp(id, list->id, count * sizeof id[0]) == 0);
}

static void name_any(struct run *run, rng_stream *rng, uint32_t actor, uint32_t number)
{
    uint32_t now = run->rosters[actor][number].count;
    uint32_t first = rng_one_in(rng, 3) ? 0 : rng_below(rng, now + 2);
    qd_room_roster roster = {.number = number, .first = first, .id = run->id, .keep_rest = rng_one_in(rng, 2)};

    if (!rng_one_in(rng, 4)) {
        roster.count = rng_below(rng, rng_one_in(rng, 4) ? run->batch_max : 1 + run->batch_max / 8);
    }
    if (first + roster.count > BATCH_MAX) {
        roster.count = first > BATCH_MAX ? 0 : BATCH_MAX - first;
    }
    for (uint32_t i = 0; i < roster.count; i++) {
        run->id[i] = draw_id(run, rng);
    }
    name(run, actor, &roster);
}

void name_good(struct run *run, rng_stream *rng, uint32_t actor, const qd_room_batch *batch,
               const qd_room_refusals *refusals)
{
    static uint32_t good[BATCH_MAX];
    qd_room_roster roster = {.number = rng_below(rng, ROSTERS), .id = good};

    if (refusals->listed < refusals->count) {
        return;
    }
    for (uint32_t i = 0, refused = 0; i < batch->count; i++) {
        if (refused < refusals->listed && refusals->index[refused] == i) {
            refused++;
        } else {
            good[roster.count++] = batch->id[i];
        }
    }
    /* Behind what is there, or instead. */
    roster.first = rng_one_in(rng, 2) ? run->rosters[actor][roster.number].count : 0;
    if (roster.first + roster.count <= BATCH_MAX) {
        name(run, actor, &roster);
    }
}

static void place(struct run *run, rng_stream *rng, uint32_t actor, uint32_t number)
{
    const struct list *list = &run->rosters[actor][number];
    uint32_t first = rng_one_in(rng, 2) ? 0 : rng_below(rng, list->count);
    uint32_t count = rng_one_in(rng, 2) ? list->count - first : rng_below(rng, list->count - first + 1);
    qd_room_batch batch = {.id = list->id + first};
    qd_room_refusals refusals;

    draw_places(run, rng, &batch, count);
    qd_room_roster_positions places = {
        .number = number, .first = first, .count = count, .x = batch.x, .y = batch.y, .z = batch.z};
    memset(&refusals, 0x5a, sizeof refusals);
    qd_status status = qd_room_move_roster(run->room, run->member[actor], &places, &refusals);
    if (status != QD_OK) {
        fail(run, "places of roster %u were refused with %d", number, status);
    }
    met->placed++;
    met->placed_whole += count > 1 && refusals.count == 0;
    take_refusals(run, MOVE, run->member[actor], &batch, false, true, &refusals);
}

void do_roster(struct run *run, rng_stream *rng, uint32_t actor)
{
    uint32_t number = rng_below(rng, ROSTERS);

    /* One that is there is used more often than not. */
    for (uint32_t turn = 0; turn < ROSTERS && run->rosters[actor][number].count == 0; turn++) {
        number = (number + 1) % ROSTERS;
    }
    if (run->rosters[actor][number].count == 0 || rng_one_in(rng, 4)) {
        name_any(run, rng, actor, number);
    } else {
        place(run, rng, actor, number);
    }
}
