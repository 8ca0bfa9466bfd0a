/* SPDX-License-Identifier: Apache-2.0 */
#include "reload.h"

#include <stdlib.h>
#include <string.h>

#include "server/session/tenants.h"

const char *const sim_tokens[SIM_TOKENS_ALL] = {NULL, "one", "another", "hostile"};

/* Both let a token into every room that clients open, and are not the same. */
static const char *const patterns[] = {[SIM_GRANT_ALL] = "", [SIM_GRANT_PATTERN] = "room *"};
#define GRANTS (SIM_GRANT_PATTERN + 1u)

/* ---- the file ---- */

static char *copy(const char *text)
{
    char *copied = strdup(text);

    sim_check(copied != NULL, "out of memory");
    return copied;
}

/* Another table, with one reference. The server frees it. */
static qd_tokens *make_table(const uint8_t grants[SIM_TOKENS_ALL])
{
    qd_tokens *tokens = calloc(1, sizeof *tokens);

    sim_check(tokens != NULL, "out of memory");
    tokens->references = 1;
    tokens->grants = calloc(SIM_TOKENS_ALL, sizeof *tokens->grants);
    sim_check(tokens->grants != NULL, "out of memory");
    for (uint32_t i = 1; i < SIM_TOKENS_ALL; i++) {
        if (grants[i] != SIM_GRANT_NONE) {
            tokens->grants[tokens->count++] =
                (qd_grant){.token = copy(sim_tokens[i]), .role = QD_ROLE_WRITER, .patterns = copy(patterns[grants[i]])};
        }
    }
    return tokens;
}

void sim_reload_start(sim_scene *scene)
{
    qd_tokens *tokens = make_table(scene->grants);

    qd_sessions_set_tokens(&scene->house.server.sessions, tokens);
    qd_tokens_release(tokens);
}

/* ---- what ends ---- */

/* Whether a session with that token, which was let in for `had`, ends. */
static bool ends(const uint8_t grants[SIM_TOKENS_ALL], uint32_t token, uint8_t had)
{
    return had != SIM_GRANT_NONE && grants[token] != had;
}

static bool stay_ends(const uint8_t grants[SIM_TOKENS_ALL], const model_stay *stay)
{
    return !stay->is_out && ends(grants, stay->token, stay->grant);
}

static bool link_ends(const uint8_t grants[SIM_TOKENS_ALL], const sim_link *link)
{
    return link->owner != NULL && !link->closed && !link->is_revoked &&
           ends(grants, ((const sim_client *)link->owner)->token, link->grant);
}

static bool has_room_for(const sim_scene *scene, const sim_client *clients, uint32_t client_count,
                         const uint8_t grants[SIM_TOKENS_ALL])
{
    for (size_t i = 0; i < scene->room_total; i++) {
        uint32_t leavers = scene->rooms[i]->leaver_count;

        for (uint32_t k = 0; k < scene->rooms[i]->stay_count; k++) {
            const model_stay *stay = scene->rooms[i]->stays[k];

            leavers += !stay->left && stay_ends(grants, stay);
        }
        if (leavers > LEAVERS_MAX) {
            return false;
        }
    }
    /* A RoomOpened that is under way would be a stay that the client does not know. */
    for (uint32_t i = 0; i < client_count * ROOMS_MAX; i++) {
        const sim_client *client = &clients[i / ROOMS_MAX];

        if (client->slots[i % ROOMS_MAX].opening && client->link != NULL && link_ends(grants, client->link)) {
            return false;
        }
    }
    return true;
}

/* ---- what is expected ---- */

static void end_stays(const model_room *room, const uint8_t grants[SIM_TOKENS_ALL])
{
    const uint64_t now_ns = room->world->now_ns;

    for (uint32_t i = 0; i < room->stay_count; i++) {
        model_stay *stay = room->stays[i];

        if (!stay_ends(grants, stay)) {
            continue;
        }
        model_stay_leave(stay, now_ns);
        /* One that is detached ends before its time. */
        stay->left_ns = stay->left_ns < now_ns ? stay->left_ns : now_ns;
        stay->grant = SIM_GRANT_NONE;
    }
}

static void expect(sim_scene *scene, sim_client *clients, uint32_t client_count, const uint8_t grants[SIM_TOKENS_ALL])
{
    const sim_world *world = &scene->house.world;

    for (size_t i = 0; i < scene->room_total; i++) {
        end_stays(scene->rooms[i], grants);
    }
    for (size_t i = 0; i < world->link_count; i++) {
        world->links[i]->is_revoked |= link_ends(grants, world->links[i]);
    }
    for (uint32_t i = 0; i < client_count; i++) {
        sim_client *client = &clients[i];

        if (ends(grants, client->token, client->grant)) {
            client->must_resume = false;
            client->revoked = client->cut;
            client->grant = SIM_GRANT_NONE;
        }
    }
    memcpy(scene->grants, grants, sizeof scene->grants);
}

void sim_reload(sim_scene *scene, sim_client *clients, uint32_t client_count)
{
    sim_world *world = &scene->house.world;
    uint8_t grants[SIM_TOKENS_ALL];

    memcpy(grants, scene->grants, sizeof grants);
    const uint32_t token = 1 + sim_pick(world, SIM_TOKENS_ALL - 1);
    grants[token] = (uint8_t)((grants[token] + sim_pick(world, GRANTS)) % GRANTS);
    if (!has_room_for(scene, clients, client_count, grants)) {
        return;
    }
    expect(scene, clients, client_count, grants);
    qd_tokens *tokens = make_table(grants);
    (void)qd_sessions_reload(&scene->house.server.sessions, tokens);
    qd_tokens_release(tokens);
    for (size_t i = 0; i < world->link_count; i++) {
        const sim_link *link = world->links[i];

        sim_check(!link->is_revoked || link->is_told || link->closed, "session %llu goes on, and its token has changed",
                  (unsigned long long)link->session);
    }
}
