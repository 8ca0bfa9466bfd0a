/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of proto/: random messages of every kind. The rows of fields.def say which members a message has.
 */
#ifndef QD_TESTS_UNIT_PROTO_RANDOM_H
#define QD_TESTS_UNIT_PROTO_RANDOM_H

#include "proto_fixture.h"
#include "support/rng.h"

typedef enum fill_mode {
    FILL_ALL,   /* each field and column */
    FILL_VALID, /* each needed column, and the rest by chance */
    FILL_ANY,   /* each field and column by chance; such a message may not decode */
} fill_mode;

typedef struct filler {
    fill_mode mode;
    uint32_t count; /* of each group; drawn for each group if `mode` is FILL_ANY */
    rng_stream random;
} filler;

#define VALUES_MAX 40000u

/* What columns point to: any values, and small ones for sizes of payloads. A column begins at one of 16 places. */
static uint64_t any_values[VALUES_MAX + 16];
static uint8_t small_values[VALUES_MAX + 16];

static inline int make_values(void **state)
{
    rng_stream random = {1};

    (void)state;
    for (uint32_t i = 0; i < VALUES_MAX + 16; i++) {
        any_values[i] = rng_draw_64(&random);
        small_values[i] = (uint8_t)rng_below(&random, 5);
    }
    return 0;
}

static inline bool takes(filler *f, bool is_needed)
{
    return f->mode == FILL_ALL || (f->mode == FILL_VALID && is_needed) || rng_one_in(&f->random, 2);
}

/* Of all magnitudes, often next to a power of two. The fast path decodes numbers below 2^63. */
static inline uint64_t any_number(filler *f)
{
    const uint32_t bits = rng_below(&f->random, 64);
    uint64_t number = rng_draw_64(&f->random) >> bits;

    if (rng_one_in(&f->random, 4)) {
        number = (UINT64_C(1) << bits) - rng_below(&f->random, 2);
    }
    return !takes(f, false) ? 0 : f->mode == FILL_VALID ? number & INT64_MAX : number;
}

static inline uint32_t any_count(filler *f)
{
    return f->mode != FILL_ANY                ? f->count
           : rng_one_in(&f->random, 2)        ? 0
           : rng_one_in(&f->random, f->count) ? f->count
                                              : rng_below(&f->random, 50);
}

static inline const void *any_column(filler *f, bool is_needed)
{
    return takes(f, is_needed) ? any_values + rng_below(&f->random, 16) : NULL;
}

static inline const uint8_t *any_bytes(filler *f, bool is_needed)
{
    return takes(f, is_needed) ? small_values + rng_below(&f->random, 16) : NULL;
}

#define NEEDED   true
#define OPTIONAL false

#define MESSAGE(name, Wire, type)                                                                                      \
    static inline void fill_##name(type *message, filler *f)                                                           \
    {                                                                                                                  \
        uint32_t count = 0;                                                                                            \
                                                                                                                       \
        (void)count;
#define END }

#define NUMBER(field)            message->field = (__typeof__(message->field))any_number(f);
#define NUMBER_AS(field, member) NUMBER(member)
#define NUMBER_IF(field, oneof, tag)                                                                                   \
    message->has_##field = takes(f, false);                                                                            \
    if (message->has_##field) {                                                                                        \
        NUMBER(field)                                                                                                  \
    }
#define ENUM(field)              message->field = (__typeof__(message->field))rng_below(&f->random, 4);
#define ENUM_OR(field, fallback) message->field = (__typeof__(message->field))(1 + rng_below(&f->random, 4));
#define TEXT(field)              message->field = takes(f, false) ? "text" : "";
#define TEXTS(field, counter)                                                                                          \
    static const char *const texts[] = {"one", "", "three"};                                                           \
                                                                                                                       \
    message->counter = takes(f, false) ? COUNT_OF(texts) : 0;                                                          \
    message->field = texts;
#define BLOB(field)                   message->field = (qd_msg_key){takes(f, false) ? 3 : 0, small_values};
#define FIRST(field, member, counter) LIST(field, member, counter, UINT32_MAX)
#define COLUMN(field, member, need)   message->member = any_column(f, need);
#define BYTES(field, member, need)    message->member = any_bytes(f, need);
#define COUNT(member)                 message->member = count;
#define PAYLOAD(field, member, sizes) message->member = any_column(f, message->sizes != NULL);
#define LIST(field, member, counter, max)                                                                              \
    count = any_count(f);                                                                                              \
    count = count < (max) ? count : (max);                                                                             \
    message->counter = count;                                                                                          \
    COLUMN(field, member, NEEDED)
#define PART(field, part) fill_##part(&message->field, f);
#define PART_IF(field, part)                                                                                           \
    message->has_##field = takes(f, false);                                                                            \
    if (message->has_##field) {                                                                                        \
        PART(field, part)                                                                                              \
    }
#define WHERE(field, KIND, part)                                                                                       \
    if (message->kind == QD_QUERY_NOTHING && takes(f, false)) {                                                        \
        message->kind = QD_QUERY_##KIND;                                                                               \
        fill_##part(&message->where.field, f);                                                                         \
    }
#define ROWS(field, part)                                                                                              \
    static qd_msg_##part rows[3];                                                                                      \
                                                                                                                       \
    for (size_t i = 0; i < COUNT_OF(rows); i++) {                                                                      \
        fill_##part(&rows[i], f);                                                                                      \
    }                                                                                                                  \
    message->count = COUNT_OF(rows);                                                                                   \
    message->field = rows;

#include "proto/fields.def"

#define FILL_CASE(SIDE, KIND, field, target)                                                                           \
    case QD_##SIDE##_##KIND:                                                                                           \
        fill_##field(&target, f);                                                                                      \
        break;
#define FILL_CLIENT(KIND, Wire, field, member) FILL_CASE(CLIENT, KIND, field, message.as.client.as.member)
#define FILL_SERVER(KIND, Wire, field, member) FILL_CASE(SERVER, KIND, field, message.as.server.as.member)

/* Returns a message of that kind, a qd_client_kind or qd_server_kind. Its columns point to static memory. */
static inline test_message random_message(side of, int kind, filler *f)
{
    test_message message;

    memset(&message, 0, sizeof message);
    message.side = of;
    if (of == CLIENT) {
        message.as.client.seq = any_number(f);
        message.as.client.confirm = takes(f, false);
        message.as.client.kind = (qd_client_kind)kind;
        switch (message.as.client.kind) {
            CLIENT_MESSAGES(FILL_CLIENT)
        case QD_CLIENT_NOTHING:
            break;
        }
    } else {
        message.as.server.seq = any_number(f);
        message.as.server.kind = (qd_server_kind)kind;
        switch (message.as.server.kind) {
            SERVER_MESSAGES(FILL_SERVER)
        case QD_SERVER_NOTHING:
            break;
        }
    }
    return message;
}

#define FOR_EACH_KIND(of, kind)                                                                                        \
    for (side of = CLIENT; of <= SERVER; of++)                                                                         \
        for (int kind = 0; kind <= (of == CLIENT ? (int)QD_CLIENT_MOVE_ROOMS : (int)QD_SERVER_ROOM_SLOWED); kind++)

#endif
