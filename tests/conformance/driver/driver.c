/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver of libquadrille for the conformance suite. It reads commands line by line, carries them out on a qd_session,
 * and prints the folded state. ../README.md has the protocol.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "quadrille-session.h"
#include "tests/conformance/driver/relay.h"
#include "tests/conformance/driver/requests.h"
#include "tests/conformance/driver/words.h"

#define WAIT_MS   20000
#define ROOMS_MAX 16u

/* Text that grows, with lines to print later. */
typedef struct lines {
    char *bytes;
    size_t size;
} lines;

typedef struct driver_room {
    char name[65];
    qd_room *room;
    uint64_t last; /* the last request */
    bool closed;
    lines events;
} driver_room;

static qd_session *session;
static driver_room rooms[ROOMS_MAX];
static uint32_t room_count;
static lines refusals;
static bool is_quiet;           /* keeps no events */
static qd_error_code last_code; /* of a request that was refused as a whole */

/* ---- output ---- */

static void add(lines *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(lines *text, const char *format, ...)
{
    char line[256];
    va_list arguments;

    va_start(arguments, format);
    size_t size = (size_t)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text->bytes = realloc(text->bytes, text->size + size + 1);
    if (text->bytes == NULL) {
        abort();
    }
    memcpy(text->bytes + text->size, line, size + 1);
    text->size += size;
}

static void print_and_clear(lines *text)
{
    if (text->size > 0) {
        fwrite(text->bytes, 1, text->size, stdout);
    }
    text->size = 0;
}

static void answer_outcome(qd_outcome outcome, uint64_t tick)
{
    if (outcome == QD_OUTCOME_OK) {
        printf("ok %llu\n", (unsigned long long)tick);
    } else if (outcome == QD_OUTCOME_REFUSED) {
        printf("error refused %s\n", qd_error_code_name(last_code));
    } else if (outcome == QD_OUTCOME_ROOM_CLOSED) {
        printf("error closed\n");
    } else if (outcome == QD_OUTCOME_ENDED) {
        printf("error ended\n");
    } else {
        printf("error %s: %s\n", qd_outcome_text(outcome), qd_session_problem(session));
    }
}

/* ---- handlers ---- */

static lines *events_of(qd_room *room)
{
    return &((driver_room *)qd_room_context(room))->events;
}

static void on_reset(qd_room *room, void *context)
{
    (void)context;
    add(events_of(room), "reset\n");
}

static void on_begin(qd_room *room, uint32_t a, uint32_t b, void *context)
{
    (void)context;
    add(events_of(room), "begin %u %u\n", a, b);
}

static void on_end(qd_room *room, uint32_t a, uint32_t b, qd_end_reason reason, void *context)
{
    (void)context;
    add(events_of(room), "end %u %u %d\n", a, b, (int)reason);
}

static void on_passed(qd_room *room, uint32_t a, uint32_t b, void *context)
{
    (void)context;
    add(events_of(room), "passed %u %u\n", a, b);
}

static void on_enter(const qd_view_entity *entity, void *context)
{
    add(&((driver_room *)context)->events, "enter %u %u\n", entity->observer, entity->id);
}

static void on_leave(const qd_view_entity *entity, qd_leave_reason reason, void *context)
{
    add(&((driver_room *)context)->events, "leave %u %u %d\n", entity->observer, entity->id, (int)reason);
}

static void on_handed_over(qd_room *room, const qd_msg_handed_over *handed, void *context)
{
    bool own = handed->to == qd_session_number(session);

    (void)context;
    for (uint32_t i = 0; i < handed->count; i++) {
        add(events_of(room), "%s %u\n", own ? "gained" : "lost", handed->id[i]);
    }
}

static void on_closed(qd_room *room, void *context)
{
    driver_room *mine = qd_room_context(room);

    (void)context;
    if (mine != NULL) {
        mine->closed = true;
    }
}

/* The command that makes requests of a kind. */
static const char *command_of(qd_client_kind kind)
{
    static const char *const names[] = {
        [QD_CLIENT_OPEN_ROOM] = "open",
        [QD_CLIENT_SPAWN] = "spawn",
        [QD_CLIENT_MOVE] = "move",
        [QD_CLIENT_TELEPORT] = "teleport",
        [QD_CLIENT_RESHAPE] = "reshape",
        [QD_CLIENT_DESPAWN] = "despawn",
        [QD_CLIENT_SUBSCRIBE] = "subscribe",
        [QD_CLIENT_UNSUBSCRIBE] = "unsubscribe",
        [QD_CLIENT_STEP] = "step",
        [QD_CLIENT_QUERY] = "query",
        [QD_CLIENT_SET_DESCRIPTION] = "describe",
        [QD_CLIENT_OBSERVE] = "observe",
        [QD_CLIENT_MOVE_OBSERVERS] = "move_observers",
        [QD_CLIENT_UNOBSERVE] = "unobserve",
        [QD_CLIENT_SET_EXCEPTIONS] = "except",
        [QD_CLIENT_SET_VIEW_OPTIONS] = "view_options",
        [QD_CLIENT_HAND_OVER] = "hand_over",
    };
    const size_t count = sizeof names / sizeof names[0];

    return (size_t)kind < count && names[kind] != NULL ? names[kind] : "other";
}

static void on_refused(qd_session *of, qd_room *room, const qd_refusal *refusal, void *context)
{
    const char *name = room != NULL ? qd_room_name(room) : "-", *command = command_of(refusal->kind);

    (void)of;
    (void)context;
    if (refusal->whole) {
        last_code = refusal->code;
        add(&refusals, "refused %s %s %s\n", name, command, qd_error_code_name(refusal->code));
    }
    for (uint32_t i = 0; i < refusal->entry_count; i++) {
        add(&refusals, "refused %s %s %s %u %u\n", name, command,
            qd_error_code_name((qd_error_code)refusal->entry_code[i]), refusal->entry_index[i],
            refusal->entry_id != NULL ? refusal->entry_id[i] : 0);
    }
}

/* ---- the session ---- */

static void do_connect(const command_words *words)
{
    qd_session_options options = {.size = sizeof options,
                                  .token = words_text(words, "token", NULL),
                                  .name = "conformance",
                                  .adopt = words_number(words, "adopt", 0) != 0,
                                  .connect_ms = words_number(words, "connect_ms", 0),
                                  .ping_ms = words_number(words, "ping_ms", 0),
                                  .dead_ms = words_number(words, "dead_ms", 0),
                                  .backoff_ms = words_number(words, "backoff_ms", 0),
                                  .backoff_max_ms = words_number(words, "backoff_max_ms", 0)};
    const qd_session_handlers handlers = {.size = sizeof handlers,
                                          .refused = on_refused,
                                          .reset = is_quiet ? NULL : on_reset,
                                          .begin = is_quiet ? NULL : on_begin,
                                          .end = is_quiet ? NULL : on_end,
                                          .passed = is_quiet ? NULL : on_passed,
                                          .handed_over = on_handed_over,
                                          .closed = on_closed};

    session = qd_session_create(words->first, &options, &handlers);
    while (session != NULL && qd_session_state_now(session) != QD_SESSION_STATE_READY &&
           qd_session_state_now(session) != QD_SESSION_STATE_ENDED) {
        qd_session_run(session, WAIT_MS);
    }
    if (session == NULL) {
        printf("error '%s' is no address; must be HOST:PORT\n", words->first);
    } else if (qd_session_state_now(session) == QD_SESSION_STATE_ENDED) {
        printf("error refused %s\n", qd_error_code_name(last_code));
    } else {
        printf("ok\n");
    }
}

static void do_status(void)
{
    printf("ok connects=%llu resumes=%llu session=%llu\n", (unsigned long long)qd_session_connects(session),
           (unsigned long long)qd_session_resumes(session), (unsigned long long)qd_session_number(session));
}

/* ---- rooms ---- */

static driver_room *room_of(const command_words *words)
{
    for (uint32_t i = 0; i < room_count; i++) {
        if (strcmp(rooms[i].name, words->first) == 0 && rooms[i].room != NULL) {
            return &rooms[i];
        }
    }
    return NULL;
}

static bool read_config(const command_words *words, qd_msg_room_config *config)
{
    uint32_t count = 0;
    const float *bounds = words_f32(words, "bounds", &count);

    *config = (qd_msg_room_config){.dimensions = words_number(words, "dimensions", 0),
                                   .has_bounds = bounds != NULL,
                                   .tick_mode = (qd_tick_mode)words_number(words, "tick_mode", 0),
                                   .tick_hz = words_number(words, "tick_hz", 0),
                                   .entities_max = words_number(words, "entities_max", 0),
                                   .has_grace_ms = words_has(words, "grace_ms"),
                                   .grace_ms = words_number(words, "grace_ms", 0),
                                   .index = (qd_index_kind)words_number(words, "index", 0),
                                   .swept = words_number(words, "swept", 0) != 0,
                                   .writers = words_number(words, "writers", 0),
                                   .step_deadline_ms = words_number(words, "step_deadline_ms", 0)};
    if (count == 4) {
        config->bounds = (qd_msg_bounds){bounds[0], bounds[1], 0, bounds[2], bounds[3], 0};
    } else if (count == 6) {
        config->bounds = (qd_msg_bounds){bounds[0], bounds[1], bounds[2], bounds[3], bounds[4], bounds[5]};
    }
    return words->count > 0;
}

static void do_open(const command_words *words)
{
    qd_msg_room_config config;
    bool creates = read_config(words, &config);

    if (room_count == ROOMS_MAX) {
        printf("error there are %u rooms already\n", ROOMS_MAX);
        return;
    }
    driver_room *mine = &rooms[room_count++];
    const qd_view_handlers handlers = {.enter = on_enter, .leave = on_leave, .context = mine};
    snprintf(mine->name, sizeof mine->name, "%s", words->first);
    mine->room = qd_session_room(session, words->first, creates ? &config : NULL);
    if (mine->room == NULL || !qd_room_handle_views(mine->room, &handlers)) {
        printf("error %s\n", qd_session_problem(session));
        return;
    }
    qd_room_set_context(mine->room, mine);
    while (!qd_room_settled(mine->room) && !mine->closed && qd_session_state_now(session) != QD_SESSION_STATE_ENDED) {
        qd_session_run(session, WAIT_MS);
    }
    answer_outcome(mine->closed ? QD_OUTCOME_REFUSED : QD_OUTCOME_OK, qd_room_tick(mine->room));
}

static void do_leave(driver_room *mine, bool closes)
{
    (closes ? qd_room_close : qd_room_leave)(mine->room);
    mine->room = NULL;
    answer_outcome(qd_session_settle(session, WAIT_MS), 0);
}

static void do_request(driver_room *mine, const command_words *words)
{
    uint64_t request;

    if (!request_make(mine->room, words, &request)) {
        printf("error unknown command '%s'\n", words->command);
    } else if (request == 0) {
        printf("error %s\n", qd_session_problem(session));
    } else {
        mine->last = request;
        printf("ok\n");
    }
}

/* ---- waiting and reading ---- */

static void do_step(driver_room *mine)
{
    uint64_t tick = 0;
    uint64_t request = mine->last = qd_room_step(mine->room);
    qd_outcome outcome = qd_room_wait(mine->room, request, WAIT_MS, &tick);

    answer_outcome(outcome, tick);
}

/* Moves entities 0 to count - 1 as a roster `moves` times before each of `ticks` Steps. */
static void do_speed(driver_room *mine, const command_words *words)
{
    uint32_t count = words_number(words, "count", 0), moves = words_number(words, "moves", 0);
    uint32_t *ids = calloc(count + 1, sizeof *ids);
    float *x = calloc(count + 1, sizeof *x);
    uint64_t tick = 0;
    qd_outcome outcome = QD_OUTCOME_OK;
    struct timespec begin, end;
    clock_t cpu;

    for (uint32_t i = 0; i < count; i++) {
        ids[i] = i;
    }
    if (count > 0) {
        qd_room_spawn(mine->room, &(qd_msg_entities){.count = count, .id = ids, .x = x, .y = x}, false);
        qd_room_set_roster(mine->room, 0, ids, count);
        outcome = qd_room_step_wait(mine->room, WAIT_MS, &tick);
    }
    cpu = clock();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (uint32_t i = 0; i < words_number(words, "ticks", 0) && outcome == QD_OUTCOME_OK; i++) {
        for (uint32_t move = 0; move < moves; move++) {
            qd_room_move_roster(mine->room, 0, x, x, NULL, count);
            qd_session_process(session);
        }
        outcome = qd_room_step_wait(mine->room, WAIT_MS, &tick);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    free(ids);
    free(x);
    if (outcome != QD_OUTCOME_OK) {
        answer_outcome(outcome, tick);
        return;
    }
    printf("ok %.6f %.6f\n", (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
           (double)(clock() - cpu) / CLOCKS_PER_SEC);
}

static void do_sync(driver_room *mine)
{
    uint64_t tick = 0;
    qd_outcome outcome = mine->last != 0 ? qd_room_wait(mine->room, mine->last, WAIT_MS, &tick) : QD_OUTCOME_OK;

    /* A refused request is no failure here: `refusals` has it. */
    answer_outcome(outcome == QD_OUTCOME_REFUSED ? QD_OUTCOME_OK : outcome, qd_room_tick(mine->room));
}

static void print_pairs(const driver_room *mine)
{
    size_t cursor = 0;
    uint32_t a, b;

    while (qd_pairs_next(qd_room_pairs(mine->room), &cursor, &a, &b)) {
        printf("pair %u %u\n", a, b);
    }
}

static void print_view(const driver_room *mine)
{
    size_t cursor = 0;
    const qd_view_entity *is;

    while ((is = qd_view_next(qd_room_view(mine->room), &cursor)) != NULL) {
        printf("seen %u %u %.9g %.9g %.9g %.9g %.9g %.9g %.9g %u %llu ", is->observer, is->id, (double)is->x,
               (double)is->y, (double)is->z, (double)is->half_x, (double)is->half_y, (double)is->half_z,
               (double)is->radius, is->category, (unsigned long long)is->tag);
        for (uint32_t i = 0; i < is->payload_size; i++) {
            printf("%02x", is->payload[i]);
        }
        printf(is->payload_size > 0 ? "\n" : "-\n");
    }
}

static void print_watchers(const driver_room *mine, const command_words *words)
{
    uint32_t count = 0;
    const uint32_t *ids = words_u32(words, "id", &count);
    const qd_view *view = qd_room_view(mine->room);

    for (uint32_t i = 0; i < count; i++) {
        const qd_view_watcher *at = qd_view_watcher_first(view, ids[i]);

        for (; at != NULL; at = qd_view_watcher_after(view, at)) {
            printf("watcher %u %llu %u\n", at->entity, (unsigned long long)at->session, at->observer);
        }
    }
}

static void do_query(const driver_room *mine, const command_words *words)
{
    uint32_t count = 0;
    const float *at;
    qd_msg_query query = {.limit = words_number(words, "limit", 0)};
    const qd_msg_query_result *result;

    if ((at = words_f32(words, "circle", &count)) != NULL) {
        query.kind = QD_QUERY_CIRCLE;
        query.where.circle = (qd_msg_query_circle){at[0], at[1], count == 4 ? at[2] : 0, at[count - 1]};
    } else if ((at = words_f32(words, "nearest", &count)) != NULL) {
        query.kind = QD_QUERY_NEAREST;
        query.where.nearest = (qd_msg_query_nearest){.x = at[0], .y = at[1], .z = count == 3 ? at[2] : 0};
    }
    qd_outcome outcome = qd_room_query(mine->room, &query, WAIT_MS, &result);
    for (uint32_t i = 0; outcome == QD_OUTCOME_OK && i < result->count; i++) {
        printf("found %u %.17g\n", result->id[i], result->distance != NULL ? result->distance[i] : 0);
    }
    answer_outcome(outcome, outcome == QD_OUTCOME_OK ? result->tick : 0);
}

/* ---- commands ---- */

static void do_room_command(driver_room *mine, const command_words *words)
{
    const char *command = words->command;

    if (strcmp(command, "step") == 0) {
        do_step(mine);
    } else if (strcmp(command, "sync") == 0) {
        do_sync(mine);
    } else if (strcmp(command, "speed") == 0) {
        do_speed(mine, words);
    } else if (strcmp(command, "query") == 0) {
        do_query(mine, words);
    } else if (strcmp(command, "leave") == 0 || strcmp(command, "close") == 0) {
        do_leave(mine, *command == 'c');
    } else if (strcmp(command, "settled") == 0) {
        printf("ok %d\n", qd_room_settled(mine->room));
    } else if (strcmp(command, "pairs") == 0) {
        print_pairs(mine);
        printf("ok\n");
    } else if (strcmp(command, "view") == 0) {
        print_view(mine);
        printf("ok\n");
    } else if (strcmp(command, "watchers") == 0) {
        print_watchers(mine, words);
        printf("ok\n");
    } else if (strcmp(command, "events") == 0) {
        print_and_clear(&mine->events);
        printf("ok\n");
    } else {
        do_request(mine, words);
    }
}

static void carry_out(char *line)
{
    command_words words;

    if (strncmp(line, "relay ", strlen("relay ")) == 0) {
        relay_command(line + strlen("relay "));
        fflush(stdout);
        return;
    }
    words_split(&words, line);
    if (strcmp(words.command, "connect") == 0) {
        do_connect(&words);
    } else if (session == NULL) {
        printf("error connect first\n");
    } else if (strcmp(words.command, "status") == 0) {
        do_status();
    } else if (strcmp(words.command, "refusals") == 0) {
        print_and_clear(&refusals);
        printf("ok\n");
    } else if (strcmp(words.command, "open") == 0) {
        do_open(&words);
    } else if (room_of(&words) != NULL) {
        do_room_command(room_of(&words), &words);
    } else {
        printf("error the room '%s' is not open\n", words.first);
    }
    fflush(stdout);
}

/* ---- the loop ---- */

/* Commands that have been read, and the beginning of the next. */
static char input[1u << 20];
static size_t input_size;

/* Carries out the whole lines of the input. Returns whether to go on. */
static bool take_lines(void)
{
    char *end;

    while ((end = memchr(input, '\n', input_size)) != NULL) {
        size_t size = (size_t)(end + 1 - input);
        static char line[sizeof input];

        memcpy(line, input, size);
        line[size - 1] = '\0';
        memmove(input, input + size, input_size - size);
        input_size -= size;
        if (strcmp(line, "quit") == 0) {
            return false;
        }
        carry_out(line);
    }
    return true;
}

int main(int argc, char **argv)
{
    bool goes_on = true;

    is_quiet = argc > 1 && strcmp(argv[1], "--quiet") == 0;
    while (goes_on) {
        struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = -1, .events = POLLIN}};

        if (session != NULL) {
            ready[1].fd = qd_session_fd(session);
        }
        if (poll(ready, 2, session != NULL ? qd_session_timeout(session) : -1) < 0 && errno != EINTR) {
            return 1;
        }
        if (session != NULL) {
            qd_session_process(session);
        }
        if (ready[0].revents == 0) {
            continue;
        }
        ssize_t size = read(STDIN_FILENO, input + input_size, sizeof input - input_size);
        input_size += size > 0 ? (size_t)size : 0;
        goes_on = size > 0 && take_lines();
    }
    qd_session_destroy(session);
    printf("ok\n");
    return 0;
}
