/* SPDX-License-Identifier: Apache-2.0 */
#include "stray_variables.h"

#include <stdio.h>
#include <string.h>

/* Whether it comes from a Kubernetes Service named "quadrille" or "quadrille-and-more", or from a Docker link. */
static bool is_of_a_service(const char *variable)
{
    static const char *const marks[] = {
        "_SERVICE_HOST=", "_SERVICE_PORT", "_PORT_", "_PORT=tcp:", "_PORT=udp:", "_PORT=sctp:", "_NAME=/", "_ENV_"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strstr(variable, marks[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_of_a_tool(const char *name, size_t size)
{
    static const char *const of_tools[] = {"SERVER", "TOKEN", "TLS_CA"};

    for (size_t i = 0; i < sizeof of_tools / sizeof of_tools[0]; i++) {
        if (strlen(of_tools[i]) == size && memcmp(of_tools[i], name, size) == 0) {
            return true;
        }
    }
    return false;
}

bool qd_variable_is_stray(const qd_usage *usage, const qd_option *options, size_t count, const char *variable,
                          char *text, size_t text_size)
{
    const size_t prefix_size = strlen(usage->variable_prefix);
    const char *equals = strchr(variable, '=');

    if (strncmp(variable, usage->variable_prefix, prefix_size) != 0 || equals == NULL || is_of_a_service(variable)) {
        return false;
    }
    const char *name = variable + prefix_size;
    const size_t size = (size_t)(equals - name);
    if (is_of_a_tool(name, size)) {
        return false;
    }
    const qd_option *meant = qd_options_nearest(options, count, name, size);
    char right[QD_OPTION_VARIABLE_SIZE] = "";
    if (meant != NULL) {
        qd_option_variable(usage, meant, right);
    }
    if (strlen(right) == (size_t)(equals - variable) && memcmp(right, variable, strlen(right)) == 0) {
        return false;
    }
    snprintf(text, text_size, "ignoring the variable %.*s: no option has this name.%s%s%s See %s --help.",
             (int)(equals - variable), variable, meant != NULL ? " Did you mean " : "", right, meant != NULL ? "?" : "",
             usage->program);
    return true;
}
