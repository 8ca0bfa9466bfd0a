/* SPDX-License-Identifier: Apache-2.0 */
#include "intake.h"

#include <string.h>

#include "../../base/assert.h"

/* The beginning of a short frame, and a short rest of a read, may use the reserve: without memory for it the connection
 * ends, and its session with it. */
static void *intake_alloc(void *heap, size_t size)
{
    return size <= QD_INTAKE_SHARED_BYTES ? qd_shared_alloc_reserved(size) : qd_heap_alloc(heap, size);
}

static void intake_release(void *heap, void *memory, size_t size)
{
    if (size <= QD_INTAKE_SHARED_BYTES) {
        qd_shared_free(memory, size);
    } else {
        qd_heap_free(heap, memory, size);
    }
}

void qd_intake_init(qd_intake *intake, qd_link *link, const qd_link_handler *handler,
                    qd_intake_may_deliver_fn may_deliver, qd_heap *heap, size_t frame_bytes_max)
{
    *intake = (qd_intake){
        .link = link,
        .handler = handler,
        .may_deliver = may_deliver,
        .heap = heap,
        .reader_memory = {.alloc = intake_alloc, .release = intake_release, .context = heap},
    };
    qd_frame_reader_init(&intake->reader, frame_bytes_max, &intake->reader_memory);
}

void qd_intake_drop(qd_intake *intake)
{
    qd_shared_free(intake->held, intake->held_size);
    intake->held = NULL;
    intake->held_size = intake->held_delivered = 0;
}

void qd_intake_deinit(qd_intake *intake)
{
    qd_intake_drop(intake);
    qd_frame_reader_deinit(&intake->reader);
}

void qd_intake_change_heap(qd_intake *intake, qd_heap *heap)
{
    intake->heap = intake->reader_memory.context = heap;
}

void qd_intake_frame_bytes_max(qd_intake *intake, size_t bytes_max)
{
    intake->reader.frame_bytes_max = bytes_max;
}

static bool can_deliver(const qd_intake *intake)
{
    return !intake->faulted && intake->may_deliver(intake->link);
}

bool qd_intake_is_open(const qd_intake *intake)
{
    return intake->held == NULL && can_deliver(intake);
}

bool qd_intake_is_partial(const qd_intake *intake)
{
    return !intake->faulted && (intake->held != NULL || qd_frame_reader_is_within(&intake->reader));
}

void qd_intake_fault(qd_intake *intake, qd_link_fault what, uint64_t value)
{
    intake->faulted = true;
    intake->handler->fault(intake->handler->context, intake->link, what, value);
}

static void deliver_frames(qd_intake *intake, const uint8_t **bytes, size_t *size)
{
    while (can_deliver(intake)) {
        const uint8_t *frame;
        size_t frame_size;

        switch (qd_frame_reader_next(&intake->reader, bytes, size, &frame, &frame_size)) {
        case QD_FRAME_OK:
            intake->frames++;
            intake->unchecked += frame_size + QD_INTAKE_FRAME_BYTES;
            intake->handler->frame(intake->handler->context, intake->link, frame, frame_size);
            break;
        case QD_FRAME_MORE:
            return;
        case QD_FRAME_BAD_PREFIX:
            qd_intake_fault(intake, QD_LINK_BAD_PREFIX, 0);
            return;
        case QD_FRAME_TOO_LONG:
            qd_intake_fault(intake, QD_LINK_FRAME_TOO_LONG, intake->reader.length);
            return;
        case QD_FRAME_NO_MEMORY:
            qd_intake_fault(intake, QD_LINK_NO_MEMORY, 0);
            return;
        }
    }
}

/* Delivers the frames in *bytes (of *size) while the link may deliver. Advances both past what was parsed. */
static void deliver(qd_intake *intake, const uint8_t **bytes, size_t *size)
{
    const uint64_t before = intake->frames;

    deliver_frames(intake, bytes, size);
    if (intake->frames != before && intake->handler->delivered != NULL) {
        intake->handler->delivered(intake->handler->context, intake->link);
    }
}

size_t qd_intake_feed(qd_intake *intake, const uint8_t *bytes, size_t size)
{
    QD_ASSERT(intake->held == NULL);
    deliver(intake, &bytes, &size);
    return intake->faulted ? 0 : size;
}

void qd_intake_hold(qd_intake *intake, const uint8_t *bytes, size_t size)
{
    intake->held = size <= QD_INTAKE_SHARED_BYTES ? qd_shared_alloc_reserved(size) : qd_shared_alloc(size);
    if (!intake->held) {
        qd_intake_fault(intake, QD_LINK_NO_MEMORY, 0);
        return;
    }
    memcpy(intake->held, bytes, size);
    intake->held_size = size;
}

void qd_intake_continue(qd_intake *intake)
{
    if (!intake->held) {
        return;
    }
    const uint8_t *bytes = intake->held + intake->held_delivered;
    size_t size = intake->held_size - intake->held_delivered;

    deliver(intake, &bytes, &size);
    intake->held_delivered = intake->held_size - size;
    if (size == 0 || intake->faulted) {
        qd_intake_drop(intake);
    }
}
