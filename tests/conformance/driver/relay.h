/* SPDX-License-Identifier: Apache-2.0
 *
 * The command `relay` of the driver protocol: plays golden vectors of the relay stream.
 */
#ifndef QD_TESTS_CONFORMANCE_RELAY_H
#define QD_TESTS_CONFORMANCE_RELAY_H

/* Carries out "state AXES K COUNT", "start SLOT X Y [Z]", "blob HEX" or "at SLOT", and prints the answer. */
void relay_command(char *words);

#endif
