/* SPDX-License-Identifier: Apache-2.0 */
#include "messages.h"

const char *qd_error_code_name(qd_error_code code)
{
    switch (code) {
#define X(name, number)                                                                                                \
    case QD_ERROR_##name:                                                                                              \
        return #name;
        QD_ERROR_CODES(X)
#undef X
    case QD_ERROR_NONE:
        break;
    }
    return "UNKNOWN";
}

const char *qd_end_reason_name(qd_end_reason reason)
{
    switch (reason) {
#define X(name, number, text)                                                                                          \
    case QD_END_##name:                                                                                                \
        return text;
        QD_END_REASONS(X)
#undef X
    }
    return "UNKNOWN";
}
