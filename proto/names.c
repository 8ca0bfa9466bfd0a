/* SPDX-License-Identifier: Apache-2.0 */
#include "messages.h"

#include <string.h>

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

const char *qd_leave_reason_name(qd_leave_reason reason)
{
    switch (reason) {
#define X(name, number, text)                                                                                          \
    case QD_LEAVE_##name:                                                                                              \
        return text;
        QD_LEAVE_REASONS(X)
#undef X
    }
    return "UNKNOWN";
}

const char *qd_sight_name(qd_sight sight)
{
    switch (sight) {
#define X(name, number, text)                                                                                          \
    case QD_SIGHT_##name:                                                                                              \
        return text;
        QD_SIGHTS(X)
#undef X
    }
    return "UNKNOWN";
}

const char *qd_index_name(qd_index_kind index)
{
    switch (index) {
#define X(name, number, text)                                                                                          \
    case QD_INDEX_##name:                                                                                              \
        return text;
        QD_INDEXES(X)
#undef X
    case QD_INDEX_DEFAULT:
        break;
    }
    return "UNKNOWN";
}

qd_index_kind qd_index_of_name(const char *name)
{
#define X(constant, number, text)                                                                                      \
    if (strcmp(name, text) == 0)                                                                                       \
        return QD_INDEX_##constant;
    QD_INDEXES(X)
#undef X
    return QD_INDEX_DEFAULT;
}

const char *qd_prune_name(qd_prune_kind prune)
{
    switch (prune) {
#define X(name, number, text)                                                                                          \
    case QD_PRUNE_##name:                                                                                              \
        return text;
        QD_PRUNES(X)
#undef X
    case QD_PRUNE_DEFAULT:
        break;
    }
    return "UNKNOWN";
}

qd_prune_kind qd_prune_of_name(const char *name)
{
#define X(constant, number, text)                                                                                      \
    if (strcmp(name, text) == 0)                                                                                       \
        return QD_PRUNE_##constant;
    QD_PRUNES(X)
#undef X
    return QD_PRUNE_DEFAULT;
}
