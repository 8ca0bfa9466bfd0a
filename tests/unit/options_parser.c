/* SPDX-License-Identifier: Apache-2.0
 *
 * The option parser: each kind of value, the order of options and arguments, and the help.
 */
#include <stdlib.h>
#include <string.h>

#include "client/options/options.h"
#include "tests/support/test.h"

enum { RED = 3, GREEN = 5 };

static const qd_option_choice colors[] = {{"red", RED}, {"green", GREEN}, {NULL, 0}};

/* A table with an option of each kind. */
typedef struct values {
    bool flag;
    uint32_t number, color;
    uint64_t size;
    double real;
    const char *text;
    qd_option_bounds bounds;
} values;

static values given;
static int kept;
static char *arguments[16];
static char error[400];

static bool parse_even(const char *text, void *value, char *rule, size_t rule_size)
{
    uint32_t number = 1;

    if (!qd_options_uint32(text, &number) || number % 2 != 0) {
        snprintf(rule, rule_size, "an even number");
        return false;
    }
    *(uint32_t *)value = number;
    return true;
}

static const qd_option rows[] = {
    {"--flag", NULL, "set the flag", QD_OPTION_FLAG, .value = &given.flag},
    {"--number", "N", "use N", QD_OPTION_NUMBER, .value = &given.number, .min = 2, .max = 9},
    {"--size", "SIZE", "use SIZE", QD_OPTION_SIZE, .value = &given.size, .min = 1024, .max = 4294967296.0},
    {"--real", "R", "use R", QD_OPTION_REAL, .value = &given.real, .min = -1, .max = 1},
    {"--text", "TEXT", "use TEXT", QD_OPTION_TEXT, .value = &given.text},
    {"--bounds", "BOX", "use BOX", QD_OPTION_BOUNDS, .value = &given.bounds, .otherwise = "everything"},
    {"--color", "NAME", "use the color", QD_OPTION_CHOICE, .value = &given.color, .choices = colors},
    {"--even", "N", "use an even N", QD_OPTION_PARSED, .value = &given.number, .parse = parse_even},
};
#define ROWS_COUNT (sizeof rows / sizeof rows[0])

static qd_usage usage = {.program = "tool",
                         .arguments = "[ARGUMENT...]",
                         .text = "Does something.",
                         .arguments_max = 3,
                         .version = "tool 1",
                         .variable_prefix = "TOOL_"};

static const char *variable_name, *variable_value;

static char *environment(const char *name)
{
    return variable_name != NULL && strcmp(name, variable_name) == 0 ? (char *)variable_value : NULL;
}

#define PARSE(...) parse((char *[]){"tool", __VA_ARGS__, NULL})

static int parse(char **argv)
{
    int argc = 0;

    for (; argv[argc] != NULL; argc++) {
        arguments[argc] = argv[argc];
    }
    given = (values){.number = 7, .size = 65536, .real = 0.5, .color = GREEN, .text = "some"};
    error[0] = '\0';
    kept = qd_options_read(&usage, rows, ROWS_COUNT, argc, arguments, environment, error, sizeof error);
    return kept;
}

static void assert_bad(int result, const char *text)
{
    assert_int_equal(result, QD_OPTIONS_BAD);
    assert_string_equal(error, text);
}

TEST(each_kind_takes_its_values)
{
    assert_int_equal(PARSE("--flag", "--number=9", "--size", "3m", "--real", "-.25", "--text=a=b", "--color", "red",
                           "--bounds", "-1,-2,3,4"),
                     0);
    assert_true(given.flag);
    assert_int_equal(given.number, 9);
    assert_int_equal(given.size, 3 << 20);
    assert_true(given.real == -0.25);
    assert_string_equal(given.text, "a=b");
    assert_int_equal(given.color, RED);
    assert_int_equal(given.bounds.dimensions, 2);
    assert_true(given.bounds.bounds.min_y == -2 && given.bounds.bounds.max_x == 3);
    assert_int_equal(PARSE("--even", "8"), 0);
    assert_int_equal(given.number, 8);
    /* What is not given keeps its default. */
    assert_int_equal(given.size, 65536);
    assert_string_equal(given.text, "some");
}

