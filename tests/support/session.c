/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

qd_process *session_server;

void session_server_stop(qd_process *server)
{
    qd_process_signal(server, SIGTERM);
    int status = qd_process_wait(server, DEADLINE_MS);
    if (status != 0) {
        fail_msg("the server ended with status %d:\n%s", status, qd_process_errors(server));
    }
    qd_process_destroy(server);
}

int session_server_setup(void **state)
{
    (void)state;
    session_server = qd_server_start(NULL);
    return 0;
}

int session_server_teardown(void **state)
{
    (void)state;
    if (session_server != NULL) {
        session_server_stop(session_server);
    }
    return 0;
}

const qd_msg_room_config session_step_room = {
    .has_bounds = true, .bounds = {.max_x = 1000, .max_y = 1000}, .tick_mode = QD_TICK_MODE_STEP};

qd_client *session_open(const char *address)
{
    qd_client *client = qd_client_create();

    assert_non_null(client);
    if (qd_client_connect(client, address, NULL, "test", DEADLINE_MS) != QD_CLIENT_OK) {
        fail_msg("connect: %s", qd_client_error(client));
    }
    return client;
}

static void fail_with(const qd_client *client, const qd_server_message *message, const char *wanted)
{
    if (message == NULL) {
        fail_msg("%s: nothing came; %s", wanted,
                 qd_client_state(client) < 0 ? qd_client_error(client) : "the session lives");
    }
    if (message->kind == QD_SERVER_ERROR) {
        fail_msg("%s: got the error %s: %s", wanted, qd_error_code_name(message->as.error.code),
                 message->as.error.text);
    }
    fail_msg("%s: got a message of kind %d", wanted, (int)message->kind);
}

const qd_server_message *session_expect(qd_client *client, uint32_t seq, qd_server_kind kind)
{
    assert_int_not_equal(seq, 0);
    const qd_server_message *message = qd_client_answer(client, seq, DEADLINE_MS);
    if (message == NULL || message->kind != kind) {
        char wanted[80];

        snprintf(wanted, sizeof wanted, "an answer of kind %d to request %u", (int)kind, seq);
        fail_with(client, message, wanted);
    }
    return message;
}

const qd_msg_error *session_expect_error(qd_client *client, uint32_t seq, qd_error_code code, const char *word)
{
    const qd_server_message *message = qd_client_answer(client, seq, DEADLINE_MS);

    if (message == NULL || message->kind != QD_SERVER_ERROR || message->as.error.code != code) {
        fail_with(client, message, qd_error_code_name(code));
    }
    assert_int_equal(message->as.error.seq, message->seq);
    assert_int_not_equal(message->as.error.text[0], '\0');
    if (word != NULL && strstr(message->as.error.text, word) == NULL) {
        fail_msg("the text '%s' has no '%s'", message->as.error.text, word);
    }
    return &message->as.error;
}

void session_expect_entries(qd_client *client, uint32_t seq, uint32_t count, const uint32_t *indexes,
                            const qd_error_code *codes)
{
    const qd_msg_error *error = session_expect_error(client, seq, QD_ERROR_ENTRIES, NULL);

    assert_int_equal(error->entries_refused, count);
    uint32_t listed = count < QD_ERROR_ENTRIES_MAX ? count : QD_ERROR_ENTRIES_MAX;
    assert_int_equal(error->entry_count, listed);
    for (uint32_t i = 0; i < listed; i++) {
        assert_int_equal(error->entry_index[i], indexes[i]);
        assert_string_equal(qd_error_code_name(error->entry_code[i]), qd_error_code_name(codes[i]));
    }
}

const qd_server_message *session_wait_kind(qd_client *client, qd_server_kind kind)
{
    char wanted[40];

    snprintf(wanted, sizeof wanted, "a message of kind %d", (int)kind);
    for (;;) {
        const qd_server_message *message = qd_client_wait(client, DEADLINE_MS);

        if (message != NULL && message->kind == kind) {
            return message;
        }
        if (message == NULL || message->kind == QD_SERVER_ERROR) {
            fail_with(client, message, wanted);
        }
    }
}

void session_settle(qd_client *client)
{
    session_expect(client, qd_client_ping(client, 0), QD_SERVER_PONG);
}

void session_expect_quiet(qd_client *client)
{
    session_settle(client);
    const qd_server_message *message = qd_client_next(client);
    if (message != NULL) {
        fail_with(client, message, "nothing");
    }
}

uint64_t session_open_room(qd_client *client, const char *name, const qd_msg_room_config *config)
{
    uint32_t seq = qd_client_open_room(client, name, config != NULL ? config : &session_step_room);
    const qd_msg_room_opened *opened = &session_expect(client, seq, QD_SERVER_ROOM_OPENED)->as.room_opened;

    assert_string_equal(opened->name, name);
    assert_int_not_equal(opened->room, 0);
    return opened->room;
}

uint64_t session_join(qd_client *client, const char *name)
{
    uint32_t seq = qd_client_open_room(client, name, NULL);
    const qd_msg_room_opened *opened = &session_expect(client, seq, QD_SERVER_ROOM_OPENED)->as.room_opened;

    assert_false(opened->created);
    return opened->room;
}

