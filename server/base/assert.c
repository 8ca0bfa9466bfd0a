/* SPDX-License-Identifier: Apache-2.0 */
#include "assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void qd_assert_fail(const char *condition, const char *file, int line, const char *function)
{
    fprintf(stderr, "%s:%d: %s: this should never be false: %s\n", file, line, function, condition);
    abort();
}
