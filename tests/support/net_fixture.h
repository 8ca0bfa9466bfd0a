/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of net/: a net whose handler counts its calls, and blocking clients that send and receive frames.
 *
 *     NET_TEST(a_frame_is_echoed)
 *     {
 *         fixture.config.loops = 2;
 *         fixture_start();
 *         int peer = peer_connect();
 *         ...
 *     }
 *
 * A test closes neither its peers nor the net: the teardown does, and checks that every link was closed and that all
 * memory is freed. The loop threads change the counters under the fixture's lock; tests read them with wait_for and
 * count_of. The hooks run on the loop threads and must not assert. They store what the test checks afterwards.
 */
#ifndef QD_TESTS_NET_FIXTURE_H
#define QD_TESTS_NET_FIXTURE_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/framing.h"
#include "server/base/memory/alloc.h"
#include "server/net/net.h"
#include "tests/support/test.h"

/* How long a test waits for something that must happen. Only a failing test waits this long. */
#define WAIT_S 30

#define FIXTURE_LINKS_MAX 600u

typedef struct net_fixture {
    qd_net_config config;
    qd_net *net; /* NULL: it does not run */
    size_t memory_before;
    uint32_t opened, frames, faults, expired, drained, closed;
    qd_link *links[FIXTURE_LINKS_MAX]; /* the first links, in the order of `opened`, referenced */
    int peers[FIXTURE_LINKS_MAX];      /* the open ones */
    uint32_t peer_count;
    qd_link_fault fault;
    uint64_t fault_value;
    bool waits; /* links are not introduced when they open */
    /* Called besides counting, or NULL. Without on_frame, frames are echoed. */
    void (*on_opened)(qd_link *link);
    void (*on_frame)(qd_link *link, const uint8_t *bytes, size_t size);
    void (*on_fault)(qd_link *link);
    void (*on_expired)(qd_link *link);
} net_fixture;

static net_fixture fixture;
static pthread_mutex_t fixture_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fixture_changed = PTHREAD_COND_INITIALIZER;

/* ---- buffers ---- */

/* A frame of `size` bytes, each equal to `fill`, behind its length. */
static inline qd_buffer *frame_of(uint8_t fill, size_t size)
{
    qd_buffer *buffer = qd_buffer_create(QD_FRAME_PREFIX_BYTES_MAX + size);

    if (!buffer) {
        abort();
    }
    size_t prefix_size = qd_frame_prefix_write((uint32_t)size, buffer->bytes);
    memset(buffer->bytes + prefix_size, fill, size);
    buffer->size = prefix_size + size;
    return buffer;
}

static inline qd_buffer *frame_with(const void *bytes, size_t size)
{
    qd_buffer *buffer = frame_of(0, size);

    if (size > 0) {
        memcpy(buffer->bytes + buffer->size - size, bytes, size);
    }
    return buffer;
}

static inline qd_link_sent send_and_release(qd_link *link, qd_buffer *buffer, qd_link_class class)
{
    qd_link_sent sent = qd_link_send(link, &buffer, 1, class);

    qd_buffer_release(buffer);
    return sent;
}

/* ---- the handler ---- */

static inline void count_up(uint32_t *counter)
{
    pthread_mutex_lock(&fixture_lock);
    (*counter)++;
    pthread_cond_broadcast(&fixture_changed);
    pthread_mutex_unlock(&fixture_lock);
}

/* Fails the test after WAIT_S. */
static inline void wait_for(const uint32_t *counter, uint32_t value)
{
    struct timespec until;
    int result = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    pthread_mutex_lock(&fixture_lock);
    while (*counter < value && result == 0) {
        result = pthread_cond_timedwait(&fixture_changed, &fixture_lock, &until);
    }
    uint32_t reached = *counter;
    pthread_mutex_unlock(&fixture_lock);
    assert_true(reached >= value);
}

static inline uint32_t count_of(const uint32_t *counter)
{
    pthread_mutex_lock(&fixture_lock);
    uint32_t value = *counter;
    pthread_mutex_unlock(&fixture_lock);
    return value;
}

static inline void fixture_opened(void *context, qd_link *link)
{
    (void)context;
    if (!fixture.waits) {
        (void)qd_link_introduce(link);
    }
    if (fixture.on_opened) {
        fixture.on_opened(link);
    }
    pthread_mutex_lock(&fixture_lock);
    if (fixture.opened < FIXTURE_LINKS_MAX) {
        qd_link_acquire(link);
        fixture.links[fixture.opened] = link;
    }
    fixture.opened++;
    pthread_cond_broadcast(&fixture_changed);
    pthread_mutex_unlock(&fixture_lock);
}

static inline void fixture_frame(void *context, qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)context;
    if (fixture.on_frame) {
        fixture.on_frame(link, bytes, size);
    } else {
        send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
    }
    count_up(&fixture.frames);
}

static inline void fixture_fault(void *context, qd_link *link, qd_link_fault fault, uint64_t value)
{
    (void)context;
    fixture.fault = fault;
    fixture.fault_value = value;
    if (fixture.on_fault) {
        fixture.on_fault(link);
    }
    count_up(&fixture.faults);
}

static inline void fixture_expired(void *context, qd_link *link)
{
    (void)context;
    if (fixture.on_expired) {
        fixture.on_expired(link);
    }
    count_up(&fixture.expired);
}

static inline void fixture_drained(void *context, qd_link *link)
{
    (void)context, (void)link;
    count_up(&fixture.drained);
}

static inline void fixture_closed(void *context, qd_link *link)
{
    (void)context, (void)link;
    count_up(&fixture.closed);
}

/* ---- the net ---- */

