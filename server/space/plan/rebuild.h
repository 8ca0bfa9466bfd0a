/* SPDX-License-Identifier: Apache-2.0
 *
 * Rebuilding: registers all rows of an old pool with an index that has none, in a new pool. A plan does that, and a space
 * that changes from one index to another.
 *
 *     begin   where the rows are                      spans
 *     sort    rows -> words, along the Z curve        word: a key | a note | the row's reference
 *     end     words -> cells -> blocks of a new pool
 *
 * Every list gets its blocks side by side. Lists lie in the order in which their first rows come, so rows that a
 * traversal reads together are together in memory. Rows come along the Z curve of their lower corners, or as they are
 * scanned where the index has no numbers.
 *
 * The workers of an executor divide the rows into parts. The result does not depend on how many there are.
 *
 * One thread at a time, which calls all functions; the executor runs the parts.
 */
#ifndef QD_SPACE_PLAN_REBUILD_H
#define QD_SPACE_PLAN_REBUILD_H

#include "../../base/executor.h"
#include "../core/index.h"

/* Rows side by side in one block of the old pool. */
typedef struct qd_span {
    uint32_t first; /* the reference of its first row */
    uint32_t at;    /* how many rows are before it; there is one more span behind the last, with all of them */
} qd_span;

typedef struct qd_rebuild {
    qd_index *index;
    qd_rows *old;
    const qd_executor *executor;
    uint32_t count; /* rows */
    uint32_t parts;
    qd_span *span;
    uint32_t spans;
    uint64_t *word, *spare; /* as many as there are rows */
    uint32_t *digits;       /* QD_DIGITS for each part */
} qd_rebuild;

#define QD_DIGIT_BITS 11u
#define QD_DIGITS     (1u << QD_DIGIT_BITS)

/* A word: its key from QD_WORD_KEY on, a note of 4 bits, and the reference of the row. */
#define QD_WORD_NOTE 28u

static inline uint32_t qd_word_key(uint64_t word)
{
    return (uint32_t)(word >> QD_WORD_KEY);
}

static inline uint32_t qd_word_note(uint64_t word)
{
    return (uint32_t)word >> QD_WORD_NOTE;
}

static inline uint32_t qd_word_row(uint64_t word)
{
    return (uint32_t)word & ((1u << QD_WORD_NOTE) - 1);
}

/* Where a part of `all` begins; part number `parts` begins at the end. */
static inline uint32_t qd_rebuild_part(const qd_rebuild *rebuild, uint32_t all, size_t part)
{
    return (uint32_t)((uint64_t)all * part / rebuild->parts);
}

/* Finds the rows of `old`, which are those of the scan. False: no memory, and there is nothing to free. */
bool qd_rebuild_begin(qd_rebuild *rebuild, qd_index *index, qd_rows *old, qd_scan all,
                      const qd_executor *executor) QD_MUST_USE;
/* Runs a task for each part. */
void qd_rebuild_fork(const qd_rebuild *rebuild, qd_task_fn task, void *argument);
/* Puts the words in order. Where the index has places, they are the keys, and it may choose its cells by them. */
void qd_rebuild_sort(qd_rebuild *rebuild);
/* Registers the rows and frees the old pool. False: there is no memory, and rows and bodies are as they were; the index
 * may have made cells. Frees the rebuild in both cases. */
bool qd_rebuild_end(qd_rebuild *rebuild) QD_MUST_USE;
/* Ends it without a result. */
void qd_rebuild_drop(qd_rebuild *rebuild);

/* All of it. */
bool qd_rebuild_index(qd_index *index, qd_rows *old, qd_scan all, const qd_executor *executor) QD_MUST_USE;

#endif
