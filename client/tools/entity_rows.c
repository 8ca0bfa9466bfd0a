/* SPDX-License-Identifier: Apache-2.0 */
#include "entity_rows.h"

#include "csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum field {
    ID,
    X,
    Y,
    Z,
    HALF_X,
    HALF_Y,
    HALF_Z,
    RADIUS,
    AXIS_X,
    AXIS_Y,
    AXIS_Z,
    SHAPE,
    CATEGORY,
    MASK,
    FIELDS_MAX
} field;

static const char *const field_names[FIELDS_MAX] = {"id",     "x",  "y",  "z",  "hx",    "hy",       "hz",
                                                    "radius", "ax", "ay", "az", "shape", "category", "mask"};

/* ---- layouts ---- */

/* The fields of a row, in order. A row of `short_count` fields ends with hx, and the other half extents equal hx. */
typedef struct row_layout {
    field fields[FIELDS_MAX];
    size_t count, short_count;
    char text[64]; /* "id,x,y,hx[,hy]" */
} row_layout;

static void add_field(row_layout *row, field name)
{
    size_t length = strlen(row->text);
    const char *bracket = row->count > 0 && row->count == row->short_count ? "[" : "";

    snprintf(row->text + length, sizeof row->text - length, "%s%s%s", bracket, row->count > 0 ? "," : "",
             field_names[name]);
    row->fields[row->count++] = name;
}

/* Adds the sizes that the shape has. */
static void add_sizes(row_layout *row, qd_shape shape, bool is_3d)
{
    if (shape == QD_SHAPE_BOX) {
        add_field(row, HALF_X);
        row->short_count = row->count;
        add_field(row, HALF_Y);
        if (is_3d) {
            add_field(row, HALF_Z);
        }
        strcat(row->text, "]");
        return;
    }
    add_field(row, RADIUS);
    if (shape == QD_SHAPE_CAPSULE) {
        add_field(row, AXIS_X);
        add_field(row, AXIS_Y);
        if (is_3d) {
            add_field(row, AXIS_Z);
        }
    }
}

static bool has_center(const qd_entity_form *form)
{
    return form->message == QD_CLIENT_SPAWN || form->message == QD_CLIENT_MOVE || form->message == QD_CLIENT_TELEPORT;
}

static bool has_sizes(const qd_entity_form *form)
{
    return form->message == QD_CLIENT_SPAWN || form->message == QD_CLIENT_RESHAPE;
}

static row_layout layout_of(const qd_entity_form *form, uint32_t dimensions)
{
    const bool is_3d = dimensions == 3;
    row_layout row = {.count = 0};

    add_field(&row, ID);
    if (has_center(form)) {
        add_field(&row, X);
        add_field(&row, Y);
        if (is_3d) {
            add_field(&row, Z);
        }
    }
    if (has_sizes(form)) {
        add_sizes(&row, form->shape, is_3d);
    }
    return row;
}

static bool has_count(const row_layout *row, size_t count)
{
    return count == row->count || (row->short_count > 0 && count == row->short_count);
}

/* ---- values ---- */

/* Why an entity could not be read, as text. */
typedef struct complaint {
    char text[200];
} complaint;

static bool read_shape(const char *text, qd_shape *shape)
{
    static const char *const names[] = {
        [QD_SHAPE_BOX] = "box", [QD_SHAPE_CIRCLE] = "circle", [QD_SHAPE_CAPSULE] = "capsule"};

    for (size_t i = QD_SHAPE_BOX; i < QD_CLI_COUNT(names); i++) {
        if (strcmp(names[i], text) == 0) {
            *shape = (qd_shape)i;
            return true;
        }
    }
    return false;
}

static bool read_value(field name, const char *text, qd_entity *entity, complaint *why)
{
    float *const reals[FIELDS_MAX] = {
        [X] = &entity->x,           [Y] = &entity->y,           [Z] = &entity->z,           [HALF_X] = &entity->half_x,
        [HALF_Y] = &entity->half_y, [HALF_Z] = &entity->half_z, [RADIUS] = &entity->radius, [AXIS_X] = &entity->axis_x,
        [AXIS_Y] = &entity->axis_y, [AXIS_Z] = &entity->axis_z};
    uint32_t *const numbers[FIELDS_MAX] = {[ID] = &entity->id, [CATEGORY] = &entity->category, [MASK] = &entity->mask};
    const char *rule = "a whole number from 0 to 4294967295";
    bool good;

    if (name == SHAPE) {
        rule = "box, circle or capsule";
        good = read_shape(text, &entity->shape);
    } else if (reals[name] != NULL) {
        rule = "a finite number";
        good = qd_options_float(text, reals[name]);
    } else {
        good = qd_options_uint32(text, numbers[name]);
    }
    if (!good) {
        snprintf(why->text, sizeof why->text, "%s is '%.64s'; must be %s", field_names[name], text, rule);
    }
    return good;
}

