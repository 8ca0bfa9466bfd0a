/* SPDX-License-Identifier: Apache-2.0
 *
 * The reverse view, for views.c: the observers that see each entity. Not installed.
 */
#ifndef QD_CLIENT_WATCHERS_H
#define QD_CLIENT_WATCHERS_H

#include "groups.h"
#include "quadrille.h"

typedef struct qd_watchers {
    qd_groups entries; /* by entity; each begins with its qd_view_watcher */
    qd_table keys;     /* by watcher_key: slot + 1 of the first in its chain */
} qd_watchers;

void qd_watchers_init(qd_watchers *watchers);
/* Calls no handler. */
void qd_watchers_empty(qd_watchers *watchers);
/* Reports each entry as gone, and empties the reverse view. */
void qd_watchers_forget(qd_watchers *watchers, const qd_view_handlers *handlers);
/* Applies the entries of a frame: first the leaves, then the enters. After an error, the caller forgets all. */
qd_client_status qd_watchers_fold(qd_watchers *watchers, const qd_msg_view *frame, const qd_view_handlers *handlers);

#endif
