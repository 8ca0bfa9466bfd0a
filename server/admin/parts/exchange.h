/* SPDX-License-Identifier: Apache-2.0
 *
 * One request to the admin server and its answer, without anything of HTTP's wire format. [admin thread]
 */
#ifndef QD_ADMIN_PARTS_EXCHANGE_H
#define QD_ADMIN_PARTS_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../session/check/token_file.h"

#define QD_ADMIN_PATH_BYTES_MAX 1024u
#define QD_ADMIN_BODY_BYTES_MAX 1024u
#define QD_ADMIN_ARG_BYTES_MAX  256u

typedef enum qd_admin_method { QD_ADMIN_GET, QD_ADMIN_PUT, QD_ADMIN_DELETE, QD_ADMIN_OTHER } qd_admin_method;

typedef struct qd_admin_request {
    qd_admin_method method;
    char path[QD_ADMIN_PATH_BYTES_MAX + 1]; /* decoded, without arguments */
    char after[QD_ADMIN_ARG_BYTES_MAX + 1]; /* the arguments of that name; "": absent */
    char limit[QD_ADMIN_ARG_BYTES_MAX + 1];
    char body[QD_ADMIN_BODY_BYTES_MAX + 1];
    size_t body_size;
    char peer[64];       /* the client's address */
    qd_role role;        /* of its token; ADMIN may change things */
    size_t token_number; /* the token's place in the file, from 1; 0: none */
} qd_admin_request;

typedef struct qd_admin_answer {
    unsigned status;
    const char *type;  /* of the text */
    const char *allow; /* with the status 405: the methods that are there; else NULL */
    char *text;
    size_t size, capacity;
    bool failed; /* there was no memory: the text is not whole */
} qd_admin_answer;

/* Appends to the text. */
void qd_admin_write(qd_admin_answer *answer, const char *bytes, size_t size);
void qd_admin_print(qd_admin_answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Replaces the text by a line for people. */
void qd_admin_refuse(qd_admin_answer *answer, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Frees the text. */
void qd_admin_answer_clear(qd_admin_answer *answer);

#endif
