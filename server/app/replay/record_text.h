/* SPDX-License-Identifier: Apache-2.0
 *
 * The text at the beginning of each file of a record: what a replay has to know of the server. Nothing in it is secret.
 */
#ifndef QD_APP_REPLAY_RECORD_TEXT_H
#define QD_APP_REPLAY_RECORD_TEXT_H

#include "replay.h"

#define QD_RECORD_TEXT_BYTES 1024u

void qd_record_text_write(const qd_replay_server *server, char text[QD_RECORD_TEXT_BYTES]);
void qd_record_text_read(const char *text, qd_replay_server *server);
/* Whether this version of the server wrote it. */
bool qd_record_text_is_own(const char *text);

#endif
