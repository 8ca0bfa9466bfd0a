/* SPDX-License-Identifier: Apache-2.0
 *
 * The error texts that requests get, each once: cases_errors.c writes them to a file and compares it with
 * errors.expected.
 */
#ifndef QD_TESTS_SIM_ERRORS_H
#define QD_TESTS_SIM_ERRORS_H

#include <stdio.h>

#include "peer.h"

#define SIM_TEXTS_MAX 400

typedef struct sim_texts {
    FILE *file;
    bool for_memory; /* write N for each number: how far the memory goes depends on the build */
    char *lines[SIM_TEXTS_MAX];
    unsigned count;
} sim_texts;

/* Settles, reads all messages and writes the text of each Error, GoAway and first refused entry. Returns the number of
 * these messages. */
unsigned sim_texts_take(sim_texts *texts, sim_peer *peer);
/* The same, of a peer that must get such a message. */
void sim_texts_expect(sim_texts *texts, sim_peer *peer);

/* Texts about quotas, roles and the access of rooms. */
void sim_texts_of_access(sim_texts *texts, sim_house *house);
/* Texts about sessions and tokens; about the limits of rooms, rosters and queues; about memory. The last ones stop the
 * server. */
void sim_texts_of_sessions(sim_texts *texts, sim_house *house);
void sim_texts_of_limits(sim_texts *texts, sim_house *house);
void sim_texts_of_memory(sim_texts *texts, sim_house *house);
void sim_texts_of_stopping(sim_texts *texts, sim_house *house);

#endif
