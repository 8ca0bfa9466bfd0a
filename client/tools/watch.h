/* SPDX-License-Identifier: Apache-2.0
 *
 * What `quadrille watch` knows of its room (watch.c gathers it), and how it looks on the screen (watch_view.c).
 */
#ifndef QD_TOOLS_WATCH_H
#define QD_TOOLS_WATCH_H

#include "canvas.h"
#include "cli.h"
#include "columns.h"
#include "observer.h"

/* How much of the past the curve shows, a value every half second. */
#define QD_WATCH_PAST 256

/* The entities of a snapshot. */
typedef struct qd_watch_entities {
    qd_columns columns;
    uint8_t *shape;
    uint32_t shape_capacity;
    bool more; /* than were asked for */
} qd_watch_entities;

typedef struct qd_watch_scene {
    const char *server, *room_name;
    qd_cli_room room;
    qd_watch_entities entities;
    /* What is shown: the pairs; or, with --observer, what that sees. The other is NULL. */
    qd_pairs *pairs;
    const qd_observer *observer;
    qd_view *view;
    uint64_t suspended_count; /* events that were too many; 0: not suspended */
    qd_msg_room_stats stats;
    bool has_stats;
    double begins_per_s, ends_per_s, passed_per_s; /* enters and leaves, of a view */
    uint64_t past[QD_WATCH_PAST];                  /* the pairs, or what is seen; a ring */
    uint32_t past_count;                           /* of all that were written */
} qd_watch_scene;

typedef struct qd_watch_look {
    bool ascii, colour;
} qd_watch_look;

/* Draws the whole screen. false: out of memory, or the terminal is gone. */
bool qd_watch_draw(const qd_watch_scene *watch, const qd_watch_look *look, qd_canvas *canvas);

/* The figures as one line without an end. */
void qd_watch_print_line(const qd_watch_scene *watch, FILE *file);

#endif
