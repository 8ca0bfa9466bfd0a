/* SPDX-License-Identifier: Apache-2.0
 *
 * The answers of a system, folded: the present members, and the changes of the last step. A system sends either changes
 * (sets_enter, sets_leave) or all members in each step (sets_see for each, then sets_forget_unseen).
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
    uint32_t step;
} sets;

void sets_init(sets *s);
void sets_begin_step(sets *s);
/* If a member enters again, or a key leaves that is none, the system contradicts itself, and the program ends. */
void sets_enter(sets *s, uint64_t key);
void sets_leave(sets *s, uint64_t key);
void sets_see(sets *s, uint64_t key);
void sets_forget_unseen(sets *s);
/* Returns all members, ascending; to be freed. */
uint64_t *sets_members(const sets *s);
void sets_sort(uint64_t *key, size_t count);

#endif
