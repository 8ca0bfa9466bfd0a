/* SPDX-License-Identifier: Apache-2.0
 *
 * The protocol's numbers: the constants are those of quadrille.proto, and the names of numbers.
 */
#include <string.h>

#include "proto/messages.h"
#include "quadrille.pb-c.h"
#include "tests/support/test.h"

typedef struct constant {
    const char *name; /* in quadrille.proto */
    int number;
} constant;

#define ROW(prefix, name, number)        {prefix #name, number},
#define INDEX(name, number, text)        ROW("INDEX_", name, number)
#define PRUNE(name, number, text)        ROW("PRUNE_", name, number)
#define END_REASON(name, number, text)   ROW("END_REASON_", name, number)
#define LEAVE_REASON(name, number, text) ROW("LEAVE_REASON_", name, number)
#define VISIBILITY(name, number, text)   ROW("VISIBILITY_", name, number)
#define ERROR_CODE(name, number)         ROW("ERROR_CODE_", name, number)

static const struct {
    const ProtobufCEnumDescriptor *descriptor;
    constant constants[48];
} enums[] = {
    {&quadrille__v1__index__descriptor, {QD_INDEXES(INDEX)}},
    {&quadrille__v1__prune__descriptor, {QD_PRUNES(PRUNE)}},
    {&quadrille__v1__end_reason__descriptor, {QD_END_REASONS(END_REASON)}},
    {&quadrille__v1__leave_reason__descriptor, {QD_LEAVE_REASONS(LEAVE_REASON)}},
    {&quadrille__v1__visibility__descriptor, {QD_VISIBILITIES(VISIBILITY)}},
    {&quadrille__v1__error_code__descriptor, {QD_ERROR_CODES(ERROR_CODE)}},
    {&quadrille__v1__tick_mode__descriptor,
     {{"TICK_MODE_CLOCK", QD_TICK_MODE_CLOCK}, {"TICK_MODE_STEP", QD_TICK_MODE_STEP}}},
    {&quadrille__v1__shape__descriptor,
     {{"SHAPE_BOX", QD_SHAPE_BOX}, {"SHAPE_CIRCLE", QD_SHAPE_CIRCLE}, {"SHAPE_CAPSULE", QD_SHAPE_CAPSULE}}},
    {&quadrille__v1__subscribe__scope__descriptor, {{"SCOPE_ALL", QD_SCOPE_ALL}, {"SCOPE_OWN", QD_SCOPE_OWN}}},
    {&quadrille__v1__observe__region__descriptor,
     {{"REGION_CIRCLE", QD_REGION_CIRCLE}, {"REGION_BOX", QD_REGION_BOX}, {"REGION_CONE", QD_REGION_CONE}}},
    {&quadrille__v1__set_view_options__watch__descriptor,
     {{"WATCH_NONE", QD_WATCH_NONE}, {"WATCH_OWN", QD_WATCH_OWN}, {"WATCH_ALL", QD_WATCH_ALL}}},
    {&quadrille__v1__go_away__reason__descriptor,
     {{"REASON_SHUTDOWN", QD_GO_AWAY_SHUTDOWN},
      {"REASON_PROTOCOL", QD_GO_AWAY_PROTOCOL},
      {"REASON_FULL", QD_GO_AWAY_FULL},
      {"REASON_TOO_SLOW", QD_GO_AWAY_TOO_SLOW},
      {"REASON_TAKEN_OVER", QD_GO_AWAY_TAKEN_OVER},
      {"REASON_QUOTA", QD_GO_AWAY_QUOTA},
      {"REASON_NOT_ALIVE", QD_GO_AWAY_NOT_ALIVE},
      {"REASON_REVOKED", QD_GO_AWAY_REVOKED}}},
    {&quadrille__v1__room_closed__reason__descriptor,
     {{"REASON_REQUESTED", QD_ROOM_CLOSED_REQUESTED},
      {"REASON_EMPTY", QD_ROOM_CLOSED_EMPTY},
      {"REASON_SHUTDOWN", QD_ROOM_CLOSED_SHUTDOWN}}},
};

