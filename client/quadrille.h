/* SPDX-License-Identifier: Apache-2.0
 *
 * libquadrille: the client library of a Quadrille server.
 *
 * A client holds one session. Requests are calls, messages are results, and bytes go out and come in. The core does no
 * I/O:
 *
 *     qd_client_move(...)  ->  [client]  ->  qd_client_output   bytes to send
 *     qd_client_next       <-  [client]  <-  qd_client_input    bytes received
 *
 * So it fits any event loop; quadrille-uv.h connects it to libuv. A program without a loop lets the client use its own
 * socket:
 *
 *     qd_client *client = qd_client_create();
 *     qd_client_connect(client, "127.0.0.1:7400", NULL, "my-game/1.0", 2000);
 *     uint64_t seq = qd_client_open_room(client, "arena", &config);
 *     const qd_server_message *opened = qd_client_answer(client, seq, 2000);
 *     ...
 *     while ((message = qd_client_wait(client, 1000)) != NULL)
 *         if (message->kind == QD_SERVER_TICK) ...
 *
 * quadrille.proto documents the messages, and messages.h has them as structs. examples/ has whole programs; read
 * hello.c first. Link with: pkg-config --cflags --libs quadrille
 *
 * THREADS. One thread at a time may use a client. Different clients are independent.
 * OWNERSHIP. The client owns everything that it returns. A message is valid until the next qd_client_next, _wait or
 * _answer; requests do not invalidate it. The caller keeps everything that it passes: the client copies columns and
 * strings.
 * ERRORS. If the server refuses a request, it answers with a message of kind QD_SERVER_ERROR and the request's seq. The
 * session continues. After the session has ended, calls return a qd_client_status below 0, and qd_client_error gives
 * the reason. Messages received before the end are still available. A client is for one session: to connect again,
 * create another client.
 * SIGNALS. The library never raises SIGPIPE. A signal that the program handles ends qd_client_poll and _wait early, as
 * a timeout does.
 */
#ifndef QUADRILLE_H
#define QUADRILLE_H

#include "messages.h"
#include "quadrille-version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, number, "text for people") */
#define QD_CLIENT_STATUSES(X)                                                                                          \
    X(OK, 0, "done")                                                                                                   \
    X(TIMEOUT, 1, "nothing arrived in time")                                                                           \
    X(ERR_NO_MEMORY, -1, "out of memory")                                                                              \
    X(ERR_ADDRESS, -2, "the address is not HOST:PORT, or the host is unknown")                                         \
    X(ERR_CONNECT, -3, "the server cannot be reached")                                                                 \
    X(ERR_CLOSED, -4, "the server closed the connection")                                                              \
    X(ERR_PROTOCOL, -5, "the server sent bytes that are not a frame of this protocol")                                 \
    X(ERR_REFUSED, -6, "the server refused the session")                                                               \
    X(ERR_TLS, -7, "the encryption failed, or the server's certificate is refused")

typedef enum qd_client_status {
#define X(name, number, text) QD_CLIENT_##name = number,
    QD_CLIENT_STATUSES(X)
#undef X
} qd_client_status;

typedef struct qd_client qd_client;

/* The version of the library that the program runs with, such as "0.1.0". Static. QD_VERSION_TEXT is that of the
 * headers. */
QD_API const char *qd_version(void);

/* Functions as malloc, realloc and free: aligned as malloc aligns, NULL without memory. `resize` and `release` never get
 * NULL, and sizes are never 0. */
typedef struct qd_allocator {
    void *(*alloc)(size_t size);
    void *(*resize)(void *old, size_t size);
    void (*release)(void *memory);
} qd_allocator;

/* From now on the library allocates by these functions. Call it before any other function of the library. Name lookup
 * by the system (getaddrinfo) and OpenSSL keep malloc. */
QD_API void qd_set_allocator(qd_allocator allocator);

/* NULL: out of memory. */
QD_API qd_client *qd_client_create(void);
/* Closes the socket, if there is one. Accepts NULL. */
QD_API void qd_client_destroy(qd_client *client);

