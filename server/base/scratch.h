/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread lends to whoever works in it just now: memory without meaning between two uses, such as a walk's lists.
 * There are a few threads and thousands of rooms; a thread's own memory is in its core's cache, and each room's would
 * have to come from where rooms are kept.
 *
 * A loan is over when the borrower returns to its caller. What is lent must not decide what comes of the work.
 */
#ifndef QD_BASE_LOANS_H
#define QD_BASE_LOANS_H

typedef enum qd_loan_kind { QD_LOAN_HAND_2D, QD_LOAN_HAND_3D, QD_LOANS } qd_loan_kind;

/* `memory` is NULL until a borrower makes it; `release` is called with it when the thread ends. */
typedef struct qd_loan {
    void *memory;
    void (*release)(void *memory);
} qd_loan;

/* The calling thread's. NULL: it has none to give. [any] */
qd_loan *qd_loan_of_thread(qd_loan_kind kind);
/* The calling thread releases what it has lent, as it does when it ends. Not while any of it is lent. [any] */
void qd_loans_release(void);

#endif
