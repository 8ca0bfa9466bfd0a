/* SPDX-License-Identifier: Apache-2.0
 *
 * A client that opens all rooms and leaves does not keep another from opening one.
 */

#include <stdio.h>

#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ROOMS   65536u /* the server has no more */
#define AT_ONCE 1024u
#define STAY_MS 600000u /* the most that --empty-close-ms-max allows */

/* Opens rooms until one is refused; each shall stay as long as possible. Returns their number. */
static uint32_t open_rooms(qd_client *client, uint32_t first)
{
    qd_msg_room_config config = session_step_room;
    uint32_t opened = 0, asked = 0;
    char name[16];

    config.has_empty_close_ms = true;
    config.empty_close_ms = STAY_MS;
    while (opened == asked && opened < ROOMS) {
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            snprintf(name, sizeof name, "%u", first + asked++);
            qd_client_open_room(client, name, &config);
        }
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const qd_server_message *message = qd_client_wait(client, DEADLINE_MS);

            if (message == NULL) {
                return opened;
            }
            opened += message->kind == QD_SERVER_ROOM_OPENED;
        }
    }
    return opened;
}

#define FAST "--token-creations-max", "1000000"

/* With several sessions, one after the other. */
SESSION_TEST(room_opens_after_another_token_has_opened_all)
{
    const char *address =
        qd_server_address(session_start(QD_ARGS(FAST, "--token-file", hostile_file("attacker\nvictim\n"))));
    uint32_t opened = 0, before;

    do {
        qd_client *attacker = qd_client_create();

        before = opened;
        if (qd_client_connect(attacker, address, "attacker", NULL, DEADLINE_MS) == QD_CLIENT_OK) {
            opened += open_rooms(attacker, opened);
        }
        qd_client_destroy(attacker);
    } while (opened > before);
    assert_true(opened > 0);
    session_open_room(session_open_with(address, "victim"), "victim", NULL);
}

/* Without tokens, one session. */
SESSION_TEST(room_opens_after_another_session_has_opened_all)
{
    const char *address = qd_server_address(session_start(QD_ARGS(FAST)));
    qd_client *attacker = session_open(address);

    assert_true(open_rooms(attacker, 0) > 0);
    session_close(attacker);
    session_open_room(session_open(address), "victim", NULL);
}

TEST_MAIN()
