/* SPDX-License-Identifier: Apache-2.0
 *
 * Redis GEO, pipelined. A sorted set holds points or circles (GEOADD), and searches around each of the others find what
 * is near (GEOSEARCH ... BYRADIUS). There are two ways.
 *
 *     redis-points    the circles at rest are in the set; a search around each point, as far as the largest circle
 *                     reaches
 *     redis-circles   the points are in the set, all of them updated at each step; a search around each circle
 *
 * Redis reports no changes, so this program compares the answers of two steps, as a user's program would.
 *
 * ROUNDING. Redis stores positions as 52 bits of longitude and latitude, and computes distances on the sphere. The
 * plane's unit is SCALE_M meters around the equator and the prime meridian. Positions are rounded by up to 0.030 units
 * there (half of 360 degrees / 2^26). At the far corners of the largest plane, the sphere adds an error of 0.0031 to a
 * distance of 100. So searches reach RIM farther than the circle, and this program filters the results by the exact
 * positions, so that no point enters or leaves early or late. This costs Redis nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "program.h"
#include "stream.h"

#define SCALE_M  10.0
#define RIM      0.1
#define RADIUS_M 6372797.560856 /* the Earth's, in Redis */
#define DEGREES  57.295779513082320877
/* Points per GEOADD: Redis begins while the rest is under way. */
#define PIECE 250u

typedef struct redis {
    const world *world;
    stream stream;
    float reach; /* of the largest circle */
    uint32_t replies_added;
} redis;

/* ---- commands ---- */

static void put_head(redis *r, char sign, size_t count)
{
    char text[24];
    size_t at = sizeof text;

    text[--at] = '\n';
    text[--at] = '\r';
    do {
        text[--at] = (char)('0' + count % 10);
    } while ((count /= 10) > 0);
    text[--at] = sign;
    stream_put(&r->stream, text + at, sizeof text - at);
}

static void put_bytes(redis *r, const char *bytes, size_t size)
{
    put_head(r, '$', size);
    stream_put(&r->stream, bytes, size);
    stream_put(&r->stream, "\r\n", 2);
}

static void put_text(redis *r, const char *text)
{
    put_bytes(r, text, strlen(text));
}

/* Writes `decimals` decimals; printf takes several times as long. */
static void put_number(redis *r, double value, uint32_t decimals)
{
    char text[32];
    size_t at = sizeof text;
    double scale = 1;

    for (uint32_t i = 0; i < decimals; i++) {
        scale *= 10;
    }
    uint64_t rest = (uint64_t)((value < 0 ? -value : value) * scale + 0.5);
    for (uint32_t digits = 0; rest > 0 || digits <= decimals; digits++, rest /= 10) {
        if (digits == decimals && decimals > 0) {
            text[--at] = '.';
        }
        text[--at] = (char)('0' + rest % 10);
    }
    if (value < 0) {
        text[--at] = '-';
    }
    put_bytes(r, text + at, sizeof text - at);
}

/* A position of the plane; 1e-7 degrees are a centimeter. */
static void put_place(redis *r, float x, float y)
{
    const double middle = (double)r->world->side / 2, degrees = SCALE_M / RADIUS_M * DEGREES;

    put_number(r, ((double)x - middle) * degrees, 7);
    put_number(r, ((double)y - middle) * degrees, 7);
}

static void put_added(redis *r, const float *x, const float *y, uint32_t count)
{
    r->replies_added = 0;
    for (uint32_t at = 0; at < count; at += PIECE) {
        const uint32_t end = count - at < PIECE ? count : at + PIECE;

        put_head(r, '*', 2 + 3 * (size_t)(end - at));
        put_text(r, "GEOADD");
        put_text(r, "places");
        for (uint32_t i = at; i < end; i++) {
            put_place(r, x[i], y[i]);
            put_number(r, i, 0);
        }
        stream_push(&r->stream);
        r->replies_added++;
    }
}

