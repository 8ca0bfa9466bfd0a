/* SPDX-License-Identifier: Apache-2.0
 *
 * The seeds of a model test. Each runs in a process of its own, so that a failed assertion inside the room is a finding
 * like any other. A failing script is shrunk: it is cut after the command that failed, then loses every command without
 * which it still fails.
 */
#ifndef QD_TESTS_MODEL_ROOM_SEEDS_H
#define QD_TESTS_MODEL_ROOM_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEDS_COMMANDS_MAX 400u

/* Commands of the script that are not to be run, and whether each that is run is to be named. */
extern bool seeds_left_out[SEEDS_COMMANDS_MAX];
extern bool seeds_verbose;

/* Zeroed memory that all processes share. */
void *seeds_shared(size_t size);
/* Runs as many seeds as the command line asks for, [SEEDS [FIRST]], else *count from 0 on, which becomes how many they
 * are; false where one failed, which is then named. `run` exits where a script fails, and keeps in *command, which is
 * shared, how far it has come; it runs commands below `limit`. */
bool seeds_pass(int argument_count, char **arguments, uint64_t *count, uint32_t *command,
                void (*run)(uint64_t seed, uint32_t limit));

#endif
