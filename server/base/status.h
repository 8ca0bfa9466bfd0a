/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of fallible functions in the server: 0 is success; every error is negative and has a name.
 */
#ifndef QD_BASE_STATUS_H
#define QD_BASE_STATUS_H

/* X(NAME, number, "text for people") */
#define QD_STATUSES(X)                                                                                                 \
    X(OK, 0, "done")                                                                                                   \
    X(ERR_NO_MEMORY, -1, "the memory limit is reached")                                                                \
    X(ERR_INVALID, -2, "a value is out of its range")                                                                  \
    X(ERR_NOT_FOUND, -3, "not found")                                                                                  \
    X(ERR_EXISTS, -4, "it exists already")                                                                             \
    X(ERR_FULL, -5, "a limit is reached")                                                                              \
    X(ERR_SYSTEM, -6, "the system refused")

typedef enum qd_status {
#define X(name, number, text) QD_##name = number,
    QD_STATUSES(X)
#undef X
} qd_status;

#define QD_MUST_USE __attribute__((warn_unused_result))

/* The text for people. Static. */
const char *qd_status_text(qd_status status);

#endif
