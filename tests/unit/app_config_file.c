/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration file: its precedence for each option of the table, its errors, and what --print-config makes of it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/app/options.h"
#include "tests/support/test.h"

#define FIX " See quadrille-server --help."

static char path[] = "/tmp/quadrille-config-XXXXXX";
static const char *variable_name, *variable_value;
static qd_server_options options;
static char error[600];

static int setup(void **state)
{
    (void)state;
    memcpy(path + strlen(path) - 6, "XXXXXX", 6);
    const int file = mkstemp(path);
    variable_name = NULL;
    return file < 0 || close(file) != 0 ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    qd_server_options_release(&options);
    return unlink(path);
}

#define CONFIG_TEST(name) TEST_WITH(name, setup, teardown)

static char *environment(const char *name)
{
    return variable_name != NULL && strcmp(name, variable_name) == 0 ? (char *)variable_value : NULL;
}

static void write_bytes(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Reads a file with this text; a NULL flag: none. */
static qd_server_options_result read_text(const char *text, const char *flag, const char *value)
{
    char *arguments[] = {"quadrille-server", "--config", path, (char *)flag, (char *)value, NULL};
    const int count = flag == NULL ? 3 : value == NULL ? 4 : 5;

    write_bytes(text, strlen(text));
    qd_server_options_release(&options);
    return qd_server_options_parse(&(qd_server_sources){count, arguments, environment}, &options, error, sizeof error);
}

/* For free(). */
static char *print(const qd_server_options *shown)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    qd_server_options_print(stream, shown);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void assert_bad(const char *text, const char *message)
{
    char whole[800];

    assert_int_equal(read_text(text, NULL, NULL), QD_SERVER_OPTIONS_BAD);
    snprintf(whole, sizeof whole, "%s:%s", path, message);
    assert_string_equal(error, whole);
}

/* ---- each option of the table ---- */

#define VALUES 3

/* Writes different values that the option accepts. A flag has only two. */
static void make_values(const qd_option *option, char values[VALUES][64])
{
    for (int i = 0; i < VALUES; i++) {
        switch (option->kind) {
        case QD_OPTION_FLAG:
            strcpy(values[i], i % 2 == 0 ? "yes" : "no");
            break;
        case QD_OPTION_NUMBER:
            snprintf(values[i], sizeof values[i], "%.0f", option->min + i);
            break;
        case QD_OPTION_SIZE:
            snprintf(values[i], sizeof values[i], "%.0f", option->min + 1 + i);
            break;
        case QD_OPTION_CHOICE:
            strcpy(values[i], option->choices[option->choices[i].name != NULL ? i : 0].name);
            break;
        case QD_OPTION_PATH:
            snprintf(values[i], sizeof values[i], "/some/file %d; # = :", i);
            break;
        default:
            assert_true(strcmp(option->name, "--listen") == 0 || strcmp(option->name, "--admin") == 0);
            snprintf(values[i], sizeof values[i], "[::%d]:7400", i);
        }
    }
}

static void assert_printed(const char *key, const char *value)
{
    char line[200], *text = print(&options);

    snprintf(line, sizeof line, "\n%s = %s\n", key, value);
    if (strstr(text, line) == NULL) {
        fail_msg("not printed: %s = %s", key, value);
    }
    free(text);
}

static void check_precedence(const qd_usage *usage, const qd_option *option)
{
    char values[VALUES][64], text[200], name[QD_OPTION_VARIABLE_SIZE];
    const char *key = option->name + strspn(option->name, "-");

    make_values(option, values);
    snprintf(text, sizeof text, "%s = %s\n", key, values[0]);
    variable_name = NULL;
    assert_int_equal(read_text(text, NULL, NULL), QD_SERVER_OPTIONS_RUN);
    assert_printed(key, values[0]);

    qd_option_variable(usage, option, name);
    variable_name = name;
    variable_value = values[1];
    assert_int_equal(read_text(text, NULL, NULL), QD_SERVER_OPTIONS_RUN);
    assert_printed(key, values[1]);

    assert_int_equal(read_text(text, option->name, option->kind == QD_OPTION_FLAG ? NULL : values[2]),
                     QD_SERVER_OPTIONS_RUN);
    assert_printed(key, values[2]);
    variable_name = NULL;
}

static size_t checked;

static void check_table(const qd_usage *usage, const qd_option *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *key = rows[i].name + strspn(rows[i].name, "-");
        char text[200];

        checked++;
        if (!rows[i].not_in_file) {
            check_precedence(usage, &rows[i]);
            continue;
        }
        snprintf(text, sizeof text, "%s = yes\n", key);
        assert_int_equal(read_text(text, NULL, NULL), QD_SERVER_OPTIONS_BAD);
    }
}

