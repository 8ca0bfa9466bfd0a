/* SPDX-License-Identifier: Apache-2.0
 *
 * From the events of a walk, slots in no order, to their pairs in order: a key of two ids each, the lower << 32 | the
 * other, those of each kind of event together.
 *
 * Few are sorted kind by kind. Many are dealt out by kind and first digit, and each part is then sorted in a near
 * cache; all three steps are tasks for whoever has a hand free, and what comes of them is the same whoever does them:
 *
 *     by ranges of events        keys, in the order of their events, and how many have each digit
 *     by the same ranges         each key to its part: where the counts of all ranges tell
 *     by parts                   sorted
 *
 * Belongs to a room, for one round; used by whoever runs it.
 */
#ifndef QD_ROOM_PAIRS_PAIR_KEYS_H
#define QD_ROOM_PAIRS_PAIR_KEYS_H

#include "../../space/space.h"
#include "../entities/ids.h"

#define QD_PAIR_KINDS (QD_SPACE_PASSED + 1)

typedef struct qd_pair_keys {
    size_t start[QD_PAIR_KINDS + 1];      /* the pairs of event kind k are those from start[k] to start[k + 1] */
    const uint64_t *key[QD_PAIR_KINDS];   /* of a kind, its first */
    const uint32_t *value[QD_PAIR_KINDS]; /* beside them the indices of their events, where asked for; else NULL */
} qd_pair_keys;

/* What they are made of. */
typedef struct qd_pair_source {
    const qd_space_events *events;
    const uint32_t *id; /* by slot */
    const qd_ids *ids;  /* that say how wide ids are */
    bool with_values;
} qd_pair_source;

/* The bytes of memory that it takes. */
size_t qd_pair_keys_bytes(size_t count, const qd_executor *executor);

/* `memory` is aligned for keys, and what comes of them stays there. */
void qd_pair_keys_sort(qd_pair_keys *keys, const qd_pair_source *source, const qd_executor *executor, void *memory);

static inline size_t qd_pair_keys_count(const qd_pair_keys *keys, qd_space_kind kind)
{
    return keys->start[kind + 1] - keys->start[kind];
}

/* In how many ranges so many are worked on: one, where hands would cost more than they bring. */
size_t qd_pair_ranges(size_t count, const qd_executor *executor);

#endif
