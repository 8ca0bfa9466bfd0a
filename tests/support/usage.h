/* SPDX-License-Identifier: Apache-2.0
 *
 * What a server uses, as the system counts it.
 */
#ifndef QD_TESTS_SUPPORT_USAGE_H
#define QD_TESTS_SUPPORT_USAGE_H

#include <arpa/inet.h>
#include <dirent.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A size in /proc/PID/status, such as "VmHWM", in bytes. False: the process has ended. */
static inline bool usage_of_process(int process, const char *field, uint64_t *bytes)
{
    char path[64], line[256];
    uint64_t kib = 0;
    bool found = false;

    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, field, strlen(field)) == 0 && sscanf(line + strlen(field), ": %" SCNu64, &kib) == 1;
    }
    if (file != NULL) {
        fclose(file);
    }
    *bytes = kib * 1024;
    return found;
}

/* The number of the process's open descriptors. False: the process has ended. */
static inline bool usage_of_descriptors(int process, uint32_t *count)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/fd", process);
    DIR *folder = opendir(path);
    *count = 0;
    if (folder == NULL) {
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        *count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return true;
}

/* What one socket holds, if it is bound to that port. */
static inline uint64_t usage_of_socket(const struct nlmsghdr *header, uint16_t port)
{
    const struct inet_diag_msg *about = NLMSG_DATA(header);
    const struct rtattr *part = (const struct rtattr *)(const void *)(about + 1);
    size_t left = header->nlmsg_len - NLMSG_LENGTH(sizeof *about);
    uint64_t bytes = 0;

    for (; ntohs(about->id.idiag_sport) == port && RTA_OK(part, left); part = RTA_NEXT(part, left)) {
        if (part->rta_type == INET_DIAG_SKMEMINFO) {
            const uint32_t *memory = RTA_DATA(part);

            bytes += memory[SK_MEMINFO_RMEM_ALLOC] + memory[SK_MEMINFO_WMEM_QUEUED] + memory[SK_MEMINFO_FWD_ALLOC] +
                     memory[SK_MEMINFO_OPTMEM] + memory[SK_MEMINFO_BACKLOG];
        }
    }
    return bytes;
}

/* What the kernel holds for all TCP sockets of IPv4 that are bound to that port. False: the system does not say. */
static inline bool usage_of_sockets(uint16_t port, uint64_t *bytes)
{
    const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

    struct usage_request {
        struct nlmsghdr header;
        struct inet_diag_req_v2 ask;
    };
    const struct usage_request request = {.header = {.nlmsg_len = sizeof request,
                                                     .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                                                     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                                          .ask = {.sdiag_family = AF_INET,
                                                  .sdiag_protocol = IPPROTO_TCP,
                                                  .idiag_ext = 1 << (INET_DIAG_SKMEMINFO - 1),
                                                  .idiag_states = UINT32_MAX}};
    static _Alignas(8) char answer[65536];
    bool more = netlink >= 0 && send(netlink, &request, sizeof request, 0) == sizeof request, ok = more;

    *bytes = 0;
    while (more) {
        const ssize_t got = recv(netlink, answer, sizeof answer, 0);
        size_t left = got > 0 ? (size_t)got : 0;

        more = ok = got > 0;
        for (const struct nlmsghdr *at = (const void *)answer; more && NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
            more = at->nlmsg_type == SOCK_DIAG_BY_FAMILY;
            ok = at->nlmsg_type != NLMSG_ERROR;
            *bytes += more ? usage_of_socket(at, port) : 0;
        }
    }
    if (netlink >= 0) {
        close(netlink);
    }
    return ok;
}

#endif
