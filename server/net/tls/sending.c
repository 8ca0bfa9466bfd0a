/* SPDX-License-Identifier: Apache-2.0 */
#include "sending.h"

#include <string.h>

int qd_tls_send_kept(qd_tls_channel *channel, const qd_tls_socket *socket)
{
    if (*socket->writing || !qd_tls_channel_keeps(channel)) {
        return *socket->writing ? UV_EAGAIN : 0;
    }
    size_t size;
    uint8_t *bytes = qd_tls_channel_write(channel, &size);
    const uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)size);
    const int error = uv_write(socket->write, socket->stream, &buffer, 1, socket->written);
    *socket->writing = error == 0;
    return error == 0 ? UV_EAGAIN : error;
}

int qd_tls_send(qd_tls_channel *channel, const qd_tls_socket *socket)
{
    size_t size;
    const uint8_t *bytes = qd_tls_channel_sealed(channel, &size);
    int sent = 0;

    if (size == 0) {
        return 0;
    }
    if (!*socket->writing && !qd_tls_channel_keeps(channel)) {
        const uv_buf_t buffer = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)size);

        sent = uv_try_write(socket->stream, &buffer, 1);
        if (sent < 0 && sent != UV_EAGAIN) {
            return sent;
        }
        sent = sent < 0 ? 0 : sent;
    }
    if ((size_t)sent == size) {
        return 0;
    }
    return qd_tls_channel_keep(channel, (size_t)sent) ? qd_tls_send_kept(channel, socket) : UV_ENOMEM;
}

int qd_tls_send_vectors(qd_tls_channel *channel, const qd_tls_socket *socket, const uv_buf_t *vectors, uint32_t count,
                        uint8_t plain[QD_TLS_SEAL_BYTES], size_t *size)
{
    *size = 0;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(plain + *size, vectors[i].base, vectors[i].len);
        *size += vectors[i].len;
    }
    return qd_tls_channel_seal(channel, plain, *size) ? qd_tls_send(channel, socket) : UV_ENOMEM;
}
