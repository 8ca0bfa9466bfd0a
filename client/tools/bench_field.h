/* SPDX-License-Identifier: Apache-2.0
 *
 * A FIELD: points that move in a square, observers, and the views that the server reports to their one session. The
 * room ticks by Step, and all points move at each step. At the end the folded views are compared with brute force.
 *
 *     bench_field.c         the session: it moves, steps and folds
 *     bench_field_scene.c   where points and observers are, and what the observers then see
 *
 * Two steps are in flight, so that the server works while the bench folds the last views. The main thread uses it.
 */
#ifndef QD_TOOLS_BENCH_FIELD_H
#define QD_TOOLS_BENCH_FIELD_H

#include "bench.h"
#include "quadrille-views.h"

typedef struct qd_field_config {
    const char *name; /* of the observers in errors: "fence" */
    uint32_t points, observers, seed;
    double side;                   /* of the square, from 0 on */
    double radius_min, radius_max; /* of the observers' circles */
    double speed;                  /* per step */
    uint32_t turn_every; /* a point turns to a random direction once in N steps, by chance; 0: at walls only */
    bool anchored;       /* observer i moves with point i and does not see it; else it rests at random */
    uint32_t limit;      /* of each view; 0: none */
    bool relays;         /* positions at each tick, to each observer or by the next three once */
    bool relay_once, has_relay_k;
    int32_t relay_k;
} qd_field_config;

typedef struct qd_field_result {
    double seconds;
    uint64_t steps, enters, leaves;
    uint64_t relays;      /* positions that observers get one by one */
    uint64_t bytes_in;    /* received */
    uint64_t relay_bytes; /* of the positions that come once for all observers, with their slots */
    uint64_t seen;        /* entries of all views at the end, as by brute force */
    qd_bench_usage used;  /* by the server */
    qd_histogram round_trip_ns;
} qd_field_result;

/* Returns whether all is well; else the bench has failed. */
bool qd_field_run(qd_bench *bench, const qd_field_config *config, qd_field_result *result);

/* ---- the scene ---- */

typedef struct qd_field_columns {
    uint32_t count, *id;
    float *x, *y;             /* one allocation with those below */
    float *radius;            /* 0 for points */
    float *speed_x, *speed_y; /* of points, per step */
} qd_field_columns;

typedef struct qd_field_scene {
    const qd_field_config *config;
    qd_field_columns points, observers;
    uint64_t random;
} qd_field_scene;

/* Returns false without memory; call deinit in any case. */
bool qd_field_scene_init(qd_field_scene *scene, const qd_field_config *config);
void qd_field_scene_deinit(qd_field_scene *scene);
/* Moves all points by one step. */
void qd_field_scene_move(qd_field_scene *scene);
/* Compares the views with brute force, and counts their entries in `seen`. Returns false with a text in `error`. */
bool qd_field_scene_check(const qd_field_scene *scene, const qd_view *view, uint64_t *seen, char *error,
                          size_t error_size);

#endif
