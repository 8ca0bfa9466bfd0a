/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases: what the server does at a given moment or at a given limit. Time stands still until a case moves it, so that
 * nothing depends on the machine. A case registers itself, with limits of its server or a config of its rooms:
 *
 *     SCENARIO(entities_are_limited, .limits = {.entities_max = 2}) = {
 *         JOIN(A, "token"),
 *         SPAWN(A, NULL, 1, 2, 0),
 *         STEP(A, "applied 1"),
 *     };
 *     CASE(rooms_are_small) { ... with `house` ... }
 *
 * A scenario is what peers do in a house, step by step, and all frames that each of them gets, as text. The second
 * argument of a step that sends is what the peer has got by then: NULL: the scenario does not look; "": nothing;
 * otherwise every frame since the last look, separated by "; " (frame_text.c writes them). Behind an error stand words of
 * its text: "error INVALID: roster is 256". Behind all frames stands "end" if the server has closed the connection. A
 * "..." stands for any number of frames, a * for the rest of a frame, and %u for the number of the round. Messages are for
 * the current room unless they name another.
 */
#ifndef QD_TESTS_SIM_SCENARIO_H
#define QD_TESTS_SIM_SCENARIO_H

#include "peer.h"

enum { A, B, C, D, SIM_PEERS };

#define SIM_ROOMS     3
#define SIM_STEPS_MAX 64

typedef enum sim_act {
    SIM_END = 0, /* of the steps */
    SIM_CONNECT,
    SIM_HELLO,
    SIM_CLOSE,
    SIM_OPEN_ROOM,
    SIM_IN_ROOM,
    SIM_CROWD,
    SIM_SEND,
    SIM_LOOK,
    SIM_LINK,
    SIM_PASS,
    SIM_STALL,
    SIM_LOOPS,
    SIM_STILL,
    SIM_MARK,
    SIM_GREW,
    SIM_CALL,
    SIM_WORLD,
    SIM_REPEAT,
    SIM_AGAIN,
} sim_act;

/* The events of a tick that come in several frames; or what comes in parts otherwise. */
typedef struct sim_parts {
    qd_server_message first; /* without what it points to */
    uint32_t count, group, events[5];
    uint64_t previous;
} sim_parts;

typedef struct sim_scenario {
    sim_house *house;
    const qd_msg_room_config *config;
    sim_peer peers[SIM_PEERS];
    bool connected[SIM_PEERS];
    uint8_t keys[SIM_PEERS][QD_RESUME_KEY_BYTES];
    sim_parts parts[SIM_PEERS];
    uint64_t rooms[SIM_ROOMS];
    uint32_t room;                                   /* the current one */
    uint32_t round;                                  /* its number */
    size_t memory;                                   /* when it was marked */
    void (*check)(const qd_server_message *message); /* of each message that a peer gets; may be NULL */
} sim_scenario;

typedef struct sim_step {
    int line;
    sim_act act;
    uint8_t who;
    const char *gets;
    const char *text;
    bool resumable, resumes, cut, spoiled;
    bool loops_alone; /* Hello is handled while no room runs */
    uint8_t from;     /* whose key is used */
    uint32_t first;
    uint64_t count;
    sim_crowd crowd;
    bool deep; /* a room of three dimensions */
    void (*call)(sim_scenario *play);
    qd_client_message message;
} sim_step;

typedef struct sim_case {
    const char *name;
    void (*run)(sim_house *house); /* NULL: the steps */
    const sim_step *steps;
    const qd_msg_room_config *config; /* of rooms; NULL: they tick by Step */
    qd_limits limits;                 /* a limit of 0 stands for a large one */
    struct sim_case *next;
} sim_case;

void sim_register(sim_case *added);
/* Runs every `step`th from `first` on; a failure ends the program. Returns how many there are in all. */
unsigned sim_run_cases(unsigned first, unsigned step);

/* Lets every allocation of a life fail. Returns how many there are. (allocations.c) */
uint64_t sim_fail_each_allocation(void);

