/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raw.h"

#define OPEN_MAX       64
#define BYSTANDERS_MAX 2

typedef struct bystander {
    qd_client *client;
    uint64_t room;
    bool touches;
} bystander;

qd_process *session_server;
/* What ends with the test, except the first bystander, which is the file's. */
static qd_client *clients[OPEN_MAX];
static qd_process *server_of_test;
static bystander bystanders[BYSTANDERS_MAX];
static uint32_t bystander_count;

static void stop(qd_process *server)
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
    session_bystander_open(ADDRESS);
    clients[0] = NULL; /* the bystander stays when a test ends */
    return 0;
}

int session_server_teardown(void **state)
{
    (void)state;
    qd_client_destroy(bystanders[0].client);
    stop(session_server);
    return 0;
}

qd_process *session_start(const char *const *arguments)
{
    assert_null(server_of_test);
    server_of_test = qd_server_start(arguments);
    return server_of_test;
}

int session_close_all(void **state)
{
    (void)state;
    if (server_of_test != NULL && !qd_process_runs(server_of_test)) {
        bystander_count = session_server != NULL;
    }
    session_check_bystanders();
    for (size_t i = 0; i < OPEN_MAX; i++) {
        session_close(clients[i]);
    }
    raw_close_all();
    bystander_count = session_server != NULL;
    qd_process *server = server_of_test;
    server_of_test = NULL;
    if (server != NULL) {
        stop(server);
    }
    return 0;
}

const qd_msg_room_config session_step_room = {
    .has_bounds = true, .bounds = {.max_x = 1000, .max_y = 1000}, .tick_mode = QD_TICK_MODE_STEP};

/* With QD_TLS_CA, the server encrypts: the environment gives it a certificate of this CA. */
static qd_client *create_client(void)
{
    const qd_client_tls_files files = {.ca = getenv("QD_TLS_CA")};
    qd_client *client = qd_client_create();
    char error[400];

    if (files.ca != NULL) {
        qd_client_tls *tls = qd_client_tls_create(&files, error, sizeof error);

        if (tls == NULL) {
            fail_msg("TLS: %s", error);
        }
        assert_int_equal(qd_client_use_tls(client, tls, NULL), QD_CLIENT_OK);
        qd_client_tls_destroy(tls);
    }
    return client;
}

static qd_client *open_client(const char *address, const char *token, bool resumable, const uint8_t *key)
{
    size_t i = 0;

    while (i < OPEN_MAX && clients[i] != NULL) {
        i++;
    }
    assert_true(i < OPEN_MAX);
    clients[i] = create_client();
    if (resumable) {
        qd_client_resumable(clients[i], key);
    }
    if (qd_client_connect(clients[i], address, token, "test", DEADLINE_MS) != QD_CLIENT_OK) {
        fail_msg("connect: %s", qd_client_error(clients[i]));
    }
    return clients[i];
}

qd_client *session_open(const char *address)
{
    return open_client(address, NULL, false, NULL);
}

qd_client *session_open_with(const char *address, const char *token)
{
    return open_client(address, token, false, NULL);
}

qd_client *session_open_resumable(const char *address, const uint8_t *key)
{
    return open_client(address, NULL, true, key);
}

void session_close(qd_client *client)
{
    for (size_t i = 0; i < OPEN_MAX && client != NULL; i++) {
        if (clients[i] == client) {
            clients[i] = NULL;
            qd_client_destroy(client);
            return;
        }
    }
}

void session_expect_refused(const char *address, const char *token, const char *word)
{
    qd_client *client = create_client();

    assert_int_equal(qd_client_connect(client, address, token, NULL, DEADLINE_MS), QD_CLIENT_ERR_REFUSED);
    assert_non_null(strstr(qd_client_error(client), word));
    qd_client_destroy(client);
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
    if (qd_client_refusal(message) != NULL) {
        fail_msg("%s: got a refusal: %s", wanted, qd_client_refusal(message));
    }
    fail_msg("%s: got a message of kind %d", wanted, (int)message->kind);
}

