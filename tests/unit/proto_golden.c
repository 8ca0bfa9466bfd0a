/* SPDX-License-Identifier: Apache-2.0
 *
 * The golden vectors. Decoding the bytes must give the values that protobuf-c's generated code finds in them, and
 * encoding these values must give the bytes. integration/golden.sh asks protoc whether the text means the bytes. It
 * reads what this program prints for --list, one line per vector:
 *
 *     ClientFrame or ServerFrame|name|bytes in hexadecimal, without the length|text
 */
#include "golden_vectors.h"
#include "proto_fixture.h"
#include "quadrille.pb-c.h"

#define FRAME_BYTES_MAX 1024u

/* The vectors of a side. */
static const struct {
    const char *frame;
    const golden_vector *vectors;
    size_t count;
    const ProtobufCMessageDescriptor *descriptor;
} sides[] = {
    [CLIENT] = {"ClientFrame", client_vectors, COUNT_OF(client_vectors), &quadrille__v1__client_frame__descriptor},
    [SERVER] = {"ServerFrame", server_vectors, COUNT_OF(server_vectors), &quadrille__v1__server_frame__descriptor},
};

#define FOR_EACH_VECTOR(from, vector)                                                                                  \
    for (side from = CLIENT; from <= SERVER; from++)                                                                   \
        for (const golden_vector *vector = sides[from].vectors; vector < sides[from].vectors + sides[from].count;      \
             vector++)

static size_t parse(const char *hex, uint8_t *bytes)
{
    size_t size = strlen(hex) / 2;

    assert_true(size <= FRAME_BYTES_MAX);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(sscanf(hex + 2 * i, "%2hhx", &bytes[i]), 1);
    }
    return size;
}

/* ---- a decoded message against the generated struct ---- */

/* A row of fields.def that pairs a field with the wrong member would be wrong in both directions. So a member has the
 * name of its field, but for the group that it is in: "entities.x" is x, "ends.a" is end_a, "enter.x" is enter_x. */
static void expect_alike(const char *field, const char *member)
{
    char name[64];
    size_t size = 0;

    for (member += strncmp(member, "entities.", 9) == 0 ? 9 : 0; *member != '\0'; member++) {
        if (strncmp(member, "s.", 2) != 0) {
            name[size++] = *member == '.' ? '_' : *member;
        }
    }
    name[size] = '\0';
    assert_string_equal(name, field);
}

static void expect_column(const void *found, const void *expected, size_t count, size_t value_size)
{
    if (count == 0) {
        assert_null(found);
    } else {
        assert_memory_equal(found, expected, count * value_size);
    }
}

