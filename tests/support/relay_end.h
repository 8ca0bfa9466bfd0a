/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of one end of a relay stream, and the plain use of the writer.
 */
#ifndef QD_TESTS_SUPPORT_RELAY_END_H
#define QD_TESTS_SUPPORT_RELAY_END_H

#include <stdlib.h>
#include <string.h>

#include "proto/relay/reader.h"
#include "proto/relay/writer.h"

typedef struct relay_end {
    qd_relay_state state;
    float *at[QD_RELAY_AXES]; /* where the entities are */
    uint16_t *due;
    uint32_t *slots; /* of the reader, and the writer's exact entries */
    uint8_t *buffer;
} relay_end;

static inline void *relay_zeroed(size_t size)
{
    void *memory = calloc(1, size + !size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

static inline relay_end relay_end_new(unsigned axes, int k, uint32_t count)
{
    const size_t padded = ((size_t)count + QD_RELAY_GROUP - 1) / QD_RELAY_GROUP * QD_RELAY_GROUP;
    relay_end end = {.state = {.axes = axes, .k = k, .count = count}};

    for (unsigned axis = 0; axis < axes; axis++) {
        end.state.at[axis] = relay_zeroed(padded * 4);
        end.state.last[axis] = relay_zeroed(padded * 4);
        end.at[axis] = relay_zeroed(padded * 4);
    }
    end.due = relay_zeroed(padded / 8);
    end.slots = relay_zeroed((size_t)count * 4);
    end.buffer = relay_zeroed(qd_relay_buffer_size(axes, count));
    return end;
}

static inline void relay_end_free(relay_end *end)
{
    for (unsigned axis = 0; axis < QD_RELAY_AXES; axis++) {
        free(end->state.at[axis]);
        free(end->state.last[axis]);
        free(end->at[axis]);
    }
    free(end->due);
    free(end->slots);
    free(end->buffer);
}

static inline void relay_end_due(relay_end *end, uint32_t slot)
{
    end->due[slot / QD_RELAY_GROUP] |= (uint16_t)(1u << slot % QD_RELAY_GROUP);
}

static inline qd_relay_write relay_end_write(relay_end *end, uint32_t first, size_t bytes_max)
{
    return (qd_relay_write){.at = {end->at[0], end->at[1], end->at[2]},
                            .due = end->due,
                            .first = first,
                            .bytes_max = bytes_max,
                            .buffer = end->buffer,
                            .exact = end->slots};
}

#endif
