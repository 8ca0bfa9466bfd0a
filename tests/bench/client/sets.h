/* SPDX-License-Identifier: Apache-2.0
 *
 * What a system has told so far, folded: the members that are, and how they changed in the last step. A system either
 * tells changes (sets_enter, sets_leave), or all that is, in each step (sets_see of each, then sets_forget_unseen).
 */
#ifndef QD_BENCH_SETS_H
#define QD_BENCH_SETS_H

#include <stddef.h>
#include <stdint.h>

typedef struct sets_list {
    uint64_t *key;
    size_t count, capacity;
} sets_list;

/* A hash table with linear probing. */
typedef struct sets {
    uint64_t *key;  /* SETS_NONE: free */
    uint32_t *seen; /* the step that last saw it */
    size_t mask, count;
    sets_list entered, left; /* in the last step */
    uint64_t enters, leaves; /* in all */
    uint32_t step;
} sets;

void sets_init(sets *s);
void sets_begin_step(sets *s);
/* What is in enters again, or leaves without being in: that system contradicts itself, which ends the program. */
void sets_enter(sets *s, uint64_t key);
void sets_leave(sets *s, uint64_t key);
void sets_see(sets *s, uint64_t key);
void sets_forget_unseen(sets *s);
/* All members, ascending; to be freed. */
uint64_t *sets_members(const sets *s);
void sets_sort(uint64_t *key, size_t count);

#endif
