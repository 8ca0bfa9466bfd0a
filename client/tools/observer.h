/* SPDX-License-Identifier: Apache-2.0
 *
 * One observer as the command line says it: for `observe` and `watch --observer`.
 */
#ifndef QD_TOOLS_OBSERVER_H
#define QD_TOOLS_OBSERVER_H

#include "cli.h"
#include "lines.h"

/* Its id; a session makes one only. */
#define QD_OBSERVER_ID 1u

#define QD_OBSERVER_TIERS_MAX 8u
#define QD_OBSERVER_LIST_MAX  64u

/* The options as they stand there; where it is and how far it sees are told apart by qd_observer_parse. */
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

/* The rows of a command's table, `o` being its qd_observer_options. */
#define QD_OBSERVER_ROWS(o)                                                                                              \
    {"--range", "R", "a circle: how far it sees", QD_OPTION_REAL, &(o)->range, 0, 1e30},                                 \
        {"--box", "HX[,HY[,HZ]]", "a box instead, so far to either side", QD_OPTION_TEXT, &(o)->box, 0, 0},              \
        {"--cone", "DX,DY[,DZ]", "of the circle only what lies that way", QD_OPTION_TEXT, &(o)->cone, 0, 0},             \
        {"--angle", "DEGREES", "of the cone, to either side of its axis (45)", QD_OPTION_REAL, &(o)->angle, 0, 180},     \
        {"--margin", "M", "what it sees may go so much farther (0)", QD_OPTION_REAL, &(o)->margin, 0, 1e30},             \
        {"--mask", "N", "the categories that it sees, as bits (all)", QD_OPTION_NUMBER, &(o)->mask, 0, UINT32_MAX},      \
        {"--limit", "N", "it sees at most so many, the nearest", QD_OPTION_NUMBER, &(o)->limit, 1, UINT32_MAX},          \
        {"--enter-budget", "N", "at most so many enter a tick", QD_OPTION_NUMBER, &(o)->enter_budget, 1, UINT32_MAX},    \
        {"--bytes", "N", "at most so many bytes a tick", QD_OPTION_NUMBER, &(o)->bytes_max, 1, UINT32_MAX},              \
        {"--team", "N", "its team; it sees none of another (0: sees all)", QD_OPTION_NUMBER, &(o)->team, 0, UINT32_MAX}, \
        {"--self", NULL, "it sees its own anchor, too", QD_OPTION_FLAG, &(o)->sees_self, 0, 0},                          \
        {"--show", "ID,...", "always seen", QD_OPTION_TEXT, &(o)->show, 0, 0},                                           \
        {"--hide", "ID,...", "never seen", QD_OPTION_TEXT, &(o)->hide, 0, 0},                                            \
    {                                                                                                                    \
        "--relay", "RANGE:TICKS,...", "tell positions, every so many ticks as far as that", QD_OPTION_TEXT,              \
            &(o)->relay, 0, 0                                                                                            \
    }

typedef struct qd_observer {
    const qd_observer_options *options;
    qd_region region;
    uint32_t dimensions; /* of what was given; 0: it fits any room */
    bool anchored;
    uint32_t entity;
    float at[3], half[3], direction[3];
    uint32_t tier_count;
    float relay_range[QD_OBSERVER_TIERS_MAX];
    uint32_t relay_every[QD_OBSERVER_TIERS_MAX];
    uint32_t show_count, hide_count;
    uint32_t show[QD_OBSERVER_LIST_MAX], hide[QD_OBSERVER_LIST_MAX];
} qd_observer;

/* Whether anything but where it is was given. */
bool qd_observer_any(const qd_observer_options *options);

/* Returns 0, or the exit status of a misuse, which is reported. The observer keeps the options. */
int qd_observer_parse(const qd_cli *cli, const qd_observer_options *options, qd_observer *observer);

/* Makes it the session's observer of a room of so many dimensions. Returns the seq of its Observe, or 0: the session
 * has ended. */
uint32_t qd_observer_send(const qd_observer *observer, qd_client *client, const qd_cli_room *room);

/* Joins the room, creates the observer, and prints the changes of its view until the stream ends, as `quadrille observe`.
 * Returns the exit status. */
int qd_observer_print(const qd_lines *lines, const char *room_name, const qd_observer *observer);

#endif
