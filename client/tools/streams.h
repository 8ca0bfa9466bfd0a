/* SPDX-License-Identifier: Apache-2.0
 *
 * The standard streams, at the beginning and at the end of a program.
 */
#ifndef QD_TOOLS_STREAMS_H
#define QD_TOOLS_STREAMS_H

/* To be called before anything is opened. A program may be started with a standard stream closed; the first socket
 * would then get its number, and what is printed would go to the server. In its place comes something that can neither
 * be read nor written, so that using it fails as before. */
void qd_streams_begin(void);
/* The exit status of a program that would end with this one: what was asked is not done when its output is lost, as on
 * a full disk, which is reported. A reader that went away knows. */
int qd_streams_end(const char *program, int status);

#endif
