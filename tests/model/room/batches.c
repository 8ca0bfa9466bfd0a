/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <math.h>

static float draw_size(struct run *run, rng_stream *rng)
{
    if (run->dirty && rng_one_in(rng, 40)) {
        static const float odd[] = {NAN, INFINITY, -1, -INFINITY, -1e-40f, -0.0f, 1e-40f, 1e5f, 3e38f};

        return odd[rng_below(rng, sizeof odd / sizeof odd[0])];
    }
    if (rng_one_in(rng, run->huge ? 1000 : 60)) {
        return (float)rng_below(rng, run->side);
    }
    return (float)rng_below(rng, 5) * 0.5f;
}

/* Nearly always 0 if the shape lacks the size. */
static float draw_size_of(struct run *run, rng_stream *rng, bool has)
{
    return has || rng_one_in(rng, 50) ? draw_size(run, rng) : 0;
}

static uint32_t draw_bits(rng_stream *rng)
{
    return rng_one_in(rng, 3) ? UINT32_MAX : rng_below(rng, 4);
}

static uint8_t draw_shape(struct run *run, rng_stream *rng)
{
    if (run->dirty && rng_one_in(rng, 50)) {
        return (uint8_t)rng_below(rng, 256);
    }
    if (run->capsules && rng_one_in(rng, 3)) {
        return QD_SPACE_CAPSULE;
    }
    return run->circles && rng_one_in(rng, 2) ? QD_SPACE_CIRCLE : QD_SPACE_BOX;
}

/* Draws all columns; the caller decides which of them the batch has. */
static qd_room_batch draw_batch(struct run *run, rng_stream *rng)
{
    uint32_t count = 1 + rng_below(rng, rng_one_in(rng, 4) ? run->batch_max : 1 + run->batch_max / 8);

    if (run->huge) {
        count = run->batch_max;
    }

    for (uint32_t i = 0; i < count; i++) {
        run->id[i] = draw_id(run, rng);
        run->shape[i] = draw_shape(run, rng);
        for (int axis = 0; axis < 3; axis++) {
            run->at[axis][i] = draw_coordinate(run, rng);
            run->half[axis][i] = draw_size_of(run, rng, run->shape[i] == QD_SPACE_BOX);
            run->axis[axis][i] = draw_size_of(run, rng, run->shape[i] == QD_SPACE_CAPSULE);
            if (rng_one_in(rng, 2)) {
                run->axis[axis][i] = -run->axis[axis][i];
            }
        }
        run->radius[i] = draw_size_of(run, rng, run->shape[i] != QD_SPACE_BOX);
        run->category[i] = draw_bits(rng);
        run->mask[i] = draw_bits(rng);
    }
    return (qd_room_batch){.count = count, .id = run->id};
}

static void add_places(struct run *run, qd_room_batch *batch)
{
    batch->x = run->at[0];
    batch->y = run->at[1];
    batch->z = run->is_3d ? run->at[2] : NULL;
}

void draw_places(struct run *run, rng_stream *rng, qd_room_batch *batch, uint32_t count)
{
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < count; i++) {
            run->at[axis][i] = draw_coordinate(run, rng);
        }
    }
    batch->count = count;
    add_places(run, batch);
}

static void add_columns(struct run *run, rng_stream *rng, qd_room_batch *batch)
{
    if (!rng_one_in(rng, 5)) {
        batch->half_x = run->half[0];
    }
    if (!rng_one_in(rng, 5)) {
        batch->half_y = run->half[1];
    }
    if (run->is_3d && !rng_one_in(rng, 5)) {
        batch->half_z = run->half[2];
    }
    if (!rng_one_in(rng, run->circles || run->capsules ? 5 : 20)) {
        batch->radius = run->radius;
    }
    for (int axis = 0; axis < (run->is_3d ? 3 : 2) && run->capsules; axis++) {
        if (!rng_one_in(rng, 5)) {
            *(const float **[]){&batch->axis_x, &batch->axis_y, &batch->axis_z}[axis] = run->axis[axis];
        }
    }
    if ((run->circles || run->capsules) && !rng_one_in(rng, 3)) {
        batch->shape = run->shape;
    }
    if (run->filters && rng_one_in(rng, 2)) {
        batch->category = run->category;
    }
    if (run->filters && rng_one_in(rng, 2)) {
        batch->mask = run->mask;
    }
}

