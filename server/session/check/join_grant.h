/* SPDX-License-Identifier: Apache-2.0
 *
 * What a join token allows: its own claims, within those of the key that signed it. [any]
 */
#ifndef QD_SESSION_CHECK_JOIN_GRANT_H
#define QD_SESSION_CHECK_JOIN_GRANT_H

#include "fault.h"
#include "token_file.h"

typedef struct qd_join_grant {
    qd_grant grant;     /* points into the rest, and to its key in the table, which must live as long */
    uint64_t expires_s; /* Unix time; from this second on, the token is not valid */
    qd_join_token token;
    char holder[sizeof QD_KEY_PREFIX + QD_JOIN_KEY_BYTES_MAX + 1 + QD_JOIN_NAME_BYTES_MAX];
} qd_join_grant;

/* Checks the token by the keys of the table. NULL: it is refused, and *fault says why. The caller destroys the grant. */
qd_join_grant *qd_join_grant_create(const qd_tokens *tokens, const char *text, uint64_t now_s,
                                    qd_fault *fault) QD_MUST_USE;
/* NULL is fine. */
void qd_join_grant_destroy(qd_join_grant *joined);

#endif
