/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* environ */
#include "start.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../admin/admin.h"
#include "../base/assert.h"
#include "../base/memory/alloc.h"
#include "../net/net.h"
#include "../record/recorder.h"
#include "../work/pool.h"
#include "cores.h"
#include "health/liveness.h"
#include "reload.h"
#include "replay/record_text.h"
#include "server.h"
#include "service_manager.h"
#include "signals.h"

/* When the server stops: how long queues may take to be sent, within --drain-seconds. */
#define STOP_MS_MAX    2000u
#define LAST_LINE_MS   50u               /* until the log has written it */
#define LOG_MS_MAX     1000u             /* how long the log may wait for the reader of stderr */
#define TIME_BUDGET_NS UINT64_C(1000000) /* how long a room applies messages before other rooms run */
#define TIME_BURST_NS  UINT64_C(5000000) /* what a session or room may use at once before others go first */

/* Of the service manager's watchdog beyond --drain-seconds. */
#define WATCHDOG_SPARE_S 10u

/* Open files besides the connections: connections that are being refused, the listener, and those of each loop. */
#define FILES_AROUND    100u
#define FILES_OF_A_LOOP 4u

/* The table of open files has this size from the start, or that which is needed. */
#define RESERVED_FILES_MAX 65536u

/* The system's buffers of a connection. Linux announces only a part of its receive buffer to the peer. A peer on the same
 * machine sends up to 64 KiB at once. If these do not fit, its TCP waits and tries again, a few times per second. */
#define SEND_BYTES_MIN    16384u
#define RECEIVE_BYTES_MIN 65536u
#define SOCKET_BYTES_MAX  1048576u

/* What must be left of --memory-max for sessions and rooms. */
#define MEMORY_LEFT_MIN (4u << 20)

static uint64_t random_number(void *context)
{
    (void)context;
    uint64_t number = 0;
    ssize_t size = getrandom(&number, sizeof number, 0);
    QD_ASSERT(size == (ssize_t)sizeof number);
    return number;
}

static uint64_t wall_s(void *context)
{
    (void)context;
    return (uint64_t)time(NULL);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Shows the service manager that the threads respond. A server that hangs does not, and is restarted. */
static void feed_watchdog(const qd_service_manager *manager, qd_liveness *liveness, bool *hangs)
{
    char error[300];

    if (qd_liveness_check(liveness, error, sizeof error)) {
        qd_service_manager_notify(manager, "WATCHDOG=1");
        *hangs = false;
    } else if (!*hangs) {
        qd_log(QD_LOG_ERROR, "the service manager is not notified of life", QD_LOG_STRING("error", error));
        *hangs = true;
    }
}

static void reload(qd_server_options *running, const qd_server_sources *sources, const qd_reload_target *target,
                   const qd_service_manager *manager)
{
    qd_service_manager_notify(manager, "RELOADING=1");
    qd_reload(running, sources, target);
    qd_service_manager_notify(manager, "READY=1");
}

/* While the server stops, its threads end, and none is asked for life. */
static void notify_stopping(const qd_service_manager *manager, uint32_t drain_seconds)
{
    const uint64_t longest_us = ((uint64_t)drain_seconds + WATCHDOG_SPARE_S) * 1000000;
    char lines[100];

    snprintf(lines, sizeof lines, "STOPPING=1\nSTATUS=Stopping\nWATCHDOG_USEC=%" PRIu64 "\nWATCHDOG=1", longest_us);
    qd_service_manager_notify(manager, lines);
}

static void wait_to_stop(qd_server_options *running, const qd_server_sources *sources, const qd_reload_target *target,
                         const qd_service_manager *manager, qd_liveness *liveness)
{
    const uint32_t wait_ms = manager->watchdog_ms > 1 ? manager->watchdog_ms / 2 : manager->watchdog_ms;
    bool hangs = false;
    int number;

    while ((number = qd_signals_wait(wait_ms)) == 0 || number == SIGHUP) {
        if (number == SIGHUP) {
            reload(running, sources, target, manager);
        }
        if (wait_ms > 0) {
            feed_watchdog(manager, liveness, &hangs);
        }
    }
    notify_stopping(manager, running->drain_seconds);
    qd_admin_stopping(target->admin);
    qd_log(QD_LOG_INFO, "stopping", QD_LOG_NUMBER("signal", (uint64_t)number));
    qd_signals_release();
}

/* ---- serving ---- */

/* Ends the process when the time is over, wherever the main thread waits. */
static void *end_at_deadline(void *argument)
{
    const uint32_t seconds = *(const uint32_t *)argument;

    sleep_ms((long)seconds * 1000);
    qd_log(QD_LOG_WARN, "stopped with work left", QD_LOG_NUMBER("drain_seconds", seconds));
    sleep_ms(LAST_LINE_MS);
    _exit(0);
}

static void start_deadline(const uint32_t *seconds)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, end_at_deadline, (void *)(uintptr_t)seconds) == 0) {
        pthread_detach(thread);
    } else {
        qd_log(QD_LOG_WARN, "the system refused a thread for --drain-seconds, so stopping may take longer");
    }
}

