/* SPDX-License-Identifier: Apache-2.0
 *
 * The file with the tokens changes and is read again, at any moment: what SIGHUP does. Sessions of which the token is gone
 * or allows something else must end, and no others: their connections get GoAway REVOKED, and nobody resumes them.
 */
#ifndef QD_TESTS_SIM_RELOAD_H
#define QD_TESTS_SIM_RELOAD_H

#include "client.h"

/* The server knows the tokens from the beginning. */
void sim_reload_start(sim_scene *scene);
/* Changes what a token allows, or nothing, and reloads; if the scenario has room for the consequences. */
void sim_reload(sim_scene *scene, sim_client *clients, uint32_t client_count);

#endif
