/* SPDX-License-Identifier: Apache-2.0 */
#include "record_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../record/record_format.h"
#include "../../record/record_reader.h"

typedef struct line {
    const char *key;
    size_t offset; /* of a uint32_t in qd_replay_server */
} line;

#define LIMIT(key, field)                                                                                              \
    {                                                                                                                  \
        key, offsetof(qd_replay_server, limits.field)                                                                  \
    }

static const line lines[] = {
    {"width", offsetof(qd_replay_server, width)},
    LIMIT("entities-max", entities_max),
    LIMIT("events-max", events_max),
    LIMIT("observers-max", observers_max),
    LIMIT("visible-entries-max", visible_entries_max),
    LIMIT("roster-ids-max", roster_ids_max),
    LIMIT("test-budget", test_budget),
    LIMIT("queue-max", queue_bytes_max),
    LIMIT("slow-ms-max", slow_ms_max),
    LIMIT("empty-close-ms-max", empty_close_ms_max),
};

#define LINES (sizeof lines / sizeof lines[0])

void qd_record_text_write(const qd_replay_server *server, char text[QD_RECORD_TEXT_BYTES])
{
    size_t size =
        (size_t)snprintf(text, QD_RECORD_TEXT_BYTES, "record %u\nserver %s\n", QD_RECORD_VERSION, qd_server_name);

    for (size_t i = 0; i < LINES; i++) {
        const uint32_t value = *(const uint32_t *)((const char *)server + lines[i].offset);

        size += (size_t)snprintf(text + size, QD_RECORD_TEXT_BYTES - size, "%s %" PRIu32 "\n", lines[i].key, value);
    }
}

void qd_record_text_read(const char *text, qd_replay_server *server)
{
    *server = (qd_replay_server){0};
    for (size_t i = 0; i < LINES; i++) {
        const uint64_t value = qd_record_text_number(text, lines[i].key, 0);

        *(uint32_t *)((char *)server + lines[i].offset) = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    }
}

bool qd_record_text_is_own(const char *text)
{
    char wanted[100];

    snprintf(wanted, sizeof wanted, "\nserver %s\n", qd_server_name);
    return strstr(text, wanted) != NULL;
}
