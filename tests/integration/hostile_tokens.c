/* SPDX-License-Identifier: Apache-2.0
 *
 * A client that guesses tokens gets few guesses, and another one still connects.
 */

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define SECONDS     3u
#define GUESSES_MAX (SECONDS * 20)

SESSION_TEST(tokens_are_guessed_slowly)
{
    const char *address = qd_server_address(session_start(QD_ARGS("--token-file", hostile_file("secret\n"))));
    const time_t start = time(NULL);
    uint32_t guesses = 0;

    for (uint32_t i = 0; time(NULL) < start + (time_t)SECONDS; i++) {
        const int socket = hostile_connect(address, "127.0.0.2", 0);
        char token[16];

        if (socket < 0) {
            continue;
        }
        snprintf(token, sizeof token, "guess %u", i);
        hostile_send_message(socket,
                             &(qd_client_message){.seq = 1,
                                                  .kind = QD_CLIENT_HELLO,
                                                  .as.hello = {.version = QD_PROTOCOL_VERSION, .token = token}});
        guesses += hostile_read(socket, "token is unknown", DEADLINE_MS);
        close(socket);
    }
    session_settle(session_open_with(address, "secret"));
    if (guesses > GUESSES_MAX) {
        fail_msg("%u guesses in %u s; must be at most %u", guesses, SECONDS, GUESSES_MAX);
    }
    assert_true(guesses > 0);
}

TEST_MAIN()