static void wait_for_rooms(const qd_server *server, uint32_t ms)
{
    for (uint32_t waited_ms = 0; waited_ms < ms && !qd_server_rooms_closed(server); waited_ms++) {
        sleep_ms(1);
    }
}

/* Rooms have half of the time to carry out what is queued, then a quarter to close; sessions have the rest. */
static void stop(qd_server *server, qd_net *net, const uint32_t *drain_seconds)
{
    const uint32_t quarter_ms = *drain_seconds * 1000 / 4;
    const uint32_t flush_ms = quarter_ms < STOP_MS_MAX ? quarter_ms : STOP_MS_MAX;

    start_deadline(drain_seconds);
    qd_net_stop_listening(net);
    qd_server_close_rooms(server);
    wait_for_rooms(server, 2 * quarter_ms);
    qd_server_hurry(server);
    wait_for_rooms(server, quarter_ms);
    qd_server_go_away(server, flush_ms);
    qd_net_stop(net, flush_ms);
    /* Every link is closed: only the last runs of the rooms are left. */
    while (!qd_server_is_idle(server)) {
        sleep_ms(1);
    }
    qd_log(QD_LOG_INFO, "stopped");
}

/* Growing the table of open files takes the system up to 10 ms while threads run, and each growth doubles it. So it
 * gets its size now. */
static void reserve_files(rlim_t needed)
{
    const int last = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, needed < RESERVED_FILES_MAX ? needed : RESERVED_FILES_MAX);

    if (last >= 0) {
        close(last);
    }
}

/* Each connection is a file. The soft limit, usually 1,024, is for programs that use select. */
static void raise_files(uint32_t connections_max, uint32_t loops)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return;
    }
    rlim_t soft = files.rlim_cur;
    /* Connections without Hello come on top, and those that were dropped for a newer one. */
    rlim_t needed = (rlim_t)connections_max + connections_max / 2 + FILES_AROUND + FILES_OF_A_LOOP * loops;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) {
        files.rlim_cur = soft;
    }
    if (files.rlim_cur < needed) {
        qd_log(QD_LOG_WARN,
               "--connections-max needs more open files than are allowed; raise that (ulimit -Hn, LimitNOFILE of "
               "systemd, --ulimit of docker), or allow fewer connections",
               QD_LOG_NUMBER("connections_max", connections_max), QD_LOG_NUMBER("needed", needed),
               QD_LOG_NUMBER("allowed", files.rlim_cur));
        needed = files.rlim_cur - 1;
    }
    reserve_files(needed);
}

static void warn_of_strays(void)
{
    for (char **variable = environ; *variable != NULL; variable++) {
        char text[400];

        if (qd_server_options_is_stray(*variable, text, sizeof text)) {
            qd_log(QD_LOG_WARN, "a variable of the environment has no effect", QD_LOG_STRING("text", text));
        }
    }
}

static uint32_t loops_of(const qd_server_options *options)
{
    uint32_t loops = options->loops != 0 ? options->loops : (qd_cores() + 1) / 2;

    return loops < QD_LOOPS_MAX ? loops : QD_LOOPS_MAX;
}

/* A quarter of the memory is for the system's buffers, if every connection is used and `bytes_min` allows it. */
static uint32_t socket_bytes_of(uint32_t connections_max, uint32_t bytes_min)
{
    const size_t both_doubled = 4; /* the system doubles the size of each direction */
    const size_t bytes = qd_memory_limit() / 4 / connections_max / both_doubled;

    return bytes < bytes_min ? bytes_min : bytes < SOCKET_BYTES_MAX ? (uint32_t)bytes : SOCKET_BYTES_MAX;
}

/* After everything has started: whether enough is left for rooms. */
static bool has_memory(void)
{
    const size_t used = qd_memory_used(), limit = qd_memory_limit();

    if (limit >= used && limit - used >= MEMORY_LEFT_MIN) {
        return true;
    }
    fprintf(stderr,
            "quadrille-server: --memory-max is %zu; must be at least %zu, of which the server itself uses %zu. Raise "
            "it, or lower --connections-max, --workers or --loops\n",
            limit, used + MEMORY_LEFT_MIN, used);
    return false;
}

