/* SPDX-License-Identifier: Apache-2.0
 *
 * Links made of memory, with the bounds and the order of calls that server/base/link.h promises.
 */
#include <stdlib.h>
#include <string.h>

#include "world.h"

static sim_link *of(const qd_link *link)
{
    return (sim_link *)link;
}

static void ask_to_close(sim_link *link, uint32_t flush_ms)
{
    uint64_t due_ns = link->world->now_ns + (uint64_t)flush_ms * 1000000;

    if (!link->close_asked || due_ns < link->close_due_ns) {
        link->close_due_ns = due_ns;
    }
    link->close_asked = true;
}

/* ---- digests ---- */

#define HASH_START UINT64_C(0xcbf29ce484222325)

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

void sim_decode(const qd_buffer *buffer, qd_decoded_server *decoded)
{
    qd_frame_reader reader;
    const uint8_t *bytes = buffer->bytes, *frame;
    size_t left = buffer->size, size;

    qd_frame_reader_init(&reader, QD_SERVER_FRAME_BYTES_MAX, NULL);
    sim_check(qd_frame_reader_next(&reader, &bytes, &left, &frame, &size) == QD_FRAME_OK && left == 0,
              "a buffer is not one frame");
    sim_check(qd_decode_server(frame, size, NULL, decoded) == QD_DECODE_OK, "a frame that is none");
    qd_frame_reader_deinit(&reader);
}

/* Shows the frame to the tap. Adds it to the link's digest, except Stats, which depend on the memory in use. */
static void show(sim_link *link, const qd_buffer *buffer, bool queued)
{
    qd_decoded_server decoded;

    sim_decode(buffer, &decoded);
    if (queued && decoded.message.kind != QD_SERVER_STATS) {
        link->frames_sent++;
        link->frames_hash = hash_bytes(link->frames_hash, buffer->bytes, buffer->size);
    }
    link->tap(link, &decoded.message, queued, link->tap_context);
    qd_decoded_server_release(&decoded, NULL);
}

uint64_t sim_frames_digest(const sim_world *world, uint64_t *count)
{
    uint64_t hash = HASH_START;

    *count = 0;
    for (size_t i = 0; i < world->link_count; i++) {
        *count += world->links[i]->frames_sent;
        hash = hash_bytes(hash, &world->links[i]->frames_hash, sizeof hash);
    }
    return hash;
}

/* ---- the ops ---- */

static void queue(sim_link *link, qd_buffer *buffer, qd_link_class class)
{
    link->out = sim_grow(link->out, link->out_count, &link->out_capacity, sizeof *link->out);
    qd_buffer_acquire(buffer);
    link->out[link->out_count++] = (sim_outgoing){buffer, class};
    link->out_bytes += buffer->size;
    link->out_counted += buffer->size + QD_LINK_BUFFER_BYTES;
    if (class == QD_LINK_REPLY) {
        link->replies_counted += buffer->size + QD_LINK_BUFFER_BYTES;
    }
    link->world->hash = hash_bytes(link->world->hash, buffer->bytes, buffer->size);
}

static qd_link_sent op_send(qd_link *base, qd_buffer *const *buffers, size_t count, qd_link_class class)
{
    sim_link *link = of(base);
    size_t counted = 0;

    for (size_t i = 0; i < count; i++) {
        counted += buffers[i]->size + QD_LINK_BUFFER_BYTES;
    }
    qd_link_sent sent = QD_LINK_SENT;
    if (link->close_asked || link->closed) {
        sent = QD_LINK_CLOSED;
    } else if (class == QD_LINK_EVENTS && link->out_count > 0 && link->out_counted + counted > link->outbox_bytes_max) {
        link->refused = true;
        sent = QD_LINK_FULL;
    } else if (class == QD_LINK_REPLY && link->replies_counted > link->outbox_bytes_max + QD_LINK_REPLY_MARGIN_BYTES) {
        ask_to_close(link, 0);
        sent = QD_LINK_CLOSED;
    }
    for (size_t i = 0; i < count; i++) {
        if (sent == QD_LINK_SENT) {
            queue(link, buffers[i], class);
        }
        if (link->tap != NULL) {
            show(link, buffers[i], sent == QD_LINK_SENT);
        }
    }
    return sent;
}

static size_t op_queued(const qd_link *link)
{
    return of(link)->out_bytes;
}

static size_t op_replies_queued(qd_link *link)
{
    return of(link)->replies_counted;
}

static void op_pause(qd_link *link)
{
    of(link)->pauses++;
}

static void op_resume(qd_link *link)
{
    sim_check(of(link)->pauses > 0, "more resumes than pauses");
    of(link)->pauses--;
}

static void op_rest(qd_link *link, uint32_t ms)
{
    sim_check(of(link)->rest_ns == QD_NEVER, "a link rests twice");
    op_pause(link);
    of(link)->rest_ns = of(link)->world->now_ns + (uint64_t)ms * 1000000;
}

