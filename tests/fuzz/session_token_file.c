/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads any bytes as a file of tokens and keys. Either every token in it is one that a Hello may carry, and is known, or
 * there is none and an error. A key is found by its id, and is no token.
 */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>

#include "fuzz/as_file.h"
#include "proto/messages.h"
#include "server/session/check/token_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[FUZZ_PATH_SIZE], error[400] = "";
    int file = fuzz_as_file(bytes, size, path);
    qd_tokens *tokens = qd_tokens_read(path, error, sizeof error);

    FUZZ_CHECK((tokens == NULL) == (error[0] != '\0') && (tokens == NULL || tokens->count > 0));
    for (size_t i = 0; tokens != NULL && i < tokens->count; i++) {
        const qd_grant *grant = &tokens->grants[i];
        const size_t length = strlen(grant->token);

        FUZZ_CHECK(length > 0 && length <= QD_TOKEN_BYTES_MAX);
        FUZZ_CHECK((qd_tokens_find(tokens, grant->token) != NULL) == (grant->secret == NULL));
        FUZZ_CHECK(grant->secret == NULL || qd_tokens_find_key(tokens, grant->token + strlen(QD_KEY_PREFIX)) == grant);
        FUZZ_CHECK(qd_tokens_have_line(tokens, grant));
    }
    FUZZ_CHECK(tokens == NULL || qd_tokens_find(tokens, "") == NULL);
    qd_tokens_release(tokens);
    close(file);
    return 0;
}
