/* SPDX-License-Identifier: Apache-2.0
 *
 * Random scripts of every change a space knows, against a brute force that shares no code with it: the events of every
 * tick must be exactly the same, and the pairs of the last tick at random moments between.
 *
 *     model_space_model [scripts [first seed [verbose]]]
 *
 * A seed decides the script, the depth, the kernel, the executor and the sizes of leaves and tasks. A failure prints
 * the seed and the shortest prefix of the script that fails.
 */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/space/kernel.h"
#include "server/space/space.h"
#include "server/space/tuning.h"

#define SCRIPTS_DEFAULT 1500u
#define SLOTS_MAX       4096u
#define HANDS           3u

/* ---- chance ---- */

typedef struct chance {
    uint64_t state;
} chance;

static uint32_t draw(chance *from)
{
    uint64_t z = (from->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static uint32_t below(chance *from, uint32_t n)
{
    return (uint32_t)((uint64_t)draw(from) * n >> 32);
}

static bool one_in(chance *from, uint32_t n)
{
    return below(from, n) == 0;
}

static float between(chance *from, double lo, double hi)
{
    return (float)(lo + (hi - lo) * (draw(from) / 4294967296.0));
}

/* ---- the naive world ---- */

typedef struct thing {
    bool here;
    qd_body body;
} thing;

typedef struct world {
    thing now[SLOTS_MAX], was[SLOTS_MAX];
    bool teleported[SLOTS_MAX];
    uint32_t removed_for[SLOTS_MAX];
    bool taken[SLOTS_MAX]; /* has a slot: there now, or was at the last tick */
    uint32_t slots;        /* all below were used once */
} world;

static bool naive_overlap(const qd_body *a, const qd_body *b)
{
    if (a->shape == QD_SPACE_CIRCLE && b->shape == QD_SPACE_CIRCLE) {
        double dx = (double)a->x - b->x, dy = (double)a->y - b->y, r = (double)a->half_x + b->half_x;
        return dx * dx + dy * dy <= r * r;
    }
    if (a->shape == QD_SPACE_CIRCLE) {
        const qd_body *swap = a;
        a = b;
        b = swap;
    }
    float lo_x = a->x - a->half_x, lo_y = a->y - a->half_y, hi_x = a->x + a->half_x, hi_y = a->y + a->half_y;
    if (b->shape == QD_SPACE_CIRCLE) {
        double dx = fmax(fmax((double)lo_x - b->x, 0), (double)b->x - hi_x);
        double dy = fmax(fmax((double)lo_y - b->y, 0), (double)b->y - hi_y);
        return dx * dx + dy * dy <= (double)b->half_x * b->half_x;
    }
    float other_lo_x = b->x - b->half_x, other_lo_y = b->y - b->half_y;
    float other_hi_x = b->x + b->half_x, other_hi_y = b->y + b->half_y;
    return lo_x <= other_hi_x && other_lo_x <= hi_x && lo_y <= other_hi_y && other_lo_y <= hi_y;
}

static bool naive_pair(const thing *a, const thing *b)
{
    return a->here && b->here && (a->body.category & b->body.mask) != 0 && (b->body.category & a->body.mask) != 0 &&
           naive_overlap(&a->body, &b->body);
}

static bool resized(const qd_body *was, const qd_body *now)
{
    return was->shape != now->shape || was->half_x != now->half_x ||
           (now->shape == QD_SPACE_BOX && was->half_y != now->half_y);
}

static uint32_t naive_reason(const world *w, uint32_t a, uint32_t b)
{
    uint32_t removed = 9;
    removed = w->was[a].here && w->removed_for[a] != 0 && w->removed_for[a] < removed ? w->removed_for[a] : removed;
    removed = w->was[b].here && w->removed_for[b] != 0 && w->removed_for[b] < removed ? w->removed_for[b] : removed;
    if (removed != 9) {
        return removed;
    }
    const qd_body *x = &w->now[a].body, *y = &w->now[b].body;
    if (!(x->category & y->mask) || !(y->category & x->mask)) {
        return QD_SPACE_FILTERED;
    }
    if (resized(&w->was[a].body, x) || resized(&w->was[b].body, y)) {
        return QD_SPACE_RESIZED;
    }
    return w->teleported[a] || w->teleported[b] ? QD_SPACE_TELEPORTED : QD_SPACE_MOVED_APART;
}

/* ---- executors ---- */

static void run_shuffled(void *context, size_t count, qd_task_fn task, void *argument)
{
    chance *dice = context;
    size_t *order = malloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        size_t j = below(dice, (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < count; i++) {
        task(order[i], argument);
    }
    free(order);
}

typedef struct crew {
    atomic_size_t next;
    size_t count;
    qd_task_fn task;
    void *argument;
} crew;

static void *work(void *argument)
{
    crew *team = argument;
    for (size_t i; (i = atomic_fetch_add(&team->next, 1)) < team->count;) {
        team->task(i, team->argument);
    }
    return NULL;
}

static void run_threads(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    crew team = {.count = count, .task = task, .argument = argument};
    pthread_t thread[HANDS - 1];
    for (uint32_t i = 0; i < HANDS - 1; i++) {
        if (pthread_create(&thread[i], NULL, work, &team) != 0) {
            abort();
        }
    }
    work(&team);
    for (uint32_t i = 0; i < HANDS - 1; i++) {
        pthread_join(thread[i], NULL);
    }
}

/* ---- a script ---- */

typedef struct script {
    uint64_t seed;
    chance dice, shuffle;
    qd_space *space;
    qd_heap heap;
    qd_executor executor;
    world w;
    double lo_x, lo_y, side; /* where things are put */
    double size_max;
    double jitter; /* in numbers of the space's frame */
    uint32_t style, bodies_aim, bodies_max;
    uint32_t ops, ticks, events;
    bool stop;
    char failure[300];
} script;

static const char *seed_in_progress = "";
static bool verbose;

static void fail(script *s, const char *what, uint32_t a, uint32_t b, uint32_t kind)
{
    if (s->failure[0] == '\0') {
        snprintf(s->failure, sizeof s->failure, "tick %u, change %u: %s (pair %u %u, kind %u)", s->ticks, s->ops, what,
                 a, b, kind);
    }
    s->stop = true;
}

static float clamp(float value)
{
    return fmaxf(fminf(value, 3.4e38f), -3.4e38f);
}

/* Coordinates on and beside the lines of cells, in crowds, far outside, or anywhere. */
static float place(script *s, double lo)
{
    chance *dice = &s->dice;
    double line = lo + s->side * below(dice, 33) / 32;
    switch (s->style) {
    case 1: /* straddlers of the highest lines */
        return one_in(dice, 3) ? (float)(lo + s->side / 2) : between(dice, lo, lo + s->side);
    case 2: /* a crowd */
        return one_in(dice, 8) ? between(dice, lo, lo + s->side)
                               : between(dice, lo + s->side * 0.4, lo + s->side * 0.4 + s->size_max);
    case 3: /* often outside */
        return between(dice, lo - s->side, lo + 2 * s->side);
    case 4: /* exactly on lines: much touching */
        return (float)line;
    case 5:
        return one_in(dice, 2) ? nextafterf((float)line, one_in(dice, 2) ? -INFINITY : INFINITY)
                               : between(dice, lo, lo + s->side);
    case 6: /* absurd */
        return one_in(dice, 12) ? (one_in(dice, 2) ? 3.4e38f : -3.4e38f) : between(dice, lo, lo + s->side);
    case 7: /* two crowds that just touch each other, or just do not */
        return (float)(lo + s->side * 0.3 + below(dice, 2) * 2 * s->size_max) +
               (float)(s->side / 65536) * between(dice, -s->jitter, s->jitter);
    default:
        return between(dice, lo, lo + s->side);
    }
}

static float size(script *s)
{
    chance *dice = &s->dice;
    if (s->style == 7 && !one_in(dice, 40)) {
        return (float)s->size_max;
    }
    switch (below(dice, 12)) {
    case 0:
        return 0;
    case 1:
        return between(dice, 0, s->side);
    case 2:
        return s->style == 6 && one_in(dice, 4) ? 3.4e38f : (float)s->size_max;
    case 3:
    case 4:
        return (float)(s->side / 64);
    default:
        return between(dice, 0, s->size_max);
    }
}

static void draw_filter(script *s, uint32_t *category, uint32_t *mask)
{
    *category = 1;
    *mask = UINT32_MAX;
    if (one_in(&s->dice, 4)) {
        *category = 1u << below(&s->dice, 3);
        *mask = below(&s->dice, 8);
    }
}

/* A slot that is there, if chance finds one. */
static bool pick(script *s, uint32_t *slot)
{
    for (uint32_t tries = 0; tries < 8 && s->w.slots > 0; tries++) {
        *slot = below(&s->dice, s->w.slots);
        if (s->w.now[*slot].here) {
            return true;
        }
    }
    return false;
}

static void add(script *s)
{
    world *w = &s->w;
    qd_body body = {.x = clamp(place(s, s->lo_x)),
                    .y = clamp(place(s, s->lo_y)),
                    .half_x = clamp(size(s)),
                    .half_y = clamp(size(s)),
                    .shape = one_in(&s->dice, 3) ? QD_SPACE_CIRCLE : QD_SPACE_BOX};
    draw_filter(s, &body.category, &body.mask);
    uint32_t slot;
    if (qd_space_add(s->space, &body, &slot) != QD_OK) {
        uint32_t taken = 0;
        for (uint32_t i = 0; i < w->slots; i++) {
            taken += w->taken[i];
        }
        if (taken < s->bodies_max) {
            fail(s, "an add was refused", 0, 0, 0);
        }
        return;
    }
    if (slot >= SLOTS_MAX || w->taken[slot]) {
        fail(s, "a slot was given out twice", slot, 0, 0);
        return;
    }
    w->slots = slot >= w->slots ? slot + 1 : w->slots;
    w->taken[slot] = true;
    w->now[slot] = (thing){true, body};
    w->was[slot].here = false;
    w->removed_for[slot] = 0;
    w->teleported[slot] = false;
}

static void move_to(script *s, uint32_t slot, bool teleport, float *x, float *y)
{
    thing *at = &s->w.now[slot];
    double step = s->size_max * (one_in(&s->dice, 4) ? 1 : 0.1);
    *x = at->body.x + between(&s->dice, -step, step);
    *y = at->body.y + between(&s->dice, -step, step);
    if (teleport || s->style == 7 || one_in(&s->dice, 20)) {
        *x = place(s, s->lo_x);
        *y = place(s, s->lo_y);
    } else if (one_in(&s->dice, 10) && s->w.was[slot].here) {
        *x = s->w.was[slot].body.x;
        *y = s->w.was[slot].body.y;
    }
    at->body.x = *x = clamp(*x);
    at->body.y = *y = clamp(*y);
    s->w.teleported[slot] |= teleport;
}

/* A few, the same one perhaps several times; or all. */
static void move_some(script *s, bool teleport)
{
    static uint32_t slots[SLOTS_MAX];
    static float x[SLOTS_MAX], y[SLOTS_MAX];
    uint32_t count = 0, wanted = one_in(&s->dice, 3) ? 60 : 1 + below(&s->dice, 4);
    if (one_in(&s->dice, s->bodies_aim > 500 ? 3 : 12)) {
        for (uint32_t slot = 0; slot < s->w.slots; slot++) {
            if (s->w.now[slot].here) {
                slots[count] = slot;
                move_to(s, slot, teleport, &x[count], &y[count]);
                count++;
            }
        }
    } else {
        for (uint32_t slot; count < wanted && pick(s, &slot); count++) {
            slots[count] = slot;
            move_to(s, slot, teleport, &x[count], &y[count]);
        }
    }
    if (teleport) {
        qd_space_teleport(s->space, count, slots, x, y);
    } else {
        qd_space_move(s->space, count, slots, x, y);
    }
}

static void reshape(script *s)
{
    uint32_t slot;
    if (pick(s, &slot)) {
        qd_body *body = &s->w.now[slot].body;
        if (one_in(&s->dice, 3)) {
            body->shape = one_in(&s->dice, 2) ? QD_SPACE_BOX : QD_SPACE_CIRCLE;
        }
        if (!one_in(&s->dice, 4)) {
            body->half_x = clamp(size(s));
        }
        if (!one_in(&s->dice, 4)) {
            body->half_y = clamp(size(s));
        }
        if (one_in(&s->dice, 4) && s->w.was[slot].here) {
            body->half_x = s->w.was[slot].body.half_x;
            body->half_y = s->w.was[slot].body.half_y;
            body->shape = s->w.was[slot].body.shape;
        }
        qd_space_reshape(s->space, slot, body->shape, body->half_x, body->half_y);
    }
}

static void refilter(script *s)
{
    uint32_t slot;
    if (pick(s, &slot)) {
        qd_body *body = &s->w.now[slot].body;
        draw_filter(s, &body->category, &body->mask);
        if (one_in(&s->dice, 4) && s->w.was[slot].here) {
            body->category = s->w.was[slot].body.category;
            body->mask = s->w.was[slot].body.mask;
        }
        qd_space_refilter(s->space, slot, body->category, body->mask);
    }
}

static void remove_one(script *s)
{
    uint32_t slot;
    if (pick(s, &slot)) {
        uint32_t reason = 1 + below(&s->dice, 3);
        bool at_once = qd_space_remove(s->space, slot, (qd_space_reason)reason);
        if (at_once != !s->w.was[slot].here) {
            fail(s, "remove said the wrong thing about the slot", slot, at_once, 0);
        }
        s->w.now[slot].here = false;
        s->w.removed_for[slot] = reason;
        s->w.taken[slot] = !at_once;
    }
}

/* ---- comparing ---- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t key_of(uint32_t a, uint32_t b, uint32_t kind)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b << 2 | kind : (uint64_t)b << 32 | (uint64_t)a << 2 | kind;
}

/* What brute force expects: with `pairs` those of the last tick, else the events. */
static uint64_t *expect(const script *s, bool pairs, bool stays, size_t *count)
{
    const world *w = &s->w;
    size_t capacity = 64;
    uint64_t *keys = malloc(capacity * sizeof *keys);
    *count = 0;
    for (uint32_t a = 0; a < w->slots; a++) {
        if (!w->now[a].here && !w->was[a].here) {
            continue;
        }
        for (uint32_t b = a + 1; b < w->slots; b++) {
            bool was = naive_pair(&w->was[a], &w->was[b]), now = naive_pair(&w->now[a], &w->now[b]);
            uint32_t kind = now && !was           ? QD_SPACE_BEGIN
                            : was && !now         ? QD_SPACE_END
                            : was && now && stays ? QD_SPACE_STAY
                                                  : 0;
            if (pairs) {
                kind = was ? QD_SPACE_STAY : 0;
            }
            if (kind == 0) {
                continue;
            }
            if (*count == capacity) {
                capacity *= 2;
                keys = realloc(keys, capacity * sizeof *keys);
            }
            keys[(*count)++] = key_of(a, b, kind);
        }
    }
    qsort(keys, *count, sizeof *keys, compare_keys);
    return keys;
}

static void compare(script *s, const qd_space_events *found, size_t limit, bool pairs, bool stays)
{
    size_t count;
    uint64_t *expected = expect(s, pairs, stays, &count);
    if (found->complete != (count <= limit) || (!found->complete && found->found <= limit)) {
        fail(s, "complete is wrong", (uint32_t)count, (uint32_t)limit, (uint32_t)found->found);
    } else if (found->complete) {
        uint64_t *keys = malloc((found->count + 1) * sizeof *keys);
        for (size_t i = 0; i < found->count; i++) {
            qd_space_event event = found->events[i];
            keys[i] = key_of(qd_space_event_a(event), qd_space_event_b(event), qd_space_event_kind(event));
        }
        qsort(keys, found->count, sizeof *keys, compare_keys);
        size_t i = 0;
        while (i < count && i < found->count && expected[i] == keys[i]) {
            i++;
        }
        if (i < found->count && (i == count || keys[i] < expected[i])) {
            fail(s, pairs ? "a pair too much" : "an event too much", (uint32_t)(keys[i] >> 32), (uint32_t)keys[i] >> 2,
                 (uint32_t)keys[i] & 3);
        } else if (i < count) {
            fail(s, pairs ? "a pair is missing" : "an event is missing", (uint32_t)(expected[i] >> 32),
                 (uint32_t)expected[i] >> 2, (uint32_t)expected[i] & 3);
        } else if (found->found != found->count) {
            fail(s, "found is not count", 0, 0, 0);
        }
        s->events += (uint32_t)found->count;
        free(keys);
    }
    free(expected);
}

static size_t draw_limit(script *s)
{
    return one_in(&s->dice, 15) ? below(&s->dice, 20) : 1u << 20;
}

static void check_pairs(script *s)
{
    qd_space_events found;
    size_t limit = draw_limit(s);
    qd_space_pairs(s->space, &s->executor, limit, &found);
    compare(s, &found, limit, true, false);
}

static void check_reasons(script *s, const qd_space_events *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (qd_space_event_kind(found->events[i]) == QD_SPACE_END) {
            uint32_t a = qd_space_event_a(found->events[i]), b = qd_space_event_b(found->events[i]);
            uint32_t reason = qd_space_end_reason(s->space, a, b);
            if (reason != naive_reason(&s->w, a, b) || reason != (uint32_t)qd_space_end_reason(s->space, b, a)) {
                fail(s, "the reason is wrong", a, b, reason);
                return;
            }
        }
    }
}

static void settle(script *s)
{
    world *w = &s->w;
    const uint32_t *freed;
    size_t count;
    qd_space_settle(s->space, &freed, &count);
    for (size_t i = 0; i < count; i++) {
        if (!w->taken[freed[i]] || w->now[freed[i]].here) {
            fail(s, "a slot was freed that is in use", freed[i], 0, 0);
        }
        w->taken[freed[i]] = false;
    }
    for (uint32_t i = 0; i < w->slots; i++) {
        if (w->taken[i] != w->now[i].here) {
            fail(s, "a slot was not freed", i, 0, 0);
        }
        w->was[i] = w->now[i];
        w->teleported[i] = false;
        w->removed_for[i] = 0;
    }
}

static void tick(script *s)
{
    const qd_space_wanted wants[3] = {QD_SPACE_WANT_NOTHING, QD_SPACE_WANT_EVENTS, QD_SPACE_WANT_STAYS};
    qd_space_wanted wanted = one_in(&s->dice, 8) ? wants[below(&s->dice, 3)] : QD_SPACE_WANT_EVENTS;
    size_t limit = draw_limit(s);
    qd_space_events found;
    qd_space_validate(s->space);
    qd_space_tick(s->space, &s->executor, wanted, limit, &found);
    s->ticks++;
    if (wanted != QD_SPACE_WANT_NOTHING) {
        compare(s, &found, limit, false, wanted == QD_SPACE_WANT_STAYS);
        check_reasons(s, &found);
    } else if (!found.complete || found.count != 0) {
        fail(s, "events came unasked", 0, 0, 0);
    }
    settle(s);
    qd_space_validate(s->space);
}

static void change(script *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->w.slots; i++) {
        count += s->w.now[i].here;
    }
    uint32_t what = below(&s->dice, 20);
    if (count < s->bodies_aim && one_in(&s->dice, 2)) {
        what = 0;
    }
    if (what == 0) {
        add(s);
    } else if (what == 1 && count > s->bodies_aim / 2) {
        remove_one(s);
    } else if (what <= 3) {
        move_some(s, true);
    } else if (what <= 5) {
        reshape(s);
    } else if (what <= 7) {
        refilter(s);
    } else {
        move_some(s, false);
    }
    s->ops++;
    if (one_in(&s->dice, 60)) {
        check_pairs(s);
    }
}

static void begin(script *s, uint64_t seed)
{
    static const double sides[] = {1, 64, 1000, 1e6, 1e-3, 3e38};
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->dice.state = seed * 2654435761u + 1;
    s->shuffle.state = seed + 7;
    chance *dice = &s->dice;
    s->style = below(dice, 8);
    s->side = one_in(dice, 4) ? sides[below(dice, 6)] : 64;
    s->size_max = s->side * (one_in(dice, 3) ? 0.15 : 0.04);
    s->lo_x = one_in(dice, 3) ? -s->side / 2 : 0;
    s->lo_y = s->side < 1e30 && one_in(dice, 4) ? s->side * 1000 : s->lo_x;
    s->bodies_aim = one_in(dice, 3) ? 10 + below(dice, 20) : 30 + below(dice, 150);
    if (one_in(dice, 60)) { /* long lists */
        s->bodies_aim = 600 + below(dice, 800);
        s->style = one_in(dice, 2) ? 7 : s->style;
    }
    static const double jitters[] = {0.3, 0.6, 3, 300};
    s->jitter = jitters[below(dice, 4)];
    s->bodies_max = s->bodies_aim + 200;
    qd_space_config config = {
        .min_x = (float)s->lo_x,
        .min_y = (float)s->lo_y,
        .max_x = (float)(s->lo_x + s->side),
        .max_y = (float)(s->lo_y + s->side * (one_in(dice, 3) ? 0.3 : 1)),
        .depth = one_in(dice, 2) ? 0 : 1 + below(dice, one_in(dice, 8) ? 10 : 6),
        .bodies_max = s->bodies_max,
    };
    qd_tuning tuning = {.leaf_rows = 1 + below(dice, 12), .task_rows_min = below(dice, 40)};
    if (s->bodies_aim > 500 && one_in(dice, 2)) {
        tuning.leaf_rows = SLOTS_MAX;
    }
    uint32_t kernels = 0;
    while (qd_kernel_at(kernels) != NULL) {
        kernels++;
    }
    qd_kernel_select(qd_kernel_at(below(dice, kernels)));
    qd_heap_init(&s->heap);
    if (qd_space_create(&config, &s->heap, &s->space) != QD_OK) {
        fail(s, "a space was refused", 0, 0, 0);
        return;
    }
    if (!one_in(dice, 10)) {
        qd_space_tune(s->space, &tuning);
    }
    switch (below(dice, 3)) {
    case 0:
        s->executor = qd_executor_serial;
        break;
    case 1:
        s->executor = (qd_executor){run_shuffled, HANDS, &s->shuffle};
        break;
    default:
        s->executor = (qd_executor){run_threads, HANDS, NULL};
        break;
    }
}

/* At most `ops_max` changes, then a last tick. */
static bool run(uint64_t seed, uint32_t ops_max, script *s)
{
    begin(s, seed);
    uint32_t ticks_max = s->bodies_aim > 500 ? 6 : 12 + below(&s->dice, 20);
    while (!s->stop && s->ticks < ticks_max && s->ops < ops_max) {
        uint32_t changes = one_in(&s->dice, 6) ? 0 : below(&s->dice, s->ticks == 0 ? 2 * s->bodies_aim + 200 : 30);
        for (uint32_t i = 0; i < changes && !s->stop && s->ops < ops_max; i++) {
            change(s);
        }
        if (!s->stop) {
            tick(s);
        }
    }
    qd_space_destroy(s->space);
    if (s->heap.bytes != 0) {
        fail(s, "the heap is not empty", (uint32_t)s->heap.bytes, 0, 0);
    } else {
        qd_heap_deinit(&s->heap);
    }
    return s->failure[0] == '\0';
}

static void on_abort(int signal_number)
{
    (void)signal_number;
    if (write(2, seed_in_progress, strlen(seed_in_progress)) < 0) {
        _exit(3);
    }
    _exit(2);
}

int main(int count, char **arguments)
{
    unsigned long scripts = count > 1 ? strtoul(arguments[1], NULL, 10) : SCRIPTS_DEFAULT;
    unsigned long first = count > 2 ? strtoul(arguments[2], NULL, 10) : 1;
    verbose = count > 3;
    static script s;
    static char label[64];
    unsigned long ticks = 0, events = 0;
    signal(SIGABRT, on_abort);
    for (unsigned long seed = first; seed < first + scripts; seed++) {
        snprintf(label, sizeof label, "aborted in seed %lu\n", seed);
        seed_in_progress = label;
        if (!run(seed, UINT32_MAX, &s)) {
            uint32_t prefix = 1, ops = s.ops;
            while (prefix < ops && run(seed, prefix, &s)) {
                prefix++;
            }
            if (prefix == ops) {
                run(seed, UINT32_MAX, &s);
            }
            printf("seed %lu fails after %u changes: %s\n", seed, prefix, s.failure);
            return 1;
        }
        ticks += s.ticks;
        events += s.events;
        if (verbose) {
            printf("seed %lu: style %u, %u changes, %u ticks, %u events\n", seed, s.style, s.ops, s.ticks, s.events);
        }
    }
    printf("%lu scripts from seed %lu: %lu ticks and %lu events and pairs as brute force has them\n", scripts, first,
           ticks, events);
    return events == 0;
}
