/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_setname_np */
#include "reload.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../session/tenants.h"
#include "log_level.h"
#include "signals.h"

/* Gateways and NAT share addresses, so one may have most of the connections. The last quarter is for the others. */
#define ADDRESS_CONNECTIONS_LEAST 16u

/* Each reads what one option names. On failure, *error gets the reason. */
static bool read_log_level(const qd_server_options *options, qd_option_files *files, char *error, size_t error_size)
{
    return options->log_level_file == NULL ||
           qd_log_level_read(options->log_level_file, &files->log_level, error, error_size) == QD_OK;
}

static bool read_tokens(const qd_server_options *options, qd_option_files *files, char *error, size_t error_size)
{
    /* OpenSSL checks join tokens. */
    if (options->token_file != NULL && !qd_tls_prepare()) {
        snprintf(error, error_size, "OpenSSL refused to start");
    } else if (options->token_file != NULL) {
        files->tokens = qd_tokens_read(options->token_file, error, error_size);
    }
    return options->token_file == NULL || files->tokens != NULL;
}

static bool read_admin_tokens(const qd_server_options *options, qd_option_files *files, char *error, size_t error_size)
{
    if (options->admin_token_file != NULL) {
        files->admin_tokens = qd_admin_tokens_read(options->admin_token_file, error, error_size);
    }
    return options->admin_token_file == NULL || files->admin_tokens != NULL;
}

static bool read_credentials(const qd_server_options *options, qd_option_files *files, char *error, size_t error_size)
{
    const qd_tls_files of_tls = {
        .cert = options->tls_cert, .key = options->tls_key, .client_ca = options->tls_client_ca};

    if (of_tls.cert != NULL) {
        files->tls = qd_tls_create(&of_tls, error, error_size);
    }
    return of_tls.cert == NULL || files->tls != NULL;
}

bool qd_option_files_read(const qd_server_options *options, qd_option_files *files, char *error, size_t error_size)
{
    static const struct {
        const char *name;
        bool (*read)(const qd_server_options *options, qd_option_files *files, char *error, size_t error_size);
    } readers[] = {{"--log-level-file", read_log_level},
                   {"--token-file", read_tokens},
                   {"--admin-token-file", read_admin_tokens},
                   {"TLS", read_credentials}};
    char reason[400];

    *files = (qd_option_files){.log_level = options->log_level};
    if (qd_server_options_conflict(options, error, error_size)) {
        return false;
    }
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (!readers[i].read(options, files, reason, sizeof reason)) {
            snprintf(error, error_size, "%s: %s", readers[i].name, reason);
            qd_option_files_release(files);
            return false;
        }
    }
    return true;
}

void qd_option_files_release(qd_option_files *files)
{
    qd_tokens_release(files->tokens);
    qd_tokens_release(files->admin_tokens);
    qd_tls_destroy(files->tls);
    *files = (qd_option_files){.log_level = files->log_level};
}

bool qd_option_files_check(const qd_server_options *options, char *error, size_t error_size)
{
    qd_option_files files;

    if (!qd_option_files_read(options, &files, error, error_size)) {
        return false;
    }
    qd_option_files_release(&files);
    return true;
}

/* A server for this machine alone sets nothing aside for others: it has no quotas per address, unless they are given. */
qd_limits qd_limits_of(const qd_server_options *options)
{
    qd_limits limits = options->limits;
    uint32_t *const quotas[] = {&limits.token_connections_max,  &limits.token_detached_max,
                                &limits.token_rooms_max,        &limits.token_entities_max,
                                &limits.token_observers_max,    &limits.token_visible_entries_max,
                                &limits.token_subscriptions_max};

    if (limits.address_connections_max == 0) {
        const uint32_t most = limits.connections_max / 4 * 3;

        limits.address_connections_max = most > ADDRESS_CONNECTIONS_LEAST ? most : ADDRESS_CONNECTIONS_LEAST;
    }
    if (options->token_file != NULL || options->insecure || options->tls_client_ca != NULL) {
        return limits;
    }
    for (size_t i = 0; i < sizeof quotas / sizeof quotas[0]; i++) {
        *quotas[i] = *quotas[i] != 0 ? *quotas[i] : UINT32_MAX;
    }
    limits.session_memory_max = limits.session_memory_max != 0 ? limits.session_memory_max : UINT64_MAX;
    limits.token_memory_max = limits.token_memory_max != 0 ? limits.token_memory_max : UINT64_MAX;
    return limits;
}

/* ---- a file that cannot be read to its end ---- */