/* ---- encryption ----
 *
 * With TLS 1.2 or 1.3. The server needs a certificate that is valid, names the host, and leads to a trusted CA. Only the
 * session's bytes change: with sans I/O, qd_client_output and _input take encrypted ones.
 *
 *     qd_client_tls *tls = qd_client_tls_create(&(qd_client_tls_files){.ca = "ca.pem"}, error, sizeof error);
 *     qd_client_use_tls(client, tls, NULL);
 *     qd_client_connect(client, "game.example:7400", token, "my-game/1.0", 2000);
 *
 * OpenSSL does it, with its own memory (see qd_set_allocator). */

/* Files in PEM; absent members are NULL. */
typedef struct qd_client_tls_files {
    const char *ca;         /* certificates of the trusted CAs; NULL: those of the system */
    const char *cert, *key; /* this client's certificate and its key, for servers that demand one; NULL: none */
} qd_client_tls_files;

/* Any number of clients may use it, on any threads. */
typedef struct qd_client_tls qd_client_tls;

/* Reads the files (NULL: none). NULL: `error` (which may be NULL) gets the file, the problem and the fix. */
QD_API qd_client_tls *qd_client_tls_create(const qd_client_tls_files *files, char *error, size_t error_size);
/* Clients that use it keep what they need. Accepts NULL. */
QD_API void qd_client_tls_destroy(qd_client_tls *tls);
/* Call it before hello or connect. The certificate must name `host`; NULL: the host of the address that qd_client_connect
 * gets. Sans I/O, give the host: without it nothing is sent. */
QD_API qd_client_status qd_client_use_tls(qd_client *client, qd_client_tls *tls, const char *host);

/* ---- requests ----
 *
 * Each call queues one frame and returns its seq, which identifies the answer. Frames are sent by qd_client_flush, _wait
 * or _answer, or by your loop. A call returns 0 if the session has ended, or if there is no memory, which ends it. It
 * also returns 0 for a request longer than Limits.frame_bytes_max (see qd_client_welcome): the session continues, and
 * qd_client_error gives the length. Split such a batch. */

/* The first request. `token` and `name` may be NULL; `name` is your program's name, for the server's log. Answer:
 * QD_SERVER_WELCOME. qd_client_connect sends it for you. */
QD_API uint64_t qd_client_hello(qd_client *client, const char *token, const char *name);
/* `config` NULL: join only. Answer: QD_SERVER_ROOM_OPENED, with the handle that the other requests need. */
QD_API uint64_t qd_client_open_room(qd_client *client, const char *name, const qd_msg_room_config *config);
/* Answer: QD_SERVER_ROOM_LEFT. */
QD_API uint64_t qd_client_leave_room(qd_client *client, uint64_t room);
/* Closes the room for all sessions in it. Allowed to its creator and to admins. Answer: QD_SERVER_ROOM_CLOSED, which
 * all other sessions in the room get as well. */
QD_API uint64_t qd_client_close_room(qd_client *client, uint64_t room);
/* Lists the rooms by name, beginning after the name `after`; NULL: from the first. `limit` 0: the server's maximum.
 * Answer: QD_SERVER_ROOM_LIST. */
QD_API uint64_t qd_client_list_rooms(qd_client *client, const char *after, uint32_t limit);
/* Lists the sessions by number, beginning after the number `after`: an admin's list has all, others' those of their own
 * token. `room` 0: those in any room or none. `limit` 0: the server's maximum. Answer: QD_SERVER_SESSION_LIST. */
QD_API uint64_t qd_client_list_sessions(qd_client *client, uint64_t room, uint64_t after, uint32_t limit);

/* From now on, all batches ask for QD_SERVER_ACCEPTED (`confirm`), or no longer do. Off at first. With it, each batch gets
 * an answer at once, also in a room that ticks by Step, and qd_client_answer(seq) returns it. It costs one small frame
 * per batch. */
QD_API void qd_client_confirm(qd_client *client, bool confirm);

/* Batches. quadrille.proto lists the columns that each needs; all others must be NULL, as z and half_z in a room of two
 * dimensions. Answers, at once: QD_SERVER_ERROR if the whole batch is refused; QD_SERVER_ACCEPTED, with the refused
 * entries, if some are refused or after qd_client_confirm. The QD_SERVER_APPLIED of a tick answers all batches of a room
 * up to its seq. */
