/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of the driver protocol that make a request.
 */
#ifndef QD_TESTS_CONFORMANCE_REQUESTS_H
#define QD_TESTS_CONFORMANCE_REQUESTS_H

#include "quadrille-session.h"
#include "tests/conformance/driver/words.h"

/* Makes the request of a command. *request is its number, 0 if it was not made. Returns whether there is such a
 * command. */
bool request_make(qd_room *room, const command_words *words, uint64_t *request);

#endif
