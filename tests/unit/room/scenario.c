/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbs of scenarios. Each takes its words, does what they say, and writes what that gives.
 */
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

#include "quadrille.pb-c.h"
#include "statement.h"

room_scenario played;

text got;
const char *expected;

/* Whose statement is played, and what it was refused. */
static uint32_t actor;
static qd_room_refusals refusals;
static const ProtobufCMessageDescriptor *message; /* whose fields the refusals name */

/* ---- the room and its members ---- */

static void open_room(void)
{
    qd_room_config config = {.space = {.max_x = 100, .max_y = 100},
                             .entities_max = 1000,
                             .events_max = 1000,
                             .grace_ns = 50,
                             .observers_max = 100,
                             .visible_entries_max = 1000};
    uint32_t first;

    while (!at_end()) {
        const char *key = need_word();

        if (strcmp(key, "swept") == 0) {
            config.space.swept = true;
        } else if (strcmp(key, "deep") == 0) {
            config.space.dimensions = 3;
            config.space.max_z = 100;
        } else if (strcmp(key, "depth") == 0) {
            config.space.depth = need_id();
        } else if (strcmp(key, "index") == 0) {
            config.space.index = need_id();
        } else if (strcmp(key, "entities_max") == 0) {
            config.entities_max = need_id();
        } else if (strcmp(key, "events_max") == 0) {
            config.events_max = need_id();
        } else if (strcmp(key, "rosters") == 0) {
            config.roster_ids_max = need_id();
        } else if (strcmp(key, "grace") == 0) {
            config.grace_ns = take("endless") ? QD_NEVER : (uint64_t)need_number();
        } else {
            fail_msg("a room has no %s", key);
        }
    }
    played = (room_scenario){.is_deep = config.space.dimensions == 3};
    qd_heap_init(&played.heap);
    assert_int_equal(qd_room_create(&config, &played.heap, 42, &played.room), QD_OK);
    assert_int_equal(qd_room_join(played.room, &first), QD_OK);
    assert_int_equal(first, 0);
}

static void join(void)
{
    uint32_t member;

    assert_int_equal(qd_room_join(played.room, &member), QD_OK);
    text_add(&got, "%c", 'A' + (int)member);
}

static void leave(void)
{
    double now_ns = 0;

    (void)take_number(&now_ns);
    qd_room_leave(played.room, actor, (uint64_t)now_ns);
}

static void expire(void)
{
    qd_room_expire(played.room, take("never") ? QD_NEVER - 1 : (uint64_t)need_number());
}

static void due(void)
{
    uint64_t due_ns = qd_room_due_ns(played.room);

    text_add(&got, due_ns == QD_NEVER ? "never" : "%llu", (unsigned long long)due_ns);
}

static void memory(void)
{
    const bool none = played.has_no_memory = take("none");

    (void)qd_memory_fail(none, none ? UINT64_MAX : 0);
    qd_memory_limit_set(none ? 0 : (size_t)need_number());
}

static void trim(void)
{
    qd_room_trim(played.room);
}

/* ---- batches ---- */

typedef void batch_command(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);

static void spawn_bare(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refused)
{
    qd_room_spawn(room, member, batch, false, refused);
}

static void spawn_owned(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refused)
{
    qd_room_spawn(room, member, batch, true, refused);
}

/* Of the axes on, entities have at least so many columns. */
static void do_batch(batch_command *command, bool has_places, bool has_sizes)
{
    for (unsigned k = 0; k < (played.is_deep ? 3 : 2); k++) {
        if (has_places) {
            column_give(AT_X + k);
        }
        if (has_sizes) {
            column_give(HALF_X + k);
        }
    }
    entries_take();
    const qd_room_batch batch = {.count = entries.count,
                                 .id = entries.id,
                                 .x = floats(AT_X),
                                 .y = floats(AT_Y),
                                 .z = floats(AT_Z),
                                 .half_x = floats(HALF_X),
                                 .half_y = floats(HALF_Y),
                                 .half_z = floats(HALF_Z),
                                 .radius = floats(RADIUS),
                                 .axis_x = floats(AXIS_X),
                                 .axis_y = floats(AXIS_Y),
                                 .axis_z = floats(AXIS_Z),
                                 .shape = bytes(SHAPE),
                                 .category = numbers(CATEGORY),
                                 .mask = numbers(MASK)};
    memset(&refusals, 0x5a, sizeof refusals);
    command(played.room, actor, &batch, &refusals);
}