QD_API uint64_t qd_client_spawn(qd_client *client, uint64_t room, const qd_msg_entities *entities, bool room_owned);
QD_API uint64_t qd_client_move(qd_client *client, uint64_t room, const qd_msg_entities *entities);
QD_API uint64_t qd_client_teleport(qd_client *client, uint64_t room, const qd_msg_entities *entities);
QD_API uint64_t qd_client_reshape(qd_client *client, uint64_t room, const qd_msg_entities *entities);
QD_API uint64_t qd_client_despawn(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count);
/* Registers a roster, 0 to 255, or replaces it; without ids, drops it. From then on positions alone move its entities,
 * in its order:
 *
 *     qd_client_set_roster(client, room, 0, ids, count);
 *     ...
 *     qd_client_move_roster(client, &(qd_msg_move_roster){.room = room, .roster = 0, .count = count, .x = x, .y = y});
 *
 * The answers to a roster move are those of qd_client_move. Use qd_client_change_roster to extend a roster, to give
 * entries to other entities, or to cut it. */
QD_API uint64_t qd_client_set_roster(qd_client *client, uint64_t room, uint32_t roster, const uint32_t *ids,
                                     uint32_t count);
QD_API uint64_t qd_client_change_roster(qd_client *client, const qd_msg_set_roster *roster);
QD_API uint64_t qd_client_move_roster(qd_client *client, const qd_msg_move_roster *move);
/* Moves entities of many rooms in one frame, which costs less than a frame per room. Each part is a move in one room, or,
 * without ids, a roster move:
 *
 *     const uint64_t rooms[] = {lobby, arena};
 *     const uint32_t sizes[] = {3, 2};                      three positions in the lobby, then two in the arena
 *     qd_client_move_rooms(client, &(qd_msg_move_rooms){.part_count = 2, .part_room = rooms, .part_size = sizes,
 *                                                       .count = 5, .id = ids, .x = x, .y = y});
 *
 * The sizes must add up to `count`. At most QD_MOVE_PARTS_MAX parts. Returns the seq of the first part. Part i has
 * that seq plus i, and the answers of qd_client_move. */
QD_API uint64_t qd_client_move_rooms(qd_client *client, const qd_msg_move_rooms *move);
/* Gives entities to the session of that number (qd_client_welcome), which is in the room and gets a
 * QD_SERVER_HANDED_OVER. `session` 0: to the room itself. */
QD_API uint64_t qd_client_hand_over(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count,
                                    uint64_t session);
/* Takes over the entities that sessions with this one's token have left in the room, after a restart. `session` 0: from
 * all sessions without a connection; else from that one, even if its connection seems to be open. Answer:
 * QD_SERVER_HANDED_OVER, in several messages for many entities (see its `last`).
 *
 *     const qd_server_message *answer = qd_client_answer(client, qd_client_adopt(client, room, 0), 2000);
 *     if (answer != NULL && answer->kind == QD_SERVER_HANDED_OVER)
 *         printf("adopted %u entities\n", answer->as.handed_over.count);
 *     seq = qd_client_get_own_snapshot(client, room, NULL, 0);                    their positions
 */
QD_API uint64_t qd_client_adopt(qd_client *client, uint64_t room, uint64_t session);

/* Answer: QD_SERVER_ACCEPTED. Then comes a QD_SERVER_TICK of the room that is marked reset. */
QD_API uint64_t qd_client_subscribe(qd_client *client, uint64_t room, qd_scope scope, bool stays);
/* Answer: QD_SERVER_ACCEPTED. No QD_SERVER_TICK of the room follows it. */
QD_API uint64_t qd_client_unsubscribe(qd_client *client, uint64_t room);
/* `tick` 0: the next one. Answer: QD_SERVER_APPLIED, after the events of that tick. In a room with config.writers it
 * comes when the other writers have stepped or missed their deadline, and names the late ones. */
