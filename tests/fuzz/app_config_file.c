/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads any bytes as the file of --config. Either there is an error with words, or the options can be used, and the file
 * that --print-config makes of them gives the same options.
 */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>

#include "fuzz/as_file.h"
#include "server/app/options.h"

static char *no_variables(const char *name)
{
    (void)name;
    return NULL;
}

/* Returns the printed options, for free(), or NULL after an error. */
static char *read_and_print(const void *bytes, size_t size, size_t *printed_size)
{
    char path[FUZZ_PATH_SIZE], error[600] = "", *text = NULL;
    int file = fuzz_as_file(bytes, size, path);
    char *arguments[] = {"quadrille-server", "--config", path, NULL};
    qd_server_options options;
    const qd_server_options_result result =
        qd_server_options_parse(&(qd_server_sources){3, arguments, no_variables}, &options, error, sizeof error);

    close(file);
    FUZZ_CHECK((result == QD_SERVER_OPTIONS_BAD) == (error[0] != '\0'));
    if (result == QD_SERVER_OPTIONS_BAD) {
        return NULL;
    }
    FUZZ_CHECK(result == QD_SERVER_OPTIONS_RUN && options.listen.host[0] != '\0' && options.limits.frame_bytes_max > 0);
    FUZZ_CHECK(options.token_file == NULL || options.token_file[0] != '\0');
    FILE *stream = open_memstream(&text, printed_size);
    FUZZ_CHECK(stream != NULL);
    qd_server_options_print(stream, &options);
    FUZZ_CHECK(fclose(stream) == 0);
    qd_server_options_release(&options);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t first_size = 0, second_size = 0;
    char *first = read_and_print(bytes, size, &first_size);

    if (first != NULL) {
        char *second = read_and_print(first, first_size, &second_size);

        FUZZ_CHECK(second != NULL && first_size == second_size && memcmp(first, second, first_size) == 0);
        free(second);
    }
    free(first);
    return 0;
}
