/* SPDX-License-Identifier: Apache-2.0
 *
 * The keys that sign join tokens, in a file such as that of the server's --token-file: `key:ID SECRET [ROLE [PATTERN...]]`.
 * Other lines are skipped.
 */
#ifndef QD_TOOLS_KEY_FILE_H
#define QD_TOOLS_KEY_FILE_H

#include "cli.h"
#include "token/join_token.h"

typedef struct qd_tool_key {
    char id[QD_JOIN_KEY_BYTES_MAX + 1];
    char secret[QD_JOIN_SECRET_BYTES_MAX + 1];
    qd_role role; /* the highest that its tokens may have */
} qd_tool_key;

/* Reads the key with that id; `id` NULL: the only one of the file. The file must be readable by its owner alone. False:
 * reported, without the secret. */
bool qd_key_file_read(const qd_cli *cli, const char *path, const char *id, qd_tool_key *key);

#endif
