/* SPDX-License-Identifier: Apache-2.0 */
#include "flood.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define WAYS 4u /* places that an address may have */

_Static_assert(QD_FLOOD_ADDRESSES % WAYS == 0, "the table consists of sets");

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* "127.0.0.1:7400" -> "127.0.0.1", "[::1]:7400" -> "::1" */
static void host_of(const char *peer, char host[QD_FLOOD_PEER_BYTES_MAX])
{
    const char *colon = strrchr(peer, ':');
    size_t size = colon != NULL ? (size_t)(colon - peer) : strlen(peer);

    if (size >= 2 && peer[0] == '[' && peer[size - 1] == ']') {
        peer++;
        size -= 2;
    }
    snprintf(host, QD_FLOOD_PEER_BYTES_MAX, "%.*s", (int)size, peer);
}

/* Never 0. */
static uint64_t address_of(const char *host)
{
    struct in6_addr parsed;
    uint64_t address = 0;

    if (inet_pton(AF_INET6, host, &parsed) == 1 && !IN6_IS_ADDR_V4MAPPED(&parsed)) {
        memcpy(&address, &parsed, sizeof address);
    } else {
        for (; *host != '\0'; host++) {
            address = mix(address ^ (unsigned char)*host);
        }
    }
    address = mix(address + 1);
    return address != 0 ? address : 1;
}

/* A new window of another message or address. */
static void assign(qd_flood_entry *entry, const char *message, uint64_t address, uint64_t now_ns)
{
    *entry = (qd_flood_entry){.message = message, .address = address, .start_ns = now_ns};
}

/* The entry of the message, in its present window. If there are more messages than entries, the last ones share one. */
static qd_flood_entry *message_entry(qd_flood *flood, const char *message, uint64_t now_ns)
{
    uint32_t i = 0;

    while (i < QD_FLOOD_MESSAGES - 1 && flood->messages[i].message != NULL && flood->messages[i].message != message) {
        i++;
    }
    qd_flood_entry *entry = &flood->messages[i];
    if (entry->message == NULL) {
        assign(entry, message, 0, now_ns);
    }
    return entry;
}

/* The same for an address. The oldest window gives up its place, and `of_message` gets its count. */
static qd_flood_entry *address_entry(qd_flood *flood, qd_flood_entry *of_message, uint64_t address, uint64_t now_ns)
{
    const uint64_t key = mix(address ^ (uintptr_t)of_message->message);
    qd_flood_entry *set = flood->addresses + key % (QD_FLOOD_ADDRESSES / WAYS) * WAYS, *oldest = set;

    for (qd_flood_entry *entry = set; entry < set + WAYS; entry++) {
        if (entry->message == of_message->message && entry->address == address) {
            return entry;
        }
        oldest = entry->start_ns < oldest->start_ns ? entry : oldest;
    }
    if (oldest->suppressed > 0) {
        message_entry(flood, oldest->message, now_ns)->suppressed += oldest->suppressed;
    }
    assign(oldest, of_message->message, address, now_ns);
    return oldest;
}

/* A window that is over begins again, unless its count is not reported yet. */
static bool admit(qd_flood_entry *entry, uint32_t lines_max, uint64_t now_ns)
{
    if (now_ns - entry->start_ns >= QD_FLOOD_WINDOW_NS && entry->suppressed == 0) {
        entry->start_ns = now_ns;
        entry->lines = 0;
    }
    if (entry->lines < lines_max) {
        entry->lines++;
        return true;
    }
    entry->suppressed++;
    return false;
}

bool qd_flood_admit(qd_flood *flood, const char *message, const char *peer, uint64_t now_ns)
{
    qd_flood_entry *of_message = message_entry(flood, message, now_ns);
    bool admitted = true;

    if (peer != NULL) {
        char host[QD_FLOOD_PEER_BYTES_MAX];

        host_of(peer, host);
        qd_flood_entry *entry = address_entry(flood, of_message, address_of(host), now_ns);
        admitted = admit(entry, QD_FLOOD_ADDRESS_LINES, now_ns);
        if (!admitted) {
            memcpy(entry->peer, host, sizeof host);
        }
    }
    admitted = admitted && admit(of_message, QD_FLOOD_MESSAGE_LINES, now_ns);
    flood->pending += !admitted;
    flood->suppressed += !admitted;
    return admitted;
}

static bool take(qd_flood *flood, qd_flood_entry *entries, uint32_t count, uint64_t now_ns, bool all,
                 qd_flood_report *report)
{
    for (qd_flood_entry *entry = entries; entry < entries + count; entry++) {
        if (entry->suppressed == 0 || (!all && now_ns - entry->start_ns < QD_FLOOD_WINDOW_NS)) {
            continue;
        }
        *report = (qd_flood_report){.message = entry->message, .suppressed = entry->suppressed};
        memcpy(report->peer, entry->peer, sizeof report->peer);
        flood->pending -= entry->suppressed;
        assign(entry, entry->message, entry->address, now_ns);
        return true;
    }
    return false;
}

bool qd_flood_take(qd_flood *flood, uint64_t now_ns, bool all, qd_flood_report *report)
{
    return flood->pending > 0 && (take(flood, flood->messages, QD_FLOOD_MESSAGES, now_ns, all, report) ||
                                  take(flood, flood->addresses, QD_FLOOD_ADDRESSES, now_ns, all, report));
}
