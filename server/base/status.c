/* SPDX-License-Identifier: Apache-2.0 */
#include "status.h"

const char *qd_status_text(qd_status status)
{
    switch (status) {
#define X(name, number, text)                                                                                          \
    case QD_##name:                                                                                                    \
        return text;
        QD_STATUSES(X)
#undef X
    }
    return "an unknown status";
}
