/* SPDX-License-Identifier: Apache-2.0 */
#include "net.h"

#include <signal.h>
#include <stdio.h>

#include "../base/assert.h"
#include "../base/clock.h"
#include "../base/memory/alloc.h"
#include "connection/connection.h"
#include "listener.h"
#include "loop/loop.h"

/* One thread beside the loops that the configuration asks for. */
#define LOBBIES 1u

typedef struct stop_request {
    qd_loop_request request;
    qd_loop *loop;
    uint32_t flush_ms;
} stop_request;

/* A request that only shows that the loop runs it. */
typedef struct life_request {
    qd_loop_request request;
    _Atomic bool is_owed; /* the loop clears it */
    uint64_t asked_ns;
} life_request;

struct qd_net {
    qd_link_handler handler;
    qd_admission admission;
    qd_listener listener;
    qd_rotation rotation; /* the loops but the lobby */
    uint32_t loop_count;  /* with the lobby, which is the first */
    stop_request *stops;  /* one per loop */
    life_request *lives;  /* one per loop */
    qd_loop loops[];
};

static size_t size_of(uint32_t loop_count)
{
    return sizeof(qd_net) + loop_count * (sizeof(qd_loop) + sizeof(stop_request) + sizeof(life_request));
}

static void stop_loop(qd_loop_request *request)
{
    stop_request *stop = (stop_request *)request;

    qd_connections_close(stop->loop, stop->flush_ms);
    qd_loop_stop(stop->loop);
}

/* Stops the running loops from `first` to before `end`, and waits for them. */
static void stop_loops(qd_net *net, uint32_t first, uint32_t end, uint32_t flush_ms)
{
    for (uint32_t i = first; i < end; i++) {
        net->stops[i] = (stop_request){.request.run = stop_loop, .loop = &net->loops[i], .flush_ms = flush_ms};
        qd_loop_post(&net->loops[i], &net->stops[i].request);
    }
    for (uint32_t i = first; i < end; i++) {
        qd_loop_join(&net->loops[i]);
    }
}

static void destroy(qd_net *net, uint32_t loops_ready)
{
    for (uint32_t i = 0; i < loops_ready; i++) {
        qd_loop_deinit(&net->loops[i]);
    }
    for (uint32_t i = 0; i < QD_NET_REFUSALS; i++) {
        if (net->listener.refusals[i]) {
            qd_buffer_release(net->listener.refusals[i]);
        }
    }
    qd_admission_deinit(&net->admission);
    qd_shared_free(net, size_of(net->loop_count));
}

