/* SPDX-License-Identifier: Apache-2.0
 *
 * `quadrille watch`: the state of the room, which watch.c collects, and its display, which watch_view.c draws.
 */
#ifndef QD_TOOLS_WATCH_H
#define QD_TOOLS_WATCH_H

#include "canvas.h"
#include "cli.h"
#include "columns.h"
#include "observer.h"

/* Values of the curve, one per half second. */
#define QD_WATCH_PAST 256

/* The entities of a snapshot. */
typedef struct qd_watch_entities {
    qd_columns columns;
    uint8_t *shape;
    uint32_t shape_capacity;
    bool more; /* the room has more than were requested */
} qd_watch_entities;

typedef struct qd_watch_scene {
    const char *server, *room_name;
    qd_cli_room room;
    qd_watch_entities entities;
    /* The display shows the pairs, or with --observer its view. The other is NULL. */
    qd_pairs *pairs;
    const qd_observer *observer;
    qd_view *view;
    qd_suspend_reason suspended; /* why there are no events; 0: there are */
    uint64_t suspended_count;    /* with QD_SUSPEND_LIMIT: how many there were at least */
    qd_msg_room_stats stats;
    bool has_stats;
    double begins_per_s, ends_per_s, passed_per_s; /* of a view: enters and leaves */
    uint64_t past[QD_WATCH_PAST];                  /* pairs, or entities seen; a ring */
    uint32_t past_count;                           /* values ever written */
} qd_watch_scene;

typedef struct qd_watch_look {
    bool ascii, color;
} qd_watch_look;

/* Draws the whole screen. false: out of memory, or the terminal is gone. */
bool qd_watch_draw(const qd_watch_scene *watch, const qd_watch_look *look, qd_canvas *canvas);

/* Prints the statistics as one line, without a line end. */
void qd_watch_print_line(const qd_watch_scene *watch, FILE *file);

#endif
