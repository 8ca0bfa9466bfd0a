/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bad_network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "rng.h"

#define CLIENT_ADDRESS "10.99.0.1"
#define PACKET_MAX     1500u
#define QUEUE_MAX      65536u
#define READS_MAX      64u
#define HEADERS_SIZE   (sizeof(struct iphdr) + sizeof(struct tcphdr))

enum { SIDES = 2 };

/* A packet that is under way. */
struct packet {
    uint64_t due_ms, number; /* number: packets that are due at once keep their order */
    int to;
    uint32_t size;
    uint8_t *bytes;
};

static struct network {
    int devices[SIDES], spaces[SIDES];
    pthread_t thread;
    atomic_bool stops;
    _Atomic uint64_t overruns;
    pthread_mutex_t lock; /* of the next two */
    struct bad_network_faults faults;
    struct bad_network_counts counts;
    /* Of the thread alone. */
    rng_stream rng;
    struct packet *queue; /* a heap */
    uint32_t queued;
    uint64_t next_number, next_reset_ms, dead_from_ms, dead_until_ms;
} network = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- the queue ---- */

static bool is_before(const struct packet *one, const struct packet *other)
{
    return one->due_ms != other->due_ms ? one->due_ms < other->due_ms : one->number < other->number;
}

static void swap(uint32_t one, uint32_t other)
{
    const struct packet moved = network.queue[one];

    network.queue[one] = network.queue[other];
    network.queue[other] = moved;
}

/* A full queue loses the packet, as a router does. */
static void put(const uint8_t *bytes, uint32_t size, int to, uint64_t due_ms)
{
    uint8_t *copy = network.queued < QUEUE_MAX ? malloc(size) : NULL;

    if (copy == NULL) {
        atomic_fetch_add(&network.overruns, 1);
        return;
    }
    memcpy(copy, bytes, size);
    uint32_t at = network.queued++;
    network.queue[at] =
        (struct packet){.due_ms = due_ms, .number = network.next_number++, .to = to, .size = size, .bytes = copy};
    for (; at > 0 && is_before(&network.queue[at], &network.queue[(at - 1) / 2]); at = (at - 1) / 2) {
        swap(at, (at - 1) / 2);
    }
}

static struct packet take(void)
{
    const struct packet first = network.queue[0];
    uint32_t at = 0, next;

    network.queue[0] = network.queue[--network.queued];
    while ((next = 2 * at + 1) < network.queued) {
        next += next + 1 < network.queued && is_before(&network.queue[next + 1], &network.queue[next]);
        if (is_before(&network.queue[at], &network.queue[next])) {
            break;
        }
        swap(at, next);
        at = next;
    }
    return first;
}

/* ---- packets ---- */

static uint32_t sum_of(const uint8_t *bytes, size_t size, uint32_t sum)
{
    for (size_t i = 0; i < size; i++) {
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    }
    return sum;
}

static uint16_t folded(uint32_t sum)
{
    while (sum >> 16 != 0) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return htons((uint16_t)~sum);
}

/* Completes a packet of an IP header without options, a TCP header and data. */
static void write_headers(uint8_t *bytes, uint32_t size, struct iphdr *ip, struct tcphdr *tcp)
{
    const uint32_t tcp_size = size - (uint32_t)sizeof *ip;

    ip->tot_len = htons((uint16_t)size);
    ip->check = 0;
    memcpy(bytes, ip, sizeof *ip);
    ip->check = folded(sum_of(bytes, sizeof *ip, 0));
    memcpy(bytes, ip, sizeof *ip);
    tcp->check = 0;
    memcpy(bytes + sizeof *ip, tcp, sizeof *tcp);
    /* The sum begins with both addresses, the protocol and the size. */
    const uint32_t begin = sum_of(bytes + 12, 8, IPPROTO_TCP + tcp_size);
    tcp->check = folded(sum_of(bytes + sizeof *ip, tcp_size, begin));
    memcpy(bytes + sizeof *ip, tcp, sizeof *tcp);
}

/* Finds the headers. `data`: where the segment's bytes begin. False: no TCP over IPv4. */
static bool read_headers(const uint8_t *bytes, uint32_t size, struct iphdr *ip, struct tcphdr *tcp, uint32_t *data)
{
    if (size < HEADERS_SIZE) {
        return false;
    }
    memcpy(ip, bytes, sizeof *ip);
    if (ip->version != 4 || ip->ihl != 5 || ip->protocol != IPPROTO_TCP) {
        return false;
    }
    memcpy(tcp, bytes + sizeof *ip, sizeof *tcp);
    *data = (uint32_t)(sizeof *ip + 4u * tcp->doff);
    return *data <= size;
}

static uint64_t draw_due_ms(const struct bad_network_faults *faults)
{
    const int64_t delay =
        (int64_t)faults->delay_ms - faults->jitter_ms + rng_below(&network.rng, 2 * faults->jitter_ms + 1);

    return now_ms() + (delay > 0 ? (uint64_t)delay : 0);
}

