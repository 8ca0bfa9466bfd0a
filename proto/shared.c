/* SPDX-License-Identifier: Apache-2.0
 *
 * What both directions of the protocol carry, and the check of columns.
 */
#include "codec_internal.h"

#include <stdio.h>

bool qd_columns_agree(const qd_column *columns, size_t column_count, char *fault, size_t fault_size)
{
    for (size_t i = 1; i < column_count; i++) {
        const qd_column *column = &columns[i];

        if (column->count == columns[0].count || (column->count == 0 && !column->needed)) {
            continue;
        }
        snprintf(fault, fault_size, "column %s has %zu values, column %s has %zu", column->name, column->count,
                 columns[0].name, columns[0].count);
        return false;
    }
    return true;
}

qd_msg_bounds qd_bounds_get(const Quadrille__V1__Bounds *bounds)
{
    if (!bounds) {
        return (qd_msg_bounds){0};
    }
    return (qd_msg_bounds){
        .min_x = bounds->min_x,
        .min_y = bounds->min_y,
        .min_z = bounds->min_z,
        .max_x = bounds->max_x,
        .max_y = bounds->max_y,
        .max_z = bounds->max_z,
    };
}

void qd_bounds_set(Quadrille__V1__Bounds *bounds, const qd_msg_bounds *source)
{
    quadrille__v1__bounds__init(bounds);
    bounds->min_x = source->min_x;
    bounds->min_y = source->min_y;
    bounds->min_z = source->min_z;
    bounds->max_x = source->max_x;
    bounds->max_y = source->max_y;
    bounds->max_z = source->max_z;
}

qd_msg_room_config qd_room_config_get(const Quadrille__V1__RoomConfig *config)
{
    if (!config) {
        return (qd_msg_room_config){0};
    }
    return (qd_msg_room_config){
        .dimensions = config->dimensions,
        .has_bounds = config->bounds != NULL,
        .bounds = qd_bounds_get(config->bounds),
        .tick_mode = (qd_tick_mode)config->tick_mode,
        .tick_hz = config->tick_hz,
        .depth = config->depth,
        .entities_max = config->entities_max,
        .events_max = config->events_max,
        .grace_ms = config->grace_ms,
        .empty_close_ms = config->empty_close_ms,
        .index = (qd_index_kind)config->index,
        .prune = (qd_prune_kind)config->prune,
        .swept = config->swept,
        .cell_size = config->cell_size,
        .observers_max = config->observers_max,
        .sightings_max = config->sightings_max,
        .writers = config->writers,
        .step_deadline_ms = config->step_deadline_ms,
    };
}

void qd_room_config_set(Quadrille__V1__RoomConfig *config, Quadrille__V1__Bounds *bounds,
                        const qd_msg_room_config *source)
{
    quadrille__v1__room_config__init(config);
    config->dimensions = source->dimensions;
    if (source->has_bounds) {
        qd_bounds_set(bounds, &source->bounds);
        config->bounds = bounds;
    }
    config->tick_mode = (Quadrille__V1__TickMode)source->tick_mode;
    config->tick_hz = source->tick_hz;
    config->depth = source->depth;
    config->entities_max = source->entities_max;
    config->events_max = source->events_max;
    config->grace_ms = source->grace_ms;
    config->empty_close_ms = source->empty_close_ms;
    config->index = (Quadrille__V1__Index)source->index;
    config->prune = (Quadrille__V1__Prune)source->prune;
    config->swept = source->swept;
    config->cell_size = source->cell_size;
    config->observers_max = source->observers_max;
    config->sightings_max = source->sightings_max;
    config->writers = source->writers;
    config->step_deadline_ms = source->step_deadline_ms;
}
