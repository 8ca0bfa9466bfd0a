/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's own token: random letters in a file that only the user may read. All commands of a user present it, so
 * that one command may close the room that another opened.
 */
#ifndef QD_TOOLS_OWN_TOKEN_H
#define QD_TOOLS_OWN_TOKEN_H

#include <limits.h>

#include "cli.h"

#define QD_OWN_TOKEN_SIZE 65

/* Reads the token from quadrille/token in the folder XDG_STATE_HOME (~/.local/state), and creates the file at first use.
 * Where no file can be created, the token is empty. False: the file is there, but cannot be trusted or read; reported. */
bool qd_own_token(const qd_cli *cli, char token[QD_OWN_TOKEN_SIZE]);

/* Writes the path of that file. False: neither XDG_STATE_HOME nor HOME is an absolute path. */
bool qd_own_token_path(char path[PATH_MAX]);

#endif