static void spawn(void)
{
    batch_command *command = take("owned") ? spawn_owned : spawn_bare;

    message = &quadrille__v1__spawn__descriptor;
    do_batch(command, true, !take("bare"));
}

static void move(void)
{
    message = &quadrille__v1__move__descriptor;
    do_batch(qd_room_move, true, false);
}

static void teleport(void)
{
    message = &quadrille__v1__teleport__descriptor;
    do_batch(qd_room_teleport, true, false);
}

static void reshape(void)
{
    message = &quadrille__v1__reshape__descriptor;
    do_batch(qd_room_reshape, false, false);
}

static void despawn(void)
{
    if (take("all")) {
        qd_room_despawn_all(played.room);
    } else {
        do_batch(qd_room_despawn, false, false);
    }
}

/* ---- owners ---- */

static int by_value(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return (one > other) - (one < other);
}

static void give(void)
{
    static uint32_t id[ENTRIES_MAX], handed_over[ENTRIES_MAX];

    entries.count = take_ids(id);
    assert_true(take("to"));
    text_ids(&got, handed_over,
             qd_room_hand_over(played.room, actor, id, entries.count, need_member(), handed_over, &refusals));
    if (got.used > 0 && refusals.count > 0) {
        text_add(&got, ", but ");
    }
}

static void adopt(void)
{
    static uint32_t handed_over[ENTRIES_MAX];
    uint32_t count = qd_room_adopt(played.room, need_member(), actor, handed_over);

    qsort(handed_over, count, sizeof handed_over[0], by_value);
    text_ids(&got, handed_over, count);
}

static void owned(void)
{
    text_add(&got, "%u", qd_room_owned_count(played.room, need_member()));
}

/* ---- rosters ---- */

static void add_status(qd_status status)
{
    text_add(&got, "%s", status == QD_ERR_INVALID ? "INVALID" : status == QD_ERR_FULL ? "FULL" : "NOT_FOUND");
}

static void name(void)
{
    static uint32_t id[ENTRIES_MAX];
    qd_room_roster roster = {.number = need_id(), .first = need_id(), .count = take_ids(id), .id = id};

    roster.keep_rest = take("keep");
    qd_status status = qd_room_roster_name(played.room, actor, &roster);
    if (status != QD_OK) {
        add_status(status);
        return;
    }
    uint32_t count;
    const uint32_t *ids = qd_room_roster_ids(played.room, actor, roster.number, &count);
    assert_int_equal(ids != NULL, count > 0);
    text_ids(&got, ids, count);
}

/* Positions at (x, 50). */
static void place(void)
{
    qd_room_roster_positions to = {.number = need_id(), .first = need_id()};

    message = &quadrille__v1__move_roster__descriptor;
    column_give(AT_Y);
    for (double x; take_number(&x);) {
        column_set(AT_X, entries.count++, 1, x);
    }
    to.count = entries.count;
    to.x = floats(AT_X);
    to.y = floats(AT_Y);
    qd_status status = qd_room_move_roster(played.room, actor, &to, &refusals);
    if (status != QD_OK) {
        add_status(status);
    }
}

/* ---- subscriptions and rounds ---- */

static void subscribe(void)
{
    qd_room_interest interest = {.own_only = take("own")};

    interest.stays = take("stays");
    qd_room_subscribe(played.room, actor, interest);
}

static void unsubscribe(void)
{
    qd_room_unsubscribe(played.room, actor);
}

static void lose(void)
{
    (take("view") ? qd_room_view_lost : qd_room_lost)(played.room, actor);
}

static void miss(void)
{
    bool of_views = take("view");

    (of_views ? qd_room_view_missed : qd_room_missed)(played.room, actor,
                                                      take("nothing") ? UINT64_MAX : (uint64_t)need_number());
}

static void resume(void)
{
    (take("view") ? qd_room_view_resume : qd_room_resume)(played.room, actor);
}

static void tick_unread(void)
{
    uint32_t skipped = take("skip") ? need_id() : 0;

    played.tick += 1 + skipped;
    qd_room_tick(played.room, &qd_executor_serial, skipped);
}

