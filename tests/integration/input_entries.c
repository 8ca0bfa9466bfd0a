/* SPDX-License-Identifier: Apache-2.0
 *
 * Bad entries in good batches: each is refused alone, by its index and for its reason; the rest is applied.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/session.h"

#define ADDRESS qd_server_address(session_server)

static session_witness witness;
static qd_client *client;

static int open_all(void **state)
{
    session_server_setup(state);
    session_witness_open(&witness, ADDRESS);
    client = session_open(ADDRESS);
    return 0;
}

static int close_all(void **state)
{
    qd_client_destroy(client);
    session_witness_close(&witness);
    return session_server_teardown(state);
}

/* The entities of the room are these. */
static void expect_entities(uint64_t room, uint32_t count, const uint32_t *ids)
{
    uint32_t seq = qd_client_snapshot(client, room, NULL, 0);
    const qd_msg_snapshot_result *result = &session_expect(client, seq, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result;

    assert_true(result->last);
    assert_false(result->more);
    assert_int_equal(result->entities.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(result->entities.id[i], ids[i]);
    }
}

static void test_spawn(void **state)
{
    (void)state;
    uint64_t room = session_open_room(client, "spawn", NULL);
    session_spawn(client, room, 100, 5, 5);
    const uint32_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1, 100};
    const float x[] = {1, NAN, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, INFINITY, 1, 1, 1};
    const float y[] = {1, 1, -INFINITY, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const float half_x[] = {1, 1, 1, -1, 1, NAN, 1, INFINITY, 1, -0.0f, 1, -1, 1, 1, 1, 1};
    const float half_y[] = {1, 1, 1, 1, -1e-30f, 1, INFINITY, 1, NAN, 0, -1, 1, 1, 1, 1, 1};
    const uint8_t shapes[] = {QD_SHAPE_BOX, QD_SHAPE_BOX, QD_SHAPE_BOX, QD_SHAPE_BOX, QD_SHAPE_BOX, QD_SHAPE_BOX,
                              QD_SHAPE_BOX, QD_SHAPE_CIRCLE,
                              /* a circle's half_y takes no part, but is kept */
                              QD_SHAPE_CIRCLE, QD_SHAPE_BOX, QD_SHAPE_CIRCLE, QD_SHAPE_CIRCLE, QD_SHAPE_BOX, 4,
                              QD_SHAPE_BOX, QD_SHAPE_BOX};
    const uint32_t refused[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15};
    const qd_error_code codes[] = {QD_ERROR_NOT_FINITE,    QD_ERROR_NOT_FINITE, QD_ERROR_NEGATIVE_SIZE,
                                   QD_ERROR_NEGATIVE_SIZE, QD_ERROR_NOT_FINITE, QD_ERROR_NOT_FINITE,
                                   QD_ERROR_NOT_FINITE,    QD_ERROR_NOT_FINITE, QD_ERROR_NEGATIVE_SIZE,
                                   QD_ERROR_NEGATIVE_SIZE, QD_ERROR_NOT_FINITE, QD_ERROR_UNKNOWN_SHAPE,
                                   QD_ERROR_ID_TAKEN,      QD_ERROR_ID_TAKEN};
    const qd_msg_entities batch = {16, ids, .x = x, .y = y, .half_x = half_x, .half_y = half_y, .shape = shapes};
    session_expect_entries(client, qd_client_spawn(client, room, &batch, false), 14, refused, codes);
    expect_entities(room, 3, (const uint32_t[]){1, 10, 100});
    session_expect_quiet(client);
    session_witness_check(&witness);
}

static void test_shapes(void **state)
{
    (void)state;
    uint64_t room = session_open_room(client, "shapes", NULL);
    uint32_t ids[256], refused[256];
    float zero[256] = {0};
    uint8_t shapes[256];
    qd_error_code codes[256];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 256; i++) {
        ids[i] = i;
        shapes[i] = (uint8_t)i;
        if (i != QD_SHAPE_BOX && i != QD_SHAPE_CIRCLE && i != QD_SHAPE_CAPSULE) {
            refused[count] = i;
            codes[count++] = QD_ERROR_UNKNOWN_SHAPE;
        }
    }
    /* Of 253 refused entries the first 64 are listed. */
    const qd_msg_entities batch = {256, ids, .x = zero, .y = zero, .shape = shapes};
    session_expect_entries(client, qd_client_spawn(client, room, &batch, false), count, refused, codes);
    expect_entities(room, 3, (const uint32_t[]){1, 2, 3});
    const qd_msg_entities reshape = {2, (const uint32_t[]){1, 2}, .shape = (const uint8_t[]){0, QD_SHAPE_BOX}};
    session_expect_entries(client, qd_client_reshape(client, room, &reshape), 1, refused, codes);
    session_expect_quiet(client);
    session_witness_check(&witness);
}

