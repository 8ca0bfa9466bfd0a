/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the session layer without a server: waits between attempts, splitting, what is kept, and options.
 */
#include <stdlib.h>
#include <string.h>

#include "client/session/session.h"
#include "support/rng.h"
#include "tests/support/test.h"

static const qd_session_options short_waits = {.size = sizeof short_waits, .backoff_ms = 10, .backoff_max_ms = 100};

TEST(backoff_cap_doubles_up_to_its_maximum)
{
    const uint64_t caps[] = {10, 20, 40, 80, 100, 100};

    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(qd_backoff_cap(&short_waits, i), caps[i]);
    }
    assert_int_equal(qd_backoff_cap(&short_waits, UINT32_MAX), 100);
}

TEST(backoff_is_spread_over_the_whole_cap)
{
    qd_session_options options = short_waits;
    uint32_t counts[11] = {0};

    options.seed = 1;
    qd_session *session = qd_session_create("127.0.0.1:1", &options, NULL);
    for (int i = 0; i < 11000; i++) {
        uint64_t wait = qd_backoff_draw(session);

        assert_true(wait <= 10);
        counts[wait]++;
    }
    for (int i = 0; i <= 10; i++) {
        assert_true(counts[i] > 800 && counts[i] < 1200);
    }
    qd_session_destroy(session);
}

TEST(create_refuses_what_is_not_an_address)
{
    assert_null(qd_session_create("nowhere", NULL, NULL));
    assert_null(qd_session_create("a:b:7400", NULL, NULL));
}

TEST(shorter_structs_of_older_programs_have_defaults)
{
    const qd_session_options old = {.size = offsetof(qd_session_options, ping_ms), .connect_ms = 7, .ping_ms = 9};
    qd_session *session = qd_session_create("127.0.0.1:1", &old, NULL);

    assert_int_equal(session->options.connect_ms, 7);
    assert_int_equal(session->options.ping_ms, 2000);
    qd_session_destroy(session);
}

/* ---- time ---- */

static uint64_t read_clock(void *context)
{
    return *(const uint64_t *)context;
}

TEST(attempts_follow_the_clock_of_the_program)
{
    uint64_t now = 1000000;
    qd_session_options options = short_waits;

    options.clock = read_clock;
    options.clock_context = &now;
    options.seed = 3;
    /* Nothing listens on port 1. */
    qd_session *session = qd_session_create("127.0.0.1:1", &options, NULL);
    for (uint32_t i = 0; i < 20; i++) {
        while (session->link.fd >= 0 || qd_session_timeout(session) == 0) {
            qd_session_process(session);
        }
        assert_int_equal(qd_session_state_now(session), QD_SESSION_STATE_LOST);
        assert_true(session->attempts >= i + 1);
        int wait = qd_session_timeout(session);
        assert_true(wait > 0 && wait <= 100);
        now += (uint64_t)wait - 1;
        qd_session_process(session);
        assert_int_equal(qd_session_state_now(session), QD_SESSION_STATE_LOST);
        now++;
    }
    assert_non_null(strstr(qd_session_problem(session), "127.0.0.1:1"));
    assert_int_equal(qd_session_connects(session), 0);
    qd_session_destroy(session);
}

/* ---- splitting ---- */

#define COUNT 5000u

static qd_session *open_session(size_t frame_bytes_max)
{
    qd_session *session = qd_session_create("127.0.0.1:1", NULL, NULL);

    session->frame_bytes_max = frame_bytes_max;
    return session;
}

/* All entries of the log are frames within the limit; they are decoded in order. */
static uint32_t count_entries(qd_session *session, void (*take)(const qd_client_message *part, uint32_t first))
{
    const qd_log_entry *entry;
    uint32_t first = 0;

    TAILQ_FOREACH (entry, &session->log.list, list) {
        qd_decoded_client decoded;

        assert_true(entry->size <= session->frame_bytes_max);
        assert_int_equal(entry->request, 1);
        assert_int_equal(entry->first, first);
        assert_true(qd_log_decode(entry, &decoded));
        take(&decoded.message, first);
        first += qd_split_count(&decoded.message);
        qd_decoded_client_release(&decoded, &qd_memory_of_codec);
    }
    return first;
}

static void take_move(const qd_client_message *part, uint32_t first)
{
    assert_int_equal(part->kind, QD_CLIENT_MOVE);
    for (uint32_t i = 0; i < part->as.batch.entities.count; i++) {
        assert_int_equal(part->as.batch.entities.id[i], first + i + 7);
        assert_float_equal(part->as.batch.entities.y[i], (float)(first + i) / 2, 0);
    }
}

TEST(long_move_is_split_in_order)
{
    static uint32_t ids[COUNT];
    static float x[COUNT], y[COUNT];
    qd_session *session = open_session(8192);

    for (uint32_t i = 0; i < COUNT; i++) {
        ids[i] = i + 7;
        y[i] = (float)i / 2;
    }
    qd_room *room = qd_session_room(session, "r", NULL);
    assert_int_equal(qd_room_move(room, ids, x, y, NULL, COUNT), 1);
    assert_int_equal(count_entries(session, take_move), COUNT);
    qd_session_destroy(session);
}

static void take_description(const qd_client_message *part, uint32_t first)
{
    const qd_msg_set_description *description = &part->as.set_description;
    const uint8_t *payload = description->payload;

    for (uint32_t i = 0; i < description->count; i++) {
        assert_int_equal(description->payload_size[i], (first + i) % 33);
        for (uint32_t at = 0; at < description->payload_size[i]; at++) {
            assert_int_equal(*payload++, (uint8_t)(first + i));
        }
    }
}

