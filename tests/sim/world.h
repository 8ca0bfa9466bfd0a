/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated world under the server: random numbers, time, a scheduler and links made of memory. It has one thread,
 * and the seed decides everything that happens.
 *
 *     client --bytes--> link.in --frames, cut anywhere--> server
 *     client <--bytes-- link.out (bounded as in link.h) <-- server
 *
 * Nothing happens by itself. The test runs actors, steps links and moves time, in any order.
 */
#ifndef QD_TESTS_SIM_WORLD_H
#define QD_TESTS_SIM_WORLD_H

#include "proto/codec.h"
#include "proto/framing.h"
#include "server/base/executor.h"
#include "server/base/link.h"

typedef struct sim_link sim_link;

/* Called for each frame that the server sends, queued or not. */
typedef void (*sim_tap_fn)(sim_link *link, const qd_server_message *message, bool queued, void *context);

/* Called for each frame just before the server gets it. */
typedef void (*sim_handed_fn)(sim_link *link, const uint8_t *frame, size_t size, void *context);

typedef struct sim_world {
    uint64_t seed;
    const char *name; /* of the case, and the line of its step; may be NULL */
    int line;
    uint64_t rng;
    uint64_t task_rng; /* of the order of tasks, so that the number of forks changes nothing else */
    uint64_t now_ns;
    uint64_t wall_ahead_s; /* how far the wall clock has been set forwards */
    uint64_t look_ns;      /* passes at each look at the clock */
    uint64_t hash;         /* of all bytes that the server queued, in their order */

    /* Not NULL: this actor runs when it is due, before all others and without a draw, so that the seed's schedule does
     * not depend on it. */
    qd_actor *prompt;
    uint64_t (*prompt_due_ns)(void *context);
    void *prompt_context;
    bool in_prompt;

    /* Not NULL: called now and then while an actor runs, like a thread of which the server knows nothing. */
    void (*interrupt)(void *context);
    void *interrupt_context;

    qd_scheduler scheduler; /* give this to the server */
    qd_executor executor;
    qd_actor **queued;
    size_t queued_count, queued_capacity;
    qd_actor **timed;
    size_t timed_count, timed_capacity;
    bool restless;    /* the loops work while actors run, when these ask for the time */
    uint32_t workers; /* so many actors run at once, as one starts when another asks for the time; 0: one */
    uint32_t running; /* actors */
    bool in_loops;
    qd_actor *retiring;
    qd_actor_fn retired;

    sim_link **links; /* all that ever were, with a reference each */
    size_t link_count, link_capacity;
} sim_world;

void sim_world_init(sim_world *world, uint64_t seed);
/* What happens from now on comes from another seed. */
void sim_world_reseed(sim_world *world, uint64_t seed);
/* Nothing may be queued or timed any more. */
void sim_world_deinit(sim_world *world);

/* Prints the seed and what went wrong, and aborts. */
_Noreturn void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define sim_check(condition, ...)                                                                                      \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            sim_fail(__VA_ARGS__);                                                                                     \
    } while (0)

/* Makes room for one entry more in an array of `count` entries. */
void *sim_grow(void *array, size_t count, size_t *capacity, size_t size);

/* A number below `count`, which is at least 1. */
uint32_t sim_pick(sim_world *world, uint32_t count);
bool sim_percent(sim_world *world, uint32_t percent);
uint64_t sim_random(void *world);
/* The wall clock, which begins at SIM_WALL_S. */
#define SIM_WALL_S UINT64_C(1700000000)
uint64_t sim_wall_s(void *world);

/* Runs one of the actors that are due or woken, if there is one. */
bool sim_run_actor(sim_world *world);
/* Lets the server's loop serve that percentage of the links. Returns whether there was anything to do. */
bool sim_step_links(sim_world *world, uint32_t percent);
/* When the next timer of an actor or a link is due; QD_NEVER: there is none. */
uint64_t sim_next_due_ns(const sim_world *world);
/* Lets time pass, and everything happen that becomes due. `settle` lets everything happen that needs no time. */
void sim_pass(sim_world *world, uint64_t ms, void (*settle)(void *context), void *context);

/* Decodes a frame that the server sent. */
void sim_decode(const qd_buffer *buffer, qd_decoded_server *decoded);
/* A digest of the frames that each link was sent, except Stats; *count: how many. */
uint64_t sim_frames_digest(const sim_world *world, uint64_t *count);

typedef struct sim_outgoing {
    qd_buffer *buffer;
    qd_link_class class;
} sim_outgoing;

struct sim_link {
    qd_link link; /* first */
    sim_world *world;
    qd_link_handler handler;
    size_t outbox_bytes_max;
    sim_tap_fn tap; /* may be NULL, like `handed` */
    sim_handed_fn handed;
    void *tap_context;   /* of both */
    void *owner;         /* the client */
    uint64_t session;    /* as the tap saw it; 0: none yet */
    uint64_t session_ns; /* when that was */
    uint64_t hello_seq;  /* that opened it */
    uint8_t grant;       /* of its Hello: sim_grant */
    bool is_revoked;     /* the token allows something else now, */
    bool is_told;        /* and the server has sent that */

    uint8_t *in; /* written by the client and not read by the server */
    size_t in_size, in_capacity;
    qd_frame_reader reader;
    uint32_t frames_handed_out;
    uint32_t pauses;
    uint64_t deadline_ns, rest_ns;
    uint32_t failed_tokens, failed_tokens_max; /* wrong tokens of this link; how many it may send */
    bool is_full;                              /* the server has no place for this link */
    uint32_t watched_ms;                       /* see qd_link_watch */

    sim_outgoing *out;
    size_t out_count, out_capacity;
    size_t out_taken;              /* bytes of the first that the client has read */
    size_t out_bytes, out_counted; /* as link.h counts them */
    size_t replies_counted;
    bool refused;
    uint64_t frames_sent, frames_hash; /* of the frames that were queued, except Stats */

    bool opened, faulted, close_asked, closed;
    bool dropped; /* the client is gone */
    uint64_t close_due_ns;
};

/* A new connection; a reference for the client. */
sim_link *sim_link_create(sim_world *world, const qd_link_handler *handler, size_t outbox_bytes_max);
/* The client's end. */
void sim_link_send(sim_link *link, const qd_client_message *message);
void sim_link_write(sim_link *link, const void *bytes, size_t size);
size_t sim_link_read(sim_link *link, void *bytes, size_t size);
/* The next whole frame, for a client that reads no other way; NULL: there is none. Release it. */
qd_buffer *sim_link_take(sim_link *link);
void sim_link_drop(sim_link *link);
#endif
