/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds variables of the environment that look like options and are none.
 */
#ifndef QD_APP_CONFIG_STRAY_VARIABLES_H
#define QD_APP_CONFIG_STRAY_VARIABLES_H

#include "../../../client/options/options.h"

/* Whether "NAME=VALUE" has the prefix of the usage, and no option of the table has that name. `text` then explains it
 * and names the most similar option. Variables of the client tools (QUADRILLE_SERVER, QUADRILLE_TOKEN) do not count.
 * Nor do those that Kubernetes and Docker set for a service named quadrille (QUADRILLE_PORT=tcp://10.0.0.1:7400). */
bool qd_variable_is_stray(const qd_usage *usage, const qd_option *options, size_t count, const char *variable,
                          char *text, size_t text_size);

#endif
