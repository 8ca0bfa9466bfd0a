/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/session/check/room_config.h"
#include "server/space/space.h"
#include "tests/support/test.h"

static const qd_limits limits = {.entities_max = 5000,
                                 .events_max = 700,
                                 .observers_max = 80,
                                 .visible_entries_max = 900,
                                 .empty_close_ms_max = 600000};
static qd_fault fault;

static void assert_fault(const qd_msg_room_config *config, const char *text)
{
    assert_false(qd_room_config_check(config, &limits, &fault));
    assert_string_equal(fault.text, text);
}

/* A config that is refused, and the text. */
typedef struct refused {
    qd_msg_room_config config;
    const char *text;
} refused;

static void assert_all_refused(const refused *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_fault(&rows[i].config, rows[i].text);
    }
}

static void assert_fine(const qd_msg_room_config *config)
{
    assert_true(qd_room_config_check(config, &limits, &fault));
}

TEST(config_out_of_range_is_refused)
{
    assert_fine(&(qd_msg_room_config){0});
    assert_fine(&(qd_msg_room_config){.dimensions = 2,
                                      .tick_hz = 1000,
                                      .depth = 10,
                                      .entities_max = 5000,
                                      .events_max = 700,
                                      .observers_max = 80,
                                      .visible_entries_max = 900,
                                      .grace_ms = 3600000,
                                      .empty_close_ms = 600000,
                                      .join = QD_ACCESS_CREATOR});
    assert_fine(&(qd_msg_room_config){.tick_mode = QD_TICK_MODE_STEP, .writers = 1024, .step_deadline_ms = 3600000});
    static const refused rows[] = {
        {{.dimensions = 1}, "dimensions is 1; must be 2 to 3"},
        {{.dimensions = 4}, "dimensions is 4; must be 2 to 3"},
        {{.tick_hz = 5000}, "tick_hz is 5000; must be 1 to 1000"},
        {{.entities_max = 5001}, "entities_max is 5001; must be 1 to 5000"},
        {{.events_max = 701}, "events_max is 701; must be 1 to 700"},
        {{.observers_max = 81}, "observers_max is 81; must be 1 to 80"},
        {{.visible_entries_max = 901}, "visible_entries_max is 901; must be 1 to 900"},
        {{.grace_ms = 3600001}, "grace_ms is 3600001; must be 0 to 3600000"},
        {{.empty_close_ms = 600001}, "empty_close_ms is 600001; must be 0 to 600000 (--empty-close-ms-max)"},
        {{.join = (qd_access)4}, "join is 4; must be ACCESS_ANYBODY (1), ACCESS_SAME_TOKEN (2) or ACCESS_CREATOR (3)"},
        {{.write = (qd_access)-1},
         "write is -1; must be ACCESS_ANYBODY (1), ACCESS_SAME_TOKEN (2) or ACCESS_CREATOR (3)"},
        {{.step = (qd_access)99},
         "step is 99; must be ACCESS_ANYBODY (1), ACCESS_SAME_TOKEN (2) or ACCESS_CREATOR (3)"},
        {{.tick_mode = (qd_tick_mode)3}, "tick_mode is 3; must be TICK_MODE_CLOCK (1) or TICK_MODE_STEP (2)"},
        {{.tick_mode = QD_TICK_MODE_STEP, .tick_hz = 20},
         "tick_hz is 20; must be absent with TICK_MODE_STEP, which has no clock. Leave it out"},
        {{.tick_mode = QD_TICK_MODE_STEP, .writers = 1025}, "writers is 1025; must be 1 to 1024"},
        {{.tick_mode = QD_TICK_MODE_STEP, .writers = 1, .step_deadline_ms = 3600001},
         "step_deadline_ms is 3600001; must be 1 to 3600000"},
        {{.writers = 2}, "writers is 2; must be absent without TICK_MODE_STEP. Leave it out, or set tick_mode to that"},
        {{.tick_mode = QD_TICK_MODE_STEP, .step_deadline_ms = 5},
         "step_deadline_ms is 5, but writers is 0; must be absent then. Leave it out, or set writers"},
    };
    assert_all_refused(rows, sizeof rows / sizeof rows[0]);
}

