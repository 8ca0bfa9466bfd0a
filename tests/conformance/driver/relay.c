/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/conformance/driver/relay.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/relay/reader.h"

#define SLOTS_MAX  (1u << 18)
#define BLOB_BYTES (1u << 20)

static int32_t at[QD_RELAY_AXES][SLOTS_MAX], last[QD_RELAY_AXES][SLOTS_MAX];
static qd_relay_state state;

static void start_state(char *words)
{
    state = (qd_relay_state){.axes = (unsigned)strtoul(words, &words, 10)};
    state.k = (int)strtol(words, &words, 10);
    state.count = (uint32_t)strtoul(words, &words, 10);
    for (unsigned axis = 0; axis < state.axes; axis++) {
        memset(at[axis], 0, sizeof at[axis]);
        memset(last[axis], 0, sizeof last[axis]);
        state.at[axis] = at[axis];
        state.last[axis] = last[axis];
    }
}

static void start_slot(char *words)
{
    uint32_t slot = (uint32_t)strtoul(words, &words, 10);
    float position[QD_RELAY_AXES] = {0};

    for (unsigned axis = 0; axis < state.axes; axis++) {
        uint32_t bits = (uint32_t)strtoul(words, &words, 16);

        memcpy(&position[axis], &bits, sizeof bits);
    }
    qd_relay_start(&state, slot, position);
}

static bool read_blob(const char *digits)
{
    static uint8_t blob[BLOB_BYTES];
    static uint32_t slots[SLOTS_MAX];
    size_t size = strlen(digits) / 2;

    for (size_t i = 0; i < size; i++) {
        char digit[3] = {digits[2 * i], digits[2 * i + 1], '\0'};

        blob[i] = (uint8_t)strtoul(digit, NULL, 16);
    }
    return qd_relay_read(&state, blob, size, slots) != QD_RELAY_REFUSED;
}

void relay_command(char *words)
{
    char *command = strsep(&words, " ");

    words = words != NULL ? words : (char[]){""};
    if (strcmp(command, "state") == 0) {
        start_state(words);
    } else if (strcmp(command, "start") == 0) {
        start_slot(words);
    } else if (strcmp(command, "blob") == 0) {
        if (!read_blob(words)) {
            printf("error refused\n");
            return;
        }
    } else {
        uint32_t slot = (uint32_t)strtoul(words, NULL, 10);

        printf("at %u", slot);
        for (unsigned axis = 0; axis < state.axes; axis++) {
            printf(" %d", state.at[axis][slot]);
        }
        printf("\n");
    }
    printf("ok\n");
}
