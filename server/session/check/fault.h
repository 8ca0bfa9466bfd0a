/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong with a request: all that its Error says. Pure. [any]
 */
#ifndef QD_SESSION_CHECK_FAULT_H
#define QD_SESSION_CHECK_FAULT_H

#include "../../../proto/messages.h"

typedef struct qd_fault {
    qd_error_code code;
    uint64_t room;  /* that the Error names; 0: none */
    char text[240]; /* the field, its value and what it must be */
} qd_fault;

/* Fills in code and text. Returns false, so that a check ends with it. */
bool qd_fault_set(qd_fault *fault, qd_error_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define qd_fault_invalid(fault, ...) qd_fault_set((fault), QD_ERROR_INVALID, __VA_ARGS__)

#endif