TEST(config_that_does_not_fit_its_index_is_refused)
{
    const qd_msg_room_config good[] = {
        {.index = QD_INDEX_QUADTREE, .depth = 10},
        {.dimensions = 3, .index = QD_INDEX_OCTREE, .depth = 7},
        {.index = QD_INDEX_SPARSE, .depth = 16, .prune = QD_PRUNE_LAZY},
        {.dimensions = 3, .index = QD_INDEX_SPARSE, .depth = 21, .prune = QD_PRUNE_AUTO},
        {.index = QD_INDEX_HASH, .cell_size = 0.25f},
        {.dimensions = 3, .index = QD_INDEX_GRID, .cell_size = 1e30f},
        {.index = QD_INDEX_BRUTE, .swept = true},
        {.dimensions = 3, .index = QD_INDEX_AUTO, .depth = 7},
        {.dimensions = 3, .depth = 7},
    };

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_fine(&good[i]);
    }
    static const refused wrong[] = {
        {{.index = (qd_index_kind)8}, "index is 8; must be INDEX_AUTO (1) to INDEX_BRUTE (7)"},
        {{.index = (qd_index_kind)-1}, "index is -1; must be INDEX_AUTO (1) to INDEX_BRUTE (7)"},
        {{.index = QD_INDEX_OCTREE},
         "index is INDEX_OCTREE, which is for three dimensions; must suit two. Set dimensions to 3, or send "
         "INDEX_QUADTREE"},
        {{.dimensions = 3, .index = QD_INDEX_QUADTREE},
         "index is INDEX_QUADTREE, which is for two dimensions; must suit three. Send INDEX_OCTREE, or leave it out"},
        {{.depth = 11}, "depth is 11; must be 1 to 10 with INDEX_AUTO in 2 dimensions"},
        {{.depth = UINT32_MAX}, "depth is 4294967295; must be 1 to 10 with INDEX_AUTO in 2 dimensions"},
        {{.index = QD_INDEX_QUADTREE, .depth = 11}, "depth is 11; must be 1 to 10 with INDEX_QUADTREE in 2 dimensions"},
        {{.dimensions = 3, .index = QD_INDEX_OCTREE, .depth = 8},
         "depth is 8; must be 1 to 7 with INDEX_OCTREE in 3 dimensions"},
        {{.index = QD_INDEX_SPARSE, .depth = 17}, "depth is 17; must be 1 to 16 with INDEX_SPARSE in 2 dimensions"},
        {{.dimensions = 3, .index = QD_INDEX_SPARSE, .depth = 22},
         "depth is 22; must be 1 to 21 with INDEX_SPARSE in 3 dimensions"},
        {{.index = QD_INDEX_HASH, .depth = 1},
         "depth is 1; must be absent with INDEX_HASH, which is no tree. Leave it out"},
        {{.index = QD_INDEX_GRID, .depth = 3},
         "depth is 3; must be absent with INDEX_GRID, which is no tree. Leave it out"},
        {{.prune = (qd_prune_kind)5}, "prune is 5; must be PRUNE_AUTO (1) to PRUNE_LAZY (4)"},
        {{.prune = QD_PRUNE_TRAVERSAL},
         "prune is PRUNE_TRAVERSAL; must be absent with INDEX_AUTO, since it is for INDEX_SPARSE. Leave it out"},
        {{.index = QD_INDEX_BRUTE, .prune = QD_PRUNE_AUTO},
         "prune is PRUNE_AUTO; must be absent with INDEX_BRUTE, since it is for INDEX_SPARSE. Leave it out"},
        {{.index = QD_INDEX_HASH, .cell_size = -2}, "cell_size is -2; must be finite and above 0"},
        {{.index = QD_INDEX_HASH, .cell_size = INFINITY}, "cell_size is inf; must be finite and above 0"},
        {{.index = QD_INDEX_GRID, .cell_size = NAN}, "cell_size is nan; must be finite and above 0"},
        {{.index = QD_INDEX_QUADTREE, .cell_size = 3},
         "cell_size is 3; must be absent with INDEX_QUADTREE, since it is for INDEX_HASH and INDEX_GRID. Leave it out"},
    };
    assert_all_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

