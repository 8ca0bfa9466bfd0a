/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#include <pthread.h>
#include <string.h>

static int on_read(BIO *bio, char *to, size_t size, size_t *done)
{
    qd_tls_bytes *bytes = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);
    if (bytes->in_size == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    *done = size < bytes->in_size ? size : bytes->in_size;
    memcpy(to, bytes->in, *done);
    bytes->in += *done;
    bytes->in_size -= *done;
    return 1;
}

static int on_write(BIO *bio, const char *from, size_t size, size_t *done)
{
    qd_tls_bytes *bytes = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);
    if (size > bytes->out_capacity - bytes->out_size) {
        return 0;
    }
    memcpy(bytes->out + bytes->out_size, from, size);
    bytes->out_size += size;
    *done = size;
    return 1;
}

static long on_control(BIO *bio, int command, long number, void *argument)
{
    (void)bio, (void)number, (void)argument;
    return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *method;

static void create_method(void)
{
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quadrille");
    if (method != NULL) {
        BIO_meth_set_read_ex(method, on_read);
        BIO_meth_set_write_ex(method, on_write);
        BIO_meth_set_ctrl(method, on_control);
    }
}

BIO *qd_tls_bytes_bio(qd_tls_bytes *bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, create_method);
    BIO *bio = method != NULL ? BIO_new(method) : NULL;
    if (bio != NULL) {
        BIO_set_data(bio, bytes);
        BIO_set_init(bio, 1);
    }
    return bio;
}
