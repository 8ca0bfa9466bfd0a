/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of the protocol's numbers, and the numbers of names, from the lists in messages_base.h.
 */
#include "messages.h"

#include <string.h>

/* A row of a list as a case. CONSTANT returns the constant's own name, TEXT the text in the row. */
#define CONSTANT(name, number)                                                                                         \
    case number:                                                                                                       \
        return #name;
#define TEXT(name, number, text)                                                                                       \
    case number:                                                                                                       \
        return text;

#define NAME_OF(function, type, LIST, ROW)                                                                             \
    const char *function(type of)                                                                                      \
    {                                                                                                                  \
        switch ((int)of) {                                                                                             \
            LIST(ROW)                                                                                                  \
        default:                                                                                                       \
            return "UNKNOWN";                                                                                          \
        }                                                                                                              \
    }

NAME_OF(qd_error_code_name, qd_error_code, QD_ERROR_CODES, CONSTANT)
NAME_OF(qd_end_reason_name, qd_end_reason, QD_END_REASONS, TEXT)
NAME_OF(qd_leave_reason_name, qd_leave_reason, QD_LEAVE_REASONS, TEXT)
NAME_OF(qd_suspend_reason_name, qd_suspend_reason, QD_SUSPEND_REASONS, TEXT)
NAME_OF(qd_visibility_name, qd_visibility, QD_VISIBILITIES, TEXT)
NAME_OF(qd_index_name, qd_index_kind, QD_INDEXES, TEXT)
NAME_OF(qd_prune_name, qd_prune_kind, QD_PRUNES, TEXT)
NAME_OF(qd_access_name, qd_access, QD_ACCESSES, TEXT)

#define NUMBER(constant, number, text)                                                                                 \
    if (strcmp(name, text) == 0)                                                                                       \
        return number;

#define OF_NAME(function, type, LIST)                                                                                  \
    type function(const char *name)                                                                                    \
    {                                                                                                                  \
        LIST(NUMBER)                                                                                                   \
        return 0;                                                                                                      \
    }

OF_NAME(qd_index_of_name, qd_index_kind, QD_INDEXES)
OF_NAME(qd_prune_of_name, qd_prune_kind, QD_PRUNES)
OF_NAME(qd_access_of_name, qd_access, QD_ACCESSES)
