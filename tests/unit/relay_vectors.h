/* SPDX-License-Identifier: Apache-2.0
 *
 * Golden vectors of the relay stream (proto/RELAY.md), as a recording (support/relay_recording.h) with two more words:
 *
 *     at SLOT X Y [Z]         the position in steps, after the blob before
 *     refuse BYTES            a blob that a reader refuses, with three slots of three axes
 */
#ifndef QD_TESTS_UNIT_RELAY_VECTORS_H
#define QD_TESTS_UNIT_RELAY_VECTORS_H

static const char *const relay_vectors[] = {
    /* One entity walks by (1, -2) steps per tick: 6 bits, then none. */
    "state 2 9 1",
    "start 0 41280000 c0500000",
    "blob 11000122020300000000",
    "at 0 5377 -1666",
    "blob 1100010000000000",
    "at 0 5378 -1668",
    "blob 110001010100000000",
    "at 0 5378 -1670",
    /* A run of 17 is two groups; widths of 9 to 24 bits. */
    "state 2 0 17",
    "start 0 00000000 80000000",
    "start 1 3f800000 bf800000",
    "start 2 40000000 c0000000",
    "start 3 40400000 c0400000",
    "start 4 40800000 c0800000",
    "start 5 40a00000 c0a00000",
    "start 6 40c00000 c0c00000",
    "start 7 40e00000 c0e00000",
    "start 8 41000000 c1000000",
    "start 9 41100000 c1100000",
    "start 10 41200000 c1200000",
    "start 11 41300000 c1300000",
    "start 12 41400000 c1400000",
    "start 13 41500000 c1500000",
    "start 14 41600000 c1600000",
    "start 15 41700000 c1700000",
    "start 16 41800000 c1800000",
    "blob 110011ea00f080072df0b0841669e0718825a5d0328c34e10000dc15f0aec01904df155c6df00cc29109bf2bdcc4f06"
    "ac3090f9f415c1cf1c8c48114eac0037f570000000000",
    "at 0 0 0",
    "at 1 31 -701",
    "at 2 62 -1402",
    "at 3 93 -2103",
    "at 4 124 -2804",
    "at 5 155 -3505",
    "at 6 186 -4206",
    "at 7 217 -4907",
    "at 8 248 -5608",
    "at 9 279 -6309",
    "at 10 310 -7010",
    "at 11 341 -7711",
    "at 12 372 -8412",
    "at 13 403 -9113",
    "at 14 434 -9814",
    "at 15 465 -10515",
    "at 16 496 -11216",
    "blob 110011f0000000000000000000ffffff000000000000000000000000000000000000000000000000000000000000000"
    "0000000000ffeffff00000000",
    "at 0 0 0",
    "at 1 61 -1401",
    "at 2 122 -2802",
    "at 3 183 -8392811",
    "at 4 244 -5604",
    "at 5 305 -7005",
    "at 6 366 -8406",
    "at 7 427 -9807",
    "at 8 488 -11208",
    "at 9 549 -12609",
    "at 10 610 -14010",
    "at 11 671 -15411",
    "at 12 732 -16812",
    "at 13 793 -18213",
    "at 14 854 -19614",
    "at 15 915 -21015",
    "at 16 8389583 -22416",
    "blob 010502de3f0d0300001027000000000000",
    "at 5 -99695 -2005",
    "at 6 366 -8406",
    /* A bitmap, then gaps, then spans; without prediction. */
    "state 2 4 400",
    "start 0 00000000 3cf5c28f",
    "start 3 3e400000 3cf5c28f",
    "start 8 3f000000 3cf5c28f",
    "start 9 3f100000 3cf5c28f",
    "start 15 3f700000 3cf5c28f",
    "start 130 41020000 3cf5c28f",
    "start 131 41030000 3cf5c28f",
    "start 399 41c78000 3cf5c28f",
    "blob 3100020983334268505800000000",
    "at 0 1 0",
    "at 3 3 1",
    "at 8 7 -1",
    "at 9 11 2",
    "at 15 18 -3",
    "blob 410004008101008b024492e900e200000000",
    "at 0 2 0",
    "at 130 125 0",
    "at 131 126 1",
    "at 399 406 7",
    "blob 710003000209010e0104200180222200400200000000",
    "at 0 4 0",
    "at 3 3 2",
    "at 8 7 -2",
    "at 130 120 -1",
    "at 399 413 15",
    /* Three axes, and an exact entry for a position that is too far for steps. */
    "state 3 20 3",
    "start 0 3dcccccd 3e4ccccd 3e99999a",
    "start 1 44800000 c4800000 447ff000",
    "start 2 bfc00000 00000000 40000000",
    "blob 1100035e0302000000f02d220448850000000000",
    "at 0 104858 209717 314569",
    "at 1 0 0 1073479680",
    "at 2 -1642864 9 2097153",
    "start 1 7f61b1e6 c0a00000 80000000",
    "blob 1101013400080700000000",
    "at 1 4 -5242884 0",
    "at 0 104858 209717 314569",
    "at 1 4 -5242884 0",
    "at 2 -1642864 9 2097153",
    /* No slots. */
    "blob 11000000000000",
    /* Refused: no bytes */
    "refuse ",
    /* Refused: version 2 */
    "refuse 12000000000000",
    /* Refused: the reserved bit */
    "refuse 91000000000000",
    /* Refused: a last byte that is not zero */
    "refuse 11000000000001",
    /* Refused: three zeros */
    "refuse 110000000000",
    /* Refused: a byte left over */
    "refuse 1100000000000000",
    /* Refused: the upper half of the width of z */
    "refuse 110001001000000000",
    /* Refused: a group that is cut off */
    "refuse 1100011101020200000000",
    /* Refused: a group without its second byte */
    "refuse 1100010000000000",
    /* Refused: a number of 33 bits */
    "refuse 1180808080100000000000",
    /* Refused: a number of 6 bytes */
    "refuse 118080808080000000000000",
    /* Refused: a number that does not end */
    "refuse 11008000000000",
    /* Refused: slot 3 in a run */
    "refuse 110301000000000000",
    /* Refused: slot 3 in a bitmap */
    "refuse 31000108000000000000",
    /* Refused: a bitmap that is cut off */
    "refuse 31000100000000",
    /* Refused: slot 3 by gaps */
    "refuse 5102020000000000000000",
    /* Refused: slot 3 in a span */
    "refuse 710001000108000000000000",
    /* Refused: a span far behind */
    "refuse 71000185808080080101000000000000",
};

#endif
