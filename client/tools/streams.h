/* SPDX-License-Identifier: Apache-2.0
 *
 * The standard streams at the start and end of a program.
 */
#ifndef QD_TOOLS_STREAMS_H
#define QD_TOOLS_STREAMS_H

/* Call it before anything is opened. A program may start with a closed standard stream. Then the first socket would get
 * its number, and printed text would go to the server. This function opens a file in its place that cannot be used, so
 * that using the stream still fails. */
void qd_streams_begin(void);
/* Returns the exit status of a program that ends with `status`. Lost output, for example on a full disk, is a failure
 * and is reported, unless the reader of a pipe has gone. */
int qd_streams_end(const char *program, int status);

#endif
