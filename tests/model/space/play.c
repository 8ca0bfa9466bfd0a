/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "executors.h"
#include "reference.h"
#include "server/base/memory/scratch.h"
#include "support/spaces.h"

#define NONE UINT32_MAX

#define EMPTY_TICKS 40u

typedef struct game {
    const script *s;
    qd_heap heap;
    qd_space *space;
    qd_executor executor;
    rng_stream order;
    reference r;
    uint32_t slot_of[SCRIPT_ENTITIES_MAX]; /* or NONE */
    uint32_t names[REFERENCE_SLOTS_MAX];   /* equal hits are ordered by these */
    play_tally *tally;
    bool is_short;  /* allocations may fail */
    bool was_short; /* since the last tick but one */
    uint32_t line;  /* that is played */
    char *failure;
} game;

__attribute__((format(printf, 2, 3))) static void fail(game *g, const char *format, ...)
{
    if (g->failure[0] != '\0') {
        return;
    }
    int written = snprintf(g->failure, 400, "line %u: ", g->line + 1);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(g->failure + written, 400 - (size_t)written, format, arguments);
    va_end(arguments);
}

/* ---- changes ---- */

static void spawn(game *g, const script_line *line)
{
    uint32_t slot;

    if (g->slot_of[line->entity] != NONE) {
        return;
    }
    if (qd_space_add(g->space, &line->body, &slot) != QD_OK) {
        if (g->r.taken < g->s->config.bodies_max && !g->is_short) {
            fail(g, "an add was refused, with %u of %u", g->r.taken, g->s->config.bodies_max);
        }
        g->tally->refused++;
        return;
    }
    if (slot >= REFERENCE_SLOTS_MAX || g->r.thing[slot].taken || g->r.taken == g->s->config.bodies_max) {
        fail(g, "slot %u was given out, which there was not", slot);
        return;
    }
    reference_add(&g->r, slot, &line->body);
    g->slot_of[line->entity] = slot;
    g->names[slot] = line->entity * 2000003u;
}

static void despawn(game *g, const script_line *line)
{
    uint32_t slot = g->slot_of[line->entity];

    if (slot == NONE) {
        return;
    }
    bool is_free = qd_space_remove(g->space, slot, line->reason);
    if (is_free != reference_remove(&g->r, slot, line->reason)) {
        fail(g, "slot %u is%s said to be free", slot, is_free ? "" : " not");
    }
    g->slot_of[line->entity] = NONE;
}

/* The line and those joined to it; returns how many. */
static uint32_t move(game *g, uint32_t first)
{
    static uint32_t slots[SCRIPT_ENTITIES_MAX];
    static float x[SCRIPT_ENTITIES_MAX], y[SCRIPT_ENTITIES_MAX], z[SCRIPT_ENTITIES_MAX];
    const script *s = g->s;
    script_verb verb = s->line[first].verb;
    uint32_t lines = 0, count = 0;

    do {
        const script_line *line = &s->line[first + lines++];
        uint32_t slot = g->slot_of[line->entity];

        if (slot == NONE) {
            continue;
        }
        reference_thing *thing = &g->r.thing[slot];
        slots[count] = slot;
        x[count] = thing->now.body.x = line->body.x;
        y[count] = thing->now.body.y = line->body.y;
        z[count] = thing->now.body.z = line->body.z;
        thing->teleported |= verb == SCRIPT_TELEPORT;
        count++;
    } while (first + lines < s->count && lines < SCRIPT_ENTITIES_MAX && s->line[first + lines].verb == verb &&
             s->line[first + lines].joined);
    (verb == SCRIPT_TELEPORT ? qd_space_teleport : qd_space_move)(g->space, count, slots, x, y,
                                                                  s->config.dimensions == 3 ? z : NULL);
    return lines;
}

