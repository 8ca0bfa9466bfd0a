/* SPDX-License-Identifier: Apache-2.0
 *
 * Walkers in a room, on a session that looks after its connections: restart the server meanwhile, and they walk on.
 * Without a number, it makes 100 rounds.
 *
 *     cc session.c $(pkg-config --cflags --libs quadrille) -lm -o session && ./session 127.0.0.1:7400 100
 */
#include <math.h>
#include <quadrille/quadrille-session.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALKERS 50u

static void on_begin(qd_room *room, uint32_t a, uint32_t b, void *context)
{
    (void)context;
    printf("%s: %u and %u touch\n", qd_room_name(room), a, b);
}

static void on_refused(qd_session *session, qd_room *room, const qd_refusal *refusal, void *context)
{
    (void)session;
    (void)room;
    (void)context;
    fprintf(stderr, "session: refused: %s\n", refusal->text);
}

int main(int argc, char **argv)
{
    qd_session_handlers handlers;
    qd_msg_room_config config;

    memset(&handlers, 0, sizeof handlers);
    handlers.size = sizeof handlers;
    handlers.begin = on_begin;
    handlers.refused = on_refused;
    qd_session *session = qd_session_create(argc > 1 ? argv[1] : "127.0.0.1:7400", NULL, &handlers);
    int rounds = argc > 2 ? atoi(argv[2]) : 100;
    memset(&config, 0, sizeof config);
    config.has_bounds = true;
    config.bounds.max_x = config.bounds.max_y = 100;
    qd_room *room = session != NULL ? qd_session_room(session, "walkers", &config) : NULL;
    uint32_t ids[WALKERS];
    float x[WALKERS], y[WALKERS];

    if (room == NULL) {
        fprintf(stderr, "session: no such address, or out of memory\n");
        return 1;
    }
    qd_room_subscribe(room, QD_SCOPE_ALL, false);
    for (uint32_t i = 0; i < WALKERS; i++) {
        ids[i] = i;
        qd_room_spawn_one(room, qd_circle(i, 50, 50 + (float)i, 1));
    }
    for (int round = 1; round <= rounds; round++) {
        for (uint32_t i = 0; i < WALKERS; i++) {
            x[i] = 50 + 40 * cosf((float)(round * (int)(i + 1)) / 200);
            y[i] = 50 + 40 * sinf((float)(round * (int)(i + 3)) / 200);
        }
        qd_outcome outcome = qd_room_wait(room, qd_room_move(room, ids, x, y, NULL, WALKERS), -1, NULL);
        if (outcome < 0) {
            fprintf(stderr, "session: %s: %s\n", qd_outcome_text(outcome), qd_session_problem(session));
            return 1;
        }
    }
    printf("%zu pairs touch\n", qd_pairs_count(qd_room_pairs(room)));
    /* The next run may use the ids again. */
    if (qd_room_wait(room, qd_room_despawn(room, ids, WALKERS), -1, NULL) < 0) {
        fprintf(stderr, "session: %s\n", qd_session_problem(session));
    }
    qd_session_destroy(session);
    return 0;
}