/* So that the app needs no answer to a space that refuses its config. */
TEST(config_that_passes_is_taken_by_the_space)
{
    const float bounds[] = {1, 1e-40f, FLT_MAX}, cell_sizes[] = {0, 1e-40f, FLT_MAX};
    qd_heap heap;
    uint32_t taken = 0;

    qd_heap_init(&heap);
    for (uint32_t i = 0; i < 4 * 9 * 24 * 6 * 3; i++) {
        qd_msg_room_config config = {.dimensions = i % 4,
                                     .index = (qd_index_kind)(i / 4 % 9),
                                     .depth = i / 36 % 24,
                                     .prune = (qd_prune_kind)(i / 864 % 6),
                                     .cell_size = cell_sizes[i / 5184],
                                     .swept = i % 5 == 0,
                                     .has_bounds = true};
        float far = bounds[i % 3];

        config.bounds =
            (qd_msg_bounds){-far, -far, config.dimensions == 3 ? -far : 0, far, far, config.dimensions == 3 ? far : 0};
        if (!qd_room_config_check(&config, &limits, &fault)) {
            continue;
        }
        const qd_space_config space_config = {.dimensions = config.dimensions,
                                              .min_x = -far,
                                              .min_y = -far,
                                              .min_z = config.bounds.min_z,
                                              .max_x = far,
                                              .max_y = far,
                                              .max_z = config.bounds.max_z,
                                              .index = (qd_space_index)config.index,
                                              .prune = (qd_space_prune)config.prune,
                                              .depth = config.depth,
                                              .cell_size = config.cell_size,
                                              .swept = config.swept,
                                              .bodies_max = 10};
        qd_space *space;
        assert_int_equal(qd_space_create(&space_config, &heap, &space), QD_OK);
        qd_space_destroy(space);
        taken++;
    }
    qd_heap_deinit(&heap);
    assert_true(taken > 200);
}

TEST(config_with_bad_bounds_is_refused)
{
#define BOUNDS(...)                                                                                                    \
    {                                                                                                                  \
        .has_bounds = true, .bounds = { __VA_ARGS__ }                                                                  \
    }
#define CUBE(...)                                                                                                      \
    {                                                                                                                  \
        .dimensions = 3, .has_bounds = true, .bounds = { __VA_ARGS__ }                                                 \
    }
    static const refused rows[] = {
        {BOUNDS(0, 0, 0, 0, 1, 0), "bounds go from min_x 0 to max_x 0; must be finite, with min below max"},
        {BOUNDS(0, 0, 0, 1, 0, 0), "bounds go from min_y 0 to max_y 0; must be finite, with min below max"},
        {BOUNDS(2, 0, 0, 1, 1, 0), "bounds go from min_x 2 to max_x 1; must be finite, with min below max"},
        {BOUNDS(NAN, 0, 0, 1, 1, 0), "bounds go from min_x nan to max_x 1; must be finite, with min below max"},
        {BOUNDS(0, 0, 0, INFINITY, 1, 0), "bounds go from min_x 0 to max_x inf; must be finite, with min below max"},
        {BOUNDS(0, -INFINITY, 0, 1, 1, 0), "bounds go from min_y -inf to max_y 1; must be finite, with min below max"},
        {BOUNDS(0, 5, 0, 1, 4, 0), "bounds go from min_y 5 to max_y 4; must be finite, with min below max"},
        {BOUNDS(0, 0, 1, 1, 1, 2),
         "bounds go from min_z 1 to max_z 2; both must be 0 in two dimensions. Leave them out, or set dimensions to 3"},
        {BOUNDS(0, 0, 0, 1, 1, 1),
         "bounds go from min_z 0 to max_z 1; both must be 0 in two dimensions. Leave them out, or set dimensions to 3"},
        {CUBE(-1, -1, 0, 1, 1, 0), "bounds go from min_z 0 to max_z 0; must be finite, with min below max"},
        {CUBE(0, 0, NAN, 1, 1, 1), "bounds go from min_z nan to max_z 1; must be finite, with min below max"},
    };
    assert_all_refused(rows, sizeof rows / sizeof rows[0]);
    assert_fine(&(qd_msg_room_config)BOUNDS(-1, -1, 0, 1, 1, 0));
    assert_fine(&(qd_msg_room_config)CUBE(-1, -1, 5, 1, 1, 6));
}

