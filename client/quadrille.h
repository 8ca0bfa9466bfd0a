/* SPDX-License-Identifier: Apache-2.0
 *
 * libquadrille: the client of a Quadrille server.
 *
 * A client holds one session: requests go in as calls, bytes go out and in, messages come out. At heart it does no I/O:
 *
 *     qd_client_move(...)  ->  [client]  ->  qd_client_output   bytes to send
 *     qd_client_next       <-  [client]  <-  qd_client_input    bytes received
 *
 * so it fits any event loop (quadrille-uv.h fits it to libuv). Programs without a loop let it do its own socket:
 *
 *     qd_client *client = qd_client_create();
 *     qd_client_connect(client, "127.0.0.1:7400", NULL, "my-game/1.0", 2000);
 *     uint32_t seq = qd_client_open_room(client, "arena", &config);
 *     const qd_server_message *opened = qd_client_answer(client, seq, 2000);
 *     ...
 *     while ((message = qd_client_wait(client, 1000)) != NULL)
 *         if (message->kind == QD_SERVER_TICK) ...
 *
 * What the messages mean stands in quadrille.proto; messages.h has them as structs. Whole programs are in examples/,
 * of which hello.c is the first to read. Link with: pkg-config --cflags --libs quadrille
 *
 * THREADS. A client belongs to one thread at a time; different clients are independent.
 * OWNERSHIP. Everything returned belongs to the client. A message is valid until the next one is taken, by
 * qd_client_next, _wait or _answer; requests may be made meanwhile. Everything passed in stays the caller's: columns
 * and strings are copied.
 * ERRORS. A request that the server refuses is answered by a message of kind QD_SERVER_ERROR with the request's seq,
 * and the session goes on. What ends the session makes calls return a qd_client_status below 0 from then on, and
 * qd_client_error says it in words; messages that came before can still be taken. A client is for one session: to
 * connect again, make another one.
 * SIGNALS. Nothing here raises SIGPIPE. A signal that the program handles ends qd_client_poll and _wait early, as if
 * their time were over.
 */
#ifndef QUADRILLE_H
#define QUADRILLE_H

#include "messages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, number, "text for people") */
#define QD_CLIENT_STATUSES(X)                                                                                          \
    X(OK, 0, "done")                                                                                                   \
    X(TIMEOUT, 1, "nothing came in that time")                                                                         \
    X(ERR_NO_MEMORY, -1, "out of memory")                                                                              \
    X(ERR_ADDRESS, -2, "the address is not HOST:PORT, or the host is not known")                                       \
    X(ERR_CONNECT, -3, "the server cannot be reached")                                                                 \
    X(ERR_CLOSED, -4, "the server closed the connection")                                                              \
    X(ERR_PROTOCOL, -5, "the server sent bytes that are no frame of this protocol")                                    \
    X(ERR_REFUSED, -6, "the server refused the session")

typedef enum qd_client_status {
#define X(name, number, text) QD_CLIENT_##name = number,
    QD_CLIENT_STATUSES(X)
#undef X
} qd_client_status;

typedef struct qd_client qd_client;

/* "0.1.0"; the library's version. Static. */
QD_API const char *qd_version(void);

/* NULL: out of memory. */
QD_API qd_client *qd_client_create(void);
/* Closes the socket, if it has one. NULL is fine. */
QD_API void qd_client_destroy(qd_client *client);

/* ---- requests ----
 *
 * Each queues one frame and returns its seq, by which the answer is known; 0: the session has ended, or there is no
 * memory (see qd_client_error). Nothing is sent before the client's output is: by qd_client_flush, _wait, _answer, or
 * by your loop. A batch longer than Limits.frame_bytes_max (see qd_client_welcome) ends the session: split it. */

/* The first request. `token` and `name` (of your program, for the server's log) may be NULL. Answer: QD_SERVER_WELCOME.
 * qd_client_connect does it for you. */
