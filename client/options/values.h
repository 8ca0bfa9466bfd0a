/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of a command line. Each function parses a whole text. false: it is no such value, or out of range.
 */
#ifndef QD_OPTIONS_VALUES_H
#define QD_OPTIONS_VALUES_H

#include "messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qd_option_bounds {
    uint32_t dimensions; /* 2 or 3, by the count of numbers; 0: not given */
    qd_msg_bounds bounds;
} qd_option_bounds;

typedef struct qd_option_choice {
    const char *name; /* NULL ends a list */
    uint32_t value;
} qd_option_choice;

/* The values of qd_index_kind and qd_prune_kind. */
extern const qd_option_choice qd_option_indexes[], qd_option_prunes[], qd_option_accesses[];

bool qd_options_uint32(const char *text, uint32_t *number);
bool qd_options_uint64(const char *text, uint64_t *number);
bool qd_options_float(const char *text, float *number);
bool qd_options_double(const char *text, double *number);
/* Exactly `count` numbers, with commas between. */
bool qd_options_floats(const char *text, float *numbers, size_t count);
/* MINX,MINY,MAXX,MAXY, or six numbers, each minimum below its maximum. */
bool qd_options_bounds(const char *text, qd_option_bounds *bounds);
/* Bytes: "65536", "64K", "4M", "1g". */
bool qd_options_size(const char *text, uint64_t *bytes);

/* Whether the text begins a number, which may have a sign. */
bool qd_options_begins_number(const char *text);

/* 4194304 as "4M". */
#define QD_SIZE_TEXT_SIZE 24
void qd_options_size_text(uint64_t bytes, char text[QD_SIZE_TEXT_SIZE]);

#endif
