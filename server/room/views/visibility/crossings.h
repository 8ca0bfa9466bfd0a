/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tick finds: entities that come into a region of an observer, or go from it.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_CROSSINGS_H
#define QD_ROOM_VIEWS_VISIBILITY_CROSSINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qd_crossing {
    uint32_t use; /* the observer, and which of its bodies (qd_use) */
    uint32_t slot : 31;
    uint32_t begins : 1;
} qd_crossing;

typedef struct qd_crossings {
    const qd_crossing *all;
    size_t count;
    bool complete; /* false: `all` is not valid */
} qd_crossings;

#endif
