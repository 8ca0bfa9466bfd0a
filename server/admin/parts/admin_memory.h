/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of the admin server: that of libwebsockets, of jansson and of the answers.
 *
 * It is reserved in the memory budget when the admin server starts. So an operator can look at a server whose memory is
 * used up, and the admin server never takes what rooms were promised. Answers are refused before they exceed the
 * reservation. libwebsockets is never refused: the number of its connections and the size of their buffers bound it.
 */
#ifndef QD_ADMIN_PARTS_ADMIN_MEMORY_H
#define QD_ADMIN_PARTS_ADMIN_MEMORY_H

#include <stddef.h>

#include "../../base/status.h"

#define QD_ADMIN_MEMORY_BYTES ((size_t)2 << 20)

/* Reserves the memory, and directs both libraries to it. QD_ERR_NO_MEMORY: the budget has no room. [main thread] */
qd_status qd_admin_memory_start(void) QD_MUST_USE;
/* Gives the reservation back. Everything must be freed. [main thread] */
void qd_admin_memory_stop(void);

/* What is in use, and the most that ever was. [any] */
size_t qd_admin_memory_used(void);
size_t qd_admin_memory_peak(void);

/* For answers: like realloc and free, but NULL if the reservation is used up. [admin thread] */
void *qd_admin_resize(void *memory, size_t size) QD_MUST_USE;
void qd_admin_free(void *memory);

#endif
