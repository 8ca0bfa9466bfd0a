/* SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name, number, text) {text, number},
const qd_option_choice qd_option_indexes[] = {QD_INDEXES(X){NULL, 0}};
const qd_option_choice qd_option_prunes[] = {QD_PRUNES(X){NULL, 0}};
const qd_option_choice qd_option_accesses[] = {QD_ACCESSES(X){NULL, 0}};
#undef X

/* strtod and strtoull skip blanks, and strtoull accepts a minus; here such a text is not a number. */
bool qd_options_begins_number(const char *text)
{
    if (*text == '-' || *text == '+') {
        text++;
    }
    return isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1]));
}

bool qd_options_uint64(const char *text, uint64_t *number)
{
    char *end = NULL;

    errno = 0;
    if (!isdigit((unsigned char)*text)) {
        return false;
    }
    unsigned long long value = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0) {
        return false;
    }
    *number = value;
    return true;
}

bool qd_options_uint32(const char *text, uint32_t *number)
{
    uint64_t value;

    if (!qd_options_uint64(text, &value) || value > UINT32_MAX) {
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

bool qd_options_float(const char *text, float *number)
{
    char *end = NULL;

    if (!qd_options_begins_number(text)) {
        return false;
    }
    float value = strtof(text, &end);
    if (*end != '\0' || !isfinite(value)) {
        return false;
    }
    *number = value;
    return true;
}

bool qd_options_double(const char *text, double *number)
{
    char *end = NULL;

    if (!qd_options_begins_number(text)) {
        return false;
    }
    double value = strtod(text, &end);
    if (*end != '\0' || !isfinite(value)) {
        return false;
    }
    *number = value;
    return true;
}

bool qd_options_floats(const char *text, float *numbers, size_t count)
{
    char piece[64];

    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        size_t length = strcspn(text, ",");

        if (length >= sizeof piece || (text[length] == '\0') != last) {
            return false;
        }
        memcpy(piece, text, length);
        piece[length] = '\0';
        if (!qd_options_float(piece, &numbers[i])) {
            return false;
        }
        text += length + !last;
    }
    return true;
}

/* Parses two corners, in any order: four numbers, or six. Returns the number of dimensions; 0: other counts. */
static uint32_t parse_box(const char *text, qd_msg_bounds *box)
{
    float numbers[6];

    if (qd_options_floats(text, numbers, 4)) {
        *box = (qd_msg_bounds){.min_x = numbers[0], .min_y = numbers[1], .max_x = numbers[2], .max_y = numbers[3]};
        return 2;
    }
    if (!qd_options_floats(text, numbers, 6)) {
        return 0;
    }
    *box = (qd_msg_bounds){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
    return 3;
}

bool qd_options_bounds(const char *text, qd_option_bounds *result)
{
    const qd_msg_bounds *bounds = &result->bounds;

    result->dimensions = parse_box(text, &result->bounds);
    return result->dimensions != 0 && bounds->min_x < bounds->max_x && bounds->min_y < bounds->max_y &&
           (result->dimensions == 2 || bounds->min_z < bounds->max_z);
}

/* The factor of a unit; 0: no unit. */
static uint64_t factor_of(const char *unit)
{
    static const char units[] = "KMG";

    if (unit[0] == '\0') {
        return 1;
    }
    const char *at = strchr(units, toupper((unsigned char)unit[0]));
    return at != NULL && unit[1] == '\0' ? UINT64_C(1024) << (10 * (at - units)) : 0;
}

bool qd_options_size(const char *text, uint64_t *bytes)
{
    char *end = NULL;

    if (!isdigit((unsigned char)*text)) {
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    uint64_t factor = factor_of(end);
    if (factor == 0 || errno != 0 || value > UINT64_MAX / factor) {
        return false;
    }
    *bytes = value * factor;
    return true;
}

void qd_options_size_text(uint64_t bytes, char text[QD_SIZE_TEXT_SIZE])
{
    static const char units[] = "KMG";

    for (int i = 3; i > 0 && bytes != 0; i--) {
        uint64_t factor = UINT64_C(1) << (10 * i);

        if (bytes % factor == 0) {
            snprintf(text, QD_SIZE_TEXT_SIZE, "%" PRIu64 "%c", bytes / factor, units[i - 1]);
            return;
        }
    }
    snprintf(text, QD_SIZE_TEXT_SIZE, "%" PRIu64, bytes);
}