QD_API uint32_t qd_client_hello(qd_client *client, const char *token, const char *name);
/* `config` NULL: join only. Answer: QD_SERVER_ROOM_OPENED, with the handle that the others need. */
QD_API uint32_t qd_client_open_room(qd_client *client, const char *name, const qd_msg_room_config *config);
/* Answer: QD_SERVER_ROOM_LEFT. */
QD_API uint32_t qd_client_leave_room(qd_client *client, uint64_t room);
/* For everybody; its creator and admins may. Answer: QD_SERVER_ROOM_CLOSED, which all others in it get as well. */
QD_API uint32_t qd_client_close_room(qd_client *client, uint64_t room);
/* By name, those after `after`; NULL: from the first. `limit` 0: the server's most. Answer: QD_SERVER_ROOM_LIST. */
QD_API uint32_t qd_client_list_rooms(qd_client *client, const char *after, uint32_t limit);

/* Batches. Which columns each needs stands in quadrille.proto; others must be NULL, as z and half_z in a room of two
 * dimensions. What is refused is answered by an error at once; the QD_SERVER_APPLIED of the tick answers for all
 * batches of a room up to its seq. */
QD_API uint32_t qd_client_spawn(qd_client *client, uint64_t room, const qd_msg_entities *entities, bool room_owned);
QD_API uint32_t qd_client_move(qd_client *client, uint64_t room, const qd_msg_entities *entities);
QD_API uint32_t qd_client_teleport(qd_client *client, uint64_t room, const qd_msg_entities *entities);
QD_API uint32_t qd_client_reshape(qd_client *client, uint64_t room, const qd_msg_entities *entities);
QD_API uint32_t qd_client_despawn(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count);
/* Names a roster, 0 to 255, or replaces it; with no ids, drops it. Then positions alone move its entities, in its
 * order:
 *
 *     qd_client_roster(client, room, 0, ids, count);
 *     ...
 *     qd_client_roster_move(client, &(qd_msg_roster_move){.room = room, .roster = 0, .count = count, .x = x, .y = y});
 *
 * A move by roster is answered as qd_client_move is. qd_client_roster_change says the rest of what a Roster can: to go
 * on with a roster that is there, to give entries of it to others, to cut it off. */
QD_API uint32_t qd_client_roster(qd_client *client, uint64_t room, uint32_t roster, const uint32_t *ids,
                                 uint32_t count);
QD_API uint32_t qd_client_roster_change(qd_client *client, const qd_msg_roster *roster);
QD_API uint32_t qd_client_roster_move(qd_client *client, const qd_msg_roster_move *move);
/* To the session of that number (qd_client_welcome), which is in the room and gets a QD_SERVER_HANDED_OVER; 0: to the
 * room itself. */
QD_API uint32_t qd_client_handover(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count,
                                   uint64_t session);
/* Takes back what sessions of this one's token have left in the room, for a program that was started anew. `session` 0:
 * of all that have no connection any more; else of that one, even if its connection seems to be open. Answer:
 * QD_SERVER_HANDED_OVER, in several messages where there are very many (see its `last`).
 *
 *     const qd_server_message *answer = qd_client_answer(client, qd_client_adopt(client, room, 0), 2000);
 *     if (answer != NULL && answer->kind == QD_SERVER_HANDED_OVER)
 *         printf("%u entities are mine again\n", answer->as.handed_over.count);
 *     seq = qd_client_snapshot_own(client, room, NULL, 0);                    and where they are
 */
QD_API uint32_t qd_client_adopt(qd_client *client, uint64_t room, uint64_t session);

/* Answer: the next QD_SERVER_TICK of the room that is marked reset. */
QD_API uint32_t qd_client_subscribe(qd_client *client, uint64_t room, qd_scope scope, bool stays);
/* Answer: QD_SERVER_APPLIED, at once. */
QD_API uint32_t qd_client_unsubscribe(qd_client *client, uint64_t room);
/* `tick` 0: the next one. Answer: QD_SERVER_APPLIED, after the events of that tick; in a room with config.writers that
 * is when the other writers have stepped, or have been too late for it, and it says who was. */
