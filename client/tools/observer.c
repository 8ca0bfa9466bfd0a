/* SPDX-License-Identifier: Apache-2.0 */
#include "observer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- parsing ---- */

/* Parses count_min to 3 numbers. Returns their count; 0: other text. */
static uint32_t parse_axes(const char *text, uint32_t count_min, float numbers[3])
{
    for (uint32_t count = count_min; count <= 3; count++) {
        if (qd_options_floats(text, numbers, count)) {
            return count;
        }
    }
    return 0;
}

/* Checks that all given values have the same number of dimensions. */
static int take_dimensions(const qd_cli *cli, qd_observer *observer, const char *name, uint32_t dimensions)
{
    if (observer->dimensions != 0 && observer->dimensions != dimensions) {
        return qd_options_misuse(cli->program,
                                 "%s has %u dimensions, but the values before it have %u: use the same number", name,
                                 dimensions, observer->dimensions);
    }
    observer->dimensions = dimensions;
    return 0;
}

static int parse_where(const qd_cli *cli, const char *text, qd_observer *observer)
{
    observer->anchored = qd_options_uint32(text, &observer->entity);
    if (observer->anchored) {
        return 0;
    }
    uint32_t dimensions = parse_axes(text, 2, observer->at);
    if (dimensions == 0) {
        return qd_options_misuse(
            cli->program, "the observer is '%.64s'; must be an entity's id, or a point X,Y (X,Y,Z in three dimensions)",
            text);
    }
    return take_dimensions(cli, observer, "the point", dimensions);
}

static int parse_box(const qd_cli *cli, const char *text, qd_observer *observer)
{
    uint32_t count = parse_axes(text, 1, observer->half);

    if (count == 0 || observer->half[0] < 0 || observer->half[1] < 0 || observer->half[2] < 0) {
        return qd_options_misuse(cli->program,
                                 "--box is '%.64s'; must be half extents of 0 or more, HX, HX,HY or HX,HY,HZ", text);
    }
    observer->region = QD_REGION_BOX;
    if (count == 1) {
        observer->half[1] = observer->half[2] = observer->half[0];
    }
    return count == 1 ? 0 : take_dimensions(cli, observer, "--box", count);
}

static int parse_cone(const qd_cli *cli, const char *text, qd_observer *observer)
{
    uint32_t count = parse_axes(text, 2, observer->direction);

    if (count == 0) {
        return qd_options_misuse(cli->program, "--cone is '%.64s'; must be a direction DX,DY, or DX,DY,DZ", text);
    }
    observer->region = QD_REGION_CONE;
    return take_dimensions(cli, observer, "--cone", count);
}

/* Copies the text up to the next comma to `piece`. Returns the text after the comma; NULL: that was the last piece. */
static const char *next_piece(const char *text, char piece[64])
{
    size_t length = strcspn(text, ",");

    snprintf(piece, 64, "%.*s", (int)length, text);
    return text[length] == ',' ? text + length + 1 : NULL;
}

static int parse_relay(const qd_cli *cli, const char *text, qd_observer *observer)
{
    char piece[64];

    for (const char *next = text; next != NULL;) {
        next = next_piece(next, piece);
        char *every = strchr(piece, ':');
        uint32_t at = observer->tier_count;
        if (every != NULL) {
            *every++ = '\0';
        }
        if (at == QD_OBSERVER_TIERS_MAX || every == NULL || !qd_options_float(piece, &observer->relay_range[at]) ||
            !qd_options_uint32(every, &observer->relay_every[at])) {
            return qd_options_misuse(cli->program,
                                     "--relay is '%.64s'; must be 1 to %u tiers RANGE:TICKS, such as 10:1,50:5", text,
                                     QD_OBSERVER_TIERS_MAX);
        }
        observer->tier_count++;
    }
    return 0;
}

static int parse_ids(const qd_cli *cli, const char *name, const char *text, uint32_t *ids, uint32_t *count)
{
    char piece[64];

    for (const char *next = text; next != NULL;) {
        next = next_piece(next, piece);
        if (*count == QD_OBSERVER_LIST_MAX || !qd_options_uint32(piece, &ids[*count])) {
            return qd_options_misuse(cli->program, "%s is '%.64s'; must be 1 to %u ids, with commas between", name,
                                     text, QD_OBSERVER_LIST_MAX);
        }
        ++*count;
    }
    return 0;
}

