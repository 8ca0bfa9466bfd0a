/* SPDX-License-Identifier: Apache-2.0
 *
 *     quadrille  ROOM at HOST:PORT                    tick 1234, 20 per second
 *     .---------------------------------------------------------------------.
 *     |                      the map, as large as it fits                   |
 *     '---------------------------------------------------------------------'
 *     entities 300   pairs 42   begins/s 120   ends/s 119   tick p50 35 us  p99 80 us
 *     pairs  a curve of the last minutes
 *     o alone  o touching  o touching many                             q quits
 *
 * With an observer, the map has its region. Seen entities have the color of touching ones, and the anchor is hottest.
 */
#include "terminal.h"
#include "watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smaller terminal shows the statistics only. */
#define COLUMNS_MIN 24
#define ROWS_MIN    9
/* Lines around the map: title, two borders, statistics, curve, legend. */
#define ROWS_AROUND 6

/* An entity in this many pairs is hottest; the legend has the number. */
#define CROWDED_PAIRS 3

#define RESET "\033[0m"
#define BOLD  "\033[1m"
#define FAINT "\033[2m"

static const char *const colors_on[QD_HEATS] = {RESET, "\033[38;5;74m", "\033[38;5;214m", "\033[38;5;203m"};
static const char *const colors_off[QD_HEATS] = {RESET, "", BOLD, "\033[7m"};

typedef struct border {
    const char *upper_left, *upper_right, *lower_left, *lower_right, *across, *down;
} border;

static const border border_round = {"╭", "╮", "╰", "╯", "─", "│"};
static const border border_ascii = {".", ".", "'", "'", "-", "|"};

/* ---- the map ---- */

/* From the room's unit to dots. */
typedef struct scale {
    double factor, min_x, max_y;
} scale;

/* The largest map of the room's proportions within columns_max by rows_max cells; y points up. */
static scale fit(const qd_msg_bounds *bounds, int columns_max, int rows_max, int *columns, int *rows)
{
    double width = (double)bounds->max_x - bounds->min_x, height = (double)bounds->max_y - bounds->min_y;
    double factor = fmin(columns_max * QD_CANVAS_DOTS_X / width, rows_max * QD_CANVAS_DOTS_Y / height);

    *columns = (int)fmin(fmax(ceil(width * factor / QD_CANVAS_DOTS_X - 1e-6), 1), columns_max);
    *rows = (int)fmin(fmax(ceil(height * factor / QD_CANVAS_DOTS_Y - 1e-6), 1), rows_max);
    return (scale){.factor = factor, .min_x = bounds->min_x, .max_y = bounds->max_y};
}

static qd_heat heat_of(const qd_watch_scene *watch, uint32_t id)
{
    if (watch->view != NULL) {
        bool is_anchor = watch->observer->anchored && id == watch->observer->entity;
        bool is_seen = qd_view_find(watch->view, QD_OBSERVER_ID, id) != NULL;

        return is_anchor ? QD_HEAT_CROWDED : is_seen ? QD_HEAT_TOUCHING : QD_HEAT_ALONE;
    }
    uint32_t pairs = qd_pairs_of(watch->pairs, id);
    return pairs == 0 ? QD_HEAT_ALONE : pairs < CROWDED_PAIRS ? QD_HEAT_TOUCHING : QD_HEAT_CROWDED;
}

static void draw_entities(const qd_watch_scene *watch, const scale *map, qd_canvas *canvas)
{
    const qd_columns *columns = &watch->entities.columns;

    for (uint32_t i = 0; i < columns->count; i++) {
        double x = (columns->x[i] - map->min_x) * map->factor;
        double y = (map->max_y - columns->y[i]) * map->factor;
        double half_x = columns->half_x[i] * map->factor, half_y = columns->half_y[i] * map->factor;
        double axis_x = columns->axis_x[i] * map->factor, axis_y = columns->axis_y[i] * map->factor;
        double radius = columns->radius[i] * map->factor;
        qd_heat heat = heat_of(watch, columns->id[i]);

        if (watch->entities.shape[i] == QD_SHAPE_CIRCLE) {
            qd_canvas_circle(canvas, x, y, radius, heat);
        } else if (watch->entities.shape[i] == QD_SHAPE_CAPSULE) {
            qd_canvas_capsule(canvas, (double[]){x - axis_x, y + axis_y}, (double[]){x + axis_x, y - axis_y}, radius,
                              heat);
        } else {
            qd_canvas_box(canvas, x - half_x, y - half_y, x + half_x, y + half_y, heat);
        }
    }
}

