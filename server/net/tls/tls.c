/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "../../base/memory/alloc.h"
#include "openssl_memory.h"

struct qd_tls {
    pthread_mutex_t lock;
    SSL_CTX *context; /* under the lock */
};

/* A second server in the process, as in tests, finds everything prepared. The system's configuration of OpenSSL is not
 * read, so that the policy is the same everywhere. */
bool qd_tls_prepare(void)
{
    static bool prepared;

    prepared = prepared || (qd_tls_memory_init() &&
                            OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL) == 1);
    return prepared;
}

qd_tls *qd_tls_create(const qd_tls_files *files, char *error, size_t error_size)
{
    if (!qd_tls_prepare()) {
        snprintf(error, error_size, "OpenSSL refused to start");
        return NULL;
    }
    qd_tls *tls = qd_shared_alloc(sizeof *tls);
    if (tls == NULL) {
        snprintf(error, error_size, "OpenSSL has no memory. Raise --memory-max");
        return NULL;
    }
    tls->context = qd_tls_credentials_read(files, error, error_size);
    if (tls->context == NULL) {
        qd_shared_free(tls, sizeof *tls);
        return NULL;
    }
    pthread_mutex_init(&tls->lock, NULL);
    return tls;
}

void qd_tls_destroy(qd_tls *tls)
{
    if (tls == NULL) {
        return;
    }
    SSL_CTX_free(tls->context);
    pthread_mutex_destroy(&tls->lock);
    qd_shared_free(tls, sizeof *tls);
}

void qd_tls_exchange(qd_tls *tls, qd_tls *next)
{
    pthread_mutex_lock(&tls->lock);
    SSL_CTX *before = tls->context;
    tls->context = next->context;
    pthread_mutex_unlock(&tls->lock);
    next->context = before;
}

SSL_CTX *qd_tls_acquire(qd_tls *tls)
{
    pthread_mutex_lock(&tls->lock);
    SSL_CTX *context = tls->context;
    SSL_CTX_up_ref(context);
    pthread_mutex_unlock(&tls->lock);
    return context;
}
