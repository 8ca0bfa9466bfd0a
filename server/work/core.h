/* SPDX-License-Identifier: Apache-2.0
 *
 * The core that a thread runs on. A thread that is called may be given the core of its caller, who then waits while the
 * other does what both were to do side by side; the system may leave them so for as long as it takes.
 */
#ifndef QD_WORK_CORE_H
#define QD_WORK_CORE_H

/* [any] Of the calling thread; negative: not known. */
int qd_core_now(void);
/* [any] Moves the calling thread to another core than this, if it is there and may run elsewhere. It takes some
 * microseconds then; afterwards the thread may run where it could before. */
void qd_core_leave(int core);

#endif