/* The observer's position, in dots; false: its anchor is not in the snapshot. */
static bool find_observer(const qd_watch_scene *watch, const scale *map, double at[2])
{
    const qd_columns *columns = &watch->entities.columns;
    const qd_observer *observer = watch->observer;
    double x = observer->at[0], y = observer->at[1];
    uint32_t i = 0;

    while (observer->anchored && i < columns->count && columns->id[i] != observer->entity) {
        i++;
    }
    if (observer->anchored && i == columns->count) {
        return false;
    }
    if (observer->anchored) {
        x = columns->x[i];
        y = columns->y[i];
    }
    at[0] = (x - map->min_x) * map->factor;
    at[1] = (map->max_y - y) * map->factor;
    return true;
}

/* In three dimensions, draws the projection to x and y, as of entities. */
static void draw_region(const qd_watch_scene *watch, const scale *map, qd_canvas *canvas)
{
    const qd_observer *observer = watch->observer;
    double at[2];

    if (!find_observer(watch, map, at)) {
        return;
    }
    const double range = observer->options->range * map->factor;
    if (observer->region == QD_REGION_BOX) {
        double half_x = observer->half[0] * map->factor, half_y = observer->half[1] * map->factor;

        qd_canvas_box(canvas, at[0] - half_x, at[1] - half_y, at[0] + half_x, at[1] + half_y, QD_HEAT_ALONE);
        return;
    }
    qd_canvas_circle(canvas, at[0], at[1], range, QD_HEAT_ALONE);
    if (observer->region != QD_REGION_CONE) {
        return;
    }
    double axis = atan2(-observer->direction[1], observer->direction[0]);
    double angle = observer->options->angle * (M_PI / 180);
    for (int side = -1; side <= 1; side += 2) {
        double way = axis + side * angle;

        qd_canvas_capsule(canvas, at, (double[]){at[0] + range * cos(way), at[1] + range * sin(way)}, 0, QD_HEAT_ALONE);
    }
}

static void print_spaces(int count, FILE *file)
{
    for (int i = 0; i < count; i++) {
        fputc(' ', file);
    }
}

/* Ends a line of `width` columns. A full line is not cleared to its end, because the cursor is still on its last
 * character. */
static void end_line(int width, int columns, const char *end, FILE *file)
{
    fprintf(file, RESET "%s%s", width < columns ? "\033[K" : "", end);
}

static void print_border(const char *left, const char *across, const char *right, int indent, int columns,
                         int columns_max, FILE *file)
{
    print_spaces(indent, file);
    fprintf(file, FAINT "%s", left);
    for (int i = 0; i < columns; i++) {
        fputs(across, file);
    }
    fputs(right, file);
    end_line(indent + columns + 2, columns_max, "\r\n", file);
}

static bool print_map(const qd_watch_scene *watch, const qd_watch_look *look, int columns_max, int rows_max,
                      qd_canvas *canvas, FILE *file)
{
    const border *frame = look->ascii ? &border_ascii : &border_round;
    int columns, rows;
    scale map = fit(&watch->room.config.bounds, columns_max - 2, rows_max, &columns, &rows);

    if (!qd_canvas_clear(canvas, columns, rows)) {
        return false;
    }
    if (watch->observer != NULL) {
        draw_region(watch, &map, canvas);
    }
    draw_entities(watch, &map, canvas);
    int indent = (columns_max - 2 - columns) / 2;
    print_border(frame->upper_left, frame->across, frame->upper_right, indent, columns, columns_max, file);
    for (int row = 0; row < rows; row++) {
        print_spaces(indent, file);
        fprintf(file, FAINT "%s" RESET, frame->down);
        qd_canvas_print_row(canvas, row, look->color ? colors_on : colors_off, look->ascii, file);
        fprintf(file, FAINT "%s", frame->down);
        end_line(indent + columns + 2, columns_max, "\r\n", file);
    }
    print_border(frame->lower_left, frame->across, frame->lower_right, indent, columns, columns_max, file);
    return true;
}

/* ---- the statistics ---- */