TEST(bad_value_is_refused_with_its_rule)
{
    assert_bad(PARSE("--number", "10"), "--number is 10; must be a whole number from 2 to 9. See tool --help.");
    assert_bad(PARSE("--number", "-3"), "--number is -3; must be a whole number from 2 to 9. See tool --help.");
    assert_bad(PARSE("--number", " 3"), "--number is ' 3'; must be a whole number from 2 to 9. See tool --help.");
    assert_bad(PARSE("--number="), "--number is ''; must be a whole number from 2 to 9. See tool --help.");
    assert_bad(PARSE("--size", "1"), "--size is 1; must be a size from 1K to 4G. See tool --help.");
    assert_bad(PARSE("--size", "1KB"), "--size is '1KB'; must be a size from 1K to 4G. See tool --help.");
    assert_bad(PARSE("--real", "nan"), "--real is 'nan'; must be a number from -1 to 1. See tool --help.");
    assert_bad(PARSE("--color", "blue"), "--color is 'blue'; must be red or green. See tool --help.");
    assert_bad(PARSE("--even", "7"), "--even is 7; must be an even number. See tool --help.");
    assert_bad(PARSE("--flag=yes"), "--flag is 'yes'; must be without a value. See tool --help.");
    assert_bad(PARSE("--text"), "--text needs a value: --text TEXT. See tool --help.");
}

TEST(arguments_move_to_the_front)
{
    assert_int_equal(PARSE("a", "--number", "3", "-", "-5"), 3);
    assert_string_equal(arguments[0], "a");
    assert_string_equal(arguments[1], "-");
    assert_string_equal(arguments[2], "-5");
    assert_int_equal(PARSE("--", "--flag", "--help"), 2);
    assert_false(given.flag);
    assert_bad(PARSE("a", "b", "c", "d"), "too many arguments, from 'd' on: needs [ARGUMENT...]. See tool --help.");

    usage.first_argument_ends_options = true;
    assert_int_equal(PARSE("--flag", "command", "--number"), 2);
    assert_string_equal(arguments[1], "--number");
    assert_int_equal(PARSE("--flag", "--help", "command"), QD_OPTIONS_HELP);
    usage.first_argument_ends_options = false;
}

TEST(unknown_and_repeated_options_are_refused)
{
    assert_bad(PARSE("--numbre", "3"), "unknown option '--numbre'. Did you mean --number? See tool --help.");
    assert_bad(PARSE("--COLOR=red"), "unknown option '--COLOR'. Did you mean --color? See tool --help.");
    assert_bad(PARSE("-x"), "unknown option '-x'. See tool --help.");
    assert_bad(PARSE("--num", "3", "--even"), "unknown option '--num'. See tool --help.");
    assert_bad(PARSE("--flag", "a", "--flag"), "--flag is given twice; give it once. See tool --help.");
    assert_bad(PARSE("--text", "--text", "--text=b"), "--text is given twice; give it once. See tool --help.");
}

TEST(command_line_overrides_environment)
{
    variable_name = "TOOL_NUMBER";
    variable_value = "4";
    assert_int_equal(PARSE("a"), 1);
    assert_int_equal(given.number, 4);
    assert_int_equal(PARSE("--number", "5"), 0);
    assert_int_equal(given.number, 5);
    variable_value = "";
    assert_bad(PARSE("--number", "5"), "TOOL_NUMBER is ''; must be a whole number from 2 to 9. See tool --help.");
    assert_int_equal(PARSE("a", "--help"), QD_OPTIONS_HELP);
    assert_int_equal(PARSE("--version"), QD_OPTIONS_VERSION);
    variable_name = NULL;
}

TEST(help_shows_the_values_that_hold_without_options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    assert_int_equal(PARSE("a"), 1);
    qd_options_help(stream, &usage, rows, ROWS_COUNT);
    fclose(stream);
    assert_string_equal(text, "usage: tool [ARGUMENT...] [OPTION...]\n\n"
                              "Does something.\n\n"
                              "options:\n"
                              "  --flag                         set the flag\n"
                              "  --number N                     use N (7; 2 to 9)\n"
                              "  --size SIZE                    use SIZE (64K; 1K to 4G)\n"
                              "  --real R                       use R (0.5)\n"
                              "  --text TEXT                    use TEXT (some)\n"
                              "  --bounds BOX                   use BOX (everything)\n"
                              "  --color NAME                   use the color: red or green (green)\n"
                              "  --even N                       use an even N\n"
                              "  --help                         show this\n"
                              "  --version                      print the version\n\n"
                              "exit status:\n"
                              "  0  success\n"
                              "  1  failure, which the standard error explains\n"
                              "  2  invalid command line\n");
    free(text);
}

TEST(long_help_is_wrapped_at_100_columns)
{
    static bool flag;
    const qd_option row = {"--a-name-so-long-that-it-fills-the-column", NULL,
                           "say it in words that together do not fit beside the name of the option, "
                           "so that they take two lines",
                           QD_OPTION_FLAG, .value = &flag};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    qd_options_help(stream, &usage, &row, 1);
    fclose(stream);
    assert_non_null(strstr(
        text, "  --a-name-so-long-that-it-fills-the-column\n"
              "                                 say it in words that together do not fit beside the name of the\n"
              "                                 option, so that they take two lines\n"));
    free(text);
}

TEST_MAIN()