static void forward(const struct bad_network_faults *faults, struct bad_network_counts *counts, const uint8_t *bytes,
                    uint32_t size, int to)
{
    counts->packets++;
    if (rng_below(&network.rng, 1000) < faults->loss_permille) {
        counts->lost++;
    } else {
        put(bytes, size, to, draw_due_ms(faults));
    }
}

/* Each byte in a packet of its own. */
static void forward_bytes(const struct bad_network_faults *faults, struct bad_network_counts *counts,
                          const uint8_t *bytes, uint32_t size, int to)
{
    uint8_t piece[PACKET_MAX];
    struct iphdr ip;
    struct tcphdr tcp;
    uint32_t data;

    if (!read_headers(bytes, size, &ip, &tcp, &data) || size <= data + 1) {
        forward(faults, counts, bytes, size, to);
        return;
    }
    const struct tcphdr whole = tcp;
    for (uint32_t at = data; at < size; at++) {
        tcp = whole;
        tcp.seq = htonl(ntohl(whole.seq) + at - data);
        tcp.fin = whole.fin && at + 1 == size;
        tcp.psh = whole.psh && at + 1 == size;
        /* The headers first: TCP options follow them, and stay. */
        memcpy(piece, bytes, data);
        piece[data] = bytes[at];
        write_headers(piece, data + 1, &ip, &tcp);
        counts->one_byte++;
        forward(faults, counts, piece, data + 1, to);
    }
}

/* Sends a reset with that sequence number, in the direction of the headers or back. */
static void send_reset(struct iphdr ip, struct tcphdr tcp, uint32_t sequence, bool back, int to)
{
    uint8_t bytes[HEADERS_SIZE];

    if (back) {
        const uint32_t address = ip.saddr;
        const uint16_t port = tcp.source;

        ip.saddr = ip.daddr;
        ip.daddr = address;
        tcp.source = tcp.dest;
        tcp.dest = port;
    }
    struct tcphdr reset = {.source = tcp.source, .dest = tcp.dest, .seq = htonl(sequence), .doff = 5, .rst = 1};
    write_headers(bytes, sizeof bytes, &ip, &reset);
    put(bytes, sizeof bytes, to, now_ms());
}

/* Breaks the packet's connection for its sender, its receiver, or both: the other learns it from the next packet. False:
 * the packet belongs to none. */
static bool reset_connection(const uint8_t *bytes, uint32_t size, int to)
{
    struct iphdr ip;
    struct tcphdr tcp;
    uint32_t data;

    if (!read_headers(bytes, size, &ip, &tcp, &data) || tcp.syn || tcp.rst || !tcp.ack) {
        return false;
    }
    const uint32_t who = rng_below(&network.rng, 3);
    if (who != 0) {
        send_reset(ip, tcp, ntohl(tcp.ack_seq), true, !to);
    }
    if (who != 1) {
        send_reset(ip, tcp, ntohl(tcp.seq), false, to);
    }
    return true;
}

/* ---- the thread ---- */

static bool is_dead(const struct bad_network_faults *faults, uint64_t now)
{
    if (faults->dead_ms_max == 0) {
        network.dead_from_ms = 0;
        return false;
    }
    if (network.dead_from_ms == 0 || now >= network.dead_until_ms) {
        const uint64_t last = 1 + rng_below(&network.rng, faults->dead_ms_max);

        network.dead_from_ms = now + faults->dead_ms_max;
        network.dead_until_ms = network.dead_from_ms + last;
    }
    return now >= network.dead_from_ms;
}

static void treat(const struct bad_network_faults *faults, struct bad_network_counts *counts, const uint8_t *bytes,
                  uint32_t size, int to)
{
    const uint64_t now = now_ms();

    if (is_dead(faults, now)) {
        counts->lost++;
        return;
    }
    if (faults->reset_ms_max > 0 && now >= network.next_reset_ms && reset_connection(bytes, size, to)) {
        network.next_reset_ms = now + rng_below(&network.rng, faults->reset_ms_max);
        counts->resets++;
        return;
    }
    (faults->one_byte ? forward_bytes : forward)(faults, counts, bytes, size, to);
}

static void read_packets(int from)
{
    uint8_t bytes[PACKET_MAX];

    pthread_mutex_lock(&network.lock);
    for (uint32_t i = 0; i < READS_MAX; i++) {
        const ssize_t size = read(network.devices[from], bytes, sizeof bytes);

        if (size <= 0) {
            break;
        }
        /* The system sends IPv6 of its own to each network. */
        if (bytes[0] >> 4 == 4) {
            treat(&network.faults, &network.counts, bytes, (uint32_t)size, !from);
        }
    }
    pthread_mutex_unlock(&network.lock);
}

