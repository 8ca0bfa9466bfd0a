/* SPDX-License-Identifier: Apache-2.0 */
#include "top_reading.h"

#include <inttypes.h>
#include <math.h>

#include "../plain.h"

#define PAGE_ROWS 200u
/* Larger ones are no figures of a server, and would not fit into an integer. */
#define VALUE_MAX 1e18

static bool refuse(const char *path, char error[QD_TOP_ERROR_SIZE])
{
    snprintf(
        error, QD_TOP_ERROR_SIZE,
        "the answer to %s lacks a member or has one of another type; must be of the admin API's version 1. Use the "
        "`quadrille` of the server's version",
        path);
    return false;
}

static bool read_server(qd_top_api *api, qd_top_server *server, char error[QD_TOP_ERROR_SIZE])
{
    static const char path[] = "/v1/server";

    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"uptime_seconds", &server->uptime_s},
                   {"sessions", &server->sessions},
                   {"rooms", &server->rooms},
                   {"rooms_slowed", &server->rooms_slowed},
                   {"workers", &server->workers},
                   {"memory_bytes", &server->memory_bytes},
                   {"memory_max_bytes", &server->memory_max_bytes},
                   {"updates", &server->updates},
                   {"ticks", &server->ticks}};
    json_t *answer = qd_top_api_get(api, path, error);

    if (answer == NULL) {
        return false;
    }
    const char *version = json_string_value(json_object_get(answer, "version"));
    bool valid = version != NULL;
    for (size_t i = 0; i < QD_CLI_COUNT(numbers); i++) {
        const json_t *value = json_object_get(answer, numbers[i].key);

        *numbers[i].value = json_number_value(value);
        valid &= json_is_number(value) && *numbers[i].value >= 0 && *numbers[i].value <= VALUE_MAX;
    }
    qd_plain(server->version, sizeof server->version, valid ? version : "");
    json_decref(answer);
    return valid || refuse(path, error);
}

/* Appends the key as a part of a query. */
static void write_escaped(char *text, size_t size, const char *key)
{
    size_t used = 0;

    for (; *key != '\0' && used + 4 <= size; key++) {
        used += (size_t)snprintf(text + used, size - used, "%%%02x", (unsigned char)*key);
    }
    text[used] = '\0';
}

/* The path of the page behind `answer`; false: there is none. */
static bool next_page(qd_top_kind kind, const json_t *answer, char *path, size_t size)
{
    const json_t *next = json_object_get(answer, "next");
    char after[QD_PLAIN_NAME_SIZE];

    if (json_is_integer(next)) {
        snprintf(after, sizeof after, "%" PRIu64, (uint64_t)json_integer_value(next));
    } else if (json_is_string(next)) {
        write_escaped(after, sizeof after, json_string_value(next));
    } else {
        return false;
    }
    snprintf(path, size, "%s?limit=%u&after=%s", qd_top_kind_path(kind), PAGE_ROWS, after);
    return true;
}

static bool read_table(qd_top_api *api, qd_top_table *table, char error[QD_TOP_ERROR_SIZE])
{
    char path[QD_PLAIN_NAME_SIZE + 64];
    bool more = true;

    snprintf(path, sizeof path, "%s?limit=%u", qd_top_kind_path(table->kind), PAGE_ROWS);
    while (more && table->count < QD_TOP_ROWS_MAX) {
        json_t *answer = qd_top_api_get(api, path, error);
        const json_t *list = json_object_get(answer, qd_top_kind_list(table->kind));
        bool valid = json_is_array(list);

        if (answer == NULL) {
            return false;
        }
        for (size_t i = 0; i < json_array_size(list) && valid; i++) {
            valid = qd_top_table_add(table, json_array_get(list, i));
        }
        /* Without a row, a page has no successor. */
        more = json_array_size(list) > 0 && next_page(table->kind, answer, path, sizeof path);
        json_decref(answer);
        if (!valid) {
            return refuse(qd_top_kind_path(table->kind), error);
        }
    }
    table->time_ns = qd_now_ns();
    return true;
}

bool qd_top_read(qd_top_api *api, qd_top_kind kind, const qd_top_reading *earlier, qd_top_reading *reading,
                 char error[QD_TOP_ERROR_SIZE])
{
    qd_top_server *server = &reading->server;

    *reading = (qd_top_reading){.table.kind = kind};
    if (!read_server(api, server, error) || !read_table(api, &reading->table, error)) {
        return false;
    }
    /* Uptimes are of the server's clock, as the totals are. */
    const double seconds = server->uptime_s - earlier->server.uptime_s;
    const bool known = earlier->server.uptime_s > 0 && seconds > 0;
    server->updates_per_s = known ? (server->updates - earlier->server.updates) / seconds : (double)NAN;
    server->ticks_per_s = known ? (server->ticks - earlier->server.ticks) / seconds : (double)NAN;
    qd_top_table_rates(&reading->table, &earlier->table);
    return true;
}

static void write_rate(char text[32], double rate)
{
    snprintf(text, 32, isnan(rate) ? "-" : "%.0f", rate);
}

void qd_top_server_lines(const qd_top_server *server, char first[QD_TOP_LINE_SIZE], char second[QD_TOP_LINE_SIZE])
{
    const uint64_t up_s = (uint64_t)server->uptime_s;
    char updates[32], ticks[32];

    write_rate(updates, server->updates_per_s);
    write_rate(ticks, server->ticks_per_s);
    snprintf(first, QD_TOP_LINE_SIZE,
             "%s  up %" PRIu64 ":%02u:%02u  connections %.0f  rooms %.0f, %.0f slowed  workers %.0f", server->version,
             up_s / 3600, (unsigned)(up_s / 60 % 60), (unsigned)(up_s % 60), server->sessions, server->rooms,
             server->rooms_slowed, server->workers);
    snprintf(second, QD_TOP_LINE_SIZE, "memory %.1f of %.0f MiB  updates/s %s  ticks/s %s",
             server->memory_bytes / (1 << 20), server->memory_max_bytes / (1 << 20), updates, ticks);
}