/* Starts the admin server if there shall be one. Returns 0, or the exit status. */
static int start_admin(const qd_server_options *options, qd_server *server, qd_tokens *tokens, qd_liveness *liveness,
                       qd_admin **admin)
{
    char error[400];
    const qd_admin_config config = {.host = options->admin.host,
                                    .port = options->admin.port,
                                    .tokens = tokens,
                                    .sessions = &server->sessions,
                                    .is_alive = qd_liveness_check,
                                    .alive_context = liveness,
                                    .room_labels = options->admin_room_labels};

    *admin = NULL;
    if (options->admin.host[0] == '\0') {
        return 0;
    }
    const qd_status status = qd_admin_start(&config, admin, error, sizeof error);
    if (status == QD_OK) {
        return 0;
    }
    fprintf(stderr, "quadrille-server: %s\n", error);
    return status == QD_ERR_NO_MEMORY ? 2 : 1;
}

static void notify_ready(const qd_service_manager *manager, const char *host, uint16_t port)
{
    char lines[400];

    snprintf(lines, sizeof lines, "READY=1\nSTATUS=Listening on %s port %u", host, port);
    qd_service_manager_notify(manager, lines);
    if (manager->listen_fd > 0) {
        qd_log(QD_LOG_INFO, "the service manager gave the socket, so --listen has no effect");
    }
}

static int serve(qd_server_options *options, const qd_server_sources *sources, const qd_option_files *files,
                 const qd_server_config *config, const qd_service_manager *manager, qd_liveness *liveness)
{
    const qd_server_address *listen = manager->listen_fd > 0 ? &manager->address : &options->listen;
    const qd_limits *limits = &config->service.limits;
    qd_server server;

    qd_server_init(&server, config);
    const qd_net_config net_config = {
        .host = listen->host,
        .port = listen->port,
        .listen_fd = manager->listen_fd > 0 ? manager->listen_fd : 0,
        .tls = files->tls,
        .loops = loops_of(options),
        .connections_max = limits->connections_max,
        .address_connections_max = limits->address_connections_max,
        .address_accepts_max = limits->address_accepts_max,
        .address_failed_tokens_max = limits->address_failed_tokens_max,
        .secret = {random_number(NULL), random_number(NULL)},
        .send_bytes = socket_bytes_of(limits->connections_max, SEND_BYTES_MIN),
        .receive_bytes = socket_bytes_of(limits->connections_max, RECEIVE_BYTES_MIN),
        .silence_ms_max = limits->silence_ms_max,
        .unread_ms_max = limits->slow_ms_max,
        .outbox_bytes_max = limits->queue_bytes_max,
        .frame_bytes_max = QD_FRAME_BYTES_BEFORE_HELLO,
        .handler = qd_server_link_handler(&server),
        .refusal = qd_server_refusal,
        .refusal_context = &server,
        .refused = qd_server_refused,
    };
    raise_files(net_config.connections_max, net_config.loops);
    qd_net *net;
    char error[300];
    if (qd_net_start(&net_config, &net, error, sizeof error) != QD_OK) {
        fprintf(stderr, "quadrille-server: %s\n", error);
        qd_server_deinit(&server);
        return 1;
    }
    qd_memory_limit_footprint(true);
    qd_liveness_init(liveness, net, config->service.scheduler);
    qd_admin *admin;
    const int failed = start_admin(options, &server, files->admin_tokens, liveness, &admin);
    if (failed != 0 || !has_memory()) {
        qd_admin_stopping(admin);
        stop(&server, net, &options->drain_seconds);
        qd_admin_stop(admin);
        qd_server_deinit(&server);
        return failed != 0 ? failed : 2;
    }
    bool is_v6 = strchr(listen->host, ':') != NULL;
    printf("%s listening on %s%s%s:%u\n", qd_server_name, is_v6 ? "[" : "", listen->host, is_v6 ? "]" : "",
           qd_net_port(net));
    if (admin != NULL) {
        printf("admin server on port %u\n", qd_admin_port(admin));
    }
    fflush(stdout);
    notify_ready(manager, listen->host, qd_net_port(net));
    qd_log(QD_LOG_INFO, "listening", QD_LOG_STRING("host", listen->host), QD_LOG_NUMBER("port", qd_net_port(net)),
           QD_LOG_STRING("tls", files->tls != NULL ? "on" : "off"), QD_LOG_NUMBER("workers", config->service.workers),
           QD_LOG_NUMBER("loops", net_config.loops), QD_LOG_NUMBER("memory_max", qd_memory_limit()));
    wait_to_stop(options, sources, &(qd_reload_target){.server = &server, .tls = files->tls, .admin = admin}, manager,
                 liveness);
    stop(&server, net, &options->drain_seconds);
    qd_admin_stop(admin);
    qd_server_deinit(&server);
    return 0;
}