static void reshape(game *g, const script_line *line)
{
    uint32_t slot = g->slot_of[line->entity];

    if (slot == NONE) {
        return;
    }
    if (qd_space_reshape(g->space, slot, &line->body) != QD_OK) {
        if (!g->is_short || line->body.radius == 0) {
            fail(g, "a reshape was refused");
        }
        return;
    }
    qd_body *body = &g->r.thing[slot].now.body;
    body->shape = line->body.shape;
    body->half_x = line->body.half_x;
    body->half_y = line->body.half_y;
    body->half_z = line->body.half_z;
    body->radius = line->body.radius;
}

static void refilter(game *g, const script_line *line)
{
    uint32_t slot = g->slot_of[line->entity];

    if (slot != NONE) {
        qd_body *body = &g->r.thing[slot].now.body;

        body->category = line->body.category;
        body->mask = line->body.mask;
        qd_space_refilter(g->space, slot, body->category, body->mask);
    }
}

/* ---- events ---- */

static const char *kind_name(uint32_t kind)
{
    static const char *const names[] = {"nothing", "a begin", "an end", "a stay", "a passed"};

    return kind <= QD_SPACE_PASSED ? names[kind] : "an event of no kind";
}

/* `pair`: the smaller slot and the larger one, 24 bits each. */
static void fail_pair(game *g, const char *what, uint32_t kind, uint64_t pair)
{
    const uint32_t a = (uint32_t)(pair >> 24), b = (uint32_t)pair & 0xffffff;
    uint32_t entity[2] = {NONE, NONE};

    for (uint32_t i = 0; i < SCRIPT_ENTITIES_MAX; i++) {
        if (g->slot_of[i] != NONE) {
            entity[0] = g->slot_of[i] == a ? i : entity[0];
            entity[1] = g->slot_of[i] == b ? i : entity[1];
        }
    }
    fail(g, "%s %s, of slots %u and %u: entities %d and %d (-1: removed)", kind_name(kind), what, a, b, (int)entity[0],
         (int)entity[1]);
}

/* Both are sorted by pair. */
static void compare_each(game *g, const uint64_t *key, size_t count, const reference_pairs *expected)
{
    size_t next = 0;

    for (size_t i = 0; i < expected->count; i++) {
        const reference_pair *pair = &expected->pair[i];
        const uint64_t slots = (uint64_t)pair->a << 24 | pair->b;

        if (next < count && key[next] >> 8 < slots) {
            break; /* unexpected events: reported below */
        }
        if (next < count && key[next] >> 8 == slots) {
            if ((pair->may_be >> (key[next] & 0xff) & 1) == 0) {
                fail_pair(g, "is wrong", key[next] & 0xff, slots);
            }
            next++;
        } else if ((pair->may_be & 1) == 0) {
            fail_pair(g, "is missing", (uint32_t)__builtin_ctz(pair->may_be), slots);
        }
    }
    if (next < count) {
        fail_pair(g, "is too much", key[next] & 0xff, key[next] >> 8);
    }
}

static void compare(game *g, const qd_space_events *found, size_t limit, qd_space_wanted wanted)
{
    if (found->complete != (found->stopped == QD_SPACE_NOT_STOPPED)) {
        fail(g, "complete is %d, and the reason is %d", found->complete, (int)found->stopped);
    }
    if (found->stopped == QD_SPACE_STOP_MEMORY) {
        if (!g->was_short) {
            fail(g, "no memory, where there was some");
        }
        g->tally->without_memory++;
        return;
    }
    reference_pairs expected = reference_expect(&g->r, wanted);

    if (!found->complete && (expected.count <= limit || found->found <= limit)) {
        fail(g, "not complete with %zu of at most %zu events (%" PRIu64 " found)", expected.count, limit, found->found);
    } else if (found->complete && (expected.certain > limit || found->found != found->count)) {
        fail(g, "complete with %zu events of at most %zu (%" PRIu64 " found)", expected.certain, limit, found->found);
    }
    if (found->complete) {
        uint64_t *keys = space_event_keys(found->events, found->count);

        compare_each(g, keys, found->count, &expected);
        for (size_t i = 0; i < found->count; i++) {
            g->tally->events[(keys[i] & 0xff) <= QD_SPACE_PASSED ? keys[i] & 0xff : 0]++;
        }
        free(keys);
    }
    g->tally->stopped += !found->complete;
    free(expected.pair);
}

