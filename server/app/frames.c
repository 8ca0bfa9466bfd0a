/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

bool qd_frames_push(qd_frames *list, qd_buffer *frame)
{
    if (frame == NULL)
        return false;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        qd_buffer **grown =
            qd_heap_resize(list->heap, list->frames, list->capacity * sizeof *grown, capacity * sizeof *grown);
        if (grown == NULL) {
            qd_buffer_release(frame);
            return false;
        }
        list->frames = grown;
        list->capacity = capacity;
    }
    list->frames[list->count++] = frame;
    return true;
}

void qd_frames_drop(qd_frames *list, size_t count)
{
    while (list->count > count)
        qd_buffer_release(list->frames[--list->count]);
}

void qd_frames_deinit(qd_frames *list)
{
    qd_frames_drop(list, 0);
    qd_heap_free(list->heap, list->frames, list->capacity * sizeof *list->frames);
    list->frames = NULL;
    list->capacity = 0;
}
