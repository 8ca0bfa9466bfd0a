/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads any bytes as the server's command line and environment: strings that end with a zero byte. One with "=" before
 * any "-" is a variable, every other one an argument. Either there is an error with words, or the options can be used.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "server/app/options.h"
#include "server/work/pool.h"

#define STRINGS_MAX 64

static char *variables[STRINGS_MAX];
static int variable_count;

static char *find_variable(const char *name)
{
    size_t size = strlen(name);

    for (int i = 0; i < variable_count; i++) {
        if (strncmp(variables[i], name, size) == 0 && variables[i][size] == '=') {
            return variables[i] + size + 1;
        }
    }
    return NULL;
}

static void check_options(const qd_server_options *options)
{
    const qd_limits *limits = &options->limits;

    FUZZ_CHECK(memchr(options->listen.host, '\0', sizeof options->listen.host) != NULL &&
               options->listen.host[0] != '\0');
    FUZZ_CHECK(options->workers <= QD_POOL_WORKERS_MAX && options->loops <= QD_LOOPS_MAX);
    FUZZ_CHECK(limits->connections_max > 0 && limits->rooms_max > 0 && limits->entities_max > 0);
    FUZZ_CHECK(limits->frame_bytes_max >= QD_FRAME_BYTES_BEFORE_HELLO && limits->queue_bytes_max > 0);
    FUZZ_CHECK(limits->slow_ms_max > 0 && limits->room_batches_max > 0 && limits->resume_ms_max <= 3600000);
    FUZZ_CHECK(options->token_file == NULL || options->token_file[0] != '\0');
    FUZZ_CHECK(options->log_level >= QD_LOG_ERROR && options->log_level <= QD_LOG_DEBUG);
}

static void check_strays(void)
{
    for (int i = 0; i < variable_count; i++) {
        char text[400] = "";

        FUZZ_CHECK(qd_server_options_is_stray(variables[i], text, sizeof text) == (text[0] != '\0'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char program[] = "quadrille-server";
    char *arguments[STRINGS_MAX + 2] = {program}, *copy = malloc(size + 1), error[600] = "";
    int count = 1;
    qd_server_options options;

    FUZZ_CHECK(copy != NULL);
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    variable_count = 0;
    for (size_t at = 0; at < size && count <= STRINGS_MAX && variable_count < STRINGS_MAX;
         at += strlen(copy + at) + 1) {
        if (copy[at + strcspn(copy + at, "=-")] == '=') {
            variables[variable_count++] = copy + at;
        } else {
            arguments[count++] = copy + at;
        }
    }
    check_strays();
    switch (
        qd_server_options_parse(&(qd_server_sources){count, arguments, find_variable}, &options, error, sizeof error)) {
    case QD_SERVER_OPTIONS_RUN:
        check_options(&options);
        break;
    case QD_SERVER_OPTIONS_BAD:
        FUZZ_CHECK(error[0] != '\0');
        break;
    default:
        break;
    }
    qd_server_options_release(&options);
    free(copy);
    return 0;
}
