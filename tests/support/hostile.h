/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients that mean harm to the server under test, and what they cost it. Attackers never wait for the server: whatever
 * it refuses them is no failure of a test. Everything else here fails the test.
 */
#ifndef QD_TESTS_SUPPORT_HOSTILE_H
#define QD_TESTS_SUPPORT_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille.h"
#include "support/process.h"

/* Lets the test open thousands of sockets. */
void hostile_raise_files(void);

/* A file that only this user can read, for --token-file. Returns its path; it is removed at exit. */
const char *hostile_file(const char *content);

/* ---- attackers ---- */

/* A socket from that address of this machine, such as "127.0.0.2"; -1: the server does not accept it. `socket_bytes` is
 * the size of both its buffers; 0: the system's. */
int hostile_connect(const char *address, const char *source, int socket_bytes);
/* Sends until the socket has taken nothing for some time. Returns the number of bytes. */
size_t hostile_send(int socket, const void *bytes, size_t size);
/* The same without waiting. */
size_t hostile_try_send(int socket, const void *bytes, size_t size);
void hostile_send_message(int socket, const qd_client_message *message);
/* Reads until the server has closed the connection or `word` was in what came, at most for some time. Returns whether the
 * word came; NULL: whether the connection has ended. */
bool hostile_read(int socket, const char *word, int timeout_ms);

/* Spawns points from `first` on until the room takes no more, at most `most`. Returns how many it took. */
uint32_t hostile_fill(qd_client *client, uint64_t room, uint32_t first, uint32_t most);

/* Sends what was queued, and waits for the answer, whatever it is. NULL: the session has ended. */
const qd_server_message *hostile_answer(qd_client *client, uint64_t seq);

/* ---- what it costs ---- */

/* A size in /proc/PID/status, such as "VmHWM", in bytes. */
uint64_t hostile_process_bytes(const qd_process *process, const char *field);
/* The largest size in memory so far is below 1.15 times the limit. Builds with a sanitizer do not check it. */
void hostile_expect_resident(const qd_process *server, uint64_t memory_max);
/* The same for its present size and what the kernel holds for its sockets, together. */
void hostile_expect_bounded(const qd_process *server, const char *address, uint64_t memory_max);

/* The server's own count of its memory. */
uint64_t hostile_memory_used(qd_client *client);
/* The count falls below that within some seconds. */
void hostile_expect_memory_returns(qd_client *client, uint64_t bytes, int timeout_ms);

#endif
