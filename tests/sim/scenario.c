/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include <stdio.h>
#include <string.h>

#include "server/base/memory/alloc.h"

#define TEXT_MAX       4096u
#define LOOPS_OF_HELLO 1000u

static const char *room_names[SIM_ROOMS] = {"room", "second", "third"};

/* Takes the next frame off the expected text: it is the same, but for the words behind an error. */
static bool take(const char **expected, const char *text, const char *words)
{
    const char *end = strstr(*expected, "; ");
    size_t size = end == NULL ? strlen(*expected) : (size_t)(end - *expected), same = 0;

    while (same < size && (*expected)[same] == text[same]) {
        same++;
    }
    bool is_open = same < size && (*expected)[same] == '*';
    if (!is_open && text[same] != '\0') {
        return false;
    }
    if (!is_open && same < size) {
        char wanted[TEXT_MAX];

        snprintf(wanted, sizeof wanted, "%.*s", (int)(size - same), *expected + same);
        if (words[0] == '\0' || strncmp(wanted, ": ", 2) != 0 || strstr(words, wanted + 2) == NULL) {
            return false;
        }
    }
    *expected += end == NULL ? size : size + 2;
    return true;
}

static bool take_or_skip(const char **expected, const char *text, const char *words)
{
    static const char any[] = "...; ";

    if (strncmp(*expected, any, strlen("...")) != 0) {
        return take(expected, text, words);
    }
    const char *behind = *expected + strlen(any);
    if (strncmp(*expected, any, strlen(any)) == 0 && take(&behind, text, words)) {
        *expected = behind;
    }
    return true;
}

static void keep_key(sim_scenario *play, uint8_t who, const qd_server_message *message)
{
    if (message->kind == QD_SERVER_WELCOME && message->as.welcome.resume_key.size == QD_RESUME_KEY_BYTES) {
        memcpy(play->keys[who], message->as.welcome.resume_key.bytes, QD_RESUME_KEY_BYTES);
    }
}

/* The next frame, after all has happened that needs no time: by that the frame was read, the server may go on. */
static const qd_server_message *settle(const sim_scenario *play, sim_peer *peer)
{
    const qd_server_message *message = sim_peer_next(peer);

    if (message == NULL) {
        sim_house_settle(play->house);
        message = sim_peer_next(peer);
    }
    return message;
}

/* All frames that the peer gets until nothing more happens, and the end of its connection, are the expected ones. */
static void look(sim_scenario *play, const sim_step *step)
{
    sim_peer *peer = &play->peers[step->who];
    char all[TEXT_MAX] = "", wanted[TEXT_MAX];
    const char *expected = wanted;
    bool same = true;
    size_t used = 0;

    snprintf(wanted, sizeof wanted, step->gets, play->round);
    for (const qd_server_message *message; (message = settle(play, peer)) != NULL;) {
        const char *words = message->kind == QD_SERVER_ERROR      ? message->as.error.text
                            : message->kind == QD_SERVER_ACCEPTED ? message->as.accepted.text
                                                                  : "";
        char text[TEXT_MAX / 4];

        if (play->check != NULL) {
            play->check(message);
        }
        sim_frame_text(play, step->who, message, text, sizeof text);
        keep_key(play, step->who, message);
        if (text[0] == '\0') {
            continue;
        }
        same = same && take_or_skip(&expected, text, words);
        if (used < sizeof all) {
            used +=
                (size_t)snprintf(all + used, sizeof all - used, "%s%s%s; ", text, words[0] != '\0' ? ": " : "", words);
        }
    }
    if (peer->link->closed) {
        same = same && take_or_skip(&expected, "end", "");
    }
    sim_check(same && (*expected == '\0' || strcmp(expected, "...") == 0), "peer %c got \"%s\"%s, not \"%s\"",
              'A' + step->who, all, peer->link->closed ? " and the end" : "", wanted);
}

/* The text, which is a list with "; " behind each entry, has all those of the step, in its order. */
static void check_state(const sim_step *step, const char *text)
{
    char wanted[128];

    snprintf(wanted, sizeof wanted, "; %s; ", step->gets);
    sim_check(strstr(text, wanted) != NULL, "\"%s\", not \"%s\"", text, step->gets);
}

static void check_link(const sim_link *link, const sim_step *step)
{
    char text[256];

    snprintf(text, sizeof text, "; %s; %u pauses; %u frames; %zu bytes in; %zu bytes out; ",
             link->closed ? "closed" : "open", link->pauses, link->frames_handed_out, link->in_size,
             qd_link_queued(&link->link));
    check_state(step, text);
}

/* The sum over all quotas. */
static unsigned long long count_refused(const qd_service *service, qd_counter first)
{
    unsigned long long sum = 0;

    for (unsigned quota = 0; quota < QD_QUOTAS; quota++) {
        sum += qd_counted(&service->counters, first + (qd_counter)quota);
    }
    return sum;
}

static void check_world(const sim_scenario *play, const sim_step *step)
{
    qd_service *service = &play->house->server.service;
    qd_msg_server_stats stats;
    char text[400];

    qd_service_stats(service, &stats);
    snprintf(text, sizeof text,
             "; actors %u; rooms %u; sessions %u; detached %u; resumed %llu; updates %llu; ticks %llu; too slow %llu; "
             "refused by sessions %llu; refused by tokens %llu; ",
             atomic_load(&service->actors), stats.rooms, stats.sessions, stats.detached,
             (unsigned long long)stats.resumed, (unsigned long long)stats.updates, (unsigned long long)stats.ticks,
             (unsigned long long)stats.too_slow, count_refused(service, QD_COUNT_REFUSED_SESSION),
             count_refused(service, QD_COUNT_REFUSED_TENANT));
    check_state(step, text);
}

