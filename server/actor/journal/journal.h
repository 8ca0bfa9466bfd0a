/* SPDX-License-Identifier: Apache-2.0
 *
 * The journal of a room actor: through it goes every answer from outside that changes what the room sends. A recording
 * keeps the answers (actor/record/recording.h), and a replay replaces them by those of the record
 * (app/replay/replay_room.h). Most servers have neither, and the journal is NULL. [run]
 */
#ifndef QD_ACTOR_JOURNAL_JOURNAL_H
#define QD_ACTOR_JOURNAL_JOURNAL_H

#include "../../base/memory/buffer.h"

/* The numbers are in files. */
typedef enum qd_question {
    QD_ASK_NOTHING = 0, /* the end of an entry's answers */
    QD_ASK_NOW = 1,     /* ns of the scheduler's clock */
    QD_ASK_RANDOM = 2,
    QD_ASK_SENT = 3,        /* a qd_link_sent */
    QD_ASK_DRAINED = 4,     /* whether a lagging reader has read enough */
    QD_ASK_TOO_SLOW = 5,    /* whether a lagging reader's time is over */
    QD_ASK_DISCONNECTS = 6, /* whether this room is the one that disconnects it */
    QD_ASK_CUT_OFF = 7,     /* whether a link is closed */
    QD_ASK_HURRIED = 8,     /* whether the stopping server refuses all requests */
    QD_ASK_NOBODY_COMES = 9,
    QD_ASK_ALLOWED = 10, /* how many the quotas allow; then, if something is short, the qd_shortage */
    QD_ASK_SHORT_CODE = 11,
    QD_ASK_SHORT_QUOTA = 12,
    QD_ASK_SHORT_USED = 13,
    QD_ASK_SHORT_MAX = 14,
    QD_QUESTIONS
} qd_question;

typedef struct qd_journal qd_journal;

typedef struct qd_journal_ops {
    /* Returns the answer that holds: a recording keeps `answer`, and a replay returns another. */
    uint64_t (*ask)(qd_journal *journal, qd_question question, uint64_t answer);
    /* The membership of that number is sent these frames, whether or not its link takes them. */
    void (*sent)(qd_journal *journal, uint32_t number, qd_buffer *const *frames, size_t count);
    void (*destroy)(qd_journal *journal); /* with the room actor */
} qd_journal_ops;

struct qd_journal {
    const qd_journal_ops *ops;
};

static inline uint64_t qd_journal_ask(qd_journal *journal, qd_question question, uint64_t answer)
{
    return journal == NULL ? answer : journal->ops->ask(journal, question, answer);
}

static inline void qd_journal_sent(qd_journal *journal, uint32_t number, qd_buffer *const *frames, size_t count)
{
    if (journal != NULL) {
        journal->ops->sent(journal, number, frames, count);
    }
}

static inline void qd_journal_destroy(qd_journal *journal)
{
    if (journal != NULL) {
        journal->ops->destroy(journal);
    }
}

#endif
