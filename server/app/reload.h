/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server reads at its start and again at SIGHUP: the options, and the files that they name. A reload is all or
 * nothing: if anything is not valid, nothing changes.
 */
#ifndef QD_APP_RELOAD_H
#define QD_APP_RELOAD_H

#include "../admin/admin.h"
#include "../net/tls/tls.h"
#include "options.h"
#include "server.h"

/* What the files hold that the options name. */
typedef struct qd_option_files {
    qd_log_level log_level;
    qd_tokens *tokens;       /* a reference; NULL: every token is accepted */
    qd_tokens *admin_tokens; /* a reference; NULL: none */
    qd_tls *tls;             /* NULL: connections are not encrypted */
} qd_option_files;

/* Checks that the options agree with each other, and reads the files. On failure, returns false, and *error names the
 * option and the fix. */
bool qd_option_files_read(const qd_server_options *options, qd_option_files *files, char *error, size_t error_size);

void qd_option_files_release(qd_option_files *files);

/* The same without keeping what it reads. */
bool qd_option_files_check(const qd_server_options *options, char *error, size_t error_size);

/* The limits of a server with these options, of which some depend on others. */
qd_limits qd_limits_of(const qd_server_options *options);

/* What runs with the options. */
typedef struct qd_reload_target {
    qd_server *server;
    qd_tls *tls;     /* may be NULL */
    qd_admin *admin; /* may be NULL */
} qd_reload_target;

/* Reads everything again, and takes over what may change in a running server. Logs each option that has changed, and
 * whether it takes a restart; or the error. [main thread] */
void qd_reload(qd_server_options *running, const qd_server_sources *sources, const qd_reload_target *target);

#endif
