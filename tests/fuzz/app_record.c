/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads any bytes as a file of a record. Either there is an error with words, or entries, which are taken apart. The
 * bytes are taken apart as one entry, too, because few inputs have the checksums of a file.
 */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz/as_file.h"
#include "server/app/replay/record_text.h"
#include "server/app/replay/replay_entry.h"
#include "server/record/record_reader.h"

static void check_entry(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    qd_replay_entry entry;

    if (!qd_replay_entry_read(bytes, size, &entry)) {
        return;
    }
    FUZZ_CHECK(entry.kind >= QD_ENTRY_COMMAND && entry.kind <= QD_ENTRY_LOST);
    FUZZ_CHECK(entry.rest.at <= end && entry.rest.end == end);
    FUZZ_CHECK(entry.frame.size == 0 || (entry.frame.bytes >= bytes && entry.frame.bytes + entry.frame.size <= end));
    FUZZ_CHECK(entry.opened.size == 0 ||
               (entry.opened.bytes >= bytes && entry.opened.bytes + entry.opened.size <= end));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static qd_record_reader reader;
    char path[FUZZ_PATH_SIZE];
    const int file = fuzz_as_file(bytes, size, path);
    qd_record_result result = qd_record_reader_open(&reader, path);

    check_entry(bytes, size);
    if (result == QD_RECORD_ENTRY) {
        qd_replay_server server;

        qd_record_text_read(reader.text, &server);
        while ((result = qd_record_reader_next(&reader)) == QD_RECORD_ENTRY) {
            check_entry(reader.entry, reader.size);
        }
    }
    FUZZ_CHECK((result == QD_RECORD_END) == (reader.error[0] == '\0'));
    qd_record_reader_close(&reader);
    close(file);
    return 0;
}
