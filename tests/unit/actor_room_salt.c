/* SPDX-License-Identifier: Apache-2.0
 *
 * The salt of a room's hashes comes from the server's random numbers. (unit/room_keys shows where it goes.)
 */
#include "server/actor/room_actor.h"
#include "server/room/state.h"
#include "tests/support/test.h"

static uint64_t drawn;

static uint64_t draw(void *context)
{
    (void)context;
    return ++drawn;
}

static uint64_t now_ns(void *context)
{
    (void)context;
    return 1;
}

static bool reserve_timer(void *context)
{
    (void)context;
    return true;
}

static void release_timer(void *context)
{
    (void)context;
}

static void nothing(qd_link *link)
{
    (void)link;
}

/* Of a new room; all have the same name and configuration. */
static uint64_t salt_of_room(qd_service *service, const qd_endpoint *creator)
{
    const qd_msg_room_config config = {.dimensions = 2,
                                       .has_bounds = true,
                                       .bounds = {.max_x = 1000, .max_y = 1000},
                                       .tick_mode = QD_TICK_MODE_STEP,
                                       .entities_max = 1,
                                       .events_max = 1,
                                       .observers_max = 1,
                                       .visible_entries_max = 1,
                                       .index = QD_INDEX_HASH,
                                       .prune = QD_PRUNE_AUTO};

    qd_account_add(creator->account->tenant, QD_QUOTA_CREATED, 1);
    qd_room_actor *actor = qd_room_actor_create(service, "room", &config, creator);

    assert_non_null(actor);
    const uint64_t salt = actor->room->entities.ids.map.salt;
    qd_room_actor_destroy(actor);
    return salt;
}

TEST(each_room_draws_a_salt)
{
    static const qd_scheduler scheduler = {
        .now_ns = now_ns, .reserve_timer = reserve_timer, .release_timer = release_timer};
    static const qd_link_ops ops = {.destroy = nothing};
    static qd_service service;
    qd_link link;

    qd_service_init(&service,
                    &(qd_service_config){.limits = {.rooms_max = 2}, .scheduler = &scheduler, .random = draw});
    qd_link_init(&link, &ops);
    qd_endpoint *creator = qd_endpoint_create(&link, 1u << 20);
    assert_non_null(creator);
    qd_account *tenant = qd_account_of_tenant(&service.accounts, "token", false);
    creator->account = qd_account_create(tenant);
    const uint64_t before = drawn, a = salt_of_room(&service, creator), b = salt_of_room(&service, creator);
    assert_in_range(a, before + 1, drawn);
    assert_in_range(b, a + 1, drawn);
    qd_endpoint_release(creator);
    qd_account_release(tenant);
    qd_service_deinit(&service);
}

TEST_MAIN()