/* The columns of a text: its characters without escape sequences. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text != '\0'; text++) {
        if (*text == '\033') {
            text += strcspn(text, "m");
        } else if (((unsigned char)*text & 0xC0) != 0x80) {
            width++;
        }
    }
    return width;
}

/* Prints a text at each end of a line; leaves out the right one if both do not fit. */
static void print_ends(const char *left, const char *right, int columns, const char *end, FILE *file)
{
    int width = width_of(left), gap = columns - width - width_of(right);

    fputs(left, file);
    if (gap > 0) {
        print_spaces(gap, file);
        fputs(right, file);
        width = columns;
    }
    end_line(width, columns, end, file);
}

static void print_title(const qd_watch_scene *watch, int columns, FILE *file)
{
    char left[256], right[64], rate[24] = "by step";

    if (watch->room.config.tick_mode != QD_TICK_MODE_STEP) {
        snprintf(rate, sizeof rate, "%u per second", watch->room.config.tick_hz);
    }
    snprintf(left, sizeof left, BOLD "quadrille" RESET "  %s" FAINT " at %s", watch->room_name, watch->server);
    snprintf(right, sizeof right, RESET "tick %" PRIu64 FAINT ", %s", watch->stats.tick, rate);
    print_ends(left, right, columns, "\r\n", file);
}

/* In two dimensions all z are 0, also those of the bounds. */
static uint32_t count_outside(const qd_watch_scene *watch)
{
    const qd_columns *columns = &watch->entities.columns;
    const qd_msg_bounds *bounds = &watch->room.config.bounds;
    uint32_t count = 0;

    for (uint32_t i = 0; i < columns->count; i++) {
        count += columns->x[i] < bounds->min_x || columns->x[i] > bounds->max_x || columns->y[i] < bounds->min_y ||
                 columns->y[i] > bounds->max_y || columns->z[i] < bounds->min_z || columns->z[i] > bounds->max_z;
    }
    return count;
}

static void print_figures(const qd_watch_scene *watch, const qd_watch_look *look, int columns, FILE *file)
{
    const char *micro = look->ascii ? "us" : "µs";
    const qd_msg_room_stats *stats = &watch->stats;
    char left[384], right[96] = "", passed[48] = "";
    const bool views = watch->view != NULL;
    const char *what = views ? "seen" : "pairs", *begins = views ? "enters" : "begins",
               *ends = views ? "leaves" : "ends";
    uint64_t count = views ? qd_view_count(watch->view) : stats->pairs;

    if (watch->room.config.swept && !views) {
        snprintf(passed, sizeof passed, "   passed/s " RESET "%.0f" FAINT, watch->passed_per_s);
    }
    snprintf(left, sizeof left,
             FAINT "entities " RESET BOLD "%u" RESET FAINT "   %s " RESET BOLD "%" PRIu64 RESET FAINT "   %s/s " RESET
                   "%.0f" FAINT "   %s/s " RESET "%.0f" FAINT "%s   tick p50 " RESET "%.0f %s" FAINT "  p99 " RESET
                   "%.0f %s",
             stats->entities, what, count, begins, watch->begins_per_s, ends, watch->ends_per_s, passed,
             (double)stats->tick_us_p50, micro, (double)stats->tick_us_p99, micro);
    if (width_of(left) > columns) {
        snprintf(left, sizeof left,
                 BOLD "%u" RESET FAINT " entities  " RESET BOLD "%" PRIu64 RESET FAINT " %s  +%.0f -%.0f per second",
                 stats->entities, count, what, watch->begins_per_s, watch->ends_per_s);
    }
    uint32_t outside = count_outside(watch);
    if (watch->suspended_count > 0) {
        snprintf(right, sizeof right, "%stoo many events: %" PRIu64, look->color ? colors_on[QD_HEAT_CROWDED] : BOLD,
                 watch->suspended_count);
    } else if (watch->suspended != 0) {
        snprintf(right, sizeof right, "%sno events: %s", look->color ? colors_on[QD_HEAT_CROWDED] : BOLD,
                 qd_suspend_reason_name(watch->suspended));
    } else if (views && qd_view_suspended(watch->view)) {
        snprintf(right, sizeof right, "%stoo much to see", look->color ? colors_on[QD_HEAT_CROWDED] : BOLD);
    } else if (watch->entities.more) {
        snprintf(right, sizeof right, FAINT "%u of them shown", watch->entities.columns.count);
    } else if (outside > 0) {
        snprintf(right, sizeof right, FAINT "%u outside", outside);
    }
    print_ends(left, right, columns, "\r\n", file);
}