static void tick(void)
{
    tick_unread();
    text_reports(&got);
}

static void rest(void)
{
    const uint32_t ticks = need_id();

    played.tick += ticks;
    qd_room_rest(played.room, ticks);
}

static void look_quiet(void)
{
    text_add(&got, qd_room_is_quiet(played.room) ? "quiet" : "busy");
    if (qd_room_relay_period(played.room) > 0) {
        text_add(&got, " for %u", qd_room_relay_period(played.room));
    }
}

static void catch_up_unread(void)
{
    (void)take("catch");
    assert_true(take("up"));
    qd_room_catch_up(played.room, &qd_executor_serial);
    qd_room_view_catch_up(played.room);
}

static void catch_up(void)
{
    catch_up_unread();
    text_reports(&got);
}

static void unread(void)
{
    if (take("tick")) {
        tick_unread();
    } else {
        catch_up_unread();
    }
}

static void read_reports(void)
{
    if (take("all")) {
        text_reports(&got);
    } else {
        assert_true(text_next_report(&got));
    }
}

/* ---- views ---- */

/* All columns are there. An observer with an entity is anchored to it. */
static void observe(void)
{
    entries_take();
    column_set(ANCHORED, 0, entries.count, column_is_given(ENTITY));
    for (column k = 0; k < COLUMNS; k++) {
        column_give(k);
    }
    const qd_msg_observers all = {.count = entries.count,
                                  .id = entries.id,
                                  .region = bytes(REGION),
                                  .anchored = bytes(ANCHORED),
                                  .entity = numbers(ENTITY),
                                  .x = floats(AT_X),
                                  .y = floats(AT_Y),
                                  .range = floats(RANGE),
                                  .half_x = floats(HALF_X),
                                  .half_y = floats(HALF_Y),
                                  .direction_x = floats(DIRECTION_X),
                                  .direction_y = floats(DIRECTION_Y),
                                  .angle = floats(ANGLE),
                                  .leave_margin = floats(MARGIN),
                                  .mask = numbers(MASK),
                                  .limit = numbers(LIMIT),
                                  .enter_budget = numbers(BUDGET),
                                  .team = numbers(TEAM),
                                  .sees_self = bytes(SEES_SELF),
                                  .tier_count = entries.tiers,
                                  .relay_range = entries.relay_range,
                                  .relay_every = entries.relay_every};
    message = &quadrille__v1__observe__descriptor;
    qd_room_observe(played.room, actor, &all, &refusals);
}

static void unobserve(void)
{
    entries_take();
    qd_room_unobserve(played.room, actor, entries.count, entries.id, &refusals);
}

static void turn(void)
{
    entries_take();
    const qd_msg_observers all = {
        .count = entries.count, .id = entries.id, .direction_x = floats(AT_X), .direction_y = floats(AT_Y)};
    message = &quadrille__v1__move_observers__descriptor;
    qd_room_observers_move(played.room, actor, &all, &refusals);
}

static void except(void)
{
    static uint32_t show[ENTRIES_MAX], hide[ENTRIES_MAX];
    uint32_t id = need_id(), shows = take("show") ? take_ids(show) : 0, hides = take("hide") ? take_ids(hide) : 0;
    qd_status status = qd_room_except(played.room, actor, id, shows, show, hides, hide);

    if (status != QD_OK) {
        add_status(status);
    }
}

static void options(void)
{
    qd_room_view_options options = {.bytes_max = take("bytes") ? need_id() : 0};

    options.watching = take("own") ? QD_ROOM_WATCH_OWN : take("all") ? QD_ROOM_WATCH_ALL : QD_ROOM_WATCH_NONE;
    qd_room_view_options_set(played.room, actor, options);
}

