/* SPDX-License-Identifier: Apache-2.0
 *
 * What the session layer does beside restoring: refusals, results, long batches, other sessions in the room, dead
 * servers, tokens.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/quadrille-session.h"
#include "support/session.h"
#include "tests/support/test.h"

#define LONG 20000u

struct seen {
    uint32_t refusals, closed, lost;
    qd_refusal last;
    uint32_t index[4], id[4];
    uint8_t code[4];
    char text[300];
    uint32_t handed[8], handed_count;
};

static void on_refused(qd_session *session, qd_room *room, const qd_refusal *refusal, void *context)
{
    struct seen *seen = context;

    (void)session;
    (void)room;
    seen->refusals++;
    seen->last = *refusal;
    snprintf(seen->text, sizeof seen->text, "%s", refusal->text);
    for (uint32_t i = 0; i < refusal->entry_count && i < 4; i++) {
        seen->index[i] = refusal->entry_index[i];
        seen->id[i] = refusal->entry_id[i];
        seen->code[i] = refusal->entry_code[i];
    }
}

static void on_closed(qd_room *room, void *context)
{
    (void)room;
    ((struct seen *)context)->closed++;
}

static void on_state(qd_session *session, qd_session_state state, const char *reason, void *context)
{
    (void)session;
    assert_int_equal(reason[0] != '\0', state >= QD_SESSION_STATE_LOST);
    ((struct seen *)context)->lost += state == QD_SESSION_STATE_LOST;
}

static void on_handed_over(qd_room *room, const qd_msg_handed_over *handed, void *context)
{
    struct seen *seen = context;

    (void)room;
    for (uint32_t i = 0; i < handed->count; i++) {
        seen->handed[seen->handed_count++] = handed->id[i];
    }
}

static qd_session *open_session(const char *address, const char *token, struct seen *seen)
{
    const qd_session_options options = {.size = sizeof options,
                                        .token = token,
                                        .backoff_ms = 5,
                                        .backoff_max_ms = 50,
                                        .ping_ms = 50,
                                        .dead_ms = 200,
                                        .adopt = token != NULL};
    const qd_session_handlers handlers = {.size = sizeof handlers,
                                          .context = seen,
                                          .state = on_state,
                                          .refused = on_refused,
                                          .handed_over = on_handed_over,
                                          .closed = on_closed};

    *seen = (struct seen){0};
    qd_session *session = qd_session_create(address, &options, &handlers);
    assert_non_null(session);
    return session;
}

SESSION_TEST(refused_entries_come_with_their_ids_and_are_no_result)
{
    struct seen seen;
    const uint32_t ids[] = {1, 9, 2, 8};
    const float at[] = {1, 2, 3, 4};
    uint64_t tick = 0;
    qd_session *session = open_session(ADDRESS, NULL, &seen);
    qd_room *room = qd_session_room(session, "refusals", &session_step_room);

    qd_room_spawn_one(room, qd_box(1, 1, 1, 1, 1));
    qd_room_spawn_one(room, qd_box(2, 1, 1, 1, 1));
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, &tick), QD_OUTCOME_OK);
    assert_int_equal(tick, 1);
    uint64_t request = qd_room_move(room, ids, at, at, NULL, 4);
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, &tick), QD_OUTCOME_OK);
    assert_int_equal(qd_room_wait(room, request, DEADLINE_MS, &tick), QD_OUTCOME_REFUSED);
    assert_int_equal(seen.refusals, 1);
    assert_int_equal(seen.last.request, request);
    assert_int_equal(seen.last.kind, QD_CLIENT_MOVE);
    assert_false(seen.last.whole);
    assert_int_equal(seen.last.entry_count, 2);
    assert_true(seen.index[0] == 1 && seen.index[1] == 3 && seen.id[0] == 9 && seen.id[1] == 8);
    assert_int_equal(seen.code[0], QD_ERROR_UNKNOWN_ID);
    assert_int_equal(qd_room_wait(room, 0, DEADLINE_MS, &tick), QD_OUTCOME_INVALID);
    qd_session_destroy(session);
}

SESSION_TEST(query_that_is_refused_sets_no_result)
{
    struct seen seen;
    const qd_msg_query_result *result = NULL;
    qd_msg_query query = {.kind = QD_QUERY_NEAREST, .where.nearest = {.x = 4, .y = 4}, .limit = 1};
    qd_session *session = open_session(ADDRESS, NULL, &seen);
    qd_room *room = qd_session_room(session, "queries", &session_step_room);

    qd_room_spawn_one(room, qd_circle(7, 1, 1, 1));
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, NULL), QD_OUTCOME_OK);
    assert_int_equal(qd_room_query(room, &query, DEADLINE_MS, &result), QD_OUTCOME_OK);
    assert_true(result->count == 1 && result->id[0] == 7);
    result = NULL;
    query.limit = UINT32_MAX;
    assert_int_equal(qd_room_query(room, &query, DEADLINE_MS, &result), QD_OUTCOME_REFUSED);
    assert_null(result);
    assert_true(seen.last.whole && seen.last.kind == QD_CLIENT_QUERY);
    qd_session_destroy(session);
}

SESSION_TEST(long_batches_are_split_below_the_frame_limit)
{
    static uint32_t ids[LONG];
    static float x[LONG], y[LONG], half[LONG];
    struct seen seen;
    const char *address = qd_server_address(session_start(QD_ARGS("--frame-max", "8K")));
    qd_session *session = open_session(address, NULL, &seen);
    qd_room *room = qd_session_room(session, "long", &session_step_room);
    qd_msg_entities all = {.count = LONG, .id = ids, .x = x, .y = y, .half_x = half, .half_y = half};

    for (uint32_t i = 0; i < LONG; i++) {
        ids[i] = i;
        x[i] = (float)(i % 500) * 2;
        y[i] = (float)(i / 500) * 2;
        half[i] = i % 2 == 0 ? 1 : 0.25f;
    }
    /* Before the first connection the limit is not known. */
    uint64_t spawned = qd_room_spawn(room, &all, false);
    qd_room_set_roster(room, 0, ids, LONG);
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, NULL), QD_OUTCOME_OK);
    qd_room_move_roster(room, 0, x, y, NULL, LONG);
    ids[LONG - 5] = LONG + 1;
    uint64_t moved = qd_room_move(room, ids, x, y, NULL, LONG);
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, NULL), QD_OUTCOME_OK);
    assert_int_equal(qd_room_wait(room, spawned, DEADLINE_MS, NULL), QD_OUTCOME_OK);
    assert_int_equal(qd_room_wait(room, moved, DEADLINE_MS, NULL), QD_OUTCOME_REFUSED);
    /* The index is that of the whole batch. */
    assert_true(seen.refusals == 1 && seen.index[0] == LONG - 5 && seen.id[0] == LONG + 1);
    qd_session_destroy(session);
}