TEST(config_left_out_gets_defaults)
{
    qd_msg_room_config effective;

    qd_room_config_resolve(&(qd_msg_room_config){0}, &limits, &effective);
    assert_int_equal(effective.dimensions, 2);
    assert_int_equal(effective.tick_mode, QD_TICK_MODE_CLOCK);
    assert_int_equal(effective.tick_hz, 20);
    assert_int_equal(effective.depth, 0);
    assert_int_equal(effective.entities_max, 5000);
    assert_int_equal(effective.events_max, 700);
    assert_int_equal(effective.observers_max, 80);
    assert_int_equal(effective.visible_entries_max, 900);
    assert_int_equal(effective.grace_ms, 5000);
    assert_int_equal(effective.empty_close_ms, 60000);
    assert_int_equal(effective.index, QD_INDEX_AUTO);
    assert_int_equal(effective.prune, QD_PRUNE_DEFAULT);
    assert_true(!effective.swept && effective.cell_size == 0);
    assert_true(effective.join == QD_ACCESS_ANYBODY && effective.write == QD_ACCESS_ANYBODY &&
                effective.step == QD_ACCESS_ANYBODY);
    qd_limits short_limits = limits;
    short_limits.empty_close_ms_max = 500;
    qd_room_config_resolve(&(qd_msg_room_config){0}, &short_limits, &effective);
    assert_int_equal(effective.empty_close_ms, 500);
    short_limits.empty_close_ms_max = 0;
    qd_room_config_resolve(&(qd_msg_room_config){0}, &short_limits, &effective);
    assert_int_equal(effective.empty_close_ms, 0);
    qd_room_config_resolve(&(qd_msg_room_config){.dimensions = 3, .index = QD_INDEX_SPARSE, .swept = true}, &limits,
                           &effective);
    assert_int_equal(effective.dimensions, 3);
    assert_int_equal(effective.index, QD_INDEX_SPARSE);
    assert_int_equal(effective.prune, QD_PRUNE_AUTO);
    assert_true(effective.swept);
    qd_room_config_resolve(&(qd_msg_room_config){.tick_mode = QD_TICK_MODE_STEP, .depth = 3}, &limits, &effective);
    assert_int_equal(effective.tick_hz, 0);
    assert_int_equal(effective.depth, 3);
    assert_true(effective.writers == 0 && effective.step_deadline_ms == 0);
    qd_room_config_resolve(&(qd_msg_room_config){.tick_mode = QD_TICK_MODE_STEP, .writers = 3}, &limits, &effective);
    assert_true(effective.writers == 3 && effective.step_deadline_ms == 1000);
}

TEST(config_that_differs_is_refused)
{
    qd_msg_room_config room;

    qd_room_config_resolve(
        &(qd_msg_room_config){.has_bounds = true, .bounds = {.max_x = 10, .max_y = 20}, .tick_hz = 30}, &limits, &room);
    const qd_msg_bounds same = {.max_x = 10, .max_y = 20}, other = {.max_x = 10, .max_y = 21};
    assert_true(qd_room_config_agrees(&(qd_msg_room_config){0}, &room, &fault));
    assert_true(qd_room_config_agrees(&room, &room, &fault));
    assert_true(qd_room_config_agrees(&(qd_msg_room_config){.has_bounds = true, .bounds = same}, &room, &fault));
    const struct {
        qd_msg_room_config asked;
        const char *text;
    } differences[] = {
        {{.has_bounds = true, .bounds = other},
         "bounds.max_y is 21, but the room has 20; must be the same. Send that, or leave bounds out"},
        {{.tick_hz = 20}, "tick_hz is 20, but the room has 30; must be the same. Send that, or leave tick_hz out"},
        {{.tick_mode = QD_TICK_MODE_STEP},
         "tick_mode is TICK_MODE_STEP, but the room has TICK_MODE_CLOCK; must be the same. Send that, or leave it out"},
        {{.depth = 4}, "depth is 4, but the room has 0; must be the same. Send that, or leave depth out"},
        {{.dimensions = 3},
         "dimensions is 3, but the room has 2; must be the same. Send that, or leave dimensions out"},
        {{.index = QD_INDEX_BRUTE},
         "index is INDEX_BRUTE, but the room has INDEX_AUTO; must be the same. Send that, or leave it out"},
        {{.prune = QD_PRUNE_LAZY},
         "prune is PRUNE_LAZY, but the room has PRUNE_UNSPECIFIED; must be the same. Send that, or leave it out"},
        {{.has_grace_ms = true},
         "grace_ms is 0, but the room has 5000; must be the same. Send that, or leave grace_ms out"},
        {{.swept = true}, "swept is true, but the room has false; must be the same. Send that, or leave it out"},
        {{.cell_size = 3}, "cell_size is 3, but the room has 0; must be the same. Send that, or leave it out"},
        {{.has_bounds = true, .bounds = {.max_x = 10, .max_y = 20, .max_z = 5}},
         "bounds.max_z is 5, but the room has 0; must be the same. Send that, or leave bounds out"},
        {{.entities_max = 1},
         "entities_max is 1, but the room has 5000; must be the same. Send that, or leave entities_max out"},
        {{.events_max = 1},
         "events_max is 1, but the room has 700; must be the same. Send that, or leave events_max out"},
        {{.observers_max = 1},
         "observers_max is 1, but the room has 80; must be the same. Send that, or leave observers_max out"},
        {{.visible_entries_max = 1},
         "visible_entries_max is 1, but the room has 900; must be the same. Send that, or leave visible_entries_max "
         "out"},
        {{.join = QD_ACCESS_CREATOR},
         "join is ACCESS_CREATOR, but the room has ACCESS_ANYBODY; must be the same. Send that, or leave it out"},
        {{.write = QD_ACCESS_SAME_TOKEN},
         "write is ACCESS_SAME_TOKEN, but the room has ACCESS_ANYBODY; must be the same. Send that, or leave it out"},
        {{.step = QD_ACCESS_CREATOR},
         "step is ACCESS_CREATOR, but the room has ACCESS_ANYBODY; must be the same. Send that, or leave it out"},
        {{.writers = 2}, "writers is 2, but the room has 0; must be the same. Send that, or leave writers out"},
        {{.grace_ms = 1}, "grace_ms is 1, but the room has 5000; must be the same. Send that, or leave grace_ms out"},
        {{.empty_close_ms = 1},
         "empty_close_ms is 1, but the room has 60000; must be the same. Send that, or leave empty_close_ms out"},
    };
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        assert_false(qd_room_config_agrees(&differences[i].asked, &room, &fault));
        assert_string_equal(fault.text, differences[i].text);
    }
}