/* A capsule's radius is a size, what leads along its axis is not. */
static void test_capsules(void **state)
{
    (void)state;
    uint64_t room = session_open_room(client, "capsules", NULL);
    const uint32_t ids[] = {1, 2, 3, 4, 5};
    const float at[] = {1, 1, 1, 1, 1}, half[] = {-5, -5, -5, INFINITY, 1}, radius[] = {1, -1, NAN, 1, -0.5f};
    const uint8_t shapes[] = {QD_SHAPE_CAPSULE, QD_SHAPE_CAPSULE, QD_SHAPE_CAPSULE, QD_SHAPE_CAPSULE, QD_SHAPE_BOX};
    const uint32_t refused[] = {1, 2, 3, 4};
    const qd_error_code codes[] = {QD_ERROR_NEGATIVE_SIZE, QD_ERROR_NOT_FINITE, QD_ERROR_NOT_FINITE,
                                   QD_ERROR_NEGATIVE_SIZE};
    const qd_msg_entities batch = {
        .count = 5, .id = ids, .x = at, .y = at, .half_x = half, .radius = radius, .shape = shapes};
    session_expect_entries(client, qd_client_spawn(client, room, &batch, false), 4, refused, codes);
    expect_entities(room, 1, (const uint32_t[]){1});
    /* A box cannot have what the capsule has. */
    const qd_msg_entities box = {.count = 1, .id = ids, .shape = (const uint8_t[]){QD_SHAPE_BOX}};
    const qd_msg_entities negative = {.count = 1, .id = ids, .radius = radius + 1};
    session_expect_entries(client, qd_client_reshape(client, room, &box), 1, (const uint32_t[]){0}, codes);
    session_expect_entries(client, qd_client_reshape(client, room, &negative), 1, (const uint32_t[]){0}, codes);
    session_expect_quiet(client);
    session_witness_check(&witness);
}

static void test_moves(void **state)
{
    (void)state;
    uint64_t room = session_open_room(client, "moves", NULL);
    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    for (uint32_t id = 1; id <= 5; id++) {
        session_spawn(client, room, id, 100.0f * (float)id, 100);
    }
    session_step(client, room);

    const uint32_t ids[] = {1, 77, 2, 3, 4, 5};
    const float x[] = {500, 500, NAN, 500, INFINITY, 500};
    const float y[] = {100, 100, 100, NAN, 100, 100};
    const uint32_t refused[] = {1, 2, 3, 4};
    const qd_error_code codes[] = {QD_ERROR_UNKNOWN_ID, QD_ERROR_NOT_FINITE, QD_ERROR_NOT_FINITE, QD_ERROR_NOT_FINITE};
    const qd_msg_entities batch = {6, ids, .x = x, .y = y};
    session_expect_entries(client, qd_client_move(client, room, &batch), 4, refused, codes);
    session_step(client, room);
    session_expect_tick(client, "begin 1-5");
    session_expect_entries(client, qd_client_teleport(client, room, &batch), 4, refused, codes);
    session_step(client, room);
    session_expect_quiet(client);
    session_witness_check(&witness);
}

static void test_reshapes(void **state)
{
    (void)state;
    uint64_t room = session_open_room(client, "reshapes", NULL);
    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    for (uint32_t id = 1; id <= 5; id++) {
        session_spawn(client, room, id, 100.0f * (float)id, 100);
    }
    session_step(client, room);
    const uint32_t ids[] = {1, 77, 2, 3, 4, 5};
    const float half_x[] = {99, 99, NAN, -1, INFINITY, 0};
    const uint32_t refused[] = {1, 2, 3, 4};
    const qd_error_code codes[] = {QD_ERROR_UNKNOWN_ID, QD_ERROR_NOT_FINITE, QD_ERROR_NEGATIVE_SIZE,
                                   QD_ERROR_NOT_FINITE};
    const qd_msg_entities batch = {6, ids, .half_x = half_x};
    session_expect_entries(client, qd_client_reshape(client, room, &batch), 4, refused, codes);
    session_step(client, room);
    /* 1 reaches to 199 now, where 2 begins: they touch. */
    session_expect_tick(client, "begin 1-2");
    session_expect_quiet(client);
    session_witness_check(&witness);
}

static void test_despawns(void **state)
{
    (void)state;
    uint64_t room = session_open_room(client, "despawns", NULL);
    session_spawn(client, room, 1, 1, 1);
    session_spawn(client, room, 2, 1, 1);
    const uint32_t ids[] = {7, 1, 1, 8};
    const uint32_t refused[] = {0, 2, 3};
    const qd_error_code codes[] = {QD_ERROR_UNKNOWN_ID, QD_ERROR_UNKNOWN_ID, QD_ERROR_UNKNOWN_ID};
    session_expect_entries(client, qd_client_despawn(client, room, ids, 4), 3, refused, codes);
    expect_entities(room, 1, (const uint32_t[]){2});
    session_expect_quiet(client);
    session_witness_check(&witness);
}

/* Every 32-bit number is an id, and the largest finite numbers are places and sizes. */
static void test_extremes(void **state)
{
    (void)state;
    uint64_t room = session_open_room(client, "extremes", NULL);
    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    const uint32_t ids[] = {0, UINT32_MAX, 1u << 31};
    const float x[] = {3.4e38f, -3.4e38f, 0};
    const float half[] = {3.4e38f, 3.4e38f, 0};
    const qd_msg_entities batch = {3, ids, .x = x, .y = x, .half_x = half, .half_y = half};
    qd_client_spawn(client, room, &batch, false);
    session_step(client, room);
    session_expect_tick(client, "begin 0-2147483648 begin 0-4294967295 begin 2147483648-4294967295");
    expect_entities(room, 3, (const uint32_t[]){0, 1u << 31, UINT32_MAX});
    session_expect_quiet(client);
    session_witness_check(&witness);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spawn),    cmocka_unit_test(test_shapes),   cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_moves),    cmocka_unit_test(test_reshapes), cmocka_unit_test(test_despawns),
        cmocka_unit_test(test_extremes),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
