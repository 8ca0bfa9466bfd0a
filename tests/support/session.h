/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests say often to a real server through the client library. Everything here fails the test, in words, when the
 * server does not do as expected within DEADLINE_MS; no test depends on how long something takes below that.
 */
#ifndef QD_TESTS_SUPPORT_SESSION_H
#define QD_TESTS_SUPPORT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "quadrille.h"
#include "support/process.h"

#define DEADLINE_MS 200000

/* The fixture of a file: one server, and a bystander on it, which must not notice what the tests do to others. The
 * teardown stops the server gracefully, and fails when it does not end with status 0 (or when a sanitizer reported
 * something). */
extern qd_process *session_server;
int session_server_setup(void **state);
int session_server_teardown(void **state);
#define ADDRESS qd_server_address(session_server)

/* A test whose sessions, raw connections, bystanders and servers end with it, after a last check of the bystanders. */
#define SESSION_TEST(name) TEST_WITH(name, NULL, session_close_all)
int session_close_all(void **state);

/* A server of the test's own, whose exit status must be 0. A test that stops it waits for its end. */
qd_process *session_start(const char *const *arguments);
/* Adds a bystander: a session with a room of its own, in which one box goes in and out of another. */
void session_bystander_open(const char *address);
/* Fails when a bystander gets anything but the events that it expects. */
void session_check_bystanders(void);

qd_client *session_open(const char *address);
/* The same with a token, or NULL. */
qd_client *session_open_with(const char *address, const char *token);
/* The same resumable; `key` is that of the session to resume, or NULL. */
qd_client *session_open_resumable(const char *address, const uint8_t *key);
/* Ends it before the test does. */
void session_close(qd_client *client);
/* A connection that is refused, with that text in the reason. */
void session_expect_refused(const char *address, const char *token, const char *word);

/* The answer of that kind to that request. Error: fails with its text. */
const qd_server_message *session_expect(qd_client *client, uint64_t seq, qd_server_kind kind);
/* The Error with that code to that request; `word`, if not NULL, stands in its text. */
const qd_msg_error *session_expect_error(qd_client *client, uint64_t seq, qd_error_code code, const char *word);
/* The Accepted of that request, with exactly these entries refused for these reasons. */
void session_expect_entries(qd_client *client, uint64_t seq, uint32_t count, const uint32_t *indexes,
                            const qd_error_code *codes);

/* The next message of that kind; others before it are read over, except Error, which fails. */
const qd_server_message *session_wait_kind(qd_client *client, qd_server_kind kind);
/* What this session has requested is in the rooms' hands: whatever another one requests from now on comes after it. */
void session_settle(qd_client *client);
/* Nothing more is in line, and the server has nothing more to say: a ping comes back alone. */
void session_expect_quiet(qd_client *client);

/* A room of 1,000 by 1,000 that ticks by Step, unless `config` says something else. Returns the handle. */
extern const qd_msg_room_config session_step_room;
uint64_t session_open_room(qd_client *client, const char *name, const qd_msg_room_config *config);
/* Joins a room that is open. */
uint64_t session_join(qd_client *client, const char *name);

/* A box of 2 by 2, and where it goes. Return the request's seq; the answer is the caller's business. Like
 * all requests they go out when the client next waits for something. */
uint32_t session_spawn(qd_client *client, uint64_t room, uint32_t id, float x, float y);
uint32_t session_move(qd_client *client, uint64_t room, uint32_t id, float x, float y);

/* Subscribes to all pairs and waits for the reset, which is applied to `pairs` if that is not NULL. */
void session_subscribe(qd_client *client, uint64_t room, qd_scope scope, qd_pairs *pairs);

/* Steps, waits for the Applied, and returns the tick. The frames of the tick are left in line. */
uint64_t session_step(qd_client *client, uint64_t room);

/* The next Tick that tells of more than skipped ticks, which a clock room has on a busy machine. */
const qd_msg_tick *session_wait_tick(qd_client *client);

/* The next Tick: one frame with these events and no others, as text: "end 3-4 despawned begin 1-2". */
void session_expect_tick(qd_client *client, const char *events);

#endif