static void end_rest(sim_link *link)
{
    if (link->rest_ns != QD_NEVER) {
        link->rest_ns = QD_NEVER;
        op_resume(&link->link);
    }
}

static void op_frame_bytes_max(qd_link *link, size_t bytes_max)
{
    of(link)->reader.frame_bytes_max = bytes_max;
}

static bool op_introduce(qd_link *link)
{
    return !of(link)->is_full;
}

static bool op_may_try_token(qd_link *link)
{
    return of(link)->failed_tokens < of(link)->failed_tokens_max;
}

static void op_token_failed(qd_link *link)
{
    of(link)->failed_tokens++;
}

static void op_watch(qd_link *link, uint32_t silence_ms)
{
    of(link)->watched_ms = silence_ms;
}

static void op_deadline(qd_link *link, uint32_t after_ms)
{
    of(link)->deadline_ns = after_ms == 0 ? QD_NEVER : of(link)->world->now_ns + (uint64_t)after_ms * 1000000;
}

static void op_close(qd_link *link, uint32_t flush_ms)
{
    ask_to_close(of(link), flush_ms);
}

static void op_destroy(qd_link *base)
{
    sim_link *link = of(base);

    sim_check(link->closed, "a link is freed before it is closed");
    sim_check(link->pauses == 0, "a link ends with %u pauses", link->pauses);
    for (size_t i = 0; i < link->out_count; i++) {
        qd_buffer_release(link->out[i].buffer);
    }
    qd_frame_reader_deinit(&link->reader);
    free(link->out);
    free(link->in);
    free(link);
}

/* Links take turns at random. */
static void op_worked(qd_link *base)
{
    (void)base;
}

/* Whatever the loop finds, the answers are the same. */
static bool op_may_work(qd_link *base, const void *object)
{
    (void)object;
    return sim_percent(of(base)->world, 70);
}

static const qd_link_ops ops = {
    .send = op_send,
    .queued = op_queued,
    .replies_queued = op_replies_queued,
    .pause = op_pause,
    .resume = op_resume,
    .rest = op_rest,
    .frame_bytes_max = op_frame_bytes_max,
    .introduce = op_introduce,
    .may_try_token = op_may_try_token,
    .token_failed = op_token_failed,
    .watch = op_watch,
    .worked = op_worked,
    .may_work = op_may_work,
    .deadline = op_deadline,
    .close = op_close,
    .destroy = op_destroy,
};

sim_link *sim_link_create(sim_world *world, const qd_link_handler *handler, size_t outbox_bytes_max)
{
    sim_link *link = calloc(1, sizeof *link);

    sim_check(link != NULL, "out of memory");
    qd_link_init(&link->link, &ops);
    strcpy(link->link.peer, "simulated");
    link->world = world;
    link->handler = *handler;
    link->outbox_bytes_max = outbox_bytes_max;
    link->deadline_ns = link->rest_ns = QD_NEVER;
    link->failed_tokens_max = 1;
    link->frames_hash = HASH_START;
    qd_frame_reader_init(&link->reader, QD_FRAME_BYTES_BEFORE_HELLO, NULL);
    qd_link_acquire(&link->link); /* the loop's, until closed */
    qd_link_acquire(&link->link); /* the world's */
    world->links = sim_grow(world->links, world->link_count, &world->link_capacity, sizeof(sim_link *));
    world->links[world->link_count++] = link;
    return link;
}

/* ---- the client's end ---- */

void sim_link_write(sim_link *link, const void *bytes, size_t size)
{
    if (link->in_size + size > link->in_capacity) {
        link->in_capacity = 2 * (link->in_size + size);
        link->in = realloc(link->in, link->in_capacity);
        sim_check(link->in != NULL, "out of memory");
    }
    memcpy(link->in + link->in_size, bytes, size);
    link->in_size += size;
}

void sim_link_send(sim_link *link, const qd_client_message *message)
{
    size_t size = qd_client_message_size(message);
    uint8_t *bytes = malloc(size);

    sim_check(bytes != NULL, "out of memory");
    sim_link_write(link, bytes, qd_client_message_encode(message, bytes, size));
    free(bytes);
}

static void shift_out(sim_link *link)
{
    sim_outgoing first = link->out[0];
    size_t counted = first.buffer->size + QD_LINK_BUFFER_BYTES;

    link->out_counted -= counted;
    if (first.class == QD_LINK_REPLY) {
        link->replies_counted -= counted;
    }
    qd_buffer_release(first.buffer);
    memmove(link->out, link->out + 1, --link->out_count * sizeof *link->out);
    link->out_taken = 0;
}

size_t sim_link_read(sim_link *link, void *bytes, size_t size)
{
    size_t done = 0;

    while (done < size && link->out_count > 0) {
        const qd_buffer *buffer = link->out[0].buffer;
        size_t part = buffer->size - link->out_taken;

        if (part > size - done) {
            part = size - done;
        }
        memcpy((uint8_t *)bytes + done, buffer->bytes + link->out_taken, part);
        done += part;
        link->out_taken += part;
        link->out_bytes -= part;
        if (link->out_taken == buffer->size) {
            shift_out(link);
        }
    }
    return done;
}

