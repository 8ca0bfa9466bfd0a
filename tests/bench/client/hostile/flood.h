/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections that send prepared bytes without end and throw away what comes back: the cheapest hostile client. A part of
 * bench_client_hostile.
 */
#ifndef QD_BENCH_FLOOD_H
#define QD_BENCH_FLOOD_H

#include <stddef.h>
#include <stdint.h>

#include "client/quadrille.h"

/* A connection that is in a session. Its frames are sent one after the other, again and again. */
typedef struct flood {
    int socket; /* -1: the server closed it */
    uint8_t *bytes;
    size_t size, capacity, at;
    size_t piece;       /* with period_ns: bytes that are due at once */
    uint64_t period_ns; /* 0: as fast as the server reads */
    uint64_t due_ns;
} flood;

/* How a connection ends once all its bytes are sent. */
typedef enum churn_end {
    CHURN_ABORT = 0,  /* at once */
    CHURN_ANSWER,     /* with the first bytes that come back */
    CHURN_HALF_CLOSE, /* the server reads the end, and closes */
    CHURN_WAIT,       /* when the server closes */
} churn_end;

/* A slot whose connections each send a few bytes and end; the next one follows at once. */
typedef struct churn {
    int socket;
    uint8_t *bytes;
    size_t size, capacity, at;
    uint64_t opened_ns;
    churn_end end;
} churn;

/* Fills in the bytes and the end of the next connection. `number` counts all of them. */
typedef void churn_fill(churn *slot, uint64_t number);

void flood_frame(flood *to, const qd_client_message *message);
void churn_bytes(churn *to, const void *bytes, size_t size);
void churn_frame(churn *to, const qd_client_message *message);

/* Both run until `control` is readable. flood_run ends with an error if the server closed all connections before. Each
 * returns how many connections the server ended. */
uint64_t flood_run(flood *floods, size_t count, int control);
uint64_t churn_run(churn *slots, size_t count, const char *address, churn_fill *fill, int control);

#endif
