/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "server/base/bytes/byte_cursor.h"
#include "server/base/bytes/byte_list.h"
#include "server/base/bytes/crc32c.h"
#include "server/base/bytes/siphash.h"
#include "server/base/memory/alloc.h"
#include "tests/support/test.h"

TEST(crc32c_agrees_with_the_standard)
{
    uint8_t zeros[32] = {0}, bytes[300];

    /* RFC 3720, B.4 */
    assert_int_equal(qd_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(qd_crc32c(0, zeros, sizeof zeros), 0x8a9136aa);
    assert_int_equal(qd_crc32c(0, NULL, 0), 0);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 37 + 11);
    }
    for (size_t size = 0; size < sizeof bytes; size++) {
        const uint32_t crc = qd_crc32c(0, bytes, size);

        assert_int_equal(crc, qd_crc32c_portable(0, bytes, size));
        assert_int_equal(crc, qd_crc32c(qd_crc32c(0, bytes, size / 3), bytes + size / 3, size - size / 3));
    }
}

TEST(siphash_agrees_with_the_paper)
{
    const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
    uint8_t bytes[15];

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    assert_true(qd_siphash(key, bytes, sizeof bytes) == UINT64_C(0xa129ca6149be45e5));
    assert_true(qd_siphash(key, bytes, 8) != qd_siphash(key, bytes, 7));
}

TEST(numbers_are_read_as_they_were_written)
{
    static const uint64_t numbers[] = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX};
    static const int64_t signs[] = {0, -1, 1, INT64_MIN, INT64_MAX};
    qd_byte_list list = {0};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        qd_byte_list_number(&list, numbers[i]);
    }
    qd_byte_cursor cursor = qd_byte_cursor_of(list.bytes, list.size);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        assert_true(qd_byte_cursor_number(&cursor) == numbers[i]);
    }
    assert_int_equal(qd_byte_cursor_left(&cursor), 0);
    assert_false(cursor.failed);
    assert_int_equal(qd_byte_cursor_number(&cursor), 0);
    assert_true(cursor.failed);
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        assert_true(qd_unzigzag(qd_zigzag(signs[i])) == signs[i]);
    }
    qd_byte_list_clear(&list, 0);
}

TEST(a_varint_without_end_fails)
{
    uint8_t bytes[11];

    memset(bytes, 0xff, sizeof bytes);
    qd_byte_cursor cursor = qd_byte_cursor_of(bytes, sizeof bytes);
    assert_int_equal(qd_byte_cursor_number(&cursor), 0);
    assert_true(cursor.failed);
}

TEST(a_list_without_memory_fails_and_recovers)
{
    qd_byte_list list = {0};

    (void)qd_memory_fail(1, 1);
    qd_byte_list_number(&list, 7);
    (void)qd_memory_fail(0, 0);
    assert_true(list.failed);
    qd_byte_list_number(&list, 8);
    assert_int_equal(list.size, 0);
    qd_byte_list_clear(&list, 0);
    qd_byte_list_number(&list, 9);
    assert_false(list.failed);
    assert_int_equal(list.bytes[0], 9);
    qd_byte_list_clear(&list, 0);
    assert_null(list.bytes);
}

TEST_MAIN()
