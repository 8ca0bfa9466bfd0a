/* SPDX-License-Identifier: Apache-2.0 */
#include "service_manager.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_FD 3 /* SD_LISTEN_FDS_START */

/* The value of a variable as a number; 0: it is absent, or no number. */
static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    char *end;

    if (text == NULL || *text < '0' || *text > '9') {
        return 0;
    }
    const uint64_t number = strtoull(text, &end, 10);
    return *end == '\0' ? number : 0;
}

/* Variables for another process, such as the shell that started this one, are not for this one. */
static bool is_for_us(const char *name)
{
    return number_of(name) == (uint64_t)getpid();
}

static bool is_listening(int fd, struct sockaddr_storage *address)
{
    int type = 0, listens = 0;
    socklen_t type_size = sizeof type, listens_size = sizeof listens, size = sizeof *address;

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_STREAM &&
           getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) == 0 && listens != 0 &&
           getsockname(fd, (struct sockaddr *)address, &size) == 0 &&
           (address->ss_family == AF_INET || address->ss_family == AF_INET6);
}

static qd_server_address address_of(const struct sockaddr_storage *from)
{
    qd_server_address address = {.port = 0};

    if (from->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;

        inet_ntop(AF_INET, &v4->sin_addr, address.host, sizeof address.host);
        address.port = ntohs(v4->sin_port);
    } else {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)from;

        inet_ntop(AF_INET6, &v6->sin6_addr, address.host, sizeof address.host);
        address.port = ntohs(v6->sin6_port);
    }
    return address;
}

static bool take_socket(qd_service_manager *manager, char *error, size_t error_size)
{
    const uint64_t count = is_for_us("LISTEN_PID") ? number_of("LISTEN_FDS") : 0;
    struct sockaddr_storage address;

    if (count == 0) {
        return true;
    }
    if (count > 1) {
        snprintf(error, error_size,
                 "the service manager gives %" PRIu64 " sockets (LISTEN_FDS); must be 1. Leave one ListenStream in the "
                 "socket unit",
                 count);
        return false;
    }
    if (!is_listening(FIRST_FD, &address)) {
        snprintf(error, error_size,
                 "the socket of the service manager (LISTEN_FDS) is of another kind; must be TCP and listen. Set "
                 "ListenStream to a port, and Accept=no");
        return false;
    }
    fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
    fcntl(FIRST_FD, F_SETFL, fcntl(FIRST_FD, F_GETFL) | O_NONBLOCK);
    manager->listen_fd = FIRST_FD;
    manager->address = address_of(&address);
    return true;
}

bool qd_service_manager_init(qd_service_manager *manager, char *error, size_t error_size)
{
    const char *socket = getenv("NOTIFY_SOCKET");
    const bool has_watchdog = getenv("WATCHDOG_PID") == NULL || is_for_us("WATCHDOG_PID");
    const uint64_t ms = has_watchdog ? number_of("WATCHDOG_USEC") / 1000 : 0;

    *manager = (qd_service_manager){
        .socket = socket != NULL && (socket[0] == '/' || socket[0] == '@') ? socket : NULL,
        .watchdog_ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX,
        .listen_fd = -1,
    };
    return take_socket(manager, error, error_size);
}

void qd_service_manager_notify(const qd_service_manager *manager, const char *lines)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const size_t length = manager->socket != NULL ? strlen(manager->socket) : 0;

    if (length == 0 || length >= sizeof to.sun_path) {
        return;
    }
    memcpy(to.sun_path, manager->socket, length);
    if (to.sun_path[0] == '@') {
        to.sun_path[0] = '\0'; /* the abstract namespace */
    }
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        (void)sendto(fd, lines, strlen(lines), MSG_NOSIGNAL, (const struct sockaddr *)&to,
                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
        close(fd);
    }
}
