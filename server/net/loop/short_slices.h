/* SPDX-License-Identifier: Apache-2.0
 *
 * Short slices: Linux runs a thread that becomes ready before others whose slices are longer. A loop has little to do
 * each time, and a client waits for it. So it asks for the shortest slices that there are, 0.1 ms instead of about 3 ms.
 *
 * Linux 6.12 and later do this, for every user. Earlier ones ignore it.
 */
#ifndef QD_NET_SHORT_SLICES_H
#define QD_NET_SHORT_SLICES_H

/* Asks for the calling thread. */
void qd_short_slices(void);

#endif