/* Returns why the entry is refused; 0: it is not. */
static int expect_entry(struct run *run, action what, uint32_t member, const qd_room_batch *batch, bool room_owned,
                        bool by_roster, uint32_t i)
{
    ref_room *reference = run->reference;
    const float at[3] = {batch->x ? batch->x[i] : 0, batch->y ? batch->y[i] : 0, batch->z ? batch->z[i] : 0};
    ref_entity entity = {.id = batch->id[i], .owner = room_owned ? QD_ROOM_OWNED : member};

    switch (what) {
    case SPAWN:
        entity.body =
            (qd_body){.x = at[0], .y = at[1], .z = at[2], .shape = QD_SPACE_BOX, .category = 1, .mask = UINT32_MAX};
        return ref_spawn(reference, entity, batch, i);
    case MOVE:
    case TELEPORT:
        return ref_place(reference, member, batch->id[i], at, what == TELEPORT, by_roster);
    case RESHAPE:
        return ref_reshape(reference, member, batch, i);
    case DESPAWN:
        return ref_despawn(reference, member, batch->id[i]);
    case HAND_OVER:
        return ref_give(reference, member, batch->id[i], run->to);
    }
    return 0;
}

/* Whether the entry is refused for lack of memory, or because the room is full. Neither changes anything. As only one
 * allocation fails, all refused entries are listed then. */
static bool lacks_memory(const struct run *run, action what, const qd_room_refusals *refusals, uint32_t count,
                         uint32_t i)
{
    return run->is_short && (what == SPAWN || what == RESHAPE) && count < refusals->listed &&
           refusals->index[count] == i && refusals->code[count] == QD_ROOM_FULL;
}

static void check_batch(struct run *run, action what, uint32_t member, const qd_room_batch *batch, bool room_owned,
                        bool by_roster, const qd_room_refusals *refusals)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < batch->count; i++) {
        if (lacks_memory(run, what, refusals, count, i)) {
            met->short_entries++;
            count++;
            continue;
        }
        int expected = expect_entry(run, what, member, batch, room_owned, by_roster, i);

        if (!expected) {
            continue;
        }
        if (count >= refusals->listed && run->is_short) {
            count++;
            continue;
        }
        if (count >= refusals->listed || refusals->index[count] != i ||
            REF_FAULT(refusals->code[count], refusals->field[count]) != expected) {
            fail(run, "entry %u (id %u) should be refused with %d in field %d", i, batch->id[i], expected % 256,
                 expected / 256);
        }
        met->refused[expected % 256]++;
        count++;
    }
    REQUIRE(run, refusals->count == count);
    REQUIRE(run, refusals->listed == count || run->is_short);
}

void take_refusals(struct run *run, action what, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   bool by_roster, const qd_room_refusals *refusals)
{
    run->updates += batch->count - refusals->count;
    mix_number(run, refusals->count);
    mix(run, refusals->index, refusals->listed * sizeof refusals->index[0]);
    mix(run, refusals->code, refusals->listed);
    mix(run, refusals->field, refusals->listed);
    if (run->reference) {
        check_batch(run, what, member, batch, room_owned, by_roster, refusals);
    }
}

void do_batch(struct run *run, rng_stream *rng, action what, uint32_t actor)
{
    uint32_t member = run->member[actor];
    qd_room_batch batch = draw_batch(run, rng);
    qd_room_refusals refusals;
    bool room_owned = rng_one_in(rng, 4);
    uint32_t handed_over = 0, handed_before = run->reference ? run->reference->handed_over : 0;

    if (what == SPAWN || what == MOVE || what == TELEPORT) {
        add_places(run, &batch);
    }
    if (what == SPAWN || what == RESHAPE) {
        add_columns(run, rng, &batch);
    }
    if (what == HAND_OVER) {
        run->to = run->member[rng_below(rng, run->actors)];
        batch.count = 1 + batch.count / 4;
    }
    memset(&refusals, 0x5a, sizeof refusals);
    switch (what) {
    case SPAWN:
        qd_room_spawn(run->room, member, &batch, room_owned, &refusals);
        break;
    case MOVE:
        qd_room_move(run->room, member, &batch, &refusals);
        break;
    case TELEPORT:
        qd_room_teleport(run->room, member, &batch, &refusals);
        break;
    case RESHAPE:
        qd_room_reshape(run->room, member, &batch, &refusals);
        break;
    case DESPAWN:
        qd_room_despawn(run->room, member, &batch, &refusals);
        break;
    case HAND_OVER:
        handed_over = qd_room_hand_over(run->room, member, batch.id, batch.count, run->to, NULL, &refusals);
        break;
    }
    take_refusals(run, what, member, &batch, room_owned, false, &refusals);
    if (what == HAND_OVER) {
        mix_number(run, handed_over);
        REQUIRE(run, !run->reference || run->reference->handed_over == handed_before + handed_over);
        renew_views(run, member, run->to, handed_over);
        met->handed_over += handed_over;
    }
    if (what == SPAWN && rng_one_in(rng, 3)) {
        name_good(run, rng, actor, &batch, &refusals);
    }
}
