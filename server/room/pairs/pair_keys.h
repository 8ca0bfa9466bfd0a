/* SPDX-License-Identifier: Apache-2.0
 *
 * From the events of a traversal, which are slots in no order, to their pairs in order: a key of two ids each, the
 * lower id << 32 | the other, grouped by kind of event.
 *
 * Few events are sorted kind by kind. Many are distributed by kind and first digit, and each part is then sorted in a
 * near cache. The three steps are tasks for the executor, and their result does not depend on who runs them:
 *
 *     by ranges of events        makes the keys, in the order of their events, and counts each digit
 *     by the same ranges         moves each key to its part, by the counts of all ranges
 *     by parts                   sorts
 *
 * Use it for one round.
 */
#ifndef QD_ROOM_PAIRS_PAIR_KEYS_H
#define QD_ROOM_PAIRS_PAIR_KEYS_H

#include "../../space/space.h"
#include "../entities/ids/ids.h"

#define QD_PAIR_KINDS (QD_SPACE_PASSED + 1)

typedef struct qd_pair_keys {
    size_t start[QD_PAIR_KINDS + 1];      /* the pairs of event kind k are from start[k] to start[k + 1] */
    const uint64_t *key[QD_PAIR_KINDS];   /* the first of each kind */
    const uint32_t *value[QD_PAIR_KINDS]; /* the indices of their events, with with_values; else NULL */
} qd_pair_keys;

/* What the keys are made of. */
typedef struct qd_pair_source {
    const qd_space_events *events;
    const uint32_t *id; /* by slot */
    const qd_ids *ids;  /* for the width of ids */
    bool with_values;
} qd_pair_source;

/* How many bytes of memory the sort needs. */
size_t qd_pair_keys_bytes(size_t count, const qd_executor *executor);

/* `memory` is aligned for keys, and holds the result. */
void qd_pair_keys_sort(qd_pair_keys *keys, const qd_pair_source *source, const qd_executor *executor, void *memory);

static inline size_t qd_pair_keys_count(const qd_pair_keys *keys, qd_space_kind kind)
{
    return keys->start[kind + 1] - keys->start[kind];
}

/* In how many ranges so many events are sorted; 1 if more workers would cost more than they gain. */
size_t qd_pair_ranges(size_t count, const qd_executor *executor);

#endif