TEST(constants_are_those_of_the_proto)
{
    for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++) {
        unsigned count = 1; /* ..._UNSPECIFIED = 0 */

        for (const constant *of = enums[i].constants; of->name != NULL; of++, count++) {
            const ProtobufCEnumValue *value =
                protobuf_c_enum_descriptor_get_value_by_name(enums[i].descriptor, of->name);

            print_message("%s\n", of->name);
            assert_non_null(value);
            assert_int_equal(value->value, of->number);
        }
        assert_int_equal(count, enums[i].descriptor->n_values);
    }
}

TEST(number_has_a_name)
{
    const struct {
        const char *found, *name;
    } cases[] = {
        {qd_error_code_name(QD_ERROR_ID_TAKEN), "ID_TAKEN"},
        {qd_error_code_name(QD_ERROR_MALFORMED), "MALFORMED"},
        {qd_error_code_name(QD_ERROR_OBSERVERS_FULL), "OBSERVERS_FULL"},
        {qd_error_code_name(QD_ERROR_NONE), "UNKNOWN"},
        {qd_error_code_name((qd_error_code)6), "UNKNOWN"},
        {qd_error_code_name((qd_error_code)1000), "UNKNOWN"},
        {qd_end_reason_name(QD_END_MOVED_APART), "moved apart"},
        {qd_end_reason_name(QD_END_ROOM_CLOSED), "room closed"},
        {qd_end_reason_name((qd_end_reason)0), "UNKNOWN"},
        {qd_end_reason_name((qd_end_reason)255), "UNKNOWN"},
        {qd_leave_reason_name(QD_LEAVE_ROOM_CLOSED), "room closed"},
        {qd_leave_reason_name(QD_LEAVE_LIMIT), "others are nearer"},
        {qd_leave_reason_name((qd_leave_reason)0), "UNKNOWN"},
        {qd_leave_reason_name((qd_leave_reason)11), "UNKNOWN"},
        {qd_visibility_name(QD_VISIBILITY_SEEN), "seen"},
        {qd_visibility_name(QD_VISIBILITY_NOT_YET), "not seen: since the last tick"},
        {qd_visibility_name((qd_visibility)0), "UNKNOWN"},
        {qd_visibility_name((qd_visibility)14), "UNKNOWN"},
        {qd_index_name(QD_INDEX_QUADTREE), "quadtree"},
        {qd_index_name(QD_INDEX_DEFAULT), "UNKNOWN"},
        {qd_index_name((qd_index_kind)8), "UNKNOWN"},
        {qd_prune_name(QD_PRUNE_LAZY), "lazy"},
        {qd_prune_name(QD_PRUNE_DEFAULT), "UNKNOWN"},
        {qd_prune_name((qd_prune_kind)5), "UNKNOWN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(cases[i].found, cases[i].name);
    }
}

TEST(name_has_a_number)
{
    for (int index = QD_INDEX_AUTO; index <= QD_INDEX_BRUTE; index++) {
        assert_int_equal(qd_index_of_name(qd_index_name((qd_index_kind)index)), index);
    }
    for (int prune = QD_PRUNE_AUTO; prune <= QD_PRUNE_LAZY; prune++) {
        assert_int_equal(qd_prune_of_name(qd_prune_name((qd_prune_kind)prune)), prune);
    }
    assert_int_equal(qd_index_of_name("Quadtree"), QD_INDEX_DEFAULT);
    assert_int_equal(qd_index_of_name(""), QD_INDEX_DEFAULT);
    assert_int_equal(qd_index_of_name("UNKNOWN"), QD_INDEX_DEFAULT);
    assert_int_equal(qd_prune_of_name("hash"), QD_PRUNE_DEFAULT);
}

TEST_MAIN()
