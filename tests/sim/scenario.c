/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX 4096u

static const char *room_names[SIM_ROOMS] = {"room", "second", "third"};

/* All but these name a room, as their first field. */
static bool names_room(qd_client_kind kind)
{
    return kind != QD_CLIENT_HELLO && kind != QD_CLIENT_OPEN_ROOM && kind != QD_CLIENT_LIST_ROOMS &&
           kind != QD_CLIENT_PING;
}

/* Takes one frame off the expected text; it is the same, but for the words behind an error. */
static bool take(const char **expected, const char *text, const char *words)
{
    size_t size = strlen(text);

    if (strncmp(*expected, text, size) != 0) {
        return false;
    }
    const char *at = *expected + size, *end = strstr(at, "; ");
    size_t left = end == NULL ? strlen(at) : (size_t)(end - at);
    if (left >= 2 && words[0] != '\0' && at[0] == ':') {
        char wanted[TEXT_MAX];

        snprintf(wanted, sizeof wanted, "%.*s", (int)left - 2, at + 2);
        if (strstr(words, wanted) == NULL) {
            return false;
        }
    } else if (left > 0) {
        return false;
    }
    *expected = end == NULL ? at + left : end + 2;
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
static void look(sim_scenario *play, const sim_step *step, const char *name)
{
    sim_peer *peer = &play->peers[step->who];
    const char *expected = step->gets;
    char all[TEXT_MAX] = "";
    bool same = true;
    size_t used = 0;

    for (const qd_server_message *message; (message = settle(play, peer)) != NULL;) {
        const char *words = message->kind == QD_SERVER_ERROR ? message->as.error.text : "";
        char text[TEXT_MAX / 4];

        sim_frame_text(play, peer, message, text, sizeof text);
        keep_key(play, step->who, message);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s%s; ", text, words[0] != '\0' ? ": " : "", words);
        sim_check(used < sizeof all, "%s, line %d: too many frames", name, step->line);
        same = same && take(&expected, text, words);
    }
    if (peer->link->closed) {
        same = same && take(&expected, "end", "");
    }
    sim_check(same && *expected == '\0', "%s, line %d: peer %c got \"%s\"%s, not \"%s\"", name, step->line,
              'A' + step->who, all, peer->link->closed ? " and the end" : "", step->gets);
}

static void check_world(const sim_scenario *play, const sim_step *step, const char *name)
{
    qd_service *service = &play->house->server.service;
    qd_msg_server_stats stats;
    char text[256], wanted[64];

    qd_service_stats(service, &stats);
    snprintf(text, sizeof text,
             "; actors %u; rooms %u; sessions %u; detached %u; resumed %llu; updates %llu; too slow %llu; ",
             atomic_load(&service->actors), stats.rooms, stats.sessions, stats.parked,
             (unsigned long long)stats.resumed, (unsigned long long)stats.updates, (unsigned long long)stats.too_slow);
    snprintf(wanted, sizeof wanted, "; %s; ", step->gets);
    sim_check(strstr(text, wanted) != NULL, "%s, line %d: \"%s\", not \"%s\"", name, step->line, text, step->gets);
}

static void say_hello(sim_scenario *play, const sim_step *step)
{
    sim_peer *peer = &play->peers[step->who];
    qd_msg_hello hello = {.version = QD_PROTOCOL_VERSION, .token = step->text, .resumable = step->resumable};

    if (step->resumes) {
        hello.resume = (qd_msg_key){QD_RESUME_KEY_BYTES, play->keys[step->from]};
    }
    sim_peer_connect(peer, play->house);
    play->connected[step->who] = true;
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_HELLO, .as.hello = hello});
    if (!step->resumable) {
        (void)sim_peer_expect(peer, QD_SERVER_WELCOME);
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

    if (names_room(message.kind) && message.as.room.room == 0) {
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

static void play_step(sim_scenario *play, const sim_step *step, const char *name)
{
    sim_peer *peer = &play->peers[step->who];

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
    case SIM_SPAWN:
        sim_peer_spawn(peer, play->rooms[play->room], step->first, step->count, step->spacing);
        break;
    case SIM_SEND:
        send_message(play, step);
        break;
    case SIM_PASS:
        sim_house_pass(play->house, step->ms);
        break;
    case SIM_STALL:
        play->house->world.now_ns += step->ms * SIM_MS_NS;
        break;
    case SIM_CALL:
        step->call(play);
        break;
    case SIM_WORLD:
        check_world(play, step, name);
        return;
    case SIM_LOOK:
    case SIM_END:
        break;
    }
    if (step->gets != NULL) {
        look(play, step, name);
    }
}

void sim_run_scenario(sim_house *house, const char *name, const qd_msg_room_config *config, const sim_step *steps)
{
    static sim_scenario play;

    play = (sim_scenario){.house = house, .config = config};
    for (const sim_step *step = steps; step->act != SIM_END; step++) {
        play_step(&play, step, name);
    }
    for (uint8_t who = 0; who < SIM_PEERS; who++) {
        if (play.connected[who]) {
            close_peer(&play, who);
        }
    }
}