static void *run(void *unused)
{
    (void)unused;
    while (!atomic_load(&network.stops)) {
        struct pollfd ready[SIDES];

        for (int i = 0; i < SIDES; i++) {
            ready[i] = (struct pollfd){.fd = network.devices[i], .events = POLLIN};
        }
        poll(ready, SIDES, network.queued > 0 ? 1 : 10);
        for (int i = 0; i < SIDES; i++) {
            if (ready[i].revents & POLLIN) {
                read_packets(i);
            }
        }
        while (network.queued > 0 && network.queue[0].due_ms <= now_ms()) {
            const struct packet packet = take();

            /* A device that takes no more loses the packet. */
            if (write(network.devices[packet.to], packet.bytes, packet.size) < 0) {
                atomic_fetch_add(&network.overruns, 1);
            }
            free(packet.bytes);
        }
    }
    return NULL;
}

/* ---- namespaces ---- */

static bool write_file(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool ok = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

    if (file >= 0) {
        close(file);
    }
    return ok;
}

/* A user without rights is root in a namespace of users. */
static bool leave_network(void)
{
    char map[64];
    const unsigned user = geteuid(), group = getegid();

    if (unshare(CLONE_NEWNET) == 0) {
        return true;
    }
    if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        return false;
    }
    snprintf(map, sizeof map, "0 %u 1", user);
    bool ok = write_file("/proc/self/uid_map", map) && write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "0 %u 1", group);
    return ok && write_file("/proc/self/gid_map", map);
}

static bool set_address(int control, struct ifreq *request, unsigned long command, const char *address)
{
    struct sockaddr_in at = {.sin_family = AF_INET};

    inet_pton(AF_INET, address, &at.sin_addr);
    memcpy(&request->ifr_addr, &at, sizeof at);
    return ioctl(control, command, request) == 0;
}

/* A TUN device in the current namespace, as one end of a line from `own` to `peer`. -1: the system refuses it. */
static int open_device(const char *own, const char *peer)
{
    const int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "quadrille0", .ifr_flags = IFF_TUN | IFF_NO_PI};
    bool ok = device >= 0 && control >= 0 && ioctl(device, TUNSETIFF, &request) == 0 &&
              set_address(control, &request, SIOCSIFADDR, own) && set_address(control, &request, SIOCSIFDSTADDR, peer);

    request.ifr_flags = IFF_UP | IFF_RUNNING | IFF_POINTOPOINT;
    ok = ok && ioctl(control, SIOCSIFFLAGS, &request) == 0;
    const int error = errno;
    close(control);
    if (!ok && device >= 0) {
        close(device);
    }
    errno = error;
    return ok ? device : -1;
}

static bool open_side(int side, const char *own, const char *peer, char problem[BAD_NETWORK_PROBLEM_SIZE])
{
    if (!leave_network()) {
        snprintf(problem, BAD_NETWORK_PROBLEM_SIZE, "this user may not make a namespace of networks: %s",
                 strerror(errno));
        return false;
    }
    network.devices[side] = open_device(own, peer);
    if (network.devices[side] < 0) {
        snprintf(problem, BAD_NETWORK_PROBLEM_SIZE, "the system makes no TUN device: %s", strerror(errno));
        return false;
    }
    network.spaces[side] = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    assert_true(network.spaces[side] >= 0);
    return true;
}

bool bad_network_open(uint64_t seed, char problem[BAD_NETWORK_PROBLEM_SIZE])
{
    if (!open_side(BAD_NETWORK_CLIENT, CLIENT_ADDRESS, BAD_NETWORK_SERVER, problem) ||
        !open_side(BAD_NETWORK_SERVER_SIDE, BAD_NETWORK_SERVER, CLIENT_ADDRESS, problem)) {
        return false;
    }
    network.rng.state = seed;
    network.queue = calloc(QUEUE_MAX, sizeof *network.queue);
    assert_non_null(network.queue);
    assert_int_equal(pthread_create(&network.thread, NULL, run, NULL), 0);
    return true;
}

void bad_network_close(void)
{
    atomic_store(&network.stops, true);
    pthread_join(network.thread, NULL);
    while (network.queued > 0) {
        free(take().bytes);
    }
    free(network.queue);
    for (int i = 0; i < SIDES; i++) {
        close(network.devices[i]);
        close(network.spaces[i]);
    }
}

void bad_network_enter(int side)
{
    assert_int_equal(setns(network.spaces[side], CLONE_NEWNET), 0);
}

void bad_network_set(const struct bad_network_faults *faults)
{
    pthread_mutex_lock(&network.lock);
    network.faults = faults != NULL ? *faults : (struct bad_network_faults){0};
    pthread_mutex_unlock(&network.lock);
}

struct bad_network_counts bad_network_counts(void)
{
    pthread_mutex_lock(&network.lock);
    struct bad_network_counts counts = network.counts;
    pthread_mutex_unlock(&network.lock);
    counts.overruns = atomic_load(&network.overruns);
    return counts;
}