QD_API uint64_t qd_client_step(qd_client *client, uint64_t room, uint64_t tick);
/* Confirms that all frames of the room up to that tick are folded: a resumed session counts its missed ticks from
 * there. No answer. */
QD_API uint64_t qd_client_ack(qd_client *client, uint64_t room, uint64_t tick);
/* Asks for the entities that are now in `region` (NULL: everywhere), at most `limit` (0: the server's default). Answer:
 * QD_SERVER_SNAPSHOT_RESULT, in several messages for many entities (see its `last`). */
QD_API uint64_t qd_client_get_snapshot(qd_client *client, uint64_t room, const qd_msg_bounds *region, uint32_t limit);
/* The same for the entities that belong to this session. */
QD_API uint64_t qd_client_get_own_snapshot(qd_client *client, uint64_t room, const qd_msg_bounds *region,
                                           uint32_t limit);
/* Asks for the entities in a region, near a point or on a ray, as of the last tick. Answer: QD_SERVER_QUERY_RESULT.
 *
 *     qd_msg_query query = {.room = room, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 3, .y = 4}, .limit = 5};
 *     const qd_server_message *answer = qd_client_answer(client, qd_client_query(client, &query), 2000);
 *     if (answer != NULL && answer->kind == QD_SERVER_QUERY_RESULT)
 *         for (uint32_t i = 0; i < answer->as.query_result.count; i++)
 *             printf("%u at %g\n", answer->as.query_result.id[i], answer->as.query_result.distance[i]);
 */
QD_API uint64_t qd_client_query(qd_client *client, const qd_msg_query *query);
/* `room` 0: statistics of the server. Answer: QD_SERVER_STATS. */
QD_API uint64_t qd_client_get_stats(qd_client *client, uint64_t room);
/* Answer: QD_SERVER_PONG, with the same data. */
QD_API uint64_t qd_client_ping(qd_client *client, uint64_t data);

/* Queues any request as a struct that contains its seq. Use it for requests without a call above, such as a batch with
 * seq 0, which wants no Applied. The calls above continue from the highest seq used. Returns whether the request was
 * queued. */
QD_API bool qd_client_send(qd_client *client, const qd_client_message *message);
/* Queues bytes of frames that you have encoded, each behind its length, for example once for many clients. Returns whether
 * they were queued. */
QD_API bool qd_client_send_frames(qd_client *client, const void *bytes, size_t size);
/* The seq that the next call above will use. */
QD_API uint64_t qd_client_next_seq(const qd_client *client);

/* ---- sans I/O ---- */

/* The bytes to send; NULL: none. Report how many of them you sent with qd_client_sent. Valid until the next request or
 * qd_client_sent. */
QD_API const void *qd_client_output(const qd_client *client, size_t *size);
QD_API void qd_client_sent(qd_client *client, size_t size);

/* Takes received bytes, in pieces of any size. The client keeps the messages until you take them. */
QD_API qd_client_status qd_client_input(qd_client *client, const void *bytes, size_t size);
/* The server has closed the stream: ends the session, with the server's reason if it sent one. */
QD_API qd_client_status qd_client_input_end(qd_client *client);

/* The next message; NULL: none yet. */
QD_API const qd_server_message *qd_client_next(qd_client *client);

/* ---- with its own socket ----
 *
 * Without a socket, qd_client_wait and _answer return only messages that are already there, and _poll and _flush return
 * ERR_CONNECT. A timeout_ms of -1 waits forever. */

/* Connects ("host:port", "[::1]:port"), sends Hello and waits for Welcome, all within timeout_ms. Looking up a host's
 * name may take longer. `token` and `name` may be NULL. Call it once: for another connection create another client. */
QD_API qd_client_status qd_client_connect(qd_client *client, const char *address, const char *token, const char *name,
                                          int timeout_ms);
/* Call it before hello or connect. The session outlives its connection, and another client may continue it within
 * Welcome's resume_ms ("Resume" in proto/README.md).
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
/* Call it before hello or connect. The server then finds this client's death within 15 s (L1 in proto/SPEC.md), also when
 * the system still answers for a process that hangs. It pings a silent client, and the client answers by itself. So call
 * qd_client_poll, _wait, _answer or _input at least every 5 s. */