#define LOOK_MS    20u   /* between two looks whether it is read */
#define LOG_MS_MAX 1000u /* how long the log may wait for the reader of stderr */

/* A second thread, while the main thread reads files. */
typedef struct watch {
    pthread_t thread;
    bool has_thread;
    _Atomic bool is_over;
    uint32_t drain_seconds;
} watch;

/* Ends the process when SIGTERM has waited for --drain-seconds, or at the second one. The main thread gets the first if
 * the files are read before. */
static void *watch_for_stop(void *argument)
{
    const watch *self = argument;
    uint64_t due_ns = QD_NEVER;
    int first = 0;

    while (!atomic_load(&self->is_over)) {
        const int number = qd_signals_take_stop(LOOK_MS);

        if (number != 0 && first != 0) {
            qd_signals_end_now(number);
        }
        if (number != 0) {
            first = number;
            due_ns = qd_clock_now_ns() + self->drain_seconds * UINT64_C(1000000000);
        }
        if (qd_clock_now_ns() >= due_ns) {
            qd_log(QD_LOG_WARN, "stopped while the configuration was read",
                   QD_LOG_NUMBER("drain_seconds", self->drain_seconds));
            qd_log_stop(LOG_MS_MAX);
            _exit(0);
        }
    }
    if (first != 0) {
        qd_signals_put_back(first);
    }
    return NULL;
}

/* Reading a file may take forever: it may be a pipe, or on a server that is gone. */
static void watch_begin(watch *self, uint32_t drain_seconds)
{
    *self = (watch){.drain_seconds = drain_seconds};
    self->has_thread = pthread_create(&self->thread, NULL, watch_for_stop, self) == 0;
    if (self->has_thread) {
        pthread_setname_np(self->thread, "qd-reload");
    }
}

static void watch_end(watch *self)
{
    atomic_store(&self->is_over, true);
    if (self->has_thread) {
        pthread_join(self->thread, NULL);
    }
}

/* ---- reloading ---- */

static void log_change(const char *name, const char *before, const char *after, bool applied)
{
    if (applied) {
        qd_log(QD_LOG_INFO, "option changed", QD_LOG_STRING("option", name), QD_LOG_STRING("from", before),
               QD_LOG_STRING("to", after));
    } else {
        qd_log(QD_LOG_WARN, "option needs a restart", QD_LOG_STRING("option", name), QD_LOG_STRING("running", before),
               QD_LOG_STRING("wanted", after));
    }
}

/* Reads the options and their files. Returns false after writing the error; nothing is left to free then. */
static bool read_all(const qd_server_sources *sources, qd_server_options *next, qd_option_files *files, char *error,
                     size_t error_size)
{
    const qd_server_options_result result = qd_server_options_parse(sources, next, error, error_size);

    if (result != QD_SERVER_OPTIONS_BAD && qd_option_files_read(next, files, error, error_size)) {
        return true;
    }
    qd_server_options_release(next);
    return false;
}

/* Takes over what was read, where the server has such a thing. */
static void apply(const qd_server_options *running, const qd_reload_target *target, qd_option_files *files)
{
    const qd_limits limits = qd_limits_of(running);

    qd_log_level_set(files->log_level);
    qd_sessions_set_quotas(&target->server->sessions, &limits);
    if (files->tokens != NULL && running->token_file != NULL) {
        (void)qd_sessions_reload(&target->server->sessions, files->tokens);
    }
    if (files->tls != NULL && target->tls != NULL) {
        qd_tls_exchange(target->tls, files->tls);
    }
    if (target->admin != NULL && running->admin_token_file != NULL) {
        qd_admin_set_tokens(target->admin, files->admin_tokens);
    }
}

void qd_reload(qd_server_options *running, const qd_server_sources *sources, const qd_reload_target *target)
{
    qd_server_options next;
    qd_option_files files;
    char error[600];
    watch stop;

    watch_begin(&stop, running->drain_seconds);
    const bool is_read = read_all(sources, &next, &files, error, sizeof error);
    watch_end(&stop);
    if (!is_read) {
        qd_log(QD_LOG_ERROR, "the configuration stays as it is", QD_LOG_STRING("error", error));
        return;
    }
    if (qd_server_options_merge(running, &next, log_change)) {
        apply(running, target, &files);
        qd_log(QD_LOG_INFO, "reloaded");
    } else {
        qd_log(QD_LOG_ERROR, "the configuration stays as it is", QD_LOG_STRING("error", "no memory is left for it"));
    }
    qd_option_files_release(&files);
    qd_server_options_release(&next);
}