/* The rows of fields.def, as comparisons. Numbers are compared as bytes, so that NaN equals itself. */
#define MESSAGE(name, Wire, type)                                                                                      \
    static void expect_##name(const type *message, const Quadrille__V1__##Wire *wire)                                  \
    {                                                                                                                  \
        size_t group_count = 0;                                                                                        \
                                                                                                                       \
        (void)group_count;
#define END }

#define NUMBER(field) NUMBER_AS(field, field)
#define NUMBER_AS(field, member)                                                                                       \
    {                                                                                                                  \
        const __typeof__(message->member) expected = (__typeof__(message->member))wire->field;                         \
                                                                                                                       \
        assert_memory_equal(&message->member, &expected, sizeof expected);                                             \
    }
#define NUMBER_IF(field, oneof, tag)                                                                                   \
    assert_int_equal(message->has_##field, wire->oneof##_case == (tag));                                               \
    if (message->has_##field) {                                                                                        \
        NUMBER(field)                                                                                                  \
    }
#define ENUM(field)              assert_int_equal(message->field, (int)wire->field);
#define ENUM_OR(field, fallback) assert_int_equal(message->field, wire->field != 0 ? (int)wire->field : (fallback));
#define TEXT(field)              assert_string_equal(message->field, wire->field);
#define TEXTS(field, counter)                                                                                          \
    assert_int_equal(message->counter, wire->n_##field);                                                               \
    for (size_t i = 0; i < wire->n_##field; i++) {                                                                     \
        assert_string_equal(message->field[i], wire->field[i]);                                                        \
    }
#define BLOB(field)                                                                                                    \
    assert_int_equal(message->field.size, wire->field.len);                                                            \
    expect_column(message->field.bytes, wire->field.data, wire->field.len, 1);

#define FIRST(field, member, counter)                                                                                  \
    group_count = wire->n_##field;                                                                                     \
    assert_int_equal(message->counter, group_count);                                                                   \
    COLUMN(field, member, NEEDED)
#define LIST(field, member, counter, max)                                                                              \
    assert_true(wire->n_##field <= (max));                                                                             \
    FIRST(field, member, counter)
#define COLUMN(field, member, need)                                                                                    \
    _Static_assert(sizeof *message->member == sizeof *wire->field, "another type");                                    \
    expect_alike(#field, #member);                                                                                     \
    assert_true(wire->n_##field == group_count || wire->n_##field == 0);                                               \
    expect_column(message->member, wire->field, wire->n_##field, sizeof *wire->field);
#define BYTES_COLUMN(field, member)                                                                                    \
    expect_alike(#field, #member);                                                                                     \
    expect_column(message->member, wire->field.data, wire->field.len, 1);
#define BYTES(field, member, need)                                                                                     \
    assert_true(wire->field.len == group_count || wire->field.len == 0);                                               \
    BYTES_COLUMN(field, member)
#define COUNT(member)                 assert_int_equal(message->member, group_count);
#define PAYLOAD(field, member, sizes) BYTES_COLUMN(field, member)

#define PART(field, part)                                                                                              \
    {                                                                                                                  \
        __typeof__(*wire->field) absent;                                                                               \
                                                                                                                       \
        quadrille__v1__##part##__init(&absent);                                                                        \
        expect_##part(&message->field, wire->field != NULL ? wire->field : &absent);                                   \
    }
#define PART_IF(field, part)                                                                                           \
    assert_int_equal(message->has_##field, wire->field != NULL);                                                       \
    PART(field, part)
#define WHERE(field, KIND, part)                                                                                       \
    assert_int_equal(message->kind == QD_QUERY_##KIND, wire->where_case == QUADRILLE__V1__QUERY__WHERE_##KIND);        \
    if (message->kind == QD_QUERY_##KIND) {                                                                            \
        expect_##part(&message->where.field, wire->field);                                                             \
    }
#define ROWS(field, part)                                                                                              \
    assert_int_equal(message->count, wire->n_##field);                                                                 \
    for (size_t i = 0; i < wire->n_##field; i++) {                                                                     \
        expect_##part(&message->field[i], wire->field[i]);                                                             \
    }

#include "proto/fields.def"

#define CLIENT_CASE(KIND, Wire, field, member)                                                                         \
    case QUADRILLE__V1__CLIENT_FRAME__MESSAGE_##KIND:                                                                  \
        assert_int_equal(message->kind, QD_CLIENT_##KIND);                                                             \
        expect_##field(&message->as.member, frame->field);                                                             \
        return;

static void expect_client(const qd_client_message *message, const Quadrille__V1__ClientFrame *frame)
{
    assert_int_equal(message->seq, frame->seq);
    assert_int_equal(message->confirm, frame->confirm);
    switch ((int)frame->message_case) {
#define QUADRILLE__V1__CLIENT_FRAME__MESSAGE_EXCEPT QUADRILLE__V1__CLIENT_FRAME__MESSAGE_EXCEPTIONS
        CLIENT_MESSAGES(CLIENT_CASE)
    default:
        assert_int_equal(message->kind, QD_CLIENT_NOTHING);
    }
}

#define SERVER_CASE(KIND, Wire, field, member)                                                                         \
    case QUADRILLE__V1__SERVER_FRAME__MESSAGE_##KIND:                                                                  \
        assert_int_equal(message->kind, QD_SERVER_##KIND);                                                             \
        expect_##field(&message->as.member, frame->field);                                                             \
        return;

static void expect_server(const qd_server_message *message, const Quadrille__V1__ServerFrame *frame)
{
    assert_int_equal(message->seq, frame->seq);
    switch ((int)frame->message_case) {
        SERVER_MESSAGES(SERVER_CASE)
    default:
        assert_int_equal(message->kind, QD_SERVER_NOTHING);
    }
}

/* Decodes the frame by the codec and by the generated code. Both give the same message, or the codec refuses it. */
static void decode_and_compare(side from, const uint8_t *bytes, size_t size, test_decoded *decoded)
{
    ProtobufCMessage *frame = protobuf_c_message_unpack(sides[from].descriptor, NULL, size, bytes);

    decode(from, bytes, size, decoded);
    assert_true(frame != NULL || decoded->result == QD_DECODE_MALFORMED);
    if (decoded->result == QD_DECODE_OK && from == CLIENT) {
        expect_client(&decoded->message.as.client, (const Quadrille__V1__ClientFrame *)frame);
    } else if (decoded->result == QD_DECODE_OK) {
        expect_server(&decoded->message.as.server, (const Quadrille__V1__ServerFrame *)frame);
    }
    protobuf_c_message_free_unpacked(frame, NULL);
}

/* ---- tests ---- */

TEST(vector_decodes_and_encodes)
{
    FOR_EACH_VECTOR(from, vector)
    {
        uint8_t bytes[FRAME_BYTES_MAX];
        size_t size = parse(vector->hex, bytes);
        test_decoded decoded;

        print_message("%s %s\n", sides[from].frame, vector->name);
        decode_and_compare(from, bytes, size, &decoded);
        assert_int_equal(decoded.result, QD_DECODE_OK);
        assert_string_equal(decoded.fault, "");
        test_frame frame = encode(&decoded.message);
        assert_int_equal(frame.body_size, size);
        assert_memory_equal(frame.body, bytes, size);
        free(frame.bytes);
        release(&decoded);
    }
}

/* Only a cut between the fields of the envelope decodes: to a frame without a message, or without confirm behind it. */
TEST(truncated_frame_is_malformed)
{
    FOR_EACH_VECTOR(from, vector)
    {
        uint8_t bytes[FRAME_BYTES_MAX];
        const size_t size = parse(vector->hex, bytes);

        for (size_t cut = 0; cut < size; cut++) {
            test_decoded decoded;

            decode_and_compare(from, bytes, cut, &decoded);
            const bool is_confirm = cut + 3 == size && memcmp(bytes + cut, "\xf8\x01\x01", 3) == 0;
            assert_int_equal(decoded.result == QD_DECODE_OK && !is_confirm ? decoded.kind : 0, 0);
            assert_true(decoded.result == QD_DECODE_OK || decoded.result == QD_DECODE_MALFORMED);
            release(&decoded);
        }
    }
}

TEST(frame_with_a_flipped_bit_decodes_as_by_the_generated_code)
{
    FOR_EACH_VECTOR(from, vector)
    {
        uint8_t bytes[FRAME_BYTES_MAX];
        const size_t size = parse(vector->hex, bytes);

        for (size_t bit = 0; bit < size * 8; bit++) {
            test_decoded decoded;

            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            decode_and_compare(from, bytes, size, &decoded);
            if (decoded.result == QD_DECODE_OK) {
                free(encode(&decoded.message).bytes);
            }
            release(&decoded);
            assert_true(result_of(from == CLIENT ? SERVER : CLIENT, bytes, size) != QD_DECODE_NO_MEMORY);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

/* ---- completeness ---- */

/* The fields that some vector sets. */
static const ProtobufCFieldDescriptor *fields_set[1000];
static size_t fields_set_count;

static bool is_in_a_vector(const ProtobufCFieldDescriptor *field)
{
    for (size_t i = 0; i < fields_set_count; i++) {
        if (fields_set[i] == field) {
            return true;
        }
    }
    return false;
}

/* How many values of the field the message has. A scalar that is zero counts as absent. */
static size_t value_count(const char *message, const ProtobufCFieldDescriptor *field)
{
    const char *value = message + field->offset;
    static const uint64_t zero;

    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        return *(const size_t *)(message + field->quantifier_offset);
    }
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        return *(const uint32_t *)(message + field->quantifier_offset) == field->id;
    }
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        return *(void *const *)value != NULL;
    case PROTOBUF_C_TYPE_STRING:
        return **(const char *const *)value != '\0';
    case PROTOBUF_C_TYPE_BYTES:
        return ((const ProtobufCBinaryData *)value)->len > 0;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return memcmp(value, &zero, 8) != 0;
    default:
        return memcmp(value, &zero, 4) != 0;
    }
}

static void note_fields(const ProtobufCMessage *message)
{
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        const char *value = (const char *)message + field->offset;
        const size_t count = value_count((const char *)message, field);

        if (count > 0 && !is_in_a_vector(field)) {
            assert_true(fields_set_count < COUNT_OF(fields_set));
            fields_set[fields_set_count++] = field;
        }
        for (size_t k = 0; field->type == PROTOBUF_C_TYPE_MESSAGE && k < count; k++) {
            note_fields(field->label == PROTOBUF_C_LABEL_REPEATED ? (*(ProtobufCMessage * *const *)value)[k]
                                                                  : *(ProtobufCMessage *const *)value);
        }
    }
}

static void expect_fields(const ProtobufCMessageDescriptor *message)
{
    for (unsigned i = 0; i < message->n_fields; i++) {
        if (!is_in_a_vector(&message->fields[i])) {
            fail_msg("no vector sets %s.%s", message->name, message->fields[i].name);
        }
        if (message->fields[i].type == PROTOBUF_C_TYPE_MESSAGE) {
            expect_fields(message->fields[i].descriptor);
        }
    }
}

/* Fails for a field or a message without a vector, such as a new one. */
TEST(each_field_is_set_in_a_vector)
{
    FOR_EACH_VECTOR(from, vector)
    {
        uint8_t bytes[FRAME_BYTES_MAX];
        size_t size = parse(vector->hex, bytes);
        ProtobufCMessage *frame = protobuf_c_message_unpack(sides[from].descriptor, NULL, size, bytes);

        assert_non_null(frame);
        note_fields(frame);
        protobuf_c_message_free_unpacked(frame, NULL);
    }
    expect_fields(sides[CLIENT].descriptor);
    expect_fields(sides[SERVER].descriptor);
}

int main(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], "--list") != 0) {
        return test_run(argc, argv, NULL, NULL);
    }
    FOR_EACH_VECTOR(from, vector)
    {
        printf("%s|%s|%s|%s\n", sides[from].frame, vector->name, vector->hex, vector->text);
    }
    return 0;
}