static int check_region(const qd_cli *cli, const qd_observer_options *options)
{
    if (options->box == NULL && options->range < 0) {
        return qd_options_misuse(cli->program, "no --range or --box given: choose one");
    }
    if (options->box != NULL && options->range >= 0) {
        return qd_options_misuse(cli->program, "--box and --range exclude each other: choose one");
    }
    if (options->box != NULL && options->cone != NULL) {
        return qd_options_misuse(cli->program, "--box and --cone exclude each other: a cone needs --range");
    }
    return 0;
}

bool qd_observer_any(const qd_observer_options *options)
{
    const qd_observer_options none = QD_OBSERVER_DEFAULTS;

    return options->box != NULL || options->cone != NULL || options->relay != NULL || options->show != NULL ||
           options->hide != NULL || options->range != none.range || options->angle != none.angle ||
           options->margin != none.margin || options->mask != none.mask || options->limit != none.limit ||
           options->enter_budget != none.enter_budget || options->team != none.team ||
           options->bytes_max != none.bytes_max || options->sees_self;
}

int qd_observer_parse(const qd_cli *cli, const qd_observer_options *options, qd_observer *observer)
{
    *observer = (qd_observer){.options = options, .region = QD_REGION_CIRCLE};
    int status = parse_where(cli, options->where, observer);
    if (status == 0) {
        status = check_region(cli, options);
    }
    if (status == 0 && options->box != NULL) {
        status = parse_box(cli, options->box, observer);
    }
    if (status == 0 && options->cone != NULL) {
        status = parse_cone(cli, options->cone, observer);
    }
    if (status == 0 && options->relay != NULL) {
        status = parse_relay(cli, options->relay, observer);
    }
    if (status == 0 && options->show != NULL) {
        status = parse_ids(cli, "--show", options->show, observer->show, &observer->show_count);
    }
    if (status == 0 && options->hide != NULL) {
        status = parse_ids(cli, "--hide", options->hide, observer->hide, &observer->hide_count);
    }
    return status;
}

/* ---- sending ---- */

uint32_t qd_observer_send(const qd_observer *observer, qd_client *client, const qd_cli_room *room)
{
    const qd_observer_options *options = observer->options;
    const bool is_3d = room->config.dimensions == 3;
    const bool is_box = observer->region == QD_REGION_BOX, is_cone = observer->region == QD_REGION_CONE;
    const uint32_t id = QD_OBSERVER_ID;
    const uint8_t region = (uint8_t)observer->region, sees_self = options->sees_self;
    const float range = is_box ? 0 : (float)options->range, margin = (float)options->margin;
    const float angle = (float)(options->angle * (acos(-1) / 180));
    const qd_msg_observers made = {
        .room = room->handle,
        .count = 1,
        .id = &id,
        .region = &region,
        .entity = observer->anchored ? &observer->entity : NULL,
        .x = observer->anchored ? NULL : &observer->at[0],
        .y = observer->anchored ? NULL : &observer->at[1],
        .z = observer->anchored || !is_3d ? NULL : &observer->at[2],
        .range = &range,
        .half_x = is_box ? &observer->half[0] : NULL,
        .half_y = is_box ? &observer->half[1] : NULL,
        .half_z = is_box && is_3d ? &observer->half[2] : NULL,
        .direction_x = is_cone ? &observer->direction[0] : NULL,
        .direction_y = is_cone ? &observer->direction[1] : NULL,
        .direction_z = is_cone && is_3d ? &observer->direction[2] : NULL,
        .angle = is_cone ? &angle : NULL,
        .leave_margin = &margin,
        .mask = &options->mask,
        .limit = &options->limit,
        .enter_budget = &options->enter_budget,
        .team = &options->team,
        .sees_self = &sees_self,
        .tier_count = observer->tier_count,
        .relay_range = observer->tier_count > 0 ? observer->relay_range : NULL,
        .relay_every = observer->tier_count > 0 ? observer->relay_every : NULL,
    };
    uint64_t seq = qd_client_observe(client, &made);
    const qd_msg_set_exceptions except = {.room = room->handle,
                                          .observer = QD_OBSERVER_ID,
                                          .show_count = observer->show_count,
                                          .hide_count = observer->hide_count,
                                          .show = observer->show,
                                          .hide = observer->hide};

    if (observer->show_count + observer->hide_count > 0 && qd_client_set_exceptions(client, &except) == 0) {
        return 0;
    }
    if (options->bytes_max > 0 &&
        qd_client_set_view_options(client, room->handle, options->bytes_max, QD_WATCH_NONE) == 0) {
        return 0;
    }
    return seq;
}
