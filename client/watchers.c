/* SPDX-License-Identifier: Apache-2.0
 *
 * Folds the reverse view. Its entries are in groups by entity, and a table finds each.
 */
#include "watchers.h"

/* An entry of the reverse view. Entries with the same key form a chain, as the key is shorter than its three values. */
typedef struct watch_entry {
    qd_view_watcher is;
    uint32_t chain; /* slot + 1 of the next one; 0: the last */
} watch_entry;

static uint64_t watcher_key(const qd_view_watcher *is)
{
    return ((uint64_t)is->entity << 32 | is->observer) + is->session * UINT64_C(0x9e3779b97f4a7c15);
}

void qd_watchers_init(qd_watchers *watchers)
{
    watchers->entries.item_size = sizeof(watch_entry);
}

void qd_watchers_empty(qd_watchers *watchers)
{
    qd_groups_empty(&watchers->entries);
    qd_table_empty(&watchers->keys);
}

void qd_watchers_forget(qd_watchers *watchers, const qd_view_handlers *handlers)
{
    for (size_t i = 0; handlers->unwatched != NULL && i < watchers->keys.capacity; i++) {
        for (uint64_t next = watchers->keys.places[i].value; next != 0;) {
            const watch_entry *gone = qd_groups_item(&watchers->entries, (uint32_t)next - 1);

            handlers->unwatched(gone->is.entity, gone->is.session, gone->is.observer, handlers->context);
            next = gone->chain;
        }
    }
    qd_watchers_empty(watchers);
}

static bool is_same(const qd_view_watcher *a, const qd_view_watcher *b)
{
    return a->entity == b->entity && a->session == b->session && a->observer == b->observer;
}

/* Finds that watcher in the chain from `next` on. Returns its slot + 1, and the entry before it (NULL: it is the
 * first); 0: not found. */
static uint32_t look_up(const qd_watchers *watchers, const qd_view_watcher *is, uint32_t next, watch_entry **before)
{
    *before = NULL;
    while (next != 0) {
        watch_entry *at = qd_groups_item(&watchers->entries, next - 1);

        if (is_same(&at->is, is)) {
            return next;
        }
        *before = at;
        next = at->chain;
    }
    return 0;
}

static qd_client_status watched(qd_watchers *watchers, const qd_view_watcher *is, const qd_view_handlers *handlers)
{
    qd_table_place *place = qd_table_get(&watchers->keys, watcher_key(is));
    uint32_t first = place != NULL ? (uint32_t)place->value : 0;
    watch_entry *before;

    if (look_up(watchers, is, first, &before) != 0) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    uint32_t slot = qd_groups_add(&watchers->entries, is->entity);
    place = slot != QD_GROUPS_NONE ? qd_table_put(&watchers->keys, watcher_key(is)) : NULL;
    if (place == NULL) {
        return QD_CLIENT_ERR_NO_MEMORY;
    }
    *(watch_entry *)qd_groups_item(&watchers->entries, slot) = (watch_entry){.is = *is, .chain = first};
    place->value = (uint64_t)slot + 1;
    if (handlers->watched != NULL) {
        handlers->watched(is->entity, is->session, is->observer, handlers->context);
    }
    return QD_CLIENT_OK;
}

static qd_client_status unwatched(qd_watchers *watchers, const qd_view_watcher *is, const qd_view_handlers *handlers)
{
    qd_table_place *place = qd_table_get(&watchers->keys, watcher_key(is));
    watch_entry *before = NULL;
    uint32_t found = place != NULL ? look_up(watchers, is, (uint32_t)place->value, &before) : 0;

    if (found == 0) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    if (handlers->unwatched != NULL) {
        handlers->unwatched(is->entity, is->session, is->observer, handlers->context);
    }
    const watch_entry *gone = qd_groups_item(&watchers->entries, found - 1);
    if (before != NULL) {
        before->chain = gone->chain;
    } else if (gone->chain != 0) {
        place->value = gone->chain;
    } else {
        qd_table_take(&watchers->keys, place);
    }
    qd_groups_remove(&watchers->entries, is->entity, found - 1);
    return QD_CLIENT_OK;
}

qd_client_status qd_watchers_fold(qd_watchers *watchers, const qd_msg_view *frame, const qd_view_handlers *handlers)
{
    qd_client_status status = QD_CLIENT_OK;

    for (uint32_t i = 0; i < frame->watcher_leave_count && status == QD_CLIENT_OK; i++) {
        status = unwatched(watchers,
                           &(qd_view_watcher){.entity = frame->watcher_leave_entity[i],
                                              .observer = frame->watcher_leave_observer[i],
                                              .session = frame->watcher_leave_session[i]},
                           handlers);
    }
    for (uint32_t i = 0; i < frame->watcher_enter_count && status == QD_CLIENT_OK; i++) {
        status = watched(watchers,
                         &(qd_view_watcher){.entity = frame->watcher_enter_entity[i],
                                            .observer = frame->watcher_enter_observer[i],
                                            .session = frame->watcher_enter_session[i]},
                         handlers);
    }
    return status;
}
