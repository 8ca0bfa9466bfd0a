/* SPDX-License-Identifier: Apache-2.0
 *
 * A bare TCP connection to the server under test, for bytes that the client library would never send and for looking
 * at the bytes that come back. Everything here fails the test when it takes longer than DEADLINE_MS (session.h).
 */
#ifndef QD_TESTS_SUPPORT_RAW_H
#define QD_TESTS_SUPPORT_RAW_H

#include "proto/codec.h"
#include "proto/framing.h"

typedef struct raw_link {
    int socket;
    uint8_t received[65536];
    const uint8_t *at; /* received, and not read */
    size_t left;
    qd_frame_reader reader;
    qd_decoded_server decoded;
    struct raw_link *next; /* in the list of those that are open */
} raw_link;

raw_link *raw_open(const char *address);
/* The same, past Hello and Welcome. */
raw_link *raw_open_session(const char *address);
/* Closes the connection. */
void raw_close(raw_link *raw);
void raw_close_all(void);

/* Sends all of it. Stops without failing when the server has closed. */
void raw_send(raw_link *raw, const void *bytes, size_t size);
/* The same behind its length, as a frame. */
void raw_send_frame(raw_link *raw, const void *bytes, size_t size);
void raw_send_message(raw_link *raw, const qd_client_message *message);

/* The next message, valid until the next call; NULL: the server has closed. */
const qd_server_message *raw_next(raw_link *raw);
/* Its bytes as they came, without the length. */
const qd_server_message *raw_next_bytes(raw_link *raw, const uint8_t **frame, size_t *frame_size);

/* The next message is of that kind, and has that seq. */
const qd_server_message *raw_expect(raw_link *raw, uint64_t seq, qd_server_kind kind);
/* Error with that code, GoAway PROTOCOL, end of the connection. `word`, if not NULL, stands in the Error's text. */
void raw_expect_end(raw_link *raw, qd_error_code code, const char *word);
/* Error with that code to that request; the connection lives. */
void raw_expect_error(raw_link *raw, uint64_t seq, qd_error_code code, const char *word);

#endif
