/* SPDX-License-Identifier: Apache-2.0
 *
 * The lobby: links that have introduced themselves leave it with all that they sent, and do not wait for those that have
 * not.
 */
#include <semaphore.h>
#include <sys/resource.h>

#include "support/net_fixture.h"
#include "tests/support/test.h"

#define FRAMES 2000u

static struct lobby {
    pthread_t thread;
    sem_t holds, goes_on;
    bool closes;
    _Atomic uint32_t in_lobby; /* frames delivered there */
} lobby;

static void note_lobby(qd_link *link)
{
    (void)link;
    lobby.thread = pthread_self();
}

/* A frame of one byte holds the thread up. The first other frame of a link introduces it. */
static void introduce_and_echo(qd_link *link, const uint8_t *bytes, size_t size)
{
    const bool is_in_lobby = pthread_equal(pthread_self(), lobby.thread) != 0;

    lobby.in_lobby += is_in_lobby;
    if (size == 1) {
        sem_post(&lobby.holds);
        sem_wait(&lobby.goes_on);
    } else if (link->session == NULL && qd_link_introduce(link)) {
        link->session = link;
    }
    send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
    if (lobby.closes) {
        qd_link_close(link, 1000);
    }
}

static void start(uint32_t loops)
{
    lobby = (struct lobby){.closes = false};
    sem_init(&lobby.holds, 0, 0);
    sem_init(&lobby.goes_on, 0, 0);
    fixture.waits = true;
    fixture.on_opened = note_lobby;
    fixture.on_frame = introduce_and_echo;
    fixture.config.loops = loops;
    fixture_start();
}

static void number(uint8_t frame[5], uint32_t value)
{
    frame[0] = sizeof value;
    memcpy(frame + 1, &value, sizeof value);
}

NET_TEST(frames_behind_the_introduction_keep_their_order)
{
    static uint8_t all[FRAMES][5];

    start(2);
    for (uint32_t i = 0; i < FRAMES; i++) {
        number(all[i], i);
    }
    int peer = peer_connect();
    peer_send(peer, all, sizeof all);
    peer_expect_numbered(peer, 0, FRAMES);
    assert_int_equal(lobby.in_lobby, 1);
}

NET_TEST(bytes_behind_the_introduction_may_come_one_by_one)
{
    enum { FEW = 100 };

    start(1);
    int peer = peer_connect();
    for (uint32_t i = 0; i < FEW; i++) {
        uint8_t frame[5];

        number(frame, i);
        for (size_t at = 0; at < sizeof frame; at++) {
            peer_send(peer, &frame[at], 1);
        }
    }
    peer_expect_numbered(peer, 0, FEW);
    assert_int_equal(lobby.in_lobby, 1);
}

NET_TEST(introduced_links_do_not_wait_for_the_lobby)
{
    start(1);
    int introduced = peer_connect(), other = peer_connect();

    peer_expect_echo(introduced, 1, 10);
    peer_expect_echo(introduced, 2, 10);
    peer_send_frame(other, 'h', 1);
    sem_wait(&lobby.holds);
    for (uint32_t i = 0; i < 100; i++) {
        peer_expect_echo(introduced, (uint8_t)(3 + i), 10);
    }
    sem_post(&lobby.goes_on);
    peer_expect_frame(other, 'h', 1);
}

NET_TEST(a_link_may_be_closed_while_it_leaves)
{
    start(2);
    lobby.closes = true;
    for (uint32_t i = 0; i < 200; i++) {
        int peer = peer_connect();

        peer_send_frame(peer, 1, 10);
        peer_expect_frame(peer, 1, 10);
        peer_expect_end(peer);
        peer_close(peer);
    }
    wait_for(&fixture.closed, 200);
}

NET_TEST(a_peer_may_go_while_its_link_leaves)
{
    start(2);
    for (uint32_t i = 0; i < 200; i++) {
        int peer = peer_connect();

        peer_send_frame(peer, 1, 10);
        peer_close(peer);
    }
    wait_for(&fixture.closed, 200);
}

NET_TEST(the_net_may_stop_while_links_leave)
{
    for (uint32_t round = 0; round < 20; round++) {
        start(2);
        for (uint32_t i = 0; i < 20; i++) {
            peer_send_frame(peer_connect(), 1, 10);
        }
        wait_for(&fixture.opened, 1 + round % 4);
        fixture_stop(0);
        while (fixture.peer_count > 0) {
            close(fixture.peers[--fixture.peer_count]);
        }
    }
}

NET_TEST(without_a_descriptor_a_link_stays)
{
    int spare[1024];
    uint32_t spare_count = 0;
    struct rlimit before, low;

    start(1);
    int peer = peer_connect();
    wait_for(&fixture.opened, 1);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = (struct rlimit){.rlim_cur = 200, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    while ((spare[spare_count] = dup(peer)) >= 0) {
        spare_count++;
    }
    assert_int_equal(errno, EMFILE);
    for (uint8_t i = 1; i < 20; i++) {
        peer_expect_echo(peer, i, 10);
    }
    assert_int_equal(lobby.in_lobby, 19);
    while (spare_count > 0) {
        close(spare[--spare_count]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_MAIN()
