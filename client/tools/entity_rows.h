/* SPDX-License-Identifier: Apache-2.0
 *
 * Entities as text: values on the command line, and rows of the standard input.
 */
#ifndef QD_TOOLS_ENTITY_ROWS_H
#define QD_TOOLS_ENTITY_ROWS_H

#include "cli.h"
#include "columns.h"

/* What a command reads. Rows of a snapshot have their own shape, category and mask; all others have these. */
typedef struct qd_entity_form {
    qd_client_kind message;
    qd_shape shape;
    uint32_t category, mask;
} qd_entity_form;

/* Checks the values before the room's dimensions are known. Returns 0, or the exit status of a misuse. */
int qd_entity_check(const qd_cli *cli, const qd_entity_form *form, char **values, size_t count);
/* Adds the entity of these values. Returns the exit status. */
int qd_entity_read(const qd_cli *cli, const qd_entity_form *form, const char *room_name, uint32_t dimensions,
                   char **values, size_t count, qd_columns *columns);
/* Adds an entity per row of the standard input. If the first row is a header, as `quadrille snapshot` prints it, its
 * names give the fields; those that the command does not need are left out. *filters: the rows have a category and a
 * mask. Returns the exit status. */
int qd_entity_read_rows(const qd_cli *cli, const qd_entity_form *form, const char *room_name, uint32_t dimensions,
                        qd_columns *columns, bool *filters);

#endif