SESSION_TEST(steps_of_another_session_delay_a_step)
{
    struct seen seen;
    uint64_t tick = 0;
    qd_session *session = open_session(ADDRESS, NULL, &seen);
    qd_room *room = qd_session_room(session, "shared", &session_step_room);

    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, &tick), QD_OUTCOME_OK);
    qd_client *other = session_open(ADDRESS);
    uint64_t handle = session_join(other, "shared");
    for (uint64_t i = 2; i < 20; i += 3) {
        assert_int_equal(session_step(other, handle), i);
        assert_int_equal(session_step(other, handle), i + 1);
        assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, &tick), QD_OUTCOME_OK);
        assert_int_equal(tick, i + 2);
    }
    assert_int_equal(seen.refusals, 0);
    qd_session_destroy(session);
}

SESSION_TEST(room_that_another_session_closes_ends_its_requests)
{
    struct seen seen;
    qd_client *other = session_open(ADDRESS);
    uint64_t handle = session_open_room(other, "closed", NULL);
    qd_session *session = open_session(ADDRESS, NULL, &seen);
    qd_room *room = qd_session_room(session, "closed", NULL);

    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, NULL), QD_OUTCOME_OK);
    uint64_t request = qd_room_spawn_one(room, qd_box(1, 1, 1, 1, 1));
    session_expect(other, qd_client_close_room(other, handle), QD_SERVER_ROOM_CLOSED);
    assert_int_equal(qd_room_wait(room, request, DEADLINE_MS, NULL), QD_OUTCOME_ROOM_CLOSED);
    assert_int_equal(qd_room_step(room), 0);
    assert_int_equal(seen.closed, 1);
    qd_session_destroy(session);
}