CONFIG_TEST(each_option_is_taken_from_flag_then_variable_then_file)
{
    checked = 0;
    qd_options_on_help(check_table);
    qd_server_options_help(stdout);
    qd_options_on_help(NULL);
    assert_true(checked >= 45);
}

/* ---- syntax ---- */

CONFIG_TEST(spaces_comments_and_line_ends_do_not_count)
{
    assert_int_equal(read_text("\xef\xbb\xbf# first\n\n  workers =  3  \r\n\tframe-max: 64K\n; last\n   # indented\n"
                               "token-file = /a b ; c # d\nlisten=[::1]:7401",
                               NULL, NULL),
                     QD_SERVER_OPTIONS_RUN);
    assert_int_equal(options.workers, 3);
    assert_int_equal(options.limits.frame_bytes_max, 64 << 10);
    assert_string_equal(options.token_file, "/a b ; c # d");
    assert_string_equal(options.listen.host, "::1");
    assert_int_equal(options.listen.port, 7401);
    assert_int_equal(read_text("", NULL, NULL), QD_SERVER_OPTIONS_RUN);
    assert_int_equal(options.workers, 0);
}

CONFIG_TEST(error_names_file_line_key_value_and_rule)
{
    assert_bad("\n# comment\nworkers = 0\n", "3: workers is 0; must be a whole number from 1 to 256." FIX);
    assert_bad("workers = 3 # three\n", "1: workers is '3 # three'; must be a whole number from 1 to 256." FIX);
    assert_bad("log-level = loud\n", "1: log-level is 'loud'; must be error, warn, info or debug." FIX);
    assert_bad("insecure = 1\n", "1: insecure is 1; must be yes or no." FIX);
    assert_bad("worker = 3\n", "1: unknown key 'worker' with the value '3'. Did you mean workers?" FIX);
    assert_bad("FRAME_MAX = 3M\n", "1: unknown key 'FRAME_MAX' with the value '3M'. Did you mean frame-max?" FIX);
    assert_bad("--loops = 2\n", "1: unknown key '--loops' with the value '2'. Did you mean loops?" FIX);
    assert_bad("zzz = 2\n", "1: unknown key 'zzz' with the value '2'." FIX);
    assert_bad(" = 2\n", "1: unknown key '' with the value '2'." FIX);
    assert_bad("config = other\n", "1: unknown key 'config' with the value 'other'." FIX);
    assert_bad("loops = 1\n\nloops = 1\n", "3: loops is given again, after line 1; give it once");
    assert_bad("[server]\nloops = 1\n",
               "2: 'loops' is in the section [server]; must be in none. Remove the line of the section");
    assert_bad("loops = 1\nloops\n", "2: the line is no setting; must be KEY = VALUE. Write # in front of a comment");
    /* The first error counts. */
    assert_bad("loops = 0\nworkers = 0\nnothing\n", "1: loops is 0; must be a whole number from 1 to 64." FIX);
}

CONFIG_TEST(what_is_no_text_is_refused)
{
    static const char zero[] = "loops = 1\nworkers = 1\0";
    char *arguments[] = {"quadrille-server", "--config", path, NULL};
    const qd_server_sources sources = {3, arguments, environment};
    char *line = malloc((2u << 20) + 1);

    write_bytes(zero, sizeof zero);
    assert_int_equal(qd_server_options_parse(&sources, &options, error, sizeof error), QD_SERVER_OPTIONS_BAD);
    assert_non_null(strstr(error, ":2: the line has a zero byte; must be text. Remove the byte"));

    assert_non_null(line);
    memset(line, '#', 2u << 20);
    line[2u << 20] = '\0';
    write_bytes(line, 2u << 20);
    assert_int_equal(qd_server_options_parse(&sources, &options, error, sizeof error), QD_SERVER_OPTIONS_BAD);
    assert_non_null(strstr(error, "has more than 1048576 bytes; must have at most that many. Shorten it"));
    line[10000] = '\0';
    assert_bad(line, "1: the line has 10000 bytes; must have less than 8192. Shorten it");
    /* The longest path is shorter than the longest line. */
    memcpy(line, "token-file = ", 13);
    line[13 + 4095] = '\0';
    assert_int_equal(read_text(line, NULL, NULL), QD_SERVER_OPTIONS_RUN);
    assert_int_equal(strlen(options.token_file), 4095);
    free(line);
}

CONFIG_TEST(file_that_cannot_be_read_is_refused)
{
    char *arguments[] = {"quadrille-server", "--config", "/nonexistent/quadrille.conf", NULL};

    assert_int_equal(
        qd_server_options_parse(&(qd_server_sources){3, arguments, environment}, &options, error, sizeof error),
        QD_SERVER_OPTIONS_BAD);
    assert_string_equal(error, "cannot read the file of --config, /nonexistent/quadrille.conf: No such file or "
                               "directory. Check its path and its mode");
    arguments[2] = "/tmp";
    assert_int_equal(
        qd_server_options_parse(&(qd_server_sources){3, arguments, environment}, &options, error, sizeof error),
        QD_SERVER_OPTIONS_BAD);
    assert_non_null(strstr(error, "/tmp: Is a directory."));
}

