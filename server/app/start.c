/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* environ */
#include "start.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../base/assert.h"
#include "../base/memory/alloc.h"
#include "../net/net.h"
#include "../work/pool.h"
#include "cores.h"
#include "server.h"

/* When the server stops: how long rooms may take to close, and queues to be sent. */
#define CLOSE_MS_MAX   2000u
#define STOP_MS_MAX    2000u
#define TIME_BUDGET_NS UINT64_C(5000000) /* how long a room applies messages before other rooms run */

/* Open files besides the connections: connections that are being refused, the listener, and those of each loop. */
#define FILES_AROUND    100u
#define FILES_OF_A_LOOP 4u

static uint64_t random_number(void *context)
{
    (void)context;
    uint64_t number = 0;
    ssize_t size = getrandom(&number, sizeof number, 0);
    QD_ASSERT(size == (ssize_t)sizeof number);
    return number;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* All threads inherit the mask, so that the signals wait for sigwait. SIGPIPE is ignored: writes return the error. */
static void block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void wait_for_signal(const sigset_t *set)
{
    int number = 0;

    while (sigwait(set, &number) != 0)
        ;
    qd_log(QD_LOG_INFO, "stopping signal=%d", number);
    /* From here on, a second signal has its default effect. */
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
}

static void stop(qd_server *server, qd_net *net)
{
    qd_net_stop_listening(net);
    qd_server_close_rooms(server);
    for (unsigned waited_ms = 0; waited_ms < CLOSE_MS_MAX && !qd_server_rooms_closed(server); waited_ms++) {
        sleep_ms(1);
    }
    qd_server_go_away(server, STOP_MS_MAX);
    qd_net_stop(net, STOP_MS_MAX);
    /* Every link is closed: only the last runs of the rooms are left. */
    while (!qd_server_is_idle(server)) {
        sleep_ms(1);
    }
    qd_log(QD_LOG_INFO, "stopped");
}

/* Each connection is a file. The soft limit, usually 1,024, is for programs that use select. */
static void raise_files(uint32_t connections_max, uint32_t loops)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return;
    }
    rlim_t soft = files.rlim_cur, needed = (rlim_t)connections_max + FILES_AROUND + FILES_OF_A_LOOP * loops;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) {
        files.rlim_cur = soft;
    }
    if (files.rlim_cur < needed) {
        qd_log(QD_LOG_WARN,
               "--connections-max %" PRIu32 " needs %llu open files, and %llu are allowed: raise that (ulimit -Hn, "
               "LimitNOFILE of systemd, --ulimit of docker), or take fewer connections",
               connections_max, (unsigned long long)needed, (unsigned long long)files.rlim_cur);
    }
}

static void warn_of_strays(void)
{
    for (char **variable = environ; *variable != NULL; variable++) {
        char text[400];

        if (qd_server_options_is_stray(*variable, text, sizeof text)) {
            qd_log(QD_LOG_WARN, "%s", text);
        }
    }
}

static uint32_t loops_of(const qd_server_options *options)
{
    uint32_t loops = options->loops != 0 ? options->loops : (qd_cores() + 1) / 2;

    return loops < QD_LOOPS_MAX ? loops : QD_LOOPS_MAX;
}

static int serve(const qd_server_options *options, const qd_server_config *config, const sigset_t *signals)
{
    qd_server server;

    qd_server_init(&server, config);
    const qd_net_config net_config = {
        .host = options->host,
        .port = options->port,
        .loops = loops_of(options),
        .connections_max = config->service.limits.connections_max,
        .outbox_bytes_max = config->service.limits.queue_bytes_max,
        .frame_bytes_max = QD_FRAME_BYTES_BEFORE_HELLO,
        .handler = qd_server_link_handler(&server),
        .refusal = qd_server_refusal,
        .refusal_context = &server,
    };
    raise_files(net_config.connections_max, net_config.loops);
    qd_net *net;
    char error[300];
    if (qd_net_start(&net_config, &net, error, sizeof error) != QD_OK) {
        fprintf(stderr, "quadrille-server: %s\n", error);
        qd_server_deinit(&server);
        return 1;
    }
    bool is_v6 = strchr(options->host, ':') != NULL;
    printf("%s listening on %s%s%s:%u\n", qd_server_name, is_v6 ? "[" : "", options->host, is_v6 ? "]" : "",
           qd_net_port(net));
    fflush(stdout);
    qd_log(QD_LOG_INFO, "listening host=%s port=%u workers=%u loops=%u memory_max=%zu", options->host, qd_net_port(net),
           config->service.workers, net_config.loops, qd_memory_limit());
    wait_for_signal(signals);
    stop(&server, net);
    qd_server_deinit(&server);
    return 0;
}

static bool read_tokens(const char *option, const char *path, qd_tokens *tokens)
{
    char error[400];

    if (path == NULL || qd_tokens_read(path, tokens, error, sizeof error) == QD_OK) {
        return true;
    }
    fprintf(stderr, "quadrille-server: %s: %s\n", option, error);
    return false;
}

int qd_run(const qd_server_options *options)
{
    sigset_t signals;

    block_signals(&signals);
    qd_log_level_set(options->log_level);
    warn_of_strays();
    qd_memory_limit_set(options->memory_bytes_max != 0 ? (size_t)options->memory_bytes_max
                                                       : qd_memory_of_machine() / 100 * 80);
    qd_tokens tokens = {0}, admin_tokens = {0};
    qd_pool *pool = NULL;
    int status = 1;
    if (!read_tokens("--token-file", options->token_file, &tokens) ||
        !read_tokens("--admin-token-file", options->admin_token_file, &admin_tokens)) {
        goto done;
    }
    uint32_t workers = options->workers != 0 ? options->workers : qd_cores();
    if (workers > QD_POOL_WORKERS_MAX) {
        workers = QD_POOL_WORKERS_MAX;
    }
    if (qd_pool_create(workers, &pool) != QD_OK) {
        fprintf(stderr, "quadrille-server: --workers: the system refused to start %" PRIu32 " threads\n", workers);
        goto done;
    }
    const qd_server_config config = {
        .service =
            {
                .limits = options->limits,
                .scheduler = qd_pool_scheduler(pool),
                .workers = workers,
                .time_budget_ns = TIME_BUDGET_NS,
                .random = random_number,
            },
        .tokens = options->token_file != NULL ? &tokens : NULL,
        .admin_tokens = options->admin_token_file != NULL ? &admin_tokens : NULL,
    };
    status = serve(options, &config, &signals);
done:
    if (pool != NULL) {
        qd_pool_destroy(pool);
    }
    qd_tokens_deinit(&tokens);
    qd_tokens_deinit(&admin_tokens);
    return status;
}