static void check_reasons(game *g, const qd_space_events *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (qd_space_event_kind(found->events[i]) != QD_SPACE_END) {
            continue;
        }
        uint32_t a = qd_space_event_a(found->events[i]), b = qd_space_event_b(found->events[i]);
        qd_space_reason reason = qd_space_end_reason(g->space, a, b), is = reference_reason(&g->r, a, b);
        if (reason != is) {
            fail(g, "the end of slots %u and %u has reason %d, not %d", a, b, (int)reason, (int)is);
        }
    }
}

static void settle(game *g)
{
    static bool freed[REFERENCE_SLOTS_MAX];

    memset(freed, 0, sizeof freed);
    for (uint32_t slot = qd_space_settle(g->space); slot != QD_SPACE_SLOT_NONE;
         slot = qd_space_next_freed(g->space, slot)) {
        if (slot >= g->r.slots || freed[slot] || !g->r.thing[slot].taken || g->r.thing[slot].now.here) {
            fail(g, "slot %u was freed, which is not to be", slot);
            return;
        }
        freed[slot] = true;
    }
    for (uint32_t i = 0; i < g->r.slots; i++) {
        if (g->r.thing[i].taken && !g->r.thing[i].now.here && !freed[i]) {
            fail(g, "slot %u was not freed", i);
        }
    }
    reference_settle(&g->r);
}

/* The fields that count: a body may keep sizes that its shape does not use. */
static bool same_body(const qd_body *a, const qd_body *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z && a->category == b->category && a->mask == b->mask &&
           !oracle_resized(a, b);
}

static void check_bodies(game *g)
{
    for (uint32_t slot = 0; slot < g->r.slots; slot++) {
        qd_body body;

        if (g->r.thing[slot].now.here) {
            qd_space_body(g->space, slot, &body);
            if (!same_body(&body, &g->r.thing[slot].now.body)) {
                fail(g, "the body of slot %u is not as it was made", slot);
            }
        }
    }
}

static void check_counters(game *g)
{
    qd_space_counters counters;

    qd_space_counters_get(g->space, &counters);
    const qd_space_config *config = &g->s->config;
    if (config->index == QD_SPACE_AUTO ? counters.index == QD_SPACE_AUTO : counters.index != config->index) {
        fail(g, "index %d is at work", (int)counters.index);
    }
    /* A tree that holds nothing yet has no levels. */
    if (config->depth != 0 && counters.depth != 0 && counters.depth != config->depth) {
        fail(g, "the depth is %u, not %u", counters.depth, config->depth);
    }
}

static void tick(game *g, const script_line *line)
{
    qd_space_events found;

    check_bodies(g);
    qd_space_validate(g->space);
    qd_space_tick(g->space, &g->executor, line->wanted, line->limit, &found);
    g->tally->ticks++;
    if (line->wanted != QD_SPACE_WANT_NOTHING) {
        compare(g, &found, line->limit, line->wanted);
        check_reasons(g, &found);
    } else if (!found.complete || found.count != 0) {
        fail(g, "events came unasked");
    }
    settle(g);
    qd_space_validate(g->space);
    check_counters(g);
    g->was_short = g->is_short;
}

static void pairs(game *g, const script_line *line)
{
    qd_space_events found;

    qd_space_pairs(g->space, &g->executor, line->limit, &found);
    compare(g, &found, line->limit, QD_SPACE_WANT_NOTHING);
}

/* ---- queries ---- */

typedef struct candidate {
    oracle_verdict verdict;
    double at, slack;
    bool found;
} candidate;