CONFIG_TEST(variable_names_the_file)
{
    char *arguments[] = {"quadrille-server", NULL};

    write_bytes("workers = 5\n", 12);
    variable_name = "QUADRILLE_CONFIG";
    variable_value = path;
    assert_int_equal(
        qd_server_options_parse(&(qd_server_sources){1, arguments, environment}, &options, error, sizeof error),
        QD_SERVER_OPTIONS_RUN);
    assert_int_equal(options.workers, 5);
}

/* ---- printing ---- */

static void fail_on_change(const char *name, const char *before, const char *after, bool applied)
{
    (void)applied;
    fail_msg("%s was %s and is %s", name, before, after);
}

CONFIG_TEST(what_is_printed_reads_as_the_same)
{
    static const char *const texts[] = {
        "", "listen = [::1]:0\nworkers = 7\ninsecure = yes\nframe-max = 70001\nlog-level = debug\n"
            "token-file = /a b ; c # d\ntoken-memory-max = 3G\naddress-connections-max = 9\nlog-format = json\n"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(read_text(texts[i], "--print-config", NULL), QD_SERVER_OPTIONS_PRINT);
        char *first = print(&options);
        qd_server_options before = options;
        options.texts = NULL;
        assert_int_equal(read_text(first, "--print-config", NULL), QD_SERVER_OPTIONS_PRINT);
        char *second = print(&options);
        assert_string_equal(second, first);
        before.config = options.config;
        char *texts_before = before.texts;
        before.texts = NULL;
        assert_true(qd_server_options_merge(&before, &options, fail_on_change));
        qd_server_options_release(&before);
        free(texts_before);
        free(first);
        free(second);
    }
}

/* Each line is a comment, so the file changes nothing until someone edits it. */
CONFIG_TEST(default_file_changes_nothing)
{
    char *text = print(NULL);

    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        assert_true(*line == '#' || *line == '\n');
    }
    assert_int_equal(read_text("", NULL, NULL), QD_SERVER_OPTIONS_RUN);
    char *empty = print(&options);
    assert_int_equal(read_text(text, NULL, NULL), QD_SERVER_OPTIONS_RUN);
    char *commented = print(&options);
    assert_string_equal(commented, empty);
    free(text);
    free(empty);
    free(commented);
}

/* ---- merging ---- */

static char changes[1000];

static void note_change(const char *name, const char *before, const char *after, bool applied)
{
    const size_t size = strlen(changes);

    snprintf(changes + size, sizeof changes - size, "%s %s -> %s%s; ", name, before, after, applied ? "" : " later");
}

CONFIG_TEST(merge_takes_over_what_may_change)
{
    assert_int_equal(
        read_text("workers = 2\ntoken-file = one\nlog-level-file = a\nsession-rooms-max = 5\n", NULL, NULL),
        QD_SERVER_OPTIONS_RUN);
    qd_server_options running = options, started = options;
    running.texts = NULL;
    options.texts = NULL;
    changes[0] = '\0';
    assert_int_equal(read_text("workers = 3\ntoken-file = two\nlog-level = warn\ntoken-memory-max = 2M\n", NULL, NULL),
                     QD_SERVER_OPTIONS_RUN);
    assert_true(qd_server_options_merge(&running, &options, note_change));
    qd_server_options_release(&options);
    assert_string_equal(changes, "--workers 2 -> 3 later; --session-rooms-max 5 -> 16384; --token-memory-max  -> 2M; "
                                 "--token-file one -> two; --log-level info -> warn; --log-level-file a -> ; ");
    assert_int_equal(running.workers, 2);
    assert_string_equal(running.token_file, "two");
    assert_null(running.log_level_file);
    assert_int_equal(running.limits.token_memory_max, 2 << 20);
    /* Tokens do not vanish, and what needs a restart is reported again. */
    changes[0] = '\0';
    assert_int_equal(read_text("workers = 3\n", NULL, NULL), QD_SERVER_OPTIONS_RUN);
    assert_true(qd_server_options_merge(&running, &options, note_change));
    qd_server_options_release(&options);
    assert_string_equal(changes, "--workers 2 -> 3 later; --token-memory-max 2M -> ; --token-file two ->  later; "
                                 "--log-level warn -> info; ");
    assert_string_equal(running.token_file, "two");
    qd_server_options_release(&running);
    qd_server_options_release(&started);
}

TEST_MAIN()