static inline int fixture_setup(void **state)
{
    (void)state;
    fixture = (net_fixture){.memory_before = qd_memory_used(),
                            .config = {
                                .host = "127.0.0.1",
                                .loops = 1,
                                .connections_max = 4 * FIXTURE_LINKS_MAX, /* so that all of them may wait */
                                .outbox_bytes_max = 64u << 10,
                                .frame_bytes_max = 1u << 20,
                                .handler = {.opened = fixture_opened,
                                            .frame = fixture_frame,
                                            .fault = fixture_fault,
                                            .expired = fixture_expired,
                                            .drained = fixture_drained,
                                            .closed = fixture_closed},
                            }};
    return 0;
}

static inline void fixture_start(void)
{
    char error[256] = "";

    if (qd_net_start(&fixture.config, &fixture.net, error, sizeof error) != QD_OK) {
        fail_msg("%s", error);
    }
}

/* Links have that time to flush. */
static inline void fixture_stop_net(uint32_t flush_ms)
{
    qd_net_stop(fixture.net, flush_ms);
    fixture.net = NULL;
}

/* Also called after fixture_stop_net, once the test's threads use no link any more. */
static inline void fixture_stop(uint32_t flush_ms)
{
    if (fixture.net) {
        fixture_stop_net(flush_ms);
    }
    assert_int_equal(fixture.opened, fixture.closed);
    for (uint32_t i = 0; i < fixture.opened && i < FIXTURE_LINKS_MAX; i++) {
        qd_link_release(fixture.links[i]);
    }
    fixture.opened = fixture.closed = 0;
    assert_int_equal(qd_memory_used(), fixture.memory_before);
}

static inline int fixture_teardown(void **state)
{
    (void)state;
    while (fixture.peer_count > 0) {
        close(fixture.peers[--fixture.peer_count]);
    }
    fixture_stop(0);
    return 0;
}

#define NET_TEST(name) TEST_WITH(name, fixture_setup, fixture_teardown)

/* ---- the client ---- */

static inline int peer_socket(void)
{
    const struct timeval timeout = {.tv_sec = WAIT_S};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout), 0);
    assert_true(fixture.peer_count < FIXTURE_LINKS_MAX);
    fixture.peers[fixture.peer_count++] = fd;
    return fd;
}

static inline void peer_connect_socket(int fd, uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
}

static inline int peer_connect(void)
{
    int fd = peer_socket();

    peer_connect_socket(fd, qd_net_port(fixture.net));
    return fd;
}

/* A client with a small receive buffer. */
static inline int peer_connect_narrow(void)
{
    int fd = peer_socket(), bytes = 4096;

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
    peer_connect_socket(fd, qd_net_port(fixture.net));
    return fd;
}

static inline void peer_send(int fd, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;

    while (size > 0) {
        ssize_t sent = send(fd, next, size, MSG_NOSIGNAL);

        assert_true(sent > 0);
        next += sent;
        size -= (size_t)sent;
    }
}

static inline void peer_send_frame(int fd, uint8_t fill, size_t size)
{
    qd_buffer *buffer = frame_of(fill, size);

    peer_send(fd, buffer->bytes, buffer->size);
    qd_buffer_release(buffer);
}

/* Reads exactly `size` bytes; returns false if the stream ends before. */
static inline bool peer_receive(int fd, void *bytes, size_t size)
{
    uint8_t *next = bytes;

    while (size > 0) {
        ssize_t received = recv(fd, next, size, 0);

        if (received <= 0) {
            assert_true(received == 0 || errno == ECONNRESET);
            return false;
        }
        next += received;
        size -= (size_t)received;
    }
    return true;
}

/* Returns the size of the next frame, or -1 at the end of the stream. */
static inline ptrdiff_t peer_receive_frame(int fd, void *bytes, size_t capacity)
{
    size_t length = 0;
    uint8_t byte;
    uint32_t shift = 0;

    do {
        if (!peer_receive(fd, &byte, 1)) {
            return -1;
        }
        length |= (size_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    assert_true(length <= capacity);
    return peer_receive(fd, bytes, length) ? (ptrdiff_t)length : -1;
}

static inline void peer_expect_frame(int fd, uint8_t fill, size_t size)
{
    uint8_t *bytes = malloc(size + 1);

    assert_non_null(bytes);
    assert_int_equal(peer_receive_frame(fd, bytes, size), size);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], fill);
    }
    free(bytes);
}

static inline void peer_expect_echo(int fd, uint8_t fill, size_t size)
{
    peer_send_frame(fd, fill, size);
    peer_expect_frame(fd, fill, size);
}

static inline void peer_expect_end(int fd)
{
    uint8_t byte;

    assert_false(peer_receive(fd, &byte, 1));
}

/* `count` frames in one go, each with its number as payload. */
static inline void peer_send_numbered(int fd, uint32_t count)
{
    const size_t each = 1 + sizeof(uint32_t);
    uint8_t *all = malloc(count * each);

    assert_non_null(all);
    for (uint32_t i = 0; i < count; i++) {
        all[i * each] = sizeof i;
        memcpy(all + i * each + 1, &i, sizeof i);
    }
    peer_send(fd, all, count * each);
    free(all);
}

static inline void peer_expect_numbered(int peer, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t number;

        assert_int_equal(peer_receive_frame(peer, &number, sizeof number), sizeof number);
        assert_int_equal(number, i);
    }
}

static inline void peer_close(int fd)
{
    uint32_t i = 0;

    while (fixture.peers[i] != fd) {
        i++;
    }
    fixture.peers[i] = fixture.peers[--fixture.peer_count];
    close(fd);
}

/* Ends the connection with a reset. */
static inline void peer_reset(int fd)
{
    const struct linger reset = {.l_onoff = 1};

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
    peer_close(fd);
}

#endif