/* In (at, name), as far as that is known. */
static bool is_before(const game *g, const candidate *it, uint32_t slot, const qd_space_query *query,
                      const qd_space_hit *hit, double slack)
{
    if (it->slack > 0 || slack > 0) {
        return it->at + it->slack < hit->at - slack;
    }
    uint32_t name = query->names != NULL ? g->names[slot] : slot;
    return it->at < hit->at || (it->at == hit->at && name < hit->name);
}

static void compare_hits(game *g, const qd_space_query *query, const qd_space_hits *hits, candidate *of)
{
    const qd_space_hit *last = hits->count > 0 ? &hits->hit[hits->count - 1] : NULL;

    for (uint32_t i = 0; i < hits->count; i++) {
        const qd_space_hit *hit = &hits->hit[i];
        candidate *it = hit->slot < g->r.slots ? &of[hit->slot] : NULL;

        if (it == NULL || it->verdict == ORACLE_APART || it->found) {
            fail(g, "slot %u is no hit, or was one already", hit->slot);
            return;
        }
        it->found = true;
        if (!(fabs(hit->at - it->at) <= it->slack)) {
            fail(g, "slot %u is hit at %.17g, not %.17g", hit->slot, hit->at, it->at);
        }
        if (hit->name != (query->names != NULL ? g->names[hit->slot] : hit->slot) ||
            (i > 0 && !(hit[-1].at < hit->at || (hit[-1].at == hit->at && hit[-1].name < hit->name)))) {
            fail(g, "hit %u, slot %u, is not in order", i, hit->slot);
        }
    }
    uint32_t possible = 0;
    for (uint32_t slot = 0; slot < g->r.slots; slot++) {
        possible += of[slot].verdict != ORACLE_APART;
        if (of[slot].verdict == ORACLE_OVERLAP && !of[slot].found &&
            (!hits->more || last == NULL || is_before(g, &of[slot], slot, query, last, of[last->slot].slack))) {
            fail(g, "slot %u at %.17g is missing", slot, of[slot].at);
        }
    }
    if (hits->more ? hits->count != query->limit || possible <= query->limit : hits->count > query->limit) {
        fail(g, "%u hits%s, where %u are possible", hits->count, hits->more ? " and more" : "", possible);
    }
}

static void ask(game *g, const script_line *line)
{
    static candidate of[REFERENCE_SLOTS_MAX];
    qd_space_query query = line->query;

    query.names = line->by_name ? g->names : NULL;
    for (uint32_t slot = 0; slot < g->r.slots; slot++) {
        const reference_state *was = &g->r.thing[slot].was;

        of[slot] = (candidate){0};
        if (g->r.thing[slot].taken && was->here &&
            (query.categories == 0 || (was->body.category & query.categories) != 0)) {
            of[slot].verdict = oracle_measure(&query, &was->body, &of[slot].at, &of[slot].slack);
        }
    }
    qd_space_hits hits;
    if (qd_space_find(g->space, &query, &hits) != QD_OK) {
        if (!g->was_short) {
            fail(g, "no memory for a query");
        }
        return;
    }
    compare_hits(g, &query, &hits, of);
    g->tally->queries++;
    g->tally->hits += hits.count;
    g->tally->cut += hits.more;
    qd_space_hits_free(g->space, &hits);
}

/* ---- memory ---- */

static void spend_memory(game *g, const script_line *line)
{
    qd_memory_limit_set(line->spare == SIZE_MAX ? 0 : qd_memory_used() + line->spare + 1);
    (void)qd_memory_fail(line->fail, line->fails);
    g->is_short = line->spare != SIZE_MAX || line->fail > 0;
    g->was_short |= g->is_short;
}

/* With memory everything is complete again, after one tick. In the end all bodies go, without any memory, and some ticks
 * later the space is as small as a new one. */