static void describe(void)
{
    static uint8_t size[ENTRIES_MAX], payload[ENTRIES_MAX * QD_VIEW_PAYLOAD_MAX];
    uint64_t tag[ENTRIES_MAX];
    uint32_t used = 0;

    entries_take();
    const uint32_t *given = numbers(TAG);
    for (uint32_t i = 0; i < entries.count; i++) {
        const char *of = entries.payload[i] != NULL ? entries.payload[i] : "";

        tag[i] = given != NULL ? given[i] : 0;
        size[i] = (uint8_t)strlen(of);
        memcpy(payload + used, of, size[i]);
        used += size[i];
    }
    const qd_msg_set_description all = {.count = entries.count,
                                        .id = entries.id,
                                        .tag = given != NULL ? tag : NULL,
                                        .payload_size = used > 0 ? size : NULL,
                                        .payload = used > 0 ? payload : NULL,
                                        .visible_range = floats(VISIBLE),
                                        .team = numbers(TEAM),
                                        .hidden = bytes(HIDDEN)};
    message = &quadrille__v1__set_description__descriptor;
    qd_room_describe(played.room, actor, &all, &refusals);
}

static void why(void)
{
    uint32_t member = take("all") ? UINT32_MAX : actor, a = need_id(), b = need_id();
    qd_room_reason reason;
    uint32_t count = qd_room_why(played.room, member, a, b, 1, &reason);

    if (count == UINT32_MAX) {
        text_add(&got, "nothing");
    }
    if (count == 1) {
        text_add(&got, "%u at %g of %g + %g has %u: %s", reason.observer, reason.distance, (double)reason.range,
                 (double)reason.leave_margin, reason.seen, text_visibility(reason.visibility));
    }
}

/* ---- playing ---- */

static const struct {
    const char *word;
    void (*run)(void);
} verbs[] = {
    {"open", open_room},
    {"join", join},
    {"leave", leave},
    {"expire", expire},
    {"due", due},
    {"memory", memory},
    {"trim", trim},
    {"rest", rest},
    {"look", look_quiet},
    {"spawn", spawn},
    {"move", move},
    {"teleport", teleport},
    {"reshape", reshape},
    {"despawn", despawn},
    {"give", give},
    {"adopt", adopt},
    {"owned", owned},
    {"name", name},
    {"place", place},
    {"subscribe", subscribe},
    {"unsubscribe", unsubscribe},
    {"lose", lose},
    {"miss", miss},
    {"resume", resume},
    {"tick", tick},
    {"unread", unread},
    {"catch", catch_up},
    {"read", read_reports},
    {"observe", observe},
    {"unobserve", unobserve},
    {"turn", turn},
    {"except", except},
    {"options", options},
    {"describe", describe},
    {"why", why},
    {"stats", stats},
    {"snapshot", snapshot},
    {"where", where},
    {"body", body},
    {"query", query},
};

static void play_statement(const char *statement, size_t size)
{
    static char memory_of_got[4096];
    size_t which = 0;

    statement_split(statement, size);
    actor = 0;
    for (uint32_t member = 0; member < 26; member++) {
        actor = take((const char[]){(char)('A' + member), '\0'}) ? member : actor;
    }
    while (!take(verbs[which].word)) {
        if (++which == sizeof verbs / sizeof verbs[0]) {
            fail_msg("nobody can %s", need_word());
        }
    }
    entries_begin();
    refusals.count = refusals.listed = 0;
    got = (text){memory_of_got, 0, sizeof memory_of_got};
    memory_of_got[0] = '\0';
    verbs[which].run();
    text_refusals(&got, &refusals, entries.count, message);
    if (!at_end() || strcmp(got.at, expected) != 0) {
        played.room = NULL; /* for the next test */
        fail_msg("\"%.*s\" gave \"%s\"%s", (int)size, statement, got.at, at_end() ? "" : ", with words left");
    }
}

void play(const char *format, ...)
{
    char statements[4096];
    va_list arguments;

    va_start(arguments, format);
    assert_in_range(vsnprintf(statements, sizeof statements, format, arguments), 1, sizeof statements - 1);
    va_end(arguments);
    const char *at = statements + strspn(statements, "; ");
    if (played.room == NULL && strncmp(at, "open", 4) != 0) {
        play_statement("open", 4);
    }
    while (*at != '\0') {
        size_t size = strcspn(at, ";");

        play_statement(at, size);
        at += size;
        at += strspn(at, "; ");
    }
}

void play_end(void)
{
    qd_room_destroy(played.room);
    assert_int_equal(played.heap.bytes, 0);
    qd_heap_deinit(&played.heap);
    played = (room_scenario){0};
}
