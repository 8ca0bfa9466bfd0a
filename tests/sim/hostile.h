/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions that mean harm: they send garbage, frames with flipped bits and floods of requests, open rooms, do not read,
 * and drop their connections at any byte. No model follows them. They never change what a model follows: they join the
 * rooms of others to ask, and write only in their own.
 */
#ifndef QD_TESTS_SIM_HOSTILE_H
#define QD_TESTS_SIM_HOSTILE_H

#include "client.h"

typedef enum sim_malice {
    SIM_MALICE_SILENT, /* connects, and sends nothing */
    SIM_MALICE_GARBAGE,
    SIM_MALICE_FLIPPED, /* valid frames, of which some have flipped bits */
    SIM_MALICE_FLOOD,   /* reads nothing */
    SIM_MALICE_ROOMS,   /* opens rooms */
    SIM_MALICES,
} sim_malice;

typedef struct sim_hostile {
    sim_scene *scene;
    sim_link *link; /* NULL: none */
    sim_malice malice;
    uint32_t links, rooms; /* so far */
    uint64_t seq;
} sim_hostile;

void sim_hostile_init(sim_hostile *hostile, sim_scene *scene);
void sim_hostile_deinit(sim_hostile *hostile);
/* Does one harmful thing. */
void sim_hostile_act(sim_hostile *hostile);

#endif
