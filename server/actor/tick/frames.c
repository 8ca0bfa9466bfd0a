/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <string.h>

static bool grow(qd_frames *list)
{
    if (list->capacity == 0) {
        list->frames = list->few;
        list->capacity = QD_FRAMES_FEW;
        return true;
    }
    bool had_few = list->frames == list->few;
    uint32_t capacity = list->capacity * 4;
    qd_buffer **grown = qd_heap_resize(list->heap, had_few ? NULL : list->frames,
                                       had_few ? 0 : list->capacity * sizeof *grown, capacity * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    if (had_few) {
        memcpy(grown, list->few, sizeof list->few);
    }
    list->frames = grown;
    list->capacity = capacity;
    return true;
}

bool qd_frames_push(qd_frames *list, qd_buffer *frame)
{
    if (frame == NULL || (list->count == list->capacity && !grow(list))) {
        if (frame != NULL) {
            qd_buffer_release(frame);
        }
        list->failed = true;
        return false;
    }
    list->frames[list->count++] = frame;
    return true;
}

void qd_frames_drop(qd_frames *list, size_t count)
{
    while (list->count > count) {
        qd_buffer_release(list->frames[--list->count]);
    }
}

void qd_frames_deinit(qd_frames *list)
{
    qd_frames_drop(list, 0);
    if (list->frames != list->few) {
        qd_array_drop(list->heap, list->frames, list->capacity);
    }
    list->frames = NULL;
    list->capacity = 0;
}
