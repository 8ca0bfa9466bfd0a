/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions that go on with connections of other event loops than their older ones, again and again, while there is
 * traffic. Connections are spread over the loops in turn, so that each new one is on another loop than the last.
 */
#include <string.h>

#include "client/quadrille.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ROUNDS 60u

SESSION_TEST(resume_on_another_loop_succeeds)
{
    uint8_t key[QD_RESUME_KEY_BYTES];
    const char *address = qd_server_address(session_start(QD_ARGS("--loops", "3", "--workers", "2")));
    qd_client *other = session_open(address), *client = session_open_resumable(address, NULL), *before;

    memcpy(key, qd_client_welcome(client)->resume_key.bytes, sizeof key);
    uint64_t session = qd_client_welcome(client)->session, room = session_open_room(other, "resumed", NULL);
    session_join(client, "resumed");
    session_spawn(client, room, 1, 10, 10);
    session_spawn(client, room, 2, 11, 10);
    session_spawn(other, room, 3, 500, 500);
    session_settle(client);

    for (uint32_t round = 0; round < ROUNDS; round++) {
        before = client;
        session_move(before, room, 1, 10 + (float)(round % 3) / 4, 10);
        /* Cut, or left half open, with that under way. */
        if (round % 2 == 0) {
            session_close(before);
        }
        session_move(other, room, 3, 500 + (float)round, 500);
        session_step(other, room);
        client = session_open_resumable(address, key);
        assert_true(qd_client_welcome(client)->resumed && qd_client_welcome(client)->session == session);
        session_settle(client);
        if (round % 2 != 0) {
            session_close(before);
        }
    }

    /* Nothing of it is lost. */
    qd_pairs *pairs = qd_pairs_create();
    session_subscribe(client, room, QD_SCOPE_ALL, pairs);
    assert_int_equal(qd_pairs_count(pairs), 1);
    session_move(client, room, 2, 500, 400);
    session_step(client, room);
    session_expect_tick(client, "end 1-2 moved apart");
    qd_pairs_destroy(pairs);
}

TEST_MAIN()
