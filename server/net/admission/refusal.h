/* SPDX-License-Identifier: Apache-2.0
 *
 * Why the net refuses a connection.
 */
#ifndef QD_NET_ADMISSION_REFUSAL_H
#define QD_NET_ADMISSION_REFUSAL_H

typedef enum qd_net_refusal {
    QD_NET_FULL,                /* connections_max is reached */
    QD_NET_NO_MEMORY,           /* the memory limit is reached */
    QD_NET_ADDRESS_CONNECTIONS, /* its address has address_connections_max connections */
    QD_NET_ADDRESS_ACCEPTS,     /* its address connects too often */
    QD_NET_SILENT,              /* it has not introduced itself, and a newer one needs its place */
    QD_NET_REFUSALS,            /* also: none */
} qd_net_refusal;

#endif