static void recover(game *g, size_t bytes_of_new)
{
    const script_line all = {.wanted = QD_SPACE_WANT_STAYS, .limit = SIZE_MAX / 16};
    const script_line plenty = {.spare = SIZE_MAX}, nothing = {.spare = SIZE_MAX, .fail = 1, .fails = UINT64_MAX - 1};

    spend_memory(g, &plenty);
    tick(g, &all);
    pairs(g, &all);
    tick(g, &all);
    spend_memory(g, &nothing);
    for (uint32_t i = 0; i < SCRIPT_ENTITIES_MAX; i++) {
        despawn(g, &(script_line){.entity = i, .reason = QD_SPACE_EXPIRED});
    }
    tick(g, &all);
    spend_memory(g, &plenty);
    for (uint32_t i = 0; i < EMPTY_TICKS; i++) {
        tick(g, &all);
    }
    if (g->heap.bytes > bytes_of_new && g->failure[0] == '\0') {
        fail(g, "an empty space has %zu bytes, a new one %zu", (size_t)g->heap.bytes, bytes_of_new);
    }
}

/* ---- the whole ---- */

/* Returns how many lines were played. */
static uint32_t play_line(game *g)
{
    static void (*const plays[])(game *g, const script_line *line) = {
        [SCRIPT_SPAWN] = spawn, [SCRIPT_DESPAWN] = despawn, [SCRIPT_RESHAPE] = reshape, [SCRIPT_REFILTER] = refilter,
        [SCRIPT_TICK] = tick,   [SCRIPT_PAIRS] = pairs,     [SCRIPT_QUERY] = ask,       [SCRIPT_MEMORY] = spend_memory,
    };
    const script_line *line = &g->s->line[g->line];

    if (line->verb == SCRIPT_MOVE || line->verb == SCRIPT_TELEPORT) {
        return move(g, g->line);
    }
    plays[line->verb](g, line);
    return 1;
}

bool play(const script *s, play_tally *tally, char failure[400])
{
    static game g;

    memset(&g, 0, sizeof g);
    g.s = s;
    g.tally = tally;
    g.failure = failure;
    g.order.state = s->seed;
    g.r.swept = s->config.swept;
    g.executor = executor_make(s->executor, s->workers, &g.order);
    for (uint32_t i = 0; i < SCRIPT_ENTITIES_MAX; i++) {
        g.slot_of[i] = NONE;
    }
    failure[0] = '\0';
    qd_space_kernel_select(qd_space_kernel_at(s->kernel));
    qd_heap_init(&g.heap);
    if (s->fail > 0) {
        spend_memory(&g, &(script_line){.spare = SIZE_MAX, .fail = s->fail, .fails = 1});
    }
    if (qd_space_create(&s->config, &g.heap, &g.space) != QD_OK) {
        (void)qd_memory_fail(0, 0);
        if (g.heap.bytes != 0 || s->fail == 0) {
            fail(&g, "the space was refused, or has left %zu bytes", (size_t)g.heap.bytes);
        }
        qd_heap_deinit(&g.heap);
        tally->tries = UINT64_MAX;
        return failure[0] == '\0';
    }
    const size_t bytes_of_new = g.heap.bytes;
    if (s->tuned) {
        qd_space_tune(g.space, &s->tuning);
    }
    while (g.line < s->count && failure[0] == '\0') {
        g.line += play_line(&g);
    }
    tally->tries = qd_memory_fail(0, 0);
    qd_memory_limit_set(0);
    if (failure[0] == '\0') {
        recover(&g, bytes_of_new);
    }
    (void)qd_memory_fail(0, 0);
    qd_memory_limit_set(0);
    qd_space_destroy(g.space);
    if (g.heap.bytes != 0) {
        fail(&g, "%zu bytes of the heap are left", (size_t)g.heap.bytes);
    }
    qd_heap_deinit(&g.heap);
    qd_scratch_release();
    if (qd_memory_used() != 0 && failure[0] == '\0') {
        fail(&g, "%zu bytes of the budget are left", qd_memory_used());
    }
    tally->pairs += g.r.pairs;
    tally->unsure += g.r.unsure;
    return failure[0] == '\0';
}
