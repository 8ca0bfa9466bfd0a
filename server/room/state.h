/* SPDX-License-Identifier: Apache-2.0
 *
 * A room is its three parts. Data flows one way: pairs and views read entities, and do not know each other.
 */
#ifndef QD_ROOM_STATE_H
#define QD_ROOM_STATE_H

#include "entities/entity_state.h"
#include "pairs/pair_state.h"
#include "views/state/view_state.h"

struct qd_room {
    qd_pairs pairs;
    qd_entities entities;
    qd_views views;
};

#endif