qd_buffer *sim_link_take(sim_link *link)
{
    if (link->out_count == 0) {
        return NULL;
    }
    qd_buffer *buffer = link->out[0].buffer;
    qd_buffer_acquire(buffer);
    link->out_bytes -= buffer->size;
    shift_out(link);
    return buffer;
}

void sim_link_drop(sim_link *link)
{
    link->dropped = true;
}

/* ---- the loop's end ---- */

static bool may_hand_out(const sim_link *link)
{
    bool stalled = link->out_counted > link->outbox_bytes_max && link->replies_counted > QD_LINK_REPLY_MARGIN_BYTES;

    return link->pauses == 0 && !link->close_asked && !link->faulted && !stalled;
}

/* Hands out the frames in a piece of random size. */
static bool hand_out(sim_link *link)
{
    if (link->in_size == 0 || !may_hand_out(link)) {
        return false;
    }
    const uint8_t *bytes = link->in;
    size_t piece = 1 + sim_pick(link->world, sim_percent(link->world, 50) ? 16 : 4096);
    size_t left = piece < link->in_size ? piece : link->in_size;
    size_t given = left;
    const uint64_t before = link->frames_handed_out;
    qd_frame_result result = QD_FRAME_OK;
    while (result == QD_FRAME_OK && may_hand_out(link)) {
        const uint8_t *frame;
        size_t frame_size;

        result = qd_frame_reader_next(&link->reader, &bytes, &left, &frame, &frame_size);
        if (result == QD_FRAME_OK) {
            link->frames_handed_out++;
            if (link->handed != NULL) {
                link->handed(link, frame, frame_size, link->tap_context);
            }
            link->handler.frame(link->handler.context, &link->link, frame, frame_size);
        }
    }
    if (result == QD_FRAME_BAD_PREFIX || result == QD_FRAME_TOO_LONG) {
        link->faulted = true;
        link->handler.fault(link->handler.context, &link->link,
                            result == QD_FRAME_TOO_LONG ? QD_LINK_FRAME_TOO_LONG : QD_LINK_BAD_PREFIX,
                            link->reader.length);
    }
    if (link->frames_handed_out != before) {
        link->handler.delivered(link->handler.context, &link->link);
    }
    link->in_size -= given - left;
    memmove(link->in, link->in + (given - left), link->in_size);
    return true;
}

static bool close_when_due(sim_link *link)
{
    if (link->dropped) {
        ask_to_close(link, 0);
    }
    if (!link->close_asked || (link->out_count > 0 && link->world->now_ns < link->close_due_ns && !link->dropped)) {
        return false;
    }
    end_rest(link);
    link->handler.closed(link->handler.context, &link->link);
    link->closed = true;
    qd_link_release(&link->link);
    return true;
}

static bool step(sim_link *link)
{
    if (link->closed) {
        return false;
    }
    if (!link->opened) {
        link->opened = true;
        link->handler.opened(link->handler.context, &link->link);
        return true;
    }
    if (close_when_due(link)) {
        return true;
    }
    if (link->close_asked) {
        return false;
    }
    if (link->rest_ns <= link->world->now_ns) {
        end_rest(link);
        return true;
    }
    if (link->deadline_ns <= link->world->now_ns) {
        link->deadline_ns = QD_NEVER;
        link->handler.expired(link->handler.context, &link->link);
        return true;
    }
    if (link->refused && link->out_counted < link->outbox_bytes_max / 2) {
        link->refused = false;
        link->handler.drained(link->handler.context, &link->link);
        return true;
    }
    return hand_out(link);
}

bool sim_step_links(sim_world *world, uint32_t percent)
{
    bool moved = false;

    for (size_t i = 0; i < world->link_count; i++) {
        if (sim_percent(world, percent)) {
            moved |= step(world->links[i]);
        }
    }
    return moved;
}

static uint64_t due_ns_of(const sim_link *link)
{
    if (link->closed) {
        return QD_NEVER;
    }
    if (link->close_asked) {
        return link->close_due_ns;
    }
    return link->rest_ns < link->deadline_ns ? link->rest_ns : link->deadline_ns;
}

uint64_t sim_next_due_ns(const sim_world *world)
{
    uint64_t due_ns = world->prompt != NULL ? world->prompt_due_ns(world->prompt_context) : QD_NEVER;

    for (size_t i = 0; i < world->timed_count; i++) {
        if (world->timed[i]->due_ns < due_ns) {
            due_ns = world->timed[i]->due_ns;
        }
    }
    for (size_t i = 0; i < world->link_count; i++) {
        if (due_ns_of(world->links[i]) < due_ns) {
            due_ns = due_ns_of(world->links[i]);
        }
    }
    return due_ns;
}