TEST(name_that_is_bad_is_refused)
{
    char longest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const char *good[] = {"a", "arena 7", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8e\xb2", "\xef\xbf\xbd", longest};

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(qd_room_name_check(good[i], &fault));
    }
    const struct {
        const char *name, *text;
    } bad[] = {
        {"", "name has 0 bytes; must have 1 to 64"},
        {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0", "name has 65 bytes; must have 1 to 64"},
        {"a\nb", "name has the control character U+000A at byte 1; must have none. Leave it out"},
        {"a\x7f", "name has the control character U+007F at byte 1; must have none. Leave it out"},
        {"\xc2\x85", "name has the control character U+0085 at byte 0; must have none. Leave it out"},
        {"ab\xe2\x80\xae", "name has the bidirectional control U+202E at byte 2; must have none. Leave it out"},
        {"\xd8\x9c", "name has the bidirectional control U+061C at byte 0; must have none. Leave it out"},
        {"\xe2\x81\xa6", "name has the bidirectional control U+2066 at byte 0; must have none. Leave it out"},
        {"a\xe2\x80\x8b", "name has the zero-width character U+200B at byte 1; must have none. Leave it out"},
        {"a\xe2\x80\x8d", "name has the zero-width character U+200D at byte 1; must have none. Leave it out"},
        {"\xef\xbb\xbf", "name has the zero-width character U+FEFF at byte 0; must have none. Leave it out"},
        {"\xf3\xa0\x81\x81", "name has the zero-width character U+E0041 at byte 0; must have none. Leave it out"},
        {"a\xe2\x80\xa8", "name has the line separator U+2028 at byte 1; must have none. Leave it out"},
        {"a\xff", "name is invalid at byte 1; must be UTF-8. Encode it as that"},
        {"\x80", "name is invalid at byte 0; must be UTF-8. Encode it as that"},
        {"\xc3", "name is invalid at byte 0; must be UTF-8. Encode it as that"},
        {"\xe2\x82", "name is invalid at byte 0; must be UTF-8. Encode it as that"},
        {"\xc0\xaf", "name is invalid at byte 0; must be UTF-8. Encode it as that"},             /* overlong */
        {"\xed\xa0\x80", "name is invalid at byte 0; must be UTF-8. Encode it as that"},         /* a surrogate */
        {"\xf4\x90\x80\x80", "name is invalid at byte 0; must be UTF-8. Encode it as that"},     /* above U+10FFFF */
        {"\xf8\x88\x80\x80\x80", "name is invalid at byte 0; must be UTF-8. Encode it as that"}, /* five bytes */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(qd_room_name_check(bad[i].name, &fault));
        assert_string_equal(fault.text, bad[i].text);
    }
}

TEST_MAIN()