static void put_searches(redis *r, const float *x, const float *y, const float *radius, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put_head(r, '*', 8);
        put_text(r, "GEOSEARCH");
        put_text(r, "places");
        put_text(r, "FROMLONLAT");
        put_place(r, x[i], y[i]);
        put_text(r, "BYRADIUS");
        put_number(r, ((double)(radius != NULL ? radius[i] : r->reach) + RIM) * SCALE_M, 3);
        put_text(r, "m");
        if (i % PIECE == PIECE - 1) {
            stream_push(&r->stream);
        }
    }
    stream_push(&r->stream);
}

/* ---- replies ---- */

static uint32_t take_count(redis *r, char sign)
{
    const char *line = stream_take_line(&r->stream);

    if (*line != sign) {
        program_die("Redis answers: %s", line);
    }
    return (uint32_t)strtoul(line + 1, NULL, 10);
}

static void take_added(redis *r)
{
    for (uint32_t i = 0; i < r->replies_added; i++) {
        take_count(r, ':');
    }
}

static void take_found(redis *r, uint32_t step, uint32_t searches, bool by_points, sets *s)
{
    for (uint32_t i = 0; i < searches; i++) {
        for (uint32_t left = take_count(r, '*'); left > 0; left--) {
            take_count(r, '$');
            const uint32_t found = (uint32_t)strtoul(stream_take_line(&r->stream), NULL, 10);
            const uint32_t high = by_points ? found : i, low = by_points ? i : found;
            if (world_has(r->world, step, high, low)) {
                sets_see(s, world_key(high, low));
            }
        }
    }
    sets_forget_unseen(s);
}

/* ---- the two ways ---- */

static redis *connect_to(const world *w, uint16_t port)
{
    redis *r = program_memory(NULL, sizeof *r);

    *r = (redis){.world = w};
    stream_open(&r->stream, port);
    for (uint32_t i = 0; i < w->circles; i++) {
        r->reach = w->radius[i] > r->reach ? w->radius[i] : r->reach;
    }
    return r;
}

static bool circles_knows(world_kind kind)
{
    return kind != WORLD_PAIRS;
}

static void circles_send(void *state, uint32_t step)
{
    redis *r = state;
    const world *w = r->world;
    const float *x = w->x[step % 2], *y = w->y[step % 2];

    put_added(r, x, y, w->points);
    if (w->kind == WORLD_FENCES) {
        put_searches(r, w->fence_x, w->fence_y, w->radius, w->circles);
    } else {
        put_searches(r, x, y, w->radius, w->circles);
    }
}

static void circles_finish(void *state, uint32_t step, sets *s)
{
    redis *r = state;

    take_added(r);
    take_found(r, step, r->world->circles, false, s);
}

static void *circles_open(const world *w, uint16_t port, sets *s)
{
    redis *r = connect_to(w, port);

    circles_send(r, 0);
    circles_finish(r, 0, s);
    return r;
}

static bool points_knows(world_kind kind)
{
    return kind == WORLD_FENCES;
}

static void points_send(void *state, uint32_t step)
{
    redis *r = state;

    put_searches(r, r->world->x[step % 2], r->world->y[step % 2], NULL, r->world->points);
}

static void points_finish(void *state, uint32_t step, sets *s)
{
    redis *r = state;

    take_found(r, step, r->world->points, true, s);
}

static void *points_open(const world *w, uint16_t port, sets *s)
{
    redis *r = connect_to(w, port);

    put_added(r, w->fence_x, w->fence_y, w->circles);
    take_added(r);
    points_send(r, 0);
    points_finish(r, 0, s);
    return r;
}

const peer peer_redis_circles = {.name = "redis-circles",
                                 .knows = circles_knows,
                                 .open = circles_open,
                                 .send = circles_send,
                                 .finish = circles_finish};
const peer peer_redis_points = {
    .name = "redis-points", .knows = points_knows, .open = points_open, .send = points_send, .finish = points_finish};
