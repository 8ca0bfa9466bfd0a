/* SPDX-License-Identifier: Apache-2.0 */
#include "csv.h"

#include <string.h>

#define BLANKS " \t\r\n"

static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL) {
        length--;
    }
    text[length] = '\0';
    return text;
}

size_t qd_csv_split(char *line, char **fields, size_t max)
{
    size_t count = 0;
    char *rest = trim(line);

    if (*rest == '\0') {
        return 0;
    }
    while (rest != NULL) {
        char *field = rest;

        rest = strchr(field, ',');
        if (rest != NULL) {
            *rest++ = '\0';
        }
        if (count < max) {
            fields[count] = trim(field);
        }
        count++;
    }
    return count;
}
