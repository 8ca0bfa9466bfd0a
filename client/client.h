/* SPDX-License-Identifier: Apache-2.0
 *
 * The private state of a client, shared by client.c (bytes and messages), requests.c (the calls) and socket.c. Not
 * installed.
 */
#ifndef QD_CLIENT_CLIENT_H
#define QD_CLIENT_CLIENT_H

#include "../proto/codec.h"
#include "../proto/framing.h"
#include "../proto/move_parts.h"
#include "quadrille.h"
#include "tls.h"

#define QD_CLIENT_ERROR_BYTES_MAX   512u
#define QD_CLIENT_ADDRESS_BYTES_MAX 300u

/* A received message that the caller has not taken yet. */
typedef struct qd_client_entry {
    struct qd_client_entry *next;
    qd_decoded_server decoded;
} qd_client_entry;

struct qd_client {
    qd_client_status state;
    char error[QD_CLIENT_ERROR_BYTES_MAX];
    char refusal[QD_CLIENT_ERROR_BYTES_MAX]; /* why the last request was not queued; empty: it was */
    uint64_t next_seq;
    bool confirm; /* batches ask for Accepted */

    qd_client_tls *tls;         /* NULL: not encrypted */
    qd_client_channel *channel; /* NULL: not encrypted, or the host is not known yet */

    /* Output, plain: out[out_start .. out_end) is not sent yet. */
    uint8_t *out;
    size_t out_start, out_end, out_capacity;

    /* Input: messages go to the end of the list; `shown` is the message that the caller uses. */
    qd_frame_reader reader;
    qd_client_entry *first, *last;
    qd_client_entry *shown;

    bool welcomed;
    qd_msg_welcome welcome;
    char *welcome_server;
    uint8_t welcome_key[QD_RESUME_KEY_BYTES];
    bool resumable, pings;
    size_t resume_size; /* 0: a new session */
    uint8_t resume[QD_RESUME_KEY_BYTES];
    char farewell[QD_CLIENT_ERROR_BYTES_MAX];   /* the text of GoAway SHUTDOWN; empty before it */
    char last_error[QD_CLIENT_ERROR_BYTES_MAX]; /* the text of the last Error */
    qd_error_code last_code;                    /* and its code */

    int socket; /* -1: none */
    char address[QD_CLIENT_ADDRESS_BYTES_MAX];
};

/* Ends the session and stores the reason as text, unless it has ended already. Returns the state. */
qd_client_status qd_client_end(qd_client *client, qd_client_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The longest frame that the server reads; SIZE_MAX before Welcome. */
size_t qd_client_frame_bytes_max(const qd_client *client);

/* Opens the channel of a client that uses TLS; `host` is that of the address. false: out of memory, which ends the
 * session. */
bool qd_client_open_channel(qd_client *client, const char *host);

/* Splits "host:port" or "[host]:port"; `host` has room for the whole address. *port points into `address`. */
bool qd_client_split_address(const char *address, char *host, const char **port);

/* Removes the first message that answers `seq` from the list; NULL: none. */
const qd_server_message *qd_client_take_answer(qd_client *client, uint64_t seq);

#endif
