/* SPDX-License-Identifier: Apache-2.0 */
#include "room_actor_state.h"

#include "../../base/memory/array.h"

void qd_room_actor_free_room(qd_room_actor *actor)
{
    if (actor->room == NULL) {
        return;
    }
    qd_charges_deinit(&actor->charges);
    qd_room_destroy(actor->room);
    actor->room = NULL;
    if (actor->pace.slowed_hz != 0) {
        atomic_fetch_sub(&actor->service->rooms_slowed, 1);
    }
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        qd_token_release(actor->members[i].token);
        qd_relay_stream_destroy(actor->members[i].relay);
    }
    qd_array_drop(&actor->heap, actor->members, actor->member_capacity);
    actor->members = NULL;
    actor->member_capacity = 0;
    atomic_fetch_sub(&actor->service->rooms, 1);
}

void qd_room_actor_destroy(qd_room_actor *actor)
{
    qd_service *service = actor->service;

    qd_room_actor_free_room(actor);
    qd_heap_deinit(&actor->heap);
    qd_token_release(actor->creator_token);
    qd_journal_destroy(actor->journal);
    if (actor->has_timer) {
        service->config.scheduler->release_timer(service->config.scheduler->context);
    }
    qd_shared_free(actor, sizeof *actor);
    /* Last: the owner waits until all actors are gone, and may then free the service. */
    atomic_fetch_sub(&service->actors, 1);
}
