/* SPDX-License-Identifier: Apache-2.0
 *
 * The system's buffers of stalled peers: the server bounds them, and counts them in --memory-max.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "support/hostile.h"
#include "support/raw.h"
#include "support/session.h"
#include "tests/support/test.h"

/* A sanitizer has memory of its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

#define PEERS     60u
#define LIMIT     "64M"
#define MEGABYTES 64u

/* The bytes in the buffers of the server's sockets; -1: this machine does not show them. */
static int64_t system_bytes(const char *address)
{
    char command[200], line[1000];
    int64_t bytes = -1;

    snprintf(command, sizeof command, "ss -Htmn state established 'sport = %s' 2>/dev/null", strrchr(address, ':'));
    FILE *ss = popen(command, "r");
    assert_non_null(ss);
    while (fgets(line, sizeof line, ss)) {
        const char *at = strstr(line, "skmem:(r");
        long received, sending;
        const char *queued = at != NULL ? strstr(at, ",w") : NULL;

        if (queued != NULL && sscanf(at, "skmem:(r%ld", &received) == 1 && sscanf(queued, ",w%ld", &sending) == 1) {
            bytes = (bytes < 0 ? 0 : bytes) + received + sending;
        }
    }
    pclose(ss);
    return bytes;
}

static int64_t resident_bytes(const qd_process *server)
{
    char path[64];
    long long pages = 0;

    snprintf(path, sizeof path, "/proc/%d/statm", qd_process_id(server));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %lld", &pages), 1);
    fclose(file);
    return pages * 4096;
}

/* The peers ask and never read the answers, so that the server stops reading what they send. */
SESSION_TEST(stalled_peers_stay_within_memory_max)
{
    qd_process *server = session_start(QD_ARGS("--memory-max", LIMIT, "--connections-max", "80",
                                               "--address-connections-max", "1000", "--queue-max", "64K"));
    const char *address = qd_server_address(server);
    const qd_client_message ask = {.seq = 3, .kind = QD_CLIENT_PING};
    static uint8_t pings[60000];
    size_t size = 0;
    uint32_t admitted = 0;

    const size_t each = qd_client_message_size(&ask);
    while (size + each <= sizeof pings) {
        size += qd_client_message_encode(&ask, pings + size, each);
    }
    for (uint32_t i = 0; i < PEERS; i++) {
        const qd_client_message hello = {
            .seq = 1, .kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}};
        raw_link *raw = raw_open(address);

        raw_send_message(raw, &hello);
        const qd_server_message *answer = raw_next(raw);
        if (answer == NULL || answer->kind != QD_SERVER_WELCOME) {
            continue; /* no memory is left */
        }
        admitted++;
        size_t at = 0;
        ssize_t sent;
        while ((sent = send(raw->socket, pings + at, size - at, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0) {
            at = (at + (size_t)sent) % size;
        }
    }
    assert_true(admitted >= PEERS / 4);
    int64_t most = 0, resident = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const int64_t now = system_bytes(address), pages = resident_bytes(server);

        if (now < 0) {
            print_message("skipped: ss shows no memory of sockets\n");
            exit(77);
        }
        most = now > most ? now : most;
        resident = pages > resident ? pages : resident;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    print_message("%u peers, buffers of the system: %.1f MiB, resident: %.1f MiB\n", admitted, (double)most / 1048576,
                  (double)resident / 1048576);
    assert_true(most > 1 << 20); /* otherwise nothing stalled */
    assert_true(most + (SANITIZED ? 0 : resident) < (int64_t)MEGABYTES * 1048576 / 100 * 115);
}

/* --connections-max divides a sixteenth of the memory, for each direction; the system doubles that. */
SESSION_TEST(buffers_of_the_system_count_in_the_memory)
{
    enum { SESSIONS = 40, BUFFER = (MEGABYTES << 20) / 16 / 80 };
    const char *address = qd_server_address(session_start(QD_ARGS("--memory-max", LIMIT, "--connections-max", "80")));
    qd_client *client = session_open(address);
    const uint64_t before = hostile_memory_used(client);

    for (uint32_t i = 0; i < SESSIONS; i++) {
        (void)raw_open_session(address);
    }
    const uint64_t counted = hostile_memory_used(client) - before;
    if (counted < SESSIONS * 2u * 2 * BUFFER) {
        fail_msg("%u connections count for %" PRIu64 " bytes; must be at least %u, their buffers", SESSIONS, counted,
                 SESSIONS * 2u * 2 * BUFFER);
    }
    session_close(client);
}

/* The buffers have that size however many connections the server allows. With 16 KiB, answers to a peer on the same machine
 * took seconds: what it sent did not fit into the window that Linux announced. */
SESSION_TEST(buffers_are_large_enough_for_a_peer_on_the_same_machine)
{
    enum { SESSIONS = 20, BUFFERS = 2 * 65536 + 2 * 16384 };
    const char *address =
        qd_server_address(session_start(QD_ARGS("--memory-max", LIMIT, "--connections-max", "100000")));
    qd_client *client = session_open(address);
    const uint64_t before = hostile_memory_used(client);

    for (uint32_t i = 0; i < SESSIONS; i++) {
        (void)raw_open_session(address);
    }
    const uint64_t counted = hostile_memory_used(client) - before;
    if (counted < (uint64_t)SESSIONS * BUFFERS) {
        fail_msg("%u connections count for %" PRIu64 " bytes; must be at least %u, their buffers", SESSIONS, counted,
                 SESSIONS * BUFFERS);
    }
    session_close(client);
}

TEST_MAIN()