QD_API void qd_client_pings(qd_client *client);
/* The server's Welcome; NULL before it. Valid as long as the client. */
QD_API const qd_msg_welcome *qd_client_welcome(const qd_client *client);
/* For poll(2) and similar calls; -1 without a socket. */
QD_API int qd_client_socket(const qd_client *client);

/* Sends and receives without waiting. If that moves nothing, waits for at most timeout_ms until a message arrives or
 * all output is sent. QD_CLIENT_TIMEOUT: neither happened. */
QD_API qd_client_status qd_client_poll(qd_client *client, int timeout_ms);
/* Sends all output, and receives meanwhile. QD_CLIENT_TIMEOUT: some output is left. */
QD_API qd_client_status qd_client_flush(qd_client *client, int timeout_ms);
/* Waits for the next message. NULL: none in time, or the session has ended (see qd_client_state). */
QD_API const qd_server_message *qd_client_wait(qd_client *client, int timeout_ms);
/* Waits for the answer to that request, which is the message with its seq. Earlier messages remain for qd_client_next.
 * NULL as above, and at once for seq 0, that of a request that was not queued. */
QD_API const qd_server_message *qd_client_answer(qd_client *client, uint64_t seq, int timeout_ms);

/* Why the server refused a request or some of its entries, if that is what the message says; otherwise NULL. The text of
 * an Error, or of an Accepted with refused entries, which names the first of them. As long-lived as the message. */
QD_API const char *qd_client_refusal(const qd_server_message *message);

/* QD_CLIENT_OK while the session lives, else the reason of its end. */
QD_API qd_client_status qd_client_state(const qd_client *client);
/* The same as text, with the address or the server's text. While the session lives: why the last request was not queued,
 * empty if it was. */
QD_API const char *qd_client_error(const qd_client *client);
QD_API const char *qd_client_status_text(qd_client_status status);

/* ---- the set of pairs ----
 *
 * Folds the Tick frames of one room into the set of overlapping pairs, by the contract in SPEC.md (P2). Pairs that
 * passed, in a swept room, are not part of the set: read them from the frame.
 *
 *     if (message->kind == QD_SERVER_TICK && qd_pairs_apply(pairs, &message->as.tick) == QD_CLIENT_OK)
 *         for (uint32_t i = 0; i < message->as.tick.passed.count; i++)
 *             printf("%u passed %u\n", message->as.tick.passed.a[i], message->as.tick.passed.b[i]);
 */

typedef struct qd_pairs qd_pairs;

/* NULL: out of memory. */
QD_API qd_pairs *qd_pairs_create(void);
/* Accepts NULL. */
QD_API void qd_pairs_destroy(qd_pairs *pairs);

/* Applies one frame. QD_CLIENT_ERR_PROTOCOL: the frame contradicts the set, which a server never sends. Examples are a
 * begin of a pair in the set, an end or stay of one outside it, and events before the first reset. After this error and
 * after QD_CLIENT_ERR_NO_MEMORY the set is empty and unknown until the next reset. */
QD_API qd_client_status qd_pairs_apply(qd_pairs *pairs, const qd_msg_tick *tick);
/* Whether the set is that of a whole tick: false before the first reset, between the frames of a tick, and while the
 * subscription is suspended. */
QD_API bool qd_pairs_known(const qd_pairs *pairs);
/* The tick of the last frame; 0 before the first. */
QD_API uint64_t qd_pairs_tick(const qd_pairs *pairs);
QD_API size_t qd_pairs_count(const qd_pairs *pairs);
QD_API bool qd_pairs_contain(const qd_pairs *pairs, uint32_t a, uint32_t b);
/* The number of pairs that an entity is in. */
QD_API uint32_t qd_pairs_of(const qd_pairs *pairs, uint32_t id);
/* Iterates over the pairs, in no particular order: start with *cursor = 0; false at the end. Apply no frame
 * meanwhile. */
QD_API bool qd_pairs_next(const qd_pairs *pairs, size_t *cursor, uint32_t *a, uint32_t *b);

#ifdef __cplusplus
}
#endif

#include "quadrille-views.h"

#endif
