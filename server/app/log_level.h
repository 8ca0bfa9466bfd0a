/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of --log-level-file: one word, a log level. The server reads it at the start and on SIGHUP.
 */
#ifndef QD_APP_LOG_LEVEL_H
#define QD_APP_LOG_LEVEL_H

#include "../base/log.h"
#include "../base/status.h"

/* QD_ERR_INVALID: *error names the file, the rule and the fix. */
qd_status qd_log_level_read(const char *path, qd_log_level *level, char *error, size_t error_size);

#endif
