/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

bool qd_fault_set(qd_fault *fault, qd_error_code code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    fault->code = code;
    return false;
}