qd_status qd_net_start(const qd_net_config *config, qd_net **result, char *error, size_t error_size)
{
    const uint32_t loop_count = LOBBIES + config->loops;
    uint32_t loops_ready = 0, loops_from;
    qd_status status = QD_ERR_NO_MEMORY;

    QD_ASSERT(config->loops > 0);
    signal(SIGPIPE, SIG_IGN);
    qd_net *net = qd_shared_alloc(size_of(loop_count));
    if (!net) {
        goto fail;
    }
    *net = (qd_net){.handler = config->handler, .loop_count = loop_count};
    net->rotation = (qd_rotation){.loops = &net->loops[LOBBIES], .count = config->loops};
    net->stops = (stop_request *)&net->loops[loop_count];
    net->lives = (life_request *)&net->stops[loop_count];
    for (uint32_t i = 0; i < loop_count; i++) {
        atomic_init(&net->lives[i].is_owed, false);
    }
    net->listener = (qd_listener){
        .lobby = net->loops,
        .refused = config->refused,
        .refused_context = config->refusal_context,
        .connection = {.loops = &net->rotation,
                       .handler = &net->handler,
                       .admission = &net->admission,
                       .tls = config->tls,
                       .outbox_bytes_max = config->outbox_bytes_max,
                       .frame_bytes_max = config->frame_bytes_max,
                       .silence_ms_max = config->silence_ms_max},
    };
    const qd_admission_config admission = {
        .connections_max = config->connections_max,
        .address_connections_max = config->address_connections_max,
        .address_accepts_max = config->address_accepts_max,
        .address_failed_tokens_max = config->address_failed_tokens_max,
        .secret = {config->secret[0], config->secret[1]},
    };
    const qd_socket_options options = {
        .send_bytes = config->send_bytes,
        .receive_bytes = config->receive_bytes,
        .silence_ms_max = config->silence_ms_max,
        .unread_ms_max = config->unread_ms_max,
    };

    status = qd_admission_init(&net->admission, &admission);
    if (status != QD_OK) {
        qd_shared_free(net, size_of(loop_count));
        goto fail;
    }
    if (config->listen_fd > 0) {
        qd_listener_adopt(&net->listener, config->listen_fd, &options);
    } else {
        status = qd_listener_bind(&net->listener, config->host, config->port, &options, error, error_size);
    }
    if (status != QD_OK) {
        goto fail_bind;
    }
    for (; loops_ready < net->loop_count; loops_ready++) {
        status = qd_loop_init(&net->loops[loops_ready]);
        if (status != QD_OK) {
            goto fail_loops;
        }
    }
    status = qd_listener_attach(&net->listener);
    if (status != QD_OK) {
        goto fail_loops;
    }
    for (uint32_t i = 0; config->refusal && i < QD_NET_REFUSALS; i++) {
        net->listener.refusals[i] = config->refusal(config->refusal_context, (qd_net_refusal)i);
    }

    /* The lobby starts last, because it passes connections to the others. */
    for (loops_from = net->loop_count; loops_from > 0; loops_from--) {
        status = qd_loop_start(&net->loops[loops_from - 1], loops_from > LOBBIES);
        if (status != QD_OK) {
            stop_loops(net, loops_from, loop_count, 0);
            goto fail_loops;
        }
    }
    *result = net;
    return QD_OK;

fail_loops:
    qd_listener_unbind(&net->listener);
    snprintf(error, error_size, "cannot start the network threads: %s%s", qd_status_text(status),
             status == QD_ERR_NO_MEMORY ? ". Raise --memory-max, or lower --loops" : "");
    destroy(net, loops_ready);
    return status;
fail_bind:
    destroy(net, 0);
    return status;
fail:
    snprintf(error, error_size, "cannot start the network: %s", qd_status_text(status));
    return status;
}

uint16_t qd_net_port(const qd_net *net)
{
    return net->listener.port;
}

uint32_t qd_net_connections(qd_net *net)
{
    return qd_admission_count(&net->admission);
}

uint64_t qd_net_bytes_in(const qd_net *net)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < net->loop_count; i++) {
        bytes += atomic_load_explicit(&net->loops[i].bytes_in, memory_order_relaxed);
    }
    return bytes;
}

uint64_t qd_net_bytes_out(const qd_net *net)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < net->loop_count; i++) {
        bytes += atomic_load_explicit(&net->loops[i].bytes_out, memory_order_relaxed);
    }
    return bytes;
}

static void show_life(qd_loop_request *request)
{
    atomic_store(&((life_request *)request)->is_owed, false);
}

uint64_t qd_net_owed_ns(qd_net *net)
{
    const uint64_t now_ns = qd_clock_now_ns();
    uint64_t longest_ns = 0;

    for (uint32_t i = 0; i < net->loop_count; i++) {
        life_request *life = &net->lives[i];

        if (!atomic_load(&life->is_owed)) {
            life->request.run = show_life;
            life->asked_ns = now_ns;
            atomic_store(&life->is_owed, true);
            qd_loop_post(&net->loops[i], &life->request);
        } else if (now_ns - life->asked_ns > longest_ns) {
            longest_ns = now_ns - life->asked_ns;
        }
    }
    return longest_ns;
}

void qd_net_stop_listening(qd_net *net)
{
    qd_listener_close(&net->listener);
}

void qd_net_stop(qd_net *net, uint32_t flush_ms)
{
    /* The listener closes first, then the lobby. After each, no connection arrives at a loop that has closed its own.
     * What the lobby sends is short, so it need not wait. */
    qd_listener_close(&net->listener);
    qd_listener_wait_closed(&net->listener);
    stop_loops(net, 0, LOBBIES, 0);
    stop_loops(net, LOBBIES, net->loop_count, flush_ms);
    destroy(net, net->loop_count);
}
