/* SPDX-License-Identifier: Apache-2.0
 *
 * One observer from the command line, for `observe` and `watch --observer`.
 */
#ifndef QD_TOOLS_OBSERVER_H
#define QD_TOOLS_OBSERVER_H

#include "cli.h"
#include "lines.h"

/* The observer's id; a session creates one only. */
#define QD_OBSERVER_ID 1u

#define QD_OBSERVER_TIERS_MAX 8u
#define QD_OBSERVER_LIST_MAX  64u

/* The options as given. qd_observer_parse checks and parses them. */
typedef struct qd_observer_options {
    const char *where, *box, *cone, *relay, *show, *hide;
    double range, angle, margin; /* range -1: not given */
    uint32_t mask, limit, enter_budget, team, bytes_max;
    bool sees_self;
} qd_observer_options;

#define QD_OBSERVER_DEFAULTS                                                                                           \
    {                                                                                                                  \
        .range = -1, .angle = 45, .mask = UINT32_MAX                                                                   \
    }

/* The rows of a command's table; `o` is its qd_observer_options. */
#define QD_OBSERVER_ROWS(o)                                                                                            \
    QD_REAL_ROW("--range", "R", "see a circle of radius R", (o)->range, 0, 1e30),                                      \
        QD_TEXT_ROW("--box", "HX[,HY[,HZ]]", "see a box of these half extents instead", (o)->box, NULL),               \
        QD_TEXT_ROW("--cone", "DX,DY[,DZ]", "see only a cone in this direction", (o)->cone, NULL),                     \
        QD_REAL_ROW("--angle", "DEGREES", "use this angle between the cone's axis and its side", (o)->angle, 0, 180),  \
        QD_REAL_ROW("--margin", "M", "keep an entity until it is M farther away", (o)->margin, 0, 1e30),               \
        QD_NUMBER_ROW("--mask", "N", "see only these category bits", (o)->mask, 0, UINT32_MAX, "all"),                 \
        QD_NUMBER_ROW("--limit", "N", "see at most N entities, the nearest", (o)->limit, 1, UINT32_MAX, NULL),         \
        QD_NUMBER_ROW("--enter-budget", "N", "let at most N entities enter per tick", (o)->enter_budget, 1,            \
                      UINT32_MAX, NULL),                                                                               \
        QD_NUMBER_ROW("--bytes", "N", "send at most N bytes per tick", (o)->bytes_max, 1, UINT32_MAX, NULL),           \
        QD_NUMBER_ROW("--team", "N", "see only team N and entities without a team; 0 is all", (o)->team, 0,            \
                      UINT32_MAX, NULL),                                                                               \
        QD_FLAG_ROW("--self", "see its own anchor as well", (o)->sees_self),                                           \
        QD_TEXT_ROW("--show", "ID,...", "always see these entities", (o)->show, NULL),                                 \
        QD_TEXT_ROW("--hide", "ID,...", "never see these entities", (o)->hide, NULL),                                  \
        QD_TEXT_ROW("--relay", "RANGE:TICKS,...", "send positions within RANGE every TICKS ticks", (o)->relay, NULL)

typedef struct qd_observer {
    const qd_observer_options *options;
    qd_region region;
    uint32_t dimensions; /* of the given values; 0: any */
    bool anchored;
    uint32_t entity;
    float at[3], half[3], direction[3];
    uint32_t tier_count;
    float relay_range[QD_OBSERVER_TIERS_MAX];
    uint32_t relay_every[QD_OBSERVER_TIERS_MAX];
    uint32_t show_count, hide_count;
    uint32_t show[QD_OBSERVER_LIST_MAX], hide[QD_OBSERVER_LIST_MAX];
} qd_observer;

/* Whether any option except `where` was given. */
bool qd_observer_any(const qd_observer_options *options);

/* Returns 0, or the exit status of a misuse that it has reported. The observer refers to the options. */
int qd_observer_parse(const qd_cli *cli, const qd_observer_options *options, qd_observer *observer);

/* Sends Observe, with the lists and options. Returns its seq; 0: the session has ended. */
uint32_t qd_observer_send(const qd_observer *observer, qd_client *client, const qd_cli_room *room);

/* Joins the room, creates the observer, and prints the changes of its view until the stream ends, as `quadrille
 * observe`. Returns the exit status. */
int qd_observer_print(const qd_lines *lines, const char *room_name, const qd_observer *observer);

#endif
