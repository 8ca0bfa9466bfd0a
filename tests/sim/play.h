/* SPDX-License-Identifier: Apache-2.0
 *
 * What one seed of the simulation plays.
 */
#ifndef QD_TESTS_SIM_PLAY_H
#define QD_TESTS_SIM_PLAY_H

#include <stdbool.h>
#include <stdint.h>

/* What makes a seed worse than usual. A seed draws its own traits, or gets them from --with. */
typedef enum sim_trait {
    SIM_CUTS = 1,      /* connections are cut often, sessions resume and adopt often */
    SIM_HOSTILE = 2,   /* sessions that mean harm (hostile.c) */
    SIM_JUMPS = 4,     /* the clock jumps by up to a minute */
    SIM_WORKERS = 8,   /* several actors run at once */
    SIM_HALT = 16,     /* the server stops at a random moment, and does not wait for its rooms */
    SIM_PRESSURE = 32, /* memory runs out, again and again; without the other traits (pressure.c) */
    SIM_RELOADS = 64,  /* tokens change, and sessions end by that (reload.c) */
} sim_trait;

typedef struct sim_played {
    uint64_t hash; /* of the server's bytes */
    uint64_t ticks;
} sim_played;

void sim_play_seed(uint64_t seed, uint32_t traits, bool print_digests, sim_played *played);
/* The same with SIM_PRESSURE. */
void sim_press_seed(uint64_t seed, sim_played *played);

#endif