static void warn_of_strangers(const qd_server_options *options)
{
    if (options->insecure && !qd_server_options_is_loopback(options->listen.host)) {
        qd_log(QD_LOG_WARN, "anybody who reaches the server may use it (--insecure). Set --token-file",
               QD_LOG_STRING("host", options->listen.host));
    }
}

/* Starts the recorder. Returns false if it cannot. */
static bool start_record(const qd_server_options *options, size_t width, qd_record_sink *sink)
{
    char error[600], text[QD_RECORD_TEXT_BYTES];

    qd_record_text_write(&(qd_replay_server){.limits = qd_limits_of(options), .width = (uint32_t)width}, text);
    *sink = (qd_record_sink){
        .put = qd_recorder_put,
        .context = qd_recorder_start(&(qd_recorder_config){.folder = options->record,
                                                           .file_bytes = options->record_file_bytes,
                                                           .bytes_max = options->record_bytes_max,
                                                           .wall_s = wall_s(NULL),
                                                           .text = text},
                                     error, sizeof error),
        .token_key = {random_number(NULL), random_number(NULL)},
    };
    if (sink->context == NULL) {
        fprintf(stderr, "quadrille-server: %s\n", error);
        return false;
    }
    qd_log(QD_LOG_INFO, "recording", QD_LOG_STRING("folder", options->record));
    return true;
}

static int run(qd_server_options *options, const qd_server_sources *sources, const qd_option_files *files,
               const qd_service_manager *manager)
{
    qd_memory_limit_set(options->memory_bytes_max != 0 ? (size_t)options->memory_bytes_max
                                                       : qd_memory_of_machine() / 100 * 80);
    qd_liveness liveness; /* outlives the pool, which may use it */
    qd_pool *pool = NULL;
    int status = 1;
    uint32_t workers = options->workers != 0 ? options->workers : qd_cores();
    if (workers > QD_POOL_WORKERS_MAX) {
        workers = QD_POOL_WORKERS_MAX;
    }
    if (qd_pool_create(workers, &pool) != QD_OK) {
        fprintf(stderr, "quadrille-server: --workers: the system refused to start %" PRIu32 " threads\n", workers);
        goto done;
    }
    qd_record_sink sink;
    if (options->record != NULL && !start_record(options, qd_pool_scheduler(pool)->executor->width, &sink)) {
        goto done;
    }
    const qd_server_config config = {
        .service =
            {
                .limits = qd_limits_of(options),
                .record = options->record != NULL ? &sink : NULL,
                .scheduler = qd_pool_scheduler(pool),
                .workers = workers,
                .time_budget_ns = TIME_BUDGET_NS,
                .time_burst_ns = TIME_BURST_NS,
                .random = random_number,
                .wall_s = wall_s,
            },
        .tokens = files->tokens,
    };
    status = serve(options, sources, files, &config, manager, &liveness);
    if (options->record != NULL) {
        qd_recorder_stop(sink.context);
    }
done:
    if (pool != NULL) {
        qd_pool_destroy(pool);
    }
    return status;
}

int qd_run(const qd_server_options *options, const qd_server_sources *sources)
{
    qd_server_options running = *options;
    qd_option_files files;
    char error[600];
    int status = 1;

    running.texts = NULL; /* those of the file belong to the caller */
    qd_log_format_set(options->log_format);
    qd_log_audit_set(options->audit);
    qd_log_level_set(options->log_level);
    if (!qd_log_start()) {
        fprintf(stderr, "quadrille-server: the system refused to start a thread\n");
        return 1;
    }
    warn_of_strays();
    qd_service_manager manager;
    qd_server_options effective = *options;
    const bool fits = qd_service_manager_init(&manager, error, sizeof error);
    if (manager.listen_fd > 0) {
        effective.listen = manager.address; /* what --listen must not be holds for that socket, too */
    }
    if (fits && qd_option_files_read(&effective, &files, error, sizeof error)) {
        warn_of_strangers(&effective);
        qd_log_level_set(files.log_level);
        status = run(&running, sources, &files, &manager);
        qd_option_files_release(&files);
    } else {
        fprintf(stderr, "quadrille-server: %s\n", error);
    }
    qd_log_stop(LOG_MS_MAX);
    qd_server_options_release(&running);
    return status;
}