/* Writes a frame that the peer got, without an Error's text. Nothing is written of a part that is not the last. */
void sim_frame_text(sim_scenario *play, uint8_t who, const qd_server_message *message, char *text, size_t size);

#define SIM_REGISTER(name_, ...)                                                                                       \
    static sim_case case_##name_ = {.name = #name_, __VA_ARGS__};                                                      \
    __attribute__((constructor)) static void register_##name_(void)                                                    \
    {                                                                                                                  \
        sim_register(&case_##name_);                                                                                   \
    }
#define SCENARIO(name_, ...)                                                                                           \
    static const sim_step name_[SIM_STEPS_MAX];                                                                        \
    SIM_REGISTER(name_, .steps = name_, __VA_ARGS__)                                                                   \
    static const sim_step name_[SIM_STEPS_MAX]
#define CASE(name_, ...)                                                                                               \
    static void name_(sim_house *house);                                                                               \
    SIM_REGISTER(name_, .run = name_, __VA_ARGS__)                                                                     \
    static void name_(sim_house *house)
#define CONFIG(...)                                                                                                    \
    .config = &(const qd_msg_room_config)                                                                              \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

#define SIM_STEP(...)                                                                                                  \
    {                                                                                                                  \
        .line = __LINE__, __VA_ARGS__                                                                                  \
    }

/* Connects; the same and says Hello; the same with the key of another peer's session. */
#define CONNECT(peer)     SIM_STEP(.act = SIM_CONNECT, .who = (peer))
#define OPEN(peer, token) SIM_STEP(.act = SIM_HELLO, .who = (peer), .text = (token))
#define RESUMABLE(peer, token, want)                                                                                   \
    SIM_STEP(.act = SIM_HELLO, .who = (peer), .text = (token), .gets = (want), .resumable = true)
#define RESUME(peer, of, token, want) RESUME_WITH(peer, of, token, want, .cut = false)
/* The key may be cut short, or have a wrong bit, in each round in another byte. */
#define RESUME_WITH(peer, of, token, want, ...)                                                                        \
    SIM_STEP(.act = SIM_HELLO, .who = (peer), .text = (token), .gets = (want), .resumable = true, .resumes = true,     \
             .from = (of), __VA_ARGS__)
/* The older connection is closed; the network's loops resume the session, and no room runs. */
#define RESUME_IN_LOOPS(peer, of) RESUME_WITH(peer, of, NULL, NULL, .loops_alone = true)
#define CLOSE(peer)               SIM_STEP(.act = SIM_CLOSE, .who = (peer))
/* Opens room `number`, which becomes the current one. */
#define ROOM(peer, number)      SIM_STEP(.act = SIM_OPEN_ROOM, .who = (peer), .first = (number))
#define IN_ROOM(number)         SIM_STEP(.act = SIM_IN_ROOM, .first = (number))
#define JOIN(peer, token)       OPEN(peer, token), ROOM(peer, 0)
#define CUBE_ROOM(peer, number) SIM_STEP(.act = SIM_OPEN_ROOM, .who = (peer), .first = (number), .deep = true)
/* `many` boxes of 2 by 2 with ids from `id` on, along the diagonal. */
#define SPAWN(peer, want, id, many, distance) SPAWN_EACH(peer, want, id, 0, many, distance)
/* The same, with ids that go on by `step` in each round. */
#define SPAWN_EACH(peer, want, id, step, many, distance)                                                               \
    CROWD(peer, want, .first = (id), .stride = (step), .count = (many), .apart = (distance))
#define CROWD(peer, want, ...) SIM_STEP(.act = SIM_CROWD, .who = (peer), .gets = (want), .crowd = {__VA_ARGS__})
#define SEND(peer, want, name, ...)                                                                                    \
    SIM_STEP(.act = SIM_SEND, .who = (peer), .gets = (want), .message = {.kind = QD_CLIENT_##name, .as = {__VA_ARGS__}})
/* A batch that asks for its Accepted. */
#define CONFIRM(peer, want, name, ...)                                                                                 \
    SIM_STEP(.act = SIM_SEND, .who = (peer), .gets = (want),                                                           \
             .message = {.kind = QD_CLIENT_##name, .confirm = true, .as = {__VA_ARGS__}})
#define STEP(peer, want)             SEND(peer, want, STEP, .step = {0})
#define STEP_TO(peer, want, number)  SEND(peer, want, STEP, .step = {.tick = (number)})
#define SUBSCRIBE(peer, want, whose) SEND(peer, want, SUBSCRIBE, .subscribe = {.scope = QD_SCOPE_##whose})
/* Joins the first room, if there is one. */
#define REJOIN(peer, want)     SEND(peer, want, OPEN_ROOM, .open_room.name = "room")
#define LEAVE(peer, want)      SEND(peer, want, LEAVE_ROOM, .room = {0})
#define CLOSE_ROOM(peer, want) SEND(peer, want, CLOSE_ROOM, .room = {0})
#define SNAPSHOT(peer, want)   SEND(peer, want, GET_SNAPSHOT, .get_snapshot = {0})
#define MOVE(peer, want, id_, x_, y_)                                                                                  \
    SEND(peer, want, MOVE, .batch.entities = {.count = 1, .id = IDS(id_), .x = FLOATS(x_), .y = FLOATS(y_)})
#define DESPAWN(peer, want, number) SEND(peer, want, DESPAWN, .batch.entities = {.count = 1, .id = IDS(number)})
#define OBSERVE(peer, want, number, ...)                                                                               \
    SEND(peer, want, OBSERVE, .observers = {.count = 1, .id = IDS(number), __VA_ARGS__})
#define UNOBSERVE(peer, want, number) SEND(peer, want, UNOBSERVE, .observers = {.count = 1, .id = IDS(number)})
#define WATCH(peer, want, whom)       SEND(peer, want, SET_VIEW_OPTIONS, .set_view_options = {.watch = (whom)})
#define LOOK(peer, want)              SIM_STEP(.act = SIM_LOOK, .who = (peer), .gets = (want))
/* The peer's link: "open" or "closed", "1 pauses", "7 frames" handed to the server, "0 bytes in" and "0 bytes out". */
#define LINK(peer, state) SIM_STEP(.act = SIM_LINK, .who = (peer), .gets = (state))
/* Time passes, and everything happens that becomes due; it passes, and nothing happens; the network's loops run so many
 * times, and no room; time passes, and no room ticks. */
#define PASS(time)   SIM_STEP(.act = SIM_PASS, .count = (time))
#define STALL(time)  SIM_STEP(.act = SIM_STALL, .count = (time))
#define LOOPS(times) SIM_STEP(.act = SIM_LOOPS, .count = (times))
#define STILL(time)  SIM_STEP(.act = SIM_STILL, .count = (time))
/* The server's memory has grown by so many bytes at most since the mark. */
#define MARK           SIM_STEP(.act = SIM_MARK)
#define GREW(most)     SIM_STEP(.act = SIM_GREW, .count = (most))
#define CALL(function) SIM_STEP(.act = SIM_CALL, .call = (function))
/* The server counts this: "actors 1", "rooms", "sessions", "detached", "resumed", "updates", "ticks", "too slow",
 * "refused by sessions" and "refused by tokens", of all quotas. */
#define WORLD(counted) SIM_STEP(.act = SIM_WORLD, .gets = (counted))
/* So many rounds of the steps up to AGAIN. The first round has that number. */
#define REPEAT(rounds, number) SIM_STEP(.act = SIM_REPEAT, .count = (rounds), .first = (number))
#define AGAIN                  SIM_STEP(.act = SIM_AGAIN)

#define IDS(...)    ((const uint32_t[]){__VA_ARGS__})
#define FLOATS(...) ((const float[]){__VA_ARGS__})
#define TAGS(...)   ((const uint64_t[]){__VA_ARGS__})
#define BYTES(...)  ((const uint8_t[]){__VA_ARGS__})

#endif
