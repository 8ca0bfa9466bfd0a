/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "script.h"
#include "support/spaces.h"

/* As many numbers as there are axes; nine digits identify every float. */
static void print_axes(FILE *to, uint32_t dimensions, float x, float y, float z)
{
    fprintf(to, " %.9g %.9g", (double)x, (double)y);
    if (dimensions == 3) {
        fprintf(to, " %.9g", (double)z);
    }
}

static void print_form(const qd_body *body, uint32_t dimensions, FILE *to)
{
    if (body->shape == QD_SPACE_CIRCLE) {
        fprintf(to, " circle %.9g", (double)body->half_x);
        return;
    }
    fputs(body->shape == QD_SPACE_BOX ? " box" : " capsule", to);
    print_axes(to, dimensions, body->half_x, body->half_y, body->half_z);
    if (body->shape == QD_SPACE_CAPSULE) {
        fprintf(to, " radius %.9g", (double)body->radius);
    }
}

void script_print_query(const qd_space_query *query, uint32_t dimensions, FILE *to)
{
    static const char *const names[] = {"", "box", "circle", "nearest", "ray"};

    fprintf(to, "query %s", names[query->kind]);
    if (query->kind == QD_SPACE_IN_BOX) {
        print_axes(to, dimensions, query->min_x, query->min_y, query->min_z);
        print_axes(to, dimensions, query->max_x, query->max_y, query->max_z);
    } else {
        print_axes(to, dimensions, query->x, query->y, query->z);
    }
    if (query->kind == QD_SPACE_IN_CIRCLE) {
        fprintf(to, " radius %.9g", (double)query->radius);
    } else if (query->kind == QD_SPACE_RAY) {
        fputs(" direction", to);
        print_axes(to, dimensions, query->direction_x, query->direction_y, query->direction_z);
    }
    if (query->kind >= QD_SPACE_NEAREST) {
        fprintf(to, " reach %.9g", query->reach);
    }
    fprintf(to, " categories %" PRIx32 " limit %" PRIu32, query->categories, query->limit);
}

static void print_line(const script_line *line, bool is_first, uint32_t dimensions, FILE *to)
{
    static const char *const verbs[] = {"spawn",    "despawn", "move",  "teleport", "reshape",
                                        "refilter", "tick",    "pairs", "query",    "memory"};
    static const char *const wanted[] = {"nothing", "events", "", "stays"};
    const qd_body *body = &line->body;

    if (line->verb == SCRIPT_QUERY) {
        script_print_query(&line->query, dimensions, to);
        fputs(line->by_name ? " by name\n" : "\n", to);
        return;
    }
    if (line->verb == SCRIPT_MEMORY) {
        fprintf(to, "memory spare %zu, %" PRIu64 " fail from %" PRIu64 " on\n", line->spare, line->fails, line->fail);
        return;
    }
    fprintf(to, "%s%s", line->joined && !is_first ? "    and " : "", verbs[line->verb]);
    if (line->verb < SCRIPT_TICK) {
        fprintf(to, " %" PRIu32, line->entity);
    } else {
        fprintf(to, "%s%s limit %zu", line->verb == SCRIPT_TICK ? " wants " : "",
                line->verb == SCRIPT_TICK ? wanted[line->wanted] : "", line->limit);
    }
    if (line->verb == SCRIPT_SPAWN || line->verb == SCRIPT_MOVE || line->verb == SCRIPT_TELEPORT) {
        print_axes(to, dimensions, body->x, body->y, body->z);
    }
    if (line->verb == SCRIPT_SPAWN || line->verb == SCRIPT_RESHAPE) {
        print_form(body, dimensions, to);
    }
    if (line->verb == SCRIPT_REFILTER ||
        (line->verb == SCRIPT_SPAWN && (body->category != 1 || body->mask != UINT32_MAX))) {
        fprintf(to, " category %" PRIx32 " mask %" PRIx32, body->category, body->mask);
    }
    if (line->verb == SCRIPT_DESPAWN) {
        fprintf(to, " reason %d", (int)line->reason);
    }
    fputc('\n', to);
}

void script_print(const script *s, FILE *to)
{
    static const char *const executors[] = {"serial", "scrambled", "threads"};
    const qd_space_config *c = &s->config;

    fprintf(to, "# seed %" PRIu64 ": %s, %u dimensions, kernel %s, %s executor of %u\n", s->seed,
            space_index_names[s->config.index], c->dimensions, qd_space_kernel_at(s->kernel), executors[s->executor],
            s->workers);
    fputs("# bounds", to);
    print_axes(to, c->dimensions, c->min_x, c->min_y, c->min_z);
    fputs(" to", to);
    print_axes(to, c->dimensions, c->max_x, c->max_y, c->max_z);
    fprintf(to, "; depth %u, cell size %.9g, prune %d%s, at most %u\n", c->depth, (double)c->cell_size, (int)c->prune,
            c->swept ? ", swept" : "", c->bodies_max);
    if (s->tuned) {
        fprintf(to,
                "# leaves of %u rows, tasks of at least %u; moves pending from %u bodies on, applied %u slots a task\n",
                s->tuning.leaf_rows, s->tuning.task_rows_min, s->tuning.pending_bodies_min, s->tuning.apply_slots);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        print_line(&s->line[i], i == 0 || s->line[i - 1].verb != s->line[i].verb, c->dimensions, to);
    }
}