/* The newest value is at the right. */
static void print_curve(const qd_watch_scene *watch, const qd_watch_look *look, int columns, FILE *file)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const marks[] = {"_", ".", ",", "-", "~", "+", "*", "#"};
    const char *label = watch->view != NULL ? "seen  " : "pairs ";
    int room = columns - (int)strlen(label);
    uint32_t shown = watch->past_count < QD_WATCH_PAST ? watch->past_count : QD_WATCH_PAST;

    if (room < 0) {
        room = 0;
    }
    if (shown > (uint32_t)room) {
        shown = (uint32_t)room;
    }
    uint64_t most = 1;
    for (uint32_t i = 0; i < shown; i++) {
        uint64_t pairs = watch->past[(watch->past_count - 1 - i) % QD_WATCH_PAST];

        most = pairs > most ? pairs : most;
    }
    fprintf(file, FAINT "%s" RESET "%s", label, look->color ? colors_on[QD_HEAT_TOUCHING] : "");
    print_spaces(room - (int)shown, file);
    for (uint32_t i = shown; i-- > 0;) {
        uint64_t pairs = watch->past[(watch->past_count - 1 - i) % QD_WATCH_PAST];
        size_t height = (size_t)((double)pairs / (double)most * 7.0 + 0.5);

        fputs(look->ascii ? marks[height] : blocks[height], file);
    }
    end_line(columns, columns, "\r\n", file);
}

static void print_legend(const qd_watch_scene *watch, const qd_watch_look *look, int columns, FILE *file)
{
    static const char *const of_pairs[] = {"alone", "touching", "touching 3 or more"};
    static const char *const of_view[] = {"not seen", "seen", "the observer"};

    const char *const *names = watch->view != NULL ? of_view : of_pairs;
    const char *const *colors = look->color ? colors_on : colors_off;
    const char *dot = look->ascii ? "o" : "●";
    char left[256];
    snprintf(left, sizeof left,
             "%s%s" RESET FAINT " %s   " RESET "%s%s" RESET FAINT " %s   " RESET "%s%s" RESET FAINT " %s",
             colors[QD_HEAT_ALONE], dot, names[0], colors[QD_HEAT_TOUCHING], dot, names[1], colors[QD_HEAT_CROWDED],
             dot, names[2]);
    print_ends(left, FAINT "q quits", columns, "", file);
}

static bool print_screen(const qd_watch_scene *watch, const qd_watch_look *look, qd_canvas *canvas, FILE *file)
{
    int columns, rows;

    qd_terminal_size(&columns, &rows);
    fputs("\033[H", file);
    if (columns < COLUMNS_MIN || rows < ROWS_MIN) {
        print_figures(watch, look, columns, file);
    } else {
        print_title(watch, columns, file);
        if (!print_map(watch, look, columns, rows - ROWS_AROUND, canvas, file)) {
            return false;
        }
        print_figures(watch, look, columns, file);
        print_curve(watch, look, columns, file);
        print_legend(watch, look, columns, file);
    }
    /* Clears the rest of a larger screen. */
    fputs("\033[J", file);
    return true;
}

bool qd_watch_draw(const qd_watch_scene *watch, const qd_watch_look *look, qd_canvas *canvas)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);

    if (file == NULL) {
        return false;
    }
    bool drawn = print_screen(watch, look, canvas, file);
    drawn = fclose(file) == 0 && drawn && qd_terminal_write(bytes, size);
    free(bytes);
    return drawn;
}

void qd_watch_print_line(const qd_watch_scene *watch, FILE *file)
{
    const qd_msg_room_stats *stats = &watch->stats;

    fprintf(file, "tick %" PRIu64 "  entities %u  pairs %" PRIu64 "  begins/s %.1f  ends/s %.1f", stats->tick,
            stats->entities, stats->pairs, watch->begins_per_s, watch->ends_per_s);
    if (watch->room.config.swept) {
        fprintf(file, "  passed/s %.1f", watch->passed_per_s);
    }
    fprintf(file, "  tick p50 %.1f us  p99 %.1f us", (double)stats->tick_us_p50, (double)stats->tick_us_p99);
    if (watch->suspended_count > 0) {
        fprintf(file, "  too many events: %" PRIu64, watch->suspended_count);
    } else if (watch->suspended != 0) {
        fprintf(file, "  no events: %s", qd_suspend_reason_name(watch->suspended));
    }
}