QD_API uint32_t qd_client_step(qd_client *client, uint64_t room, uint64_t tick);
/* All frames of the room up to that tick are folded: what a resumed session misses is counted from there. No answer. */
QD_API uint32_t qd_client_ack(qd_client *client, uint64_t room, uint64_t tick);
/* What is in the room now, in `region` (NULL: everywhere), at most `limit` (0: the server's default). Answer:
 * QD_SERVER_SNAPSHOT_RESULT, in several messages where there are very many (see its `last`). */
QD_API uint32_t qd_client_snapshot(qd_client *client, uint64_t room, const qd_msg_bounds *region, uint32_t limit);
/* The same of the entities that belong to this session. */
QD_API uint32_t qd_client_snapshot_own(qd_client *client, uint64_t room, const qd_msg_bounds *region, uint32_t limit);
/* What is in a region, near a point or on a ray, as of the last tick. Answer: QD_SERVER_QUERY_RESULT.
 *
 *     qd_msg_query query = {.room = room, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 3, .y = 4}, .limit = 5};
 *     const qd_server_message *answer = qd_client_answer(client, qd_client_query(client, &query), 2000);
 *     if (answer != NULL && answer->kind == QD_SERVER_QUERY_RESULT)
 *         for (uint32_t i = 0; i < answer->as.query_result.count; i++)
 *             printf("%u at %g\n", answer->as.query_result.id[i], answer->as.query_result.distance[i]);
 */
QD_API uint32_t qd_client_query(qd_client *client, const qd_msg_query *query);
/* `room` 0: the server's own. Answer: QD_SERVER_STATS. */
QD_API uint32_t qd_client_get_stats(qd_client *client, uint64_t room);
/* Answer: QD_SERVER_PONG, with the same data. */
QD_API uint32_t qd_client_ping(qd_client *client, uint64_t data);

/* Any request as a struct, with the seq that stands in it; for what the calls above do not say, such as a batch with
 * seq 0, which wants no Applied. The calls above go on counting behind the highest seq used. Returns whether it was
 * queued. */
QD_API bool qd_client_send(qd_client *client, const qd_client_message *message);
/* The seq that the next call above will use. */
QD_API uint32_t qd_client_next_seq(const qd_client *client);

/* ---- sans I/O ---- */

/* Bytes to send; NULL when there are none. Say with qd_client_sent how many of them you sent. Valid until the next
 * request or qd_client_sent. */
QD_API const void *qd_client_output(const qd_client *client, size_t *size);
QD_API void qd_client_sent(qd_client *client, size_t size);

/* Bytes received, in pieces of any size. Messages wait until they are taken. */
QD_API qd_client_status qd_client_input(qd_client *client, const void *bytes, size_t size);
/* The server has closed the stream: ends the session, with its reason if it said one. */
QD_API qd_client_status qd_client_input_end(qd_client *client);

/* The next message, or NULL when there is none yet. */
QD_API const qd_server_message *qd_client_next(qd_client *client);

/* ---- with its own socket ----
 *
 * Without one, qd_client_wait and _answer look only at what is there, and _poll and _flush return ERR_CONNECT. A
 * timeout_ms of -1 is without end. */

/* Connects ("host:port", "[::1]:port"), says hello and waits for Welcome, all within timeout_ms (but for the look-up of
 * a host's name, which takes as long as the system lets it). `token` and `name` may be NULL. Once: for another
 * connection make another client. */
QD_API qd_client_status qd_client_connect(qd_client *client, const char *address, const char *token, const char *name,
                                          int timeout_ms);
/* Before hello or connect: the session is to outlive its connection, and another client may go on with it, for as long
 * as Welcome says (RESUMING in quadrille.proto).
 *
 *     qd_client_resumable(client, NULL);                                      a new session
 *     qd_client_connect(client, ...);
 *     memcpy(key, qd_client_welcome(client)->resume_key.bytes, sizeof key);   of QD_RESUME_KEY_BYTES
 *     ...                                                                     the connection breaks
 *     qd_client_resumable(next, key);                                         the same session
 *     qd_client_connect(next, ...);
 *     if (!qd_client_welcome(next)->resumed) ...                              too late: it is a new one
 */