uint32_t session_spawn(qd_client *client, uint64_t room, uint32_t id, float x, float y)
{
    const float half = 1;
    const qd_msg_entities box = {1, &id, .x = &x, .y = &y, .half_x = &half, .half_y = &half};

    return qd_client_spawn(client, room, &box, false);
}

uint32_t session_move(qd_client *client, uint64_t room, uint32_t id, float x, float y)
{
    return qd_client_move(client, room, &(qd_msg_entities){1, &id, .x = &x, .y = &y});
}

uint32_t session_despawn(qd_client *client, uint64_t room, uint32_t id)
{
    return qd_client_despawn(client, room, &id, 1);
}

void session_subscribe(qd_client *client, uint64_t room, qd_scope scope, qd_pairs *pairs)
{
    qd_client_subscribe(client, room, scope, false);
    bool reset = false, last = false;
    while (!last) {
        const qd_msg_tick *tick = &session_wait_kind(client, QD_SERVER_TICK)->as.tick;

        assert_int_equal(tick->room, room);
        reset = reset || tick->reset;
        if (reset && pairs != NULL) {
            assert_int_equal(qd_pairs_apply(pairs, tick), QD_CLIENT_OK);
        }
        last = reset && tick->last;
    }
}

uint64_t session_step(qd_client *client, uint64_t room)
{
    uint32_t seq = qd_client_step(client, room, 0);
    const qd_msg_applied *applied = &session_expect(client, seq, QD_SERVER_APPLIED)->as.applied;

    assert_int_equal(applied->room, room);
    assert_int_equal(applied->seq, seq);
    return applied->tick;
}

size_t session_fold(qd_client *client, qd_pairs *pairs)
{
    size_t count = 0;

    for (const qd_server_message *message; (message = qd_client_next(client)) != NULL; count++) {
        if (message->kind != QD_SERVER_TICK) {
            fail_with(client, message, "a tick");
        }
        if (qd_pairs_apply(pairs, &message->as.tick) != QD_CLIENT_OK) {
            fail_msg("tick %llu contradicts the set", (unsigned long long)message->as.tick.tick);
        }
    }
    return count;
}

static size_t write_pairs(char *text, size_t size, const char *word, const qd_msg_pairs *pairs, const uint8_t *reasons)
{
    size_t used = 0;

    for (uint32_t i = 0; i < pairs->count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s %u-%u%s%s", used > 0 ? " " : "", word, pairs->a[i],
                                 pairs->b[i], reasons != NULL ? " " : "",
                                 reasons != NULL ? qd_end_reason_name(reasons[i]) : "");
    }
    return used < size ? used : size;
}

const qd_msg_tick *session_wait_tick(qd_client *client)
{
    const qd_msg_tick *tick;

    do {
        tick = &session_wait_kind(client, QD_SERVER_TICK)->as.tick;
    } while (tick->skipped > 0 && !tick->reset &&
             tick->ends.count + tick->begins.count + tick->passed.count + tick->stays.count == 0);
    return tick;
}

void session_expect_tick(qd_client *client, const char *events)
{
    const qd_msg_tick *tick = session_wait_tick(client);

    assert_true(tick->last);
    char parts[5][1024] = {{0}};
    snprintf(parts[0], sizeof parts[0], "%s", tick->reset ? "reset" : tick->suspended ? "suspended" : "");
    write_pairs(parts[1], sizeof parts[1], "end", &tick->ends, tick->end_reason);
    write_pairs(parts[2], sizeof parts[2], "begin", &tick->begins, NULL);
    write_pairs(parts[3], sizeof parts[3], "passed", &tick->passed, NULL);
    write_pairs(parts[4], sizeof parts[4], "stay", &tick->stays, NULL);
    char text[5 * 1024 + 8] = "";
    for (int i = 0; i < 5; i++) {
        if (parts[i][0] == '\0') {
            continue;
        }
        if (text[0] != '\0') {
            strcat(text, " ");
        }
        strcat(text, parts[i]);
    }
    assert_string_equal(text, events);
}

void session_witness_open(session_witness *witness, const char *address)
{
    *witness = (session_witness){.client = session_open(address)};
    witness->room = session_open_room(witness->client, "witness", NULL);
    session_subscribe(witness->client, witness->room, QD_SCOPE_ALL, NULL);
    session_spawn(witness->client, witness->room, 1, 10, 10);
    session_spawn(witness->client, witness->room, 2, 100, 100);
    session_step(witness->client, witness->room);
    session_witness_check(witness);
}

void session_witness_check(session_witness *witness)
{
    witness->touches = !witness->touches;
    session_move(witness->client, witness->room, 2, witness->touches ? 10 : 100, 10);
    session_step(witness->client, witness->room);
    session_expect_tick(witness->client, witness->touches ? "begin 1-2" : "end 1-2 moved apart");
    session_expect_quiet(witness->client);
}

void session_witness_close(session_witness *witness)
{
    session_witness_check(witness);
    qd_client_destroy(witness->client);
}
