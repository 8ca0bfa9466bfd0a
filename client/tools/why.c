/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille why: prints whether the observers at an entity see another one, and the reason.
 */
#include "cli.h"

#include <inttypes.h>

/* The second half of the sentence for a qd_visibility; %u is the entity that is seen or not. */
static const char *meaning_of(qd_visibility sight)
{
    switch (sight) {
    case QD_VISIBILITY_SEEN:
        return "sees %u";
    case QD_VISIBILITY_SEEN_BY_SHOW:
        return "sees %u: it is always shown";
    case QD_VISIBILITY_SEEN_BY_MARGIN:
        return "sees %u: it is out of the range, but was in it and is within the margin";
    case QD_VISIBILITY_NOT_EXCEPTED:
        return "does not see %u: it is never shown to this observer";
    case QD_VISIBILITY_NOT_HIDDEN:
        return "does not see %u: it is hidden";
    case QD_VISIBILITY_NOT_SELF:
        return "does not see %u: that is its own anchor";
    case QD_VISIBILITY_NOT_MASK:
        return "does not see %u: the observer's mask has none of its categories";
    case QD_VISIBILITY_NOT_TEAM:
        return "does not see %u: it is of another team";
    case QD_VISIBILITY_NOT_RANGE:
        return "does not see %u: it is out of range";
    case QD_VISIBILITY_NOT_ANGLE:
        return "does not see %u: it is in range, but out of the cone's angle";
    case QD_VISIBILITY_NOT_LIMIT:
        return "does not see %u: others are nearer, and the observer has a limit";
    case QD_VISIBILITY_NOT_BUDGET:
        return "does not see %u yet: it waits for a budget";
    case QD_VISIBILITY_NOT_YET:
        return "does not see %u yet: changes since the last tick take effect at the next";
    }
    return "may see %u: this program does not know the reason that the server gave";
}

static void print_sentence(const qd_msg_why_result *result, uint32_t i, uint32_t b)
{
    printf("observer %u of session %" PRIu64 " ", result->observer[i], result->session[i]);
    /* The format is one of meaning_of. */
    printf(meaning_of((qd_visibility)result->visibility[i]), b);
    printf(" (distance %.6g", result->distance[i]);
    /* Boxes have no range. */
    if (result->range[i] > 0) {
        printf(", range %.6g", (double)result->range[i]);
    }
    printf(", margin %.6g; it sees %u", (double)result->leave_margin[i], result->seen[i]);
    if (result->limit[i] > 0) {
        printf(" of at most %u", result->limit[i]);
    }
    puts(")");
}

static void print_sentences(const qd_msg_why_result *result, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < result->count; i++) {
        print_sentence(result, i, b);
    }
    if (result->count == 0) {
        printf("no observer is at %u\n", a);
    } else if (result->more) {
        puts("and there are more observers");
    }
}

static void print_json(const qd_msg_why_result *result)
{
    printf("{\"tick\": %" PRIu64 ", \"more\": %s, \"observers\": [", result->tick, result->more ? "true" : "false");
    for (uint32_t i = 0; i < result->count; i++) {
        printf("%s\n  {\"session\": %" PRIu64 ", \"observer\": %u, \"seen\": %s, \"why\": \"%s\", \"distance\": %.17g, "
               "\"range\": %.9g, \"margin\": %.9g, \"limit\": %u, \"sees\": %u}",
               i > 0 ? "," : "", result->session[i], result->observer[i],
               result->visibility[i] <= QD_VISIBILITY_SEEN_BY_MARGIN ? "true" : "false",
               qd_visibility_name((qd_visibility)result->visibility[i]), result->distance[i], (double)result->range[i],
               (double)result->leave_margin[i], result->limit[i], result->seen[i]);
    }
    puts(result->count > 0 ? "\n]}" : "]}");
}

static int ask(const qd_cli *cli, qd_client *client, uint64_t room, uint32_t a, uint32_t b)
{
    const qd_server_message *answer =
        qd_cli_answer(cli, client, qd_client_why(client, room, a, b), QD_SERVER_WHY_RESULT);

    if (answer == NULL) {
        return 1;
    }
    if (cli->json) {
        print_json(&answer->as.why_result);
    } else {
        print_sentences(&answer->as.why_result, a, b);
    }
    return 0;
}

int qd_command_why(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille why", "ROOM A B",
        "Prints for each observer at entity A, of any session, whether it sees entity B, and\n"
        "the reason: one sentence per observer, for the last tick.",
        .arguments_min = 3, .arguments_max = 3};
    uint32_t ids[2];
    const qd_option options[] = {QD_CLI_JSON_OPTION(cli, "an object with tick, more and observers"),
                                 QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }
    status = qd_cli_parse_ids(cli, argv + 1, 2, ids);
    if (status != 0) {
        return status;
    }
    qd_cli_room room;
    qd_client *client = qd_cli_join(cli, argv[0], &room);
    status = client != NULL ? ask(cli, client, room.handle, ids[0], ids[1]) : 1;
    qd_client_destroy(client);
    return status;
}
