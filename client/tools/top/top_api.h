/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the admin API of a server over HTTP, by libwebsockets. One thread.
 */
#ifndef QD_TOOLS_TOP_API_H
#define QD_TOOLS_TOP_API_H

#include "../cli.h"

#include <jansson.h>

/* An answer has at most this many bytes. A page of 200 rows has less. */
#define QD_TOP_ANSWER_BYTES_MAX (1u << 20)

#define QD_TOP_ERROR_SIZE 600u

typedef struct qd_top_api qd_top_api;

/* `address` is HOST:PORT or [IPV6]:PORT. `token` may be NULL. Both must stay valid. NULL: failed and reported, with the
 * exit status in *status. */
qd_top_api *qd_top_api_create(const qd_cli *cli, const char *address, const char *token, int *status);
/* NULL is allowed. */
void qd_top_api_destroy(qd_top_api *api);

/* GETs the path. Returns the JSON object, which the caller releases. NULL: failed, and `error` says why; it is ""
 * after a signal (qd_cli_stopped). */
json_t *qd_top_api_get(qd_top_api *api, const char *path, char error[QD_TOP_ERROR_SIZE]);

#endif
