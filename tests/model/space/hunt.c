/* SPDX-License-Identifier: Apache-2.0 */
#include "hunt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/spaces.h"

#define LONG_ROUNDS  100u
#define WORK_SECONDS 60u  /* of processors, for a script that takes one at most, or some where everything is watched */
#define HANG_SECONDS 900u /* of the clock, for one that waits for itself: machines may be busy with other things */

/* What a player reports to its parent, in shared memory, so that it survives the player. */
typedef struct report {
    uint64_t seed; /* of the script that is played */
    bool failed;
    char failure[400];
    play_tally tally;
} report;

static report *reported;

static void set_deadline(void)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = WORK_SECONDS}, NULL);
    alarm(HANG_SECONDS);
}

/* Runs in a process of its own. `quiet`: sanitizers and assertions need not report it again. */
static bool is_played(script *s, bool quiet)
{
    fflush(NULL);
    memset(reported, 0, sizeof *reported);
    pid_t player = fork();
    if (player == 0) {
        if (quiet && freopen("/dev/null", "w", stderr) == NULL) {
            _exit(3);
        }
        set_deadline();
        _exit(play(s, &reported->tally, reported->failure) ? 0 : 1);
    }
    int status;
    if (player < 0 || waitpid(player, &status, 0) != player) {
        perror("a process to play a script in");
        exit(3);
    }
    if (status != 0 && reported->failure[0] == '\0') {
        snprintf(reported->failure, sizeof reported->failure, "the program ended: %s %d",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return status == 0;
}

/* ---- shortening ---- */

/* The shorter one, whose lines are its own, takes the place of the other where it fails, too. */
static void keep_if_it_fails(script *s, script *shorter)
{
    if (shorter->count < s->count && !is_played(shorter, true)) {
        script longer = *s;

        *s = *shorter;
        *shorter = longer;
    }
    script_free(shorter);
}

static bool is_of(const script_line *line, uint32_t entity)
{
    return line->verb < SCRIPT_TICK && line->entity == entity;
}

/* Tries without the lines from `first` to before `last`, and without those of the entity, if any. */
static void cut(script *s, uint32_t first, uint32_t last, uint32_t entity)
{
    script shorter = *s;

    shorter.capacity = s->count + 1;
    shorter.line = malloc(shorter.capacity * sizeof *s->line);
    shorter.count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if ((i < first || i >= last) && !is_of(&s->line[i], entity)) {
            shorter.line[shorter.count++] = s->line[i];
        }
    }
    keep_if_it_fails(s, &shorter);
}

/* Halves first, then parts of half that size, and in the end single lines. Returns whether any went. */
static bool cut_lines(script *s)
{
    uint32_t before = s->count;

    for (uint32_t part = s->count / 2; part > 0; part /= 2) {
        for (uint32_t end = s->count; end > 0;) {
            uint32_t first = end > part ? end - part : 0;

            cut(s, first, end, SCRIPT_ENTITIES_MAX);
            end = first;
        }
    }
    return s->count < before;
}

static bool cut_entities(script *s)
{
    uint32_t before = s->count;

    for (uint32_t entity = 0; entity < SCRIPT_ENTITIES_MAX; entity++) {
        cut(s, 0, 0, entity);
    }
    return s->count < before;
}

/* Whether it fails with another way to be run; then that is what it has. */
static void simplify(script *s)
{
    script plainer = *s;

    plainer.executor = SCRIPT_SERIAL;
    plainer.workers = 1;
    if (!is_played(&plainer, true)) {
        *s = plainer;
    }
    plainer = *s;
    plainer.kernel = 0;
    if (!is_played(&plainer, true)) {
        *s = plainer;
    }
}

static void shorten(script *s)
{
    uint32_t before = s->count;

    fprintf(stderr, "seed %" PRIu64 " fails; shortening its %u lines\n", s->seed, before);
    simplify(s);
    while (cut_lines(s) || cut_entities(s)) {
    }
    bool fails = !is_played(s, false);
    script_print(s, stdout);
    printf("%s: %s\n", fails ? "FAILS" : "fails no more by itself", reported->failure);
}

/* ---- many ---- */

typedef struct choice {
    uint64_t scripts, first;
    qd_space_index index; /* or 0 */
    uint32_t dimensions;  /* or 0 */
} choice;

static bool is_chosen(const choice *c, uint64_t seed)
{
    const script_index *it = script_index_of_seed(seed);

    return (c->index == 0 || c->index == it->index) && (c->dimensions == 0 || c->dimensions == it->dimensions);
}

static bool parse(int argc, char **argv, choice *c)
{
    int numbers = 0;

    for (int i = 1; i < argc; i++) {
        char *end;
        uint64_t number = strtoull(argv[i], &end, 10);

        if (strcmp(argv[i], "long") == 0) {
            c->scripts = LONG_ROUNDS * script_round();
        } else if (strcmp(argv[i], "--index") == 0 && i + 1 < argc) {
            c->index = space_index_named(argv[++i]);
            if (c->index == 0) {
                return false;
            }
        } else if (strcmp(argv[i], "--dimensions") == 0 && i + 1 < argc) {
            c->dimensions = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (*end == '\0' && numbers < 2) {
            *(numbers++ == 0 ? &c->scripts : &c->first) = number;
        } else {
            return false;
        }
    }
    for (uint64_t seed = 0; seed < script_index_count; seed++) {
        if (is_chosen(c, seed)) {
            return true;
        }
    }
    return false;
}

/* In the player's process: until one fails, which the parent then looks at. */
static int play_all(const choice *c, script_aim aim)
{
    uint64_t played = 0;

    for (uint64_t seed = c->first; played < c->scripts; seed++) {
        if (!is_chosen(c, seed)) {
            continue;
        }
        script s;
        reported->seed = seed;
        set_deadline();
        script_draw(&s, aim, seed);
        bool is_right = play(&s, &reported->tally, reported->failure);
        script_free(&s);
        if (!is_right) {
            return 1;
        }
        played++;
    }
    return 0;
}

int hunt(int argc, char **argv, script_aim aim, uint64_t scripts, play_tally *tally)
{
    choice c = {.scripts = scripts, .first = 1};

    if (!parse(argc, argv, &c)) {
        fprintf(stderr, "usage: %s [SCRIPTS [FIRST SEED]] [long] [--index NAME] [--dimensions N]\n", argv[0]);
        return 2;
    }
    reported = mmap(NULL, sizeof *reported, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reported == MAP_FAILED) {
        perror("shared memory");
        return 3;
    }
    pid_t player = fork();
    if (player == 0) {
        exit(play_all(&c, aim));
    }
    int status;
    if (player < 0 || waitpid(player, &status, 0) != player) {
        perror("a process to play in");
        return 3;
    }
    if (status != 0) {
        script s;

        script_draw(&s, aim, reported->seed);
        shorten(&s);
        script_free(&s);
        return 1;
    }
    *tally = reported->tally;
    printf("%" PRIu64 " scripts from seed %" PRIu64 ": %" PRIu64 " ticks (%" PRIu64 " stopped at their limit), %" PRIu64
           " begins, %" PRIu64 " ends, %" PRIu64 " stays and pairs, %" PRIu64 " passed; %" PRIu64 " of %" PRIu64
           " too close to call; %" PRIu64 " queries, %" PRIu64 " hits, %" PRIu64 " cut at their limit\n",
           c.scripts, c.first, tally->ticks, tally->stopped, tally->events[QD_SPACE_BEGIN], tally->events[QD_SPACE_END],
           tally->events[QD_SPACE_STAY], tally->events[QD_SPACE_PASSED], tally->unsure, tally->pairs, tally->queries,
           tally->hits, tally->cut);
    return 0;
}
