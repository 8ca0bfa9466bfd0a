/* SPDX-License-Identifier: Apache-2.0 */
#include "room_config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../../../proto/utf8.h"

/* A field that is a plain number. 0 stands for the default, unless the field has presence. */
typedef struct number_field {
    const char *name;
    size_t offset;
    uint32_t min, max, otherwise;
    bool is_limited; /* by the server: the limit at limit_offset is the maximum, and the default unless `otherwise` */
    size_t limit_offset;
    size_t presence_offset; /* of its `has_` member; 0: the field has no presence */
    const char *option;     /* of the limit, in brackets; "" where the option has the field's name */
} number_field;

#define STEP_DEADLINE_MS 1000u

#define FIELD(name, min, max, otherwise)                                                                               \
    {                                                                                                                  \
        #name, offsetof(qd_msg_room_config, name), (min), (max), (otherwise), false, 0, 0, ""                          \
    }
#define PRESENT(name, max, otherwise)                                                                                  \
    {                                                                                                                  \
        #name, offsetof(qd_msg_room_config, name), 0, (max), (otherwise), false, 0,                                    \
            offsetof(qd_msg_room_config, has_##name), ""                                                               \
    }
#define PRESENT_LIMITED(name, limit, otherwise, option)                                                                \
    {                                                                                                                  \
        #name, offsetof(qd_msg_room_config, name), 0, 0, (otherwise), true, offsetof(qd_limits, limit),                \
            offsetof(qd_msg_room_config, has_##name), (option)                                                         \
    }
#define LIMITED(name)                                                                                                  \
    {                                                                                                                  \
        #name, offsetof(qd_msg_room_config, name), 1, 0, 0, true, offsetof(qd_limits, name), 0, ""                     \
    }

/* The largest depth depends on the index, and is checked with it. */
static const number_field fields[] = {
    FIELD(dimensions, 2, 3, 2),
    FIELD(tick_hz, 1, 1000, 20),
    FIELD(depth, 1, UINT32_MAX, 0),
    LIMITED(entities_max),
    LIMITED(events_max),
    LIMITED(observers_max),
    LIMITED(visible_entries_max),
    PRESENT(grace_ms, 3600000, 5000),
    PRESENT_LIMITED(empty_close_ms, empty_close_ms_max, 60000, " (--empty-close-ms-max)"),
    FIELD(writers, 1, 1024, 0),
    FIELD(step_deadline_ms, 1, 3600000, 0),
};
#define FIELDS (sizeof fields / sizeof fields[0])

static uint32_t number_at(const void *base, size_t offset)
{
    uint32_t number;

    memcpy(&number, (const char *)base + offset, sizeof number);
    return number;
}

static bool is_set(const qd_msg_room_config *config, const number_field *field)
{
    const char *base = (const char *)config;

    return number_at(config, field->offset) != 0 ||
           (field->presence_offset != 0 && *(const bool *)(base + field->presence_offset));
}

/* ---- names, as in quadrille.proto ---- */

static const char *mode_name(qd_tick_mode mode)
{
    return mode == QD_TICK_MODE_STEP ? "TICK_MODE_STEP" : "TICK_MODE_CLOCK";
}

static const char *index_name(qd_index_kind index)
{
    static const char *const names[] = {"INDEX_UNSPECIFIED",
#define X(name, number, text) [number] = "INDEX_" #name,
                                        QD_INDEXES(X)
#undef X
    };

    return names[index];
}

static const char *prune_name(qd_prune_kind prune)
{
    static const char *const names[] = {"PRUNE_UNSPECIFIED",
#define X(name, number, text) [number] = "PRUNE_" #name,
                                        QD_PRUNES(X)
#undef X
    };

    return names[prune];
}

static const char *access_name(qd_access access)
{
    static const char *const names[] = {"ACCESS_UNSPECIFIED",
#define X(name, number, text) [number] = "ACCESS_" #name,
                                        QD_ACCESSES(X)
#undef X
    };

    return names[access];
}

/* ---- checks ---- */

static uint32_t dimensions_of(const qd_msg_room_config *asked)
{
    return asked->dimensions == 0 ? 2 : asked->dimensions;
}

static qd_index_kind index_of(const qd_msg_room_config *asked)
{
    return asked->index == QD_INDEX_DEFAULT ? QD_INDEX_AUTO : asked->index;
}

static qd_access access_of(qd_access asked)
{
    return asked == QD_ACCESS_DEFAULT ? QD_ACCESS_ANYBODY : asked;
}

static bool check_numbers(const qd_msg_room_config *asked, const qd_limits *limits, qd_fault *fault)
{
    for (const number_field *field = fields; field < fields + FIELDS; field++) {
        uint32_t value = number_at(asked, field->offset);
        uint32_t max = field->is_limited ? number_at(limits, field->limit_offset) : field->max;

        if (is_set(asked, field) && (value < field->min || value > max)) {
            return qd_fault_invalid(fault, "%s is %" PRIu32 "; must be %" PRIu32 " to %" PRIu32 "%s", field->name,
                                    value, field->min, max, field->option);
        }
    }
    return true;
}

static bool check_bounds(const qd_msg_room_config *asked, qd_fault *fault)
{
    const qd_msg_bounds *bounds = &asked->bounds;

    const struct {
        const char *axis;
        float min, max;
    } axes[3] = {
        {"x", bounds->min_x, bounds->max_x}, {"y", bounds->min_y, bounds->max_y}, {"z", bounds->min_z, bounds->max_z}};
    uint32_t dimensions = dimensions_of(asked);
    for (uint32_t i = 0; i < dimensions; i++) {
        if (!isfinite(axes[i].min) || !isfinite(axes[i].max) || !(axes[i].min < axes[i].max)) {
            return qd_fault_invalid(fault, "bounds go from min_%s %g to max_%s %g; must be finite, with min below max",
                                    axes[i].axis, (double)axes[i].min, axes[i].axis, (double)axes[i].max);
        }
    }
    if (dimensions == 2 && (bounds->min_z != 0 || bounds->max_z != 0)) {
        return qd_fault_invalid(fault,
                                "bounds go from min_z %g to max_z %g; both must be 0 in two dimensions. Leave them "
                                "out, or set dimensions to 3",
                                (double)bounds->min_z, (double)bounds->max_z);
    }
    return true;
}

static bool check_mode(const qd_msg_room_config *asked, qd_fault *fault)
{
    if ((unsigned)asked->tick_mode > QD_TICK_MODE_STEP) {
        return qd_fault_invalid(fault, "tick_mode is %d; must be TICK_MODE_CLOCK (1) or TICK_MODE_STEP (2)",
                                (int)asked->tick_mode);
    }
    if (asked->tick_mode == QD_TICK_MODE_STEP && asked->tick_hz != 0) {
        return qd_fault_invalid(
            fault, "tick_hz is %" PRIu32 "; must be absent with TICK_MODE_STEP, which has no clock. Leave it out",
            asked->tick_hz);
    }
    if (asked->writers != 0 && asked->tick_mode != QD_TICK_MODE_STEP) {
        return qd_fault_invalid(fault,
                                "writers is %" PRIu32
                                "; must be absent without TICK_MODE_STEP. Leave it out, or set tick_mode to that",
                                asked->writers);
    }
    if (asked->step_deadline_ms != 0 && asked->writers == 0) {
        return qd_fault_invalid(fault,
                                "step_deadline_ms is %" PRIu32
                                ", but writers is 0; must be absent then. Leave it out, or set writers",
                                asked->step_deadline_ms);
    }
    return true;
}

static bool check_index(const qd_msg_room_config *asked, qd_fault *fault)
{
    if ((unsigned)asked->index > QD_INDEX_BRUTE) {
        return qd_fault_invalid(fault, "index is %d; must be INDEX_AUTO (1) to INDEX_BRUTE (7)", (int)asked->index);
    }
    if (asked->index == QD_INDEX_QUADTREE && dimensions_of(asked) != 2) {
        return qd_fault_invalid(fault, "index is INDEX_QUADTREE, which is for two dimensions; must suit three. Send "
                                       "INDEX_OCTREE, or leave it out");
    }
    if (asked->index == QD_INDEX_OCTREE && dimensions_of(asked) != 3) {
        return qd_fault_invalid(fault, "index is INDEX_OCTREE, which is for three dimensions; must suit two. Set "
                                       "dimensions to 3, or send INDEX_QUADTREE");
    }
    return true;
}

/* 0: the index is no tree. */
static uint32_t depth_max(qd_index_kind index, uint32_t dimensions)
{
    switch (index) {
    case QD_INDEX_AUTO:
    case QD_INDEX_QUADTREE:
    case QD_INDEX_OCTREE:
        return dimensions == 3 ? QD_SPACE_OCTREE_DEPTH_MAX : QD_SPACE_QUADTREE_DEPTH_MAX;
    case QD_INDEX_SPARSE:
        return dimensions == 3 ? QD_SPACE_SPARSE_DEPTH_MAX_3D : QD_SPACE_SPARSE_DEPTH_MAX_2D;
    default:
        return 0;
    }
}

/* Options of some indexes only. */
static bool check_index_options(const qd_msg_room_config *asked, qd_fault *fault)
{
    qd_index_kind index = index_of(asked);
    uint32_t most = depth_max(index, dimensions_of(asked));
    bool has_cell_size = index == QD_INDEX_HASH || index == QD_INDEX_GRID;

    if (asked->depth != 0 && most == 0) {
        return qd_fault_invalid(fault, "depth is %" PRIu32 "; must be absent with %s, which is no tree. Leave it out",
                                asked->depth, index_name(index));
    }
    if (asked->depth > most) {
        return qd_fault_invalid(fault,
                                "depth is %" PRIu32 "; must be 1 to %" PRIu32 " with %s in %" PRIu32 " dimensions",
                                asked->depth, most, index_name(index), dimensions_of(asked));
    }
    if ((unsigned)asked->prune > QD_PRUNE_LAZY) {
        return qd_fault_invalid(fault, "prune is %d; must be PRUNE_AUTO (1) to PRUNE_LAZY (4)", (int)asked->prune);
    }
    if (asked->prune != QD_PRUNE_DEFAULT && index != QD_INDEX_SPARSE) {
        return qd_fault_invalid(fault,
                                "prune is %s; must be absent with %s, since it is for INDEX_SPARSE. Leave it out",
                                prune_name(asked->prune), index_name(index));
    }
    if (!isfinite(asked->cell_size) || asked->cell_size < 0) {
        return qd_fault_invalid(fault, "cell_size is %g; must be finite and above 0", (double)asked->cell_size);
    }
    if (asked->cell_size > 0 && !has_cell_size) {
        return qd_fault_invalid(
            fault, "cell_size is %g; must be absent with %s, since it is for INDEX_HASH and INDEX_GRID. Leave it out",
            (double)asked->cell_size, index_name(index));
    }
    return true;
}

static bool check_access(const qd_msg_room_config *asked, qd_fault *fault)
{
    const struct {
        const char *name;
        qd_access access;
    } fields_of_access[] = {{"join", asked->join}, {"write", asked->write}, {"step", asked->step}};

    for (size_t i = 0; i < sizeof fields_of_access / sizeof fields_of_access[0]; i++) {
        if ((unsigned)fields_of_access[i].access > QD_ACCESS_CREATOR) {
            return qd_fault_invalid(fault,
                                    "%s is %d; must be ACCESS_ANYBODY (1), ACCESS_SAME_TOKEN (2) or ACCESS_CREATOR (3)",
                                    fields_of_access[i].name, (int)fields_of_access[i].access);
        }
    }
    return true;
}

bool qd_room_config_check(const qd_msg_room_config *asked, const qd_limits *limits, qd_fault *fault)
{
    return check_numbers(asked, limits, fault) && check_mode(asked, fault) && check_index(asked, fault) &&
           check_index_options(asked, fault) && check_access(asked, fault) &&
           (!asked->has_bounds || check_bounds(asked, fault));
}

/* ---- defaults ---- */

void qd_room_config_resolve(const qd_msg_room_config *asked, const qd_limits *limits, qd_msg_room_config *effective)
{
    *effective = *asked;
    for (const number_field *field = fields; field < fields + FIELDS; field++) {
        uint32_t otherwise = field->otherwise;

        if (field->is_limited) {
            const uint32_t limit = number_at(limits, field->limit_offset);

            otherwise = otherwise == 0 || otherwise > limit ? limit : otherwise;
        }

        if (!is_set(asked, field)) {
            memcpy((char *)effective + field->offset, &otherwise, sizeof otherwise);
        }
        if (field->presence_offset != 0) {
            *(bool *)((char *)effective + field->presence_offset) = true;
        }
    }
    if (effective->tick_mode == QD_TICK_MODE_STEP) {
        effective->tick_hz = 0;
    } else {
        effective->tick_mode = QD_TICK_MODE_CLOCK;
    }
    if (effective->writers > 0 && effective->step_deadline_ms == 0) {
        effective->step_deadline_ms = STEP_DEADLINE_MS;
    }
    effective->has_swept = true;
    effective->join = access_of(asked->join);
    effective->write = access_of(asked->write);
    effective->step = access_of(asked->step);
    effective->index = index_of(asked);
    if (effective->index == QD_INDEX_SPARSE && effective->prune == QD_PRUNE_DEFAULT) {
        effective->prune = QD_PRUNE_AUTO;
    }
}

/* ---- comparison with an open room ---- */

#define mismatch(fault, ...) qd_fault_set((fault), QD_ERROR_CONFIG_MISMATCH, __VA_ARGS__)

static bool bounds_agree(const qd_msg_bounds *asked, const qd_msg_bounds *effective, qd_fault *fault)
{
    const struct {
        const char *name;
        float asked, effective;
    } sides[6] = {
        {"min_x", asked->min_x, effective->min_x}, {"min_y", asked->min_y, effective->min_y},
        {"min_z", asked->min_z, effective->min_z}, {"max_x", asked->max_x, effective->max_x},
        {"max_y", asked->max_y, effective->max_y}, {"max_z", asked->max_z, effective->max_z},
    };
    for (int i = 0; i < 6; i++) {
        if (sides[i].asked != sides[i].effective) {
            return mismatch(
                fault, "bounds.%s is %.9g, but the room has %.9g; must be the same. Send that, or leave bounds out",
                sides[i].name, (double)sides[i].asked, (double)sides[i].effective);
        }
    }
    return true;
}

static bool numbers_agree(const qd_msg_room_config *asked, const qd_msg_room_config *effective, qd_fault *fault)
{
    for (const number_field *field = fields; field < fields + FIELDS; field++) {
        uint32_t value = number_at(asked, field->offset), has = number_at(effective, field->offset);

        if (is_set(asked, field) && value != has) {
            return mismatch(
                fault, "%s is %" PRIu32 ", but the room has %" PRIu32 "; must be the same. Send that, or leave %s out",
                field->name, value, has, field->name);
        }
    }
    return true;
}

static bool choices_agree(const qd_msg_room_config *asked, const qd_msg_room_config *effective, qd_fault *fault)
{
    const struct {
        const char *name;
        unsigned asked, effective;
        const char *asked_name, *effective_name;
    } choices[] = {
        {"tick_mode", asked->tick_mode, effective->tick_mode, mode_name(asked->tick_mode),
         mode_name(effective->tick_mode)},
        {"index", asked->index, effective->index, index_name(asked->index), index_name(effective->index)},
        {"prune", asked->prune, effective->prune, prune_name(asked->prune), prune_name(effective->prune)},
        {"join", asked->join, effective->join, access_name(asked->join), access_name(effective->join)},
        {"write", asked->write, effective->write, access_name(asked->write), access_name(effective->write)},
        {"step", asked->step, effective->step, access_name(asked->step), access_name(effective->step)},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (choices[i].asked != 0 && choices[i].asked != choices[i].effective) {
            return mismatch(fault, "%s is %s, but the room has %s; must be the same. Send that, or leave it out",
                            choices[i].name, choices[i].asked_name, choices[i].effective_name);
        }
    }
    if ((asked->has_swept || asked->swept) && asked->swept != effective->swept) {
        return mismatch(fault, "swept is %s, but the room has %s; must be the same. Send that, or leave it out",
                        asked->swept ? "true" : "false", effective->swept ? "true" : "false");
    }
    return true;
}

/* A rate asks for a clock, and `writers` for steps, even without a tick_mode. */
static bool modes_agree(const qd_msg_room_config *asked, const qd_msg_room_config *effective, qd_fault *fault)
{
    if (asked->tick_hz != 0 && effective->tick_mode == QD_TICK_MODE_STEP) {
        return mismatch(fault,
                        "tick_hz is %" PRIu32
                        ", but the room's tick_mode is TICK_MODE_STEP; must be absent. Leave it out, and send Step",
                        asked->tick_hz);
    }
    return true;
}

bool qd_room_config_agrees(const qd_msg_room_config *asked, const qd_msg_room_config *effective, qd_fault *fault)
{
    if (!choices_agree(asked, effective, fault) || !modes_agree(asked, effective, fault) ||
        !numbers_agree(asked, effective, fault)) {
        return false;
    }
    if (asked->cell_size != 0 && asked->cell_size != effective->cell_size) {
        return mismatch(fault, "cell_size is %.9g, but the room has %.9g; must be the same. Send that, or leave it out",
                        (double)asked->cell_size, (double)effective->cell_size);
    }
    return !asked->has_bounds || bounds_agree(&asked->bounds, &effective->bounds, fault);
}

bool qd_room_name_check(const char *name, qd_fault *fault)
{
    size_t size = strlen(name);

    if (size == 0 || size > QD_ROOM_NAME_BYTES_MAX) {
        return qd_fault_invalid(fault, "name has %zu bytes; must have 1 to %u", size, QD_ROOM_NAME_BYTES_MAX);
    }
    for (size_t i = 0; i < size;) {
        uint32_t point;
        size_t step = qd_utf8_next(name + i, &point);

        if (step == 0) {
            return qd_fault_invalid(fault, "name is invalid at byte %zu; must be UTF-8. Encode it as that", i);
        }
        const char *what = qd_utf8_peculiarity(point);
        if (what != NULL) {
            return qd_fault_invalid(fault, "name has the %s U+%04" PRIX32 " at byte %zu; must have none. Leave it out",
                                    what, point, i);
        }
        i += step;
    }
    return true;
}