const qd_server_message *session_expect(qd_client *client, uint64_t seq, qd_server_kind kind)
{
    assert_int_not_equal(seq, 0);
    const qd_server_message *message = qd_client_answer(client, seq, DEADLINE_MS);
    if (message == NULL || message->kind != kind) {
        char wanted[80];

        snprintf(wanted, sizeof wanted, "an answer of kind %d to request %" PRIu64, (int)kind, seq);
        fail_with(client, message, wanted);
    }
    return message;
}

const qd_msg_error *session_expect_error(qd_client *client, uint64_t seq, qd_error_code code, const char *word)
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

void session_expect_entries(qd_client *client, uint64_t seq, uint32_t count, const uint32_t *indexes,
                            const qd_error_code *codes)
{
    const qd_msg_accepted *accepted = &session_expect(client, seq, QD_SERVER_ACCEPTED)->as.accepted;

    assert_int_equal(accepted->refused_total, count);
    assert_int_equal(accepted->refused_count, count);
    assert_true(accepted->last);
    assert_true(count == 0 || accepted->text[0] != '\0');
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(accepted->refused_index[i], indexes[i]);
        assert_string_equal(qd_error_code_name(accepted->refused_code[i]), qd_error_code_name(codes[i]));
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
        if (message == NULL || qd_client_refusal(message) != NULL) {
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
    uint64_t seq = qd_client_open_room(client, name, config != NULL ? config : &session_step_room);
    const qd_msg_room_opened *opened = &session_expect(client, seq, QD_SERVER_ROOM_OPENED)->as.room_opened;

    assert_string_equal(opened->name, name);
    assert_int_not_equal(opened->room, 0);
    return opened->room;
}

uint64_t session_join(qd_client *client, const char *name)
{
    uint64_t seq = qd_client_open_room(client, name, NULL);
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
    uint64_t seq = qd_client_step(client, room, 0);
    const qd_msg_applied *applied = &session_expect(client, seq, QD_SERVER_APPLIED)->as.applied;

    assert_int_equal(applied->room, room);
    assert_int_equal(applied->seq, seq);
    return applied->tick;
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

static size_t write_pairs(char *text, size_t used, size_t size, const char *word, const qd_msg_pairs *pairs,
                          const uint8_t *reasons)
{
    for (uint32_t i = 0; i < pairs->count && used < size; i++) {
        const char *reason = reasons != NULL ? qd_end_reason_name(reasons[i]) : "";

        used += (size_t)snprintf(text + used, size - used, "%s%s %u-%u%s%s", used > 0 ? " " : "", word, pairs->a[i],
                                 pairs->b[i], reason[0] != '\0' ? " " : "", reason);
    }
    return used;
}

void session_expect_tick(qd_client *client, const char *events)
{
    const qd_msg_tick *tick = session_wait_tick(client);
    char text[1024] = "";

    assert_true(tick->last && !tick->reset && !tick->suspended);
    assert_int_equal(tick->passed.count + tick->stays.count, 0);
    size_t used = write_pairs(text, 0, sizeof text, "end", &tick->ends, tick->end_reason);
    write_pairs(text, used, sizeof text, "begin", &tick->begins, NULL);
    assert_string_equal(text, events);
}

static void check(bystander *one)
{
    one->touches = !one->touches;
    session_move(one->client, one->room, 2, one->touches ? 10 : 100, 10);
    session_step(one->client, one->room);
    session_expect_tick(one->client, one->touches ? "begin 1-2" : "end 1-2 moved apart");
    session_expect_quiet(one->client);
}

void session_bystander_open(const char *address)
{
    assert_true(bystander_count < BYSTANDERS_MAX);
    bystander *one = &bystanders[bystander_count++];
    *one = (bystander){.client = session_open(address)};
    one->room = session_open_room(one->client, "bystander", NULL);
    session_subscribe(one->client, one->room, QD_SCOPE_ALL, NULL);
    session_spawn(one->client, one->room, 1, 10, 10);
    session_spawn(one->client, one->room, 2, 100, 100);
    session_step(one->client, one->room);
    check(one);
}

void session_check_bystanders(void)
{
    for (uint32_t i = 0; i < bystander_count; i++) {
        check(&bystanders[i]);
    }
}
