/* SPDX-License-Identifier: Apache-2.0 */
#include "reload.h"

#include "../base/log.h"
#include "../session/tenants.h"
#include "log_level.h"

/* Gateways and NAT share addresses, so one may have most of the connections. The last quarter is for the others. */
#define ADDRESS_CONNECTIONS_LEAST 16u

bool qd_option_files_read(const qd_server_options *options, qd_option_files *files, char *error, size_t error_size)
{
    char reason[400];

    *files = (qd_option_files){.log_level = options->log_level};
    if (qd_server_options_conflict(options, error, error_size)) {
        return false;
    }
    if (options->log_level_file != NULL &&
        qd_log_level_read(options->log_level_file, &files->log_level, reason, sizeof reason) != QD_OK) {
        snprintf(error, error_size, "--log-level-file: %s", reason);
        return false;
    }
    if (options->token_file == NULL) {
        return true;
    }
    files->tokens = qd_tokens_read(options->token_file, reason, sizeof reason);
    if (files->tokens == NULL) {
        snprintf(error, error_size, "--token-file: %s", reason);
    }
    return files->tokens != NULL;
}

bool qd_option_files_check(const qd_server_options *options, char *error, size_t error_size)
{
    qd_option_files files;

    if (!qd_option_files_read(options, &files, error, error_size)) {
        return false;
    }
    qd_tokens_release(files.tokens);
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
    if (options->token_file != NULL || options->insecure) {
        return limits;
    }
    for (size_t i = 0; i < sizeof quotas / sizeof quotas[0]; i++) {
        *quotas[i] = *quotas[i] != 0 ? *quotas[i] : UINT32_MAX;
    }
    limits.token_memory_max = limits.token_memory_max != 0 ? limits.token_memory_max : UINT64_MAX;
    return limits;
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

void qd_reload(qd_server_options *running, const qd_server_sources *sources, qd_server *server)
{
    qd_server_options next;
    qd_option_files files;
    char error[600];

    if (!read_all(sources, &next, &files, error, sizeof error)) {
        qd_log(QD_LOG_ERROR, "the configuration stays as it is", QD_LOG_STRING("error", error));
        return;
    }
    if (qd_server_options_merge(running, &next, log_change)) {
        const qd_limits limits = qd_limits_of(running);

        qd_log_level_set(files.log_level);
        qd_sessions_set_quotas(&server->sessions, &limits);
        if (files.tokens != NULL && running->token_file != NULL) {
            (void)qd_sessions_reload(&server->sessions, files.tokens);
        }
        qd_log(QD_LOG_INFO, "reloaded");
    } else {
        qd_log(QD_LOG_ERROR, "the configuration stays as it is", QD_LOG_STRING("error", "no memory is left for it"));
    }
    qd_tokens_release(files.tokens);
    qd_server_options_release(&next);
}