SESSION_TEST(silent_server_is_given_up_and_resumed)
{
    struct seen seen;
    qd_process *server = session_start(NULL);
    qd_session *session = open_session(qd_server_address(server), NULL, &seen);
    qd_room *room = qd_session_room(session, "silent", &session_step_room);

    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, NULL), QD_OUTCOME_OK);
    qd_process_signal(server, SIGSTOP);
    while (seen.lost == 0) {
        assert_int_not_equal(qd_session_run(session, 5000), QD_OUTCOME_TIMEOUT);
    }
    assert_non_null(strstr(qd_session_problem(session), "silent for"));
    qd_process_signal(server, SIGCONT);
    uint64_t tick = 0;
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, &tick), QD_OUTCOME_OK);
    assert_int_equal(tick, 2);
    assert_int_equal(qd_session_resumes(session), 1);
    qd_session_destroy(session);
}

SESSION_TEST(idle_session_is_kept_by_pings)
{
    struct seen seen;
    qd_session *session = open_session(ADDRESS, NULL, &seen);

    /* Longer than dead_ms: each run ends with a pong, at the latest. */
    for (int i = 0; i < 10; i++) {
        assert_int_equal(qd_session_run(session, DEADLINE_MS), QD_OUTCOME_OK);
    }
    assert_int_equal(seen.lost, 0);
    assert_int_equal(qd_session_connects(session), 1);
    qd_session_destroy(session);
}

SESSION_TEST(refused_token_ends_the_session)
{
    struct seen seen;
    char path[] = "/tmp/quadrille-tokens-XXXXXX";
    int file = mkstemp(path);

    assert_int_equal(write(file, "right\n", 6), 6);
    close(file);
    const char *address = qd_server_address(session_start(QD_ARGS("--token-file", path)));
    qd_session *session = open_session(address, "wrong", &seen);
    qd_room *room = qd_session_room(session, "r", &session_step_room);
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, NULL), QD_OUTCOME_ENDED);
    assert_non_null(strstr(qd_session_problem(session), "UNAUTHENTICATED"));
    assert_int_equal(qd_session_timeout(session), -1);
    qd_session_destroy(session);
    unlink(path);
}

/* Until the server has noticed that the other sessions of the token have gone. */
static void wait_to_be_alone(qd_client *client)
{
    for (int waited_ms = 0;; waited_ms += 10) {
        const qd_server_message *answer =
            session_expect(client, qd_client_list_sessions(client, 0, 0, 0), QD_SERVER_SESSION_LIST);

        if (answer->as.session_list.count == 1) {
            return;
        }
        assert_true(waited_ms < DEADLINE_MS);
        usleep(10000);
    }
}

SESSION_TEST(restarted_program_adopts_what_it_left)
{
    struct seen seen;
    qd_client *before = session_open_with(ADDRESS, "me");
    uint64_t handle = session_open_room(before, "adopted", NULL);

    session_spawn(before, handle, 4, 10, 10);
    session_spawn(before, handle, 5, 10, 10);
    session_settle(before);
    session_close(before);
    qd_client *other = session_open_with(ADDRESS, "me");
    wait_to_be_alone(other);
    session_close(other);
    qd_session *session = open_session(ADDRESS, "me", &seen);
    qd_room *room = qd_session_room(session, "adopted", &session_step_room);
    qd_room_subscribe(room, QD_SCOPE_OWN, false);
    const uint32_t id = 4;
    const float x = 100;
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, NULL), QD_OUTCOME_OK);
    assert_true(seen.handed_count == 2 && seen.handed[0] == 4 && seen.handed[1] == 5);
    assert_int_equal(qd_pairs_count(qd_room_pairs(room)), 1);
    qd_room_move(room, &id, &x, &x, NULL, 1);
    assert_int_equal(qd_room_step_wait(room, DEADLINE_MS, NULL), QD_OUTCOME_OK);
    assert_int_equal(qd_pairs_count(qd_room_pairs(room)), 0);
    assert_int_equal(seen.refusals, 0);
    qd_session_destroy(session);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