static void stand_still(const sim_scenario *play, uint64_t ms)
{
    qd_counters *counters = &play->house->server.service.counters;
    uint64_t before = qd_counted(counters, QD_COUNT_TICKS);

    sim_house_pass(play->house, ms);
    sim_check(qd_counted(counters, QD_COUNT_TICKS) == before, "a room ticks");
}

static void run_loops(sim_scenario *play, uint64_t times)
{
    for (uint64_t i = 0; i < times; i++) {
        (void)sim_step_links(&play->house->world, 100);
    }
}

static void say_hello(sim_scenario *play, const sim_step *step)
{
    sim_peer *peer = &play->peers[step->who];
    qd_msg_hello hello = {.version = QD_PROTOCOL_VERSION, .token = step->text, .resumable = step->resumable};
    uint8_t key[QD_RESUME_KEY_BYTES];

    memcpy(key, play->keys[step->from], sizeof key);
    key[play->round % sizeof key] ^= step->spoiled ? 0x10 : 0;
    if (step->resumes) {
        hello.resume = (qd_msg_key){sizeof key - step->cut, key};
    }
    sim_peer_connect(peer, play->house);
    play->connected[step->who] = true;
    sim_peer_send(peer, MESSAGE(HELLO, .hello = hello));
    if (!step->resumable) {
        (void)sim_peer_expect(peer, QD_SERVER_WELCOME);
        return;
    }
    if (step->loops_alone) {
        run_loops(play, LOOPS_OF_HELLO);
        return;
    }
    /* An older connection has to be closed first. */
    sim_house_pass(play->house, 20);
}

static void close_peer(sim_scenario *play, uint8_t who)
{
    sim_peer_close(&play->peers[who]);
    play->connected[who] = false;
}

static void send_message(sim_scenario *play, const sim_step *step)
{
    qd_client_message message = step->message;

    if (sim_names_room(message.kind) && message.as.room.room == 0) {
        message.as.room.room = play->rooms[play->room];
    }
    sim_peer_send(&play->peers[step->who], message);
}

static void open_room(sim_scenario *play, const sim_step *step)
{
    sim_peer *peer = &play->peers[step->who];
    const qd_msg_room_config deep = {.tick_mode = QD_TICK_MODE_STEP, .dimensions = 3, .bounds.max_z = 100};

    play->room = step->first;
    play->rooms[play->room] = sim_peer_open_room(peer, room_names[play->room], step->deep ? &deep : play->config);
}

static void play_step(sim_scenario *play, const sim_step *step)
{
    sim_peer *peer = &play->peers[step->who];
    sim_crowd crowd = step->crowd;

    switch (step->act) {
    case SIM_CONNECT:
        sim_peer_connect(peer, play->house);
        play->connected[step->who] = true;
        break;
    case SIM_HELLO:
        say_hello(play, step);
        break;
    case SIM_CLOSE:
        close_peer(play, step->who);
        break;
    case SIM_OPEN_ROOM:
        open_room(play, step);
        break;
    case SIM_IN_ROOM:
        play->room = step->first;
        break;
    case SIM_CROWD:
        crowd.first += crowd.stride * play->round;
        sim_peer_send_crowd(peer, play->rooms[play->room], &crowd);
        break;
    case SIM_SEND:
        send_message(play, step);
        break;
    case SIM_LINK:
        check_link(peer->link, step);
        return;
    case SIM_PASS:
        sim_house_pass(play->house, step->count);
        break;
    case SIM_STALL:
        play->house->world.now_ns += step->count * SIM_MS_NS;
        break;
    case SIM_LOOPS:
        run_loops(play, step->count);
        break;
    case SIM_STILL:
        stand_still(play, step->count);
        break;
    case SIM_MARK:
        play->memory = qd_memory_used();
        break;
    case SIM_GREW:
        sim_check(qd_memory_used() <= play->memory + step->count, "%zu bytes instead of %zu", qd_memory_used(),
                  play->memory);
        break;
    case SIM_CALL:
        step->call(play);
        break;
    case SIM_WORLD:
        check_world(play, step);
        return;
    case SIM_LOOK:
    case SIM_REPEAT:
    case SIM_AGAIN:
    case SIM_END:
        break;
    }
    if (step->gets != NULL) {
        look(play, step);
    }
}

static void play_steps(sim_scenario *play, const sim_step *steps)
{
    const sim_step *repeat = NULL;

    for (const sim_step *step = steps; step->act != SIM_END; step++) {
        play->house->world.line = step->line;
        play_step(play, step);
        if (step->act == SIM_REPEAT) {
            repeat = step;
            play->round = step->first;
        } else if (step->act == SIM_AGAIN && ++play->round < repeat->first + repeat->count) {
            step = repeat;
        }
    }
    for (uint8_t who = 0; who < SIM_PEERS; who++) {
        if (play->connected[who]) {
            close_peer(play, who);
        }
    }
}

static sim_case *first_case;

void sim_register(sim_case *added)
{
    added->next = first_case;
    first_case = added;
}

unsigned sim_run_cases(unsigned first, unsigned step)
{
    static sim_house house;
    static sim_scenario play;
    unsigned count = 0;

    for (const sim_case *each = first_case; each != NULL; each = each->next, count++) {
        if (count % step != first) {
            continue;
        }
        sim_house_open(&house, &each->limits);
        house.world.name = each->name;
        if (each->steps != NULL) {
            play = (sim_scenario){.house = &house, .config = each->config};
            play_steps(&play, each->steps);
        } else {
            each->run(&house);
        }
        sim_house_close(&house);
    }
    return count;
}