TEST(long_description_is_split_with_its_payloads)
{
    static uint32_t ids[COUNT];
    static uint8_t sizes[COUNT], payload[COUNT * 32];
    uint32_t used = 0;
    qd_session *session = open_session(8192);

    for (uint32_t i = 0; i < COUNT; i++) {
        sizes[i] = (uint8_t)(i % 33);
        memset(payload + used, (uint8_t)i, sizes[i]);
        used += sizes[i];
    }
    qd_msg_set_description description = {.count = COUNT, .id = ids, .payload_size = sizes, .payload = payload};
    assert_int_equal(qd_room_set_description(qd_session_room(session, "r", NULL), &description), 1);
    assert_int_equal(count_entries(session, take_description), COUNT);
    qd_session_destroy(session);
}

static void take_roster(const qd_client_message *part, uint32_t first)
{
    assert_int_equal(part->as.set_roster.first, first);
    assert_int_equal(part->as.set_roster.roster, 4);
}

TEST(long_roster_is_extended_part_by_part)
{
    static uint32_t ids[COUNT];
    qd_session *session = open_session(8192);
    qd_room *room = qd_session_room(session, "r", NULL);

    assert_int_equal(qd_room_set_roster(room, 4, ids, COUNT), 1);
    assert_int_equal(count_entries(session, take_roster), COUNT);
    qd_session_destroy(session);
}

TEST(request_that_cannot_be_split_is_refused_with_its_size)
{
    static uint32_t ids[1024];
    qd_session *session = open_session(4096);
    qd_room *room = qd_session_room(session, "r", NULL);
    qd_msg_set_exceptions exceptions = {.observer = 1, .show_count = 1024, .show = ids};

    assert_int_equal(qd_room_set_exceptions(room, &exceptions), 0);
    assert_non_null(strstr(qd_session_problem(session), "at most 4096"));
    assert_true(TAILQ_EMPTY(&session->log.list));
    qd_session_destroy(session);
}

/* ---- the backlog ---- */

TEST(backlog_above_its_limit_is_merged_into_the_kept_state)
{
    const qd_session_options options = {.size = sizeof options, .backlog_bytes_max = 16384};
    qd_session *session = qd_session_create("127.0.0.1:1", &options, NULL);
    qd_room *room = qd_session_room(session, "r", NULL);
    const uint32_t id = 3;

    qd_room_spawn_one(room, qd_box(id, 1, 1, 1, 1));
    for (uint32_t i = 0; i < 1000; i++) {
        const float x = (float)i;

        assert_int_not_equal(qd_room_move(room, &id, &x, &x, NULL, 1), 0);
        assert_true(session->log.bytes <= 16384);
    }
    assert_true(session->merged && room->merged > 800);
    assert_float_equal(qd_kept_find(&room->kept, id)->x, (float)room->merged - 2, 0);
    /* What is behind a Step belongs to a later tick. */
    qd_room_step(room);
    for (uint32_t i = 0; i < 1000; i++) {
        qd_room_step(room);
    }
    assert_float_equal(qd_kept_find(&room->kept, id)->x, 999, 0);
    assert_true(session->log.bytes > 16384);
    qd_session_destroy(session);
}

/* ---- memory ---- */

static uint32_t allocations, failing;
static int64_t balance;

static void *failing_alloc(size_t size)
{
    if (++allocations == failing) {
        return NULL;
    }
    balance++;
    return malloc(size);
}

static void *failing_resize(void *old, size_t size)
{
    return ++allocations == failing ? NULL : realloc(old, size);
}

static void failing_release(void *memory)
{
    balance--;
    free(memory);
}

static void use_everything(void)
{
    const uint32_t ids[] = {1, 2, 3};
    const float numbers[] = {1, 2, 3};
    const qd_session_options options = {.size = sizeof options, .token = "t", .name = "n", .backlog_bytes_max = 3000};
    qd_session *session = qd_session_create("127.0.0.1:1", &options, NULL);
    qd_room *room = session != NULL ? qd_session_room(session, "r", NULL) : NULL;

    for (int i = 0; i < 5 && room != NULL; i++) {
        qd_room_spawn_one(room, qd_box((uint32_t)i, 1, 1, 1, 1));
        qd_room_move(room, ids, numbers, numbers, NULL, 3);
        qd_room_set_roster(room, (uint32_t)i, ids, 3);
        qd_room_observe_one(room, qd_observer_of((uint32_t)i, 1, 5, 0));
        qd_room_set_exceptions(room, &(qd_msg_set_exceptions){.observer = 1, .show_count = 3, .show = ids});
        qd_room_subscribe(room, QD_SCOPE_ALL, false);
        qd_session_process(session);
    }
    qd_session_destroy(session);
}

TEST(allocation_that_fails_leaks_nothing)
{
    uint32_t total;

    qd_set_allocator((qd_allocator){failing_alloc, failing_resize, failing_release});
    use_everything();
    total = allocations;
    assert_true(total > 50);
    assert_int_equal(balance, 0);
    for (failing = 1; failing <= total; failing++) {
        allocations = 0;
        use_everything();
        assert_int_equal(balance, 0);
    }
    qd_set_allocator((qd_allocator){malloc, realloc, free});
}

TEST_MAIN()
