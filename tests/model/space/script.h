/* SPDX-License-Identifier: Apache-2.0
 *
 * A script: how a space is made, and what is done to it, one line after the other. It is drawn from a seed, and can be
 * shortened: lines name entities, not slots, and a line about an entity that is not there does nothing, so every part
 * of a script is a script.
 */
#ifndef QD_TESTS_MODEL_SPACE_SCRIPT_H
#define QD_TESTS_MODEL_SPACE_SCRIPT_H

#include <stdio.h>

#include "server/space/space.h"
#include "server/space/tuning.h"

#define SCRIPT_ENTITIES_MAX 2048u

typedef enum script_verb {
    SCRIPT_SPAWN,
    SCRIPT_DESPAWN,
    SCRIPT_MOVE,
    SCRIPT_TELEPORT,
    SCRIPT_RESHAPE,
    SCRIPT_REFILTER,
    SCRIPT_TICK,
    SCRIPT_PAIRS,
    SCRIPT_QUERY,
    SCRIPT_MEMORY,
} script_verb;

typedef struct script_line {
    script_verb verb;
    uint32_t entity;
    bool joined;            /* MOVE, TELEPORT: in one call with the line before, where that is of the same verb */
    qd_body body;           /* SPAWN; and of it what the verb changes */
    qd_space_reason reason; /* DESPAWN */
    qd_space_wanted wanted; /* TICK */
    size_t limit;           /* TICK, PAIRS */
    qd_space_query query;   /* QUERY */
    bool by_name;           /* QUERY: equal hits by the names of entities, not by slots */
    size_t spare;           /* MEMORY: so many bytes are left; SIZE_MAX: any number */
    uint64_t fail, fails;   /* MEMORY: so many allocations fail, from this one on, counted from 1; 0: none */
} script_line;

typedef enum script_executor { SCRIPT_SERIAL, SCRIPT_SCRAMBLED, SCRIPT_THREADS, SCRIPT_EXECUTORS } script_executor;

typedef struct script {
    uint64_t seed;
    qd_space_config config;
    bool tuned;
    qd_tuning tuning;
    uint32_t kernel; /* qd_kernel_at */
    script_executor executor;
    uint32_t workers;
    uint64_t fail; /* of all allocations of the script this one fails, counted from 1; 0: none */
    script_line *line;
    uint32_t count, capacity;
} script;

/* The subject of a model test. SWEPT: events of swept spaces, in which much moves far. STARVED: there is little memory
 * at times. */
typedef enum script_aim { SCRIPT_EVENTS, SCRIPT_QUERIES, SCRIPT_SWEPT, SCRIPT_STARVED } script_aim;

/* An index in one number of dimensions: the thing under test. */
typedef struct script_index {
    qd_space_index index;
    uint32_t dimensions;
} script_index;

extern const script_index script_indexes[];
extern const uint32_t script_index_count;

/* Seeds that follow each other go through every index and, round by round, every mixture of shapes, kernel and
 * executor; the rest is random. */
void script_draw(script *s, script_aim aim, uint64_t seed);
const script_index *script_index_of_seed(uint64_t seed);
/* How many seeds it takes to go through all. */
uint64_t script_round(void);
void script_free(script *s);

void script_print(const script *s, FILE *to);
void script_print_query(const qd_space_query *query, uint32_t dimensions, FILE *to);

#endif