/* `count` is a number of values that has_count accepts. */
static bool read_entity(const qd_entity_form *form, const row_layout *row, char **values, size_t count,
                        qd_entity *entity, complaint *why)
{
    *entity = (qd_entity){.shape = form->shape, .category = form->category, .mask = form->mask};
    for (size_t i = 0; i < count; i++) {
        if (!read_value(row->fields[i], values[i], entity, why)) {
            return false;
        }
    }
    if (count < row->count) {
        entity->half_y = entity->half_z = entity->half_x;
    }
    return true;
}

/* ---- the command line ---- */

int qd_entity_check(const qd_cli *cli, const qd_entity_form *form, char **values, size_t count)
{
    const row_layout flat = layout_of(form, 2), deep = layout_of(form, 3);
    qd_entity entity;
    complaint why;

    if (!has_count(&flat, count) && !has_count(&deep, count)) {
        const bool same = strcmp(flat.text, deep.text) == 0;

        return qd_options_misuse(cli->program, "the entity has %zu values; must be %s%s%s, or - for rows", count,
                                 flat.text, same ? "" : ", in three dimensions ", same ? "" : deep.text);
    }
    if (!read_entity(form, has_count(&flat, count) ? &flat : &deep, values, count, &entity, &why)) {
        return qd_options_misuse(cli->program, "%s", why.text);
    }
    return 0;
}

int qd_entity_read(const qd_cli *cli, const qd_entity_form *form, const char *room_name, uint32_t dimensions,
                   char **values, size_t count, qd_columns *columns)
{
    const row_layout row = layout_of(form, dimensions);
    qd_entity entity;
    complaint why;

    if (!has_count(&row, count)) {
        return qd_cli_fail(cli, "room %s has %u dimensions, but the entity has %zu values: give %s", room_name,
                           dimensions, count, row.text);
    }
    if (!read_entity(form, &row, values, count, &entity, &why)) {
        return qd_cli_fail(cli, "%s", why.text);
    }
    return qd_columns_add(columns, entity) ? 0 : qd_cli_fail(cli, "out of memory");
}

/* ---- rows ---- */

static bool contains(const row_layout *row, field name)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->fields[i] == name) {
            return true;
        }
    }
    return false;
}

static bool needs(const qd_entity_form *form, field name, uint32_t dimensions)
{
    return name == ID || (has_center(form) && (name == X || name == Y || (name == Z && dimensions == 3)));
}

/* Makes a layout of a header. Returns the exit status. */
static int read_header(const qd_cli *cli, const qd_entity_form *form, const char *room_name, uint32_t dimensions,
                       char **names, size_t count, row_layout *row)
{
    *row = (row_layout){.count = 0};
    for (size_t i = 0; i < count; i++) {
        field name = 0;

        while (name < FIELDS_MAX && strcmp(field_names[name], names[i]) != 0) {
            name++;
        }
        if (name == FIELDS_MAX || contains(row, name)) {
            return qd_cli_fail(cli,
                               "the header has '%.64s'%s; must be names that `quadrille snapshot` prints, once each",
                               names[i], name == FIELDS_MAX ? "" : " twice");
        }
        if (dimensions == 2 && (name == Z || name == HALF_Z || name == AXIS_Z)) {
            return qd_cli_fail(cli, "the header has %s, but room %s has 2 dimensions: leave it out", names[i],
                               room_name);
        }
        row->fields[row->count++] = name;
    }
    for (field name = 0; name < FIELDS_MAX; name++) {
        if (needs(form, name, dimensions) && !contains(row, name)) {
            return qd_cli_fail(cli, "the header has no %s: add it", field_names[name]);
        }
    }
    snprintf(row->text, sizeof row->text, "as the header");
    return 0;
}

int qd_entity_read_rows(const qd_cli *cli, const qd_entity_form *form, const char *room_name, uint32_t dimensions,
                        qd_columns *columns, bool *filters)
{
    row_layout row = layout_of(form, dimensions);
    char *line = NULL, *fields[FIELDS_MAX];
    size_t capacity = 0;
    bool begun = false;
    int status = 0;

    for (unsigned long number = 1; status == 0 && getline(&line, &capacity, stdin) >= 0; number++) {
        qd_entity entity;
        complaint why;
        size_t count = qd_csv_split(line, fields, FIELDS_MAX);

        if (count == 0 || fields[0][0] == '#') {
            continue;
        }
        const bool is_header = !begun && strcmp(fields[0], field_names[ID]) == 0 && count <= FIELDS_MAX;
        begun = true;
        if (is_header) {
            status = read_header(cli, form, room_name, dimensions, fields, count, &row);
            continue;
        }
        if (!has_count(&row, count)) {
            status = qd_cli_fail(cli, "line %lu has %zu %s: a row is %s", number, count,
                                 count == 1 ? "field" : "fields", row.text);
        } else if (!read_entity(form, &row, fields, count, &entity, &why)) {
            status = qd_cli_fail(cli, "line %lu: %s", number, why.text);
        } else if (!qd_columns_add(columns, entity)) {
            status = qd_cli_fail(cli, "out of memory");
        }
    }
    if (status == 0 && ferror(stdin)) {
        status = qd_cli_fail(cli, "cannot read the standard input: %s", strerror(errno));
    }
    free(line);
    *filters = contains(&row, CATEGORY) && contains(&row, MASK);
    return status;
}
