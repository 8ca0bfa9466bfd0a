/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_setname_np */
#include "admin.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "../base/log.h"
#include "admin_state.h"
#include "http.h"
#include "parts/admin_memory.h"

/* Others go first where cores are scarce. With this, Linux gives the thread a quarter of the weight of a worker. */
#define NICENESS 6

static void *run(void *context)
{
    qd_admin *admin = context;

    /* On Linux, this is of the thread alone. */
    (void)setpriority(PRIO_PROCESS, 0, NICENESS);
    qd_admin_http_serve(admin);
    return NULL;
}

qd_tokens *qd_admin_tokens_read(const char *path, char *error, size_t error_size)
{
    qd_tokens *tokens = qd_tokens_read(path, error, error_size);

    for (size_t i = 0; tokens != NULL && i < tokens->count; i++) {
        if (tokens->grants[i].secret != NULL) {
            snprintf(error, error_size,
                     "token %zu of %s is the %s; must be a token, because HTTP requests carry no join tokens. Leave it "
                     "out",
                     i + 1, path, tokens->grants[i].token);
            qd_tokens_release(tokens);
            return NULL;
        }
        if (tokens->grants[i].patterns[0] != '\0') {
            snprintf(error, error_size,
                     "token %zu of %s is for the rooms %.100s; must be for all of them, because metrics and sessions "
                     "have no room. Leave the patterns out",
                     i + 1, path, tokens->grants[i].patterns);
            qd_tokens_release(tokens);
            return NULL;
        }
    }
    return tokens;
}

static void free_admin(qd_admin *admin)
{
    qd_tokens_release(admin->tokens);
    pthread_mutex_destroy(&admin->mutex);
    qd_admin_free(admin);
    qd_admin_memory_stop();
}

qd_status qd_admin_start(const qd_admin_config *config, qd_admin **result, char *error, size_t error_size)
{
    qd_admin *admin = NULL;

    if (qd_admin_memory_start() != QD_OK || (admin = qd_admin_resize(NULL, sizeof *admin)) == NULL) {
        snprintf(error, error_size, "--admin needs %zu bytes, which --memory-max has no room for. Raise it",
                 QD_ADMIN_MEMORY_BYTES);
        return QD_ERR_NO_MEMORY;
    }
    memset(admin, 0, sizeof *admin);
    admin->config = *config;
    admin->tokens = qd_tokens_acquire(config->tokens);
    pthread_mutex_init(&admin->mutex, NULL);
    if (!qd_admin_http_open(admin, error, error_size)) {
        free_admin(admin);
        return QD_ERR_SYSTEM;
    }
    if (pthread_create(&admin->thread, NULL, run, admin) != 0) {
        snprintf(error, error_size, "--admin: the system refused to start a thread");
        qd_admin_http_close(admin);
        free_admin(admin);
        return QD_ERR_SYSTEM;
    }
    pthread_setname_np(admin->thread, "qd-admin");
    *result = admin;
    return QD_OK;
}

uint16_t qd_admin_port(const qd_admin *admin)
{
    return admin->port;
}

void qd_admin_set_tokens(qd_admin *admin, qd_tokens *tokens)
{
    pthread_mutex_lock(&admin->mutex);
    qd_tokens *before = admin->tokens;
    if (before != NULL && tokens != NULL) {
        admin->tokens = qd_tokens_acquire(tokens);
    } else {
        before = NULL;
    }
    pthread_mutex_unlock(&admin->mutex);
    qd_tokens_release(before);
}

void qd_admin_stopping(qd_admin *admin)
{
    if (admin != NULL) {
        /* A check of the threads ends before, since the mutex is held during it. */
        pthread_mutex_lock(&admin->mutex);
        admin->stopping = true;
        pthread_mutex_unlock(&admin->mutex);
    }
}

void qd_admin_stop(qd_admin *admin)
{
    if (admin == NULL) {
        return;
    }
    atomic_store(&admin->ends, true);
    qd_admin_http_wake(admin);
    pthread_join(admin->thread, NULL);
    qd_admin_http_close(admin);
    free_admin(admin);
}
