/* SPDX-License-Identifier: Apache-2.0
 *
 * Why the net refuses a new connection.
 */
#ifndef QD_NET_REFUSAL_H
#define QD_NET_REFUSAL_H

typedef enum qd_net_refusal {
    QD_NET_FULL,      /* connections_max is reached */
    QD_NET_NO_MEMORY, /* the memory limit is reached */
    QD_NET_REFUSALS,
} qd_net_refusal;

#endif