QD_API void qd_client_resumable(qd_client *client, const uint8_t *key);
/* What the server said in Welcome; NULL before it. Valid as long as the client. */
QD_API const qd_msg_welcome *qd_client_welcome(const qd_client *client);
/* For poll(2) and its like; -1 without a socket. */
QD_API int qd_client_socket(const qd_client *client);

/* Sends and receives what it can without waiting; if that was nothing, waits for at most timeout_ms until something
 * comes in or the last of the output is sent. QD_CLIENT_TIMEOUT: still nothing. */
QD_API qd_client_status qd_client_poll(qd_client *client, int timeout_ms);
/* Sends all output, receiving meanwhile. QD_CLIENT_TIMEOUT: some is left. */
QD_API qd_client_status qd_client_flush(qd_client *client, int timeout_ms);
/* The next message, waiting for it; NULL: none in that time, or the session has ended (see qd_client_state). */
QD_API const qd_server_message *qd_client_wait(qd_client *client, int timeout_ms);
/* The answer to that request (the message with its seq), waiting for it; others that come before stay in line for
 * qd_client_next. NULL as above, and at once where seq is 0, as it is of a request that was not queued. */
QD_API const qd_server_message *qd_client_answer(qd_client *client, uint32_t seq, int timeout_ms);

/* QD_CLIENT_OK while the session lives, else why it ended. */
QD_API qd_client_status qd_client_state(const qd_client *client);
/* The same in words, with the address or the server's own words; empty while all is well. */
QD_API const char *qd_client_error(const qd_client *client);
QD_API const char *qd_client_status_text(qd_client_status status);

/* ---- the set of pairs ----
 *
 * Folds the Tick frames of one room into the set of pairs that overlap, as the contract in quadrille.proto says. Pairs
 * that passed, in a swept room, are no part of it: read them from the frame.
 *
 *     if (message->kind == QD_SERVER_TICK && qd_pairs_apply(pairs, &message->as.tick) == QD_CLIENT_OK)
 *         for (uint32_t i = 0; i < message->as.tick.passed.count; i++)
 *             printf("%u passed %u\n", message->as.tick.passed.a[i], message->as.tick.passed.b[i]);
 */

typedef struct qd_pairs qd_pairs;

/* NULL: out of memory. */
QD_API qd_pairs *qd_pairs_create(void);
/* NULL is fine. */
QD_API void qd_pairs_destroy(qd_pairs *pairs);

/* Apply one frame. QD_CLIENT_ERR_PROTOCOL: it contradicts the set (a begin of a pair that is in, or one that passed; an
 * end or stay of one that is not; events before the first reset), which a server never sends. Then, and with
 * QD_CLIENT_ERR_NO_MEMORY, the set is forgotten until the next reset. */
QD_API qd_client_status qd_pairs_apply(qd_pairs *pairs, const qd_msg_tick *tick);
/* Whether the set is that of a whole tick: false before the first reset, within a tick of several frames, and while
 * the subscription is suspended. */
QD_API bool qd_pairs_known(const qd_pairs *pairs);
/* Of the last frame; 0: there was none. */
QD_API uint64_t qd_pairs_tick(const qd_pairs *pairs);
QD_API size_t qd_pairs_count(const qd_pairs *pairs);
QD_API bool qd_pairs_contain(const qd_pairs *pairs, uint32_t a, uint32_t b);
/* How many pairs an entity is in. */
QD_API uint32_t qd_pairs_of(const qd_pairs *pairs, uint32_t id);
/* Visit all, in no particular order: start with *cursor = 0; false at the end. Apply nothing meanwhile. */
QD_API bool qd_pairs_next(const qd_pairs *pairs, size_t *cursor, uint32_t *a, uint32_t *b);

#ifdef __cplusplus
}
#endif

#include "quadrille-views.h"

#endif
