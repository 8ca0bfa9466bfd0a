/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "server/app/options.h"
#include "tests/support/test.h"

static const char *variable_name, *variable_value;

static char *environment(const char *name)
{
    return variable_name != NULL && strcmp(name, variable_name) == 0 ? (char *)variable_value : NULL;
}

static qd_server_options options;
static char error[300];

#define FIX " See quadrille-server --help."

#define PARSE(...) parse((char *[]){"quadrille-server", __VA_ARGS__, NULL})

static qd_server_options_result parse(char **argv)
{
    int argc = 0;

    while (argv[argc] != NULL) {
        argc++;
    }
    return qd_server_options_parse(&(qd_server_sources){argc, argv, environment}, &options, error, sizeof error);
}

static void assert_bad(qd_server_options_result result, const char *text)
{
    assert_int_equal(result, QD_SERVER_OPTIONS_BAD);
    assert_string_equal(error, text);
}

TEST(options_left_out_get_defaults)
{
    assert_int_equal(parse((char *[]){"quadrille-server", NULL}), QD_SERVER_OPTIONS_RUN);
    assert_string_equal(options.listen.host, "127.0.0.1");
    assert_int_equal(options.listen.port, 7400);
    assert_int_equal(options.workers, 0);
    assert_int_equal(options.loops, 0);
    assert_int_equal(options.limits.connections_max, 1024);
    assert_int_equal(options.limits.frame_bytes_max, 4 << 20);
    assert_int_equal(options.limits.rooms_max, 65536);
    assert_int_equal(options.limits.entities_max, 4 << 20);
    assert_int_equal(options.limits.events_max, 1 << 20);
    assert_int_equal(options.limits.observers_max, 16384);
    assert_int_equal(options.limits.visible_entries_max, 4 << 20);
    assert_int_equal(options.limits.roster_ids_max, 4 << 20);
    assert_int_equal(options.limits.test_budget, 32 << 20);
    assert_int_equal(options.memory_bytes_max, 0);
    assert_int_equal(options.limits.queue_bytes_max, 8 << 20);
    assert_int_equal(options.limits.slow_ms_max, 5000);
    assert_int_equal(options.limits.resume_ms_max, 10000);
    assert_int_equal(options.limits.room_batches_max, 1024);
    assert_int_equal(options.limits.session_share, 10);
    assert_int_equal(options.drain_seconds, 10);
    assert_string_equal(options.admin.host, "");
    assert_null(options.admin_token_file);
    assert_int_equal(options.admin_room_labels, 0);
    assert_null(options.token_file);
    assert_false(options.insecure);
    assert_int_equal(options.limits.empty_close_ms_max, 600000);
    assert_int_equal(options.limits.session_rooms_max, 16384);
    assert_int_equal(options.limits.session_entities_max, 4 << 20);
    assert_int_equal(options.limits.session_observers_max, 65536);
    assert_int_equal(options.limits.session_visible_entries_max, 8 << 20);
    assert_int_equal(options.limits.session_subscriptions_max, 16384);
    assert_int_equal(options.limits.token_rooms_max, 0);
    assert_int_equal(options.limits.token_memory_max, 0);
    assert_int_equal(options.log_level, QD_LOG_INFO);
    assert_null(options.record);
    assert_int_equal(options.record_file_bytes, 64 << 20);
    assert_int_equal(options.record_bytes_max, 1 << 30);
    assert_null(options.replay);
}

TEST(options_take_values)
{
    assert_int_equal(PARSE("--workers", "3", "--frame-max=64K", "--queue-max", "1g", "--token-file", "/etc/tokens",
                           "--log-level=debug", "--memory-max", "104857600"),
                     QD_SERVER_OPTIONS_RUN);
    assert_int_equal(options.workers, 3);
    assert_int_equal(options.limits.frame_bytes_max, 64 << 10);
    assert_int_equal(options.limits.queue_bytes_max, 1 << 30);
    assert_int_equal(options.memory_bytes_max, 100 << 20);
    assert_string_equal(options.token_file, "/etc/tokens");
    assert_int_equal(options.log_level, QD_LOG_DEBUG);
    assert_int_equal(PARSE("--"), QD_SERVER_OPTIONS_RUN);
}

TEST(replay_takes_its_options_with_it_only)
{
    assert_int_equal(PARSE("--replay", "a.qdr", "--until", "7", "--room", "yard", "--print-events"),
                     QD_SERVER_OPTIONS_REPLAY);
    assert_string_equal(options.replay, "a.qdr");
    assert_int_equal(options.until, 7);
    assert_string_equal(options.room, "yard");
    assert_true(options.print_events);
    assert_int_equal(PARSE("--room", "yard"), QD_SERVER_OPTIONS_RUN);
    assert_true(qd_server_options_conflict(&options, error, sizeof error));
    assert_non_null(strstr(error, "--room is given without --replay"));
}

TEST(a_record_has_room_for_two_files)
{
    assert_int_equal(PARSE("--record", "r", "--record-file-bytes", "1M", "--record-bytes-max", "2M"),
                     QD_SERVER_OPTIONS_RUN);
    assert_false(qd_server_options_conflict(&options, error, sizeof error));
    assert_int_equal(PARSE("--record", "r", "--record-file-bytes", "1M", "--record-bytes-max", "1M"),
                     QD_SERVER_OPTIONS_RUN);
    assert_true(qd_server_options_conflict(&options, error, sizeof error));
    assert_non_null(strstr(error, "--record-bytes-max is 1048576; must be at least twice"));
}

TEST(loopback_hosts_are_those_of_this_machine)
{
    const char *const local[] = {"localhost", "127.0.0.1", "127.255.0.9", "::1"};
    const char *const others[] = {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "game.example", "127.0.0.1.example", ""};

    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++) {
        assert_true(qd_server_options_is_loopback(local[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(qd_server_options_is_loopback(others[i]));
    }
}

TEST(listen_without_host_and_port_is_refused)
{
    assert_int_equal(PARSE("--listen", "game.example:0"), QD_SERVER_OPTIONS_RUN);
    assert_string_equal(options.listen.host, "game.example");
    assert_int_equal(options.listen.port, 0);
    assert_int_equal(PARSE("--listen", "[::1]:65535"), QD_SERVER_OPTIONS_RUN);
    assert_string_equal(options.listen.host, "::1");
    assert_int_equal(options.listen.port, 65535);
    assert_bad(PARSE("--listen", "::1:7400"),
               "--listen is '::1:7400'; must be HOST:PORT. Write an IPv6 address as [ADDRESS]:PORT." FIX);
    assert_int_equal(PARSE("--listen", "[]:7400"), QD_SERVER_OPTIONS_BAD);
}

#define PATH_RULE "the path of a file: 1 to 4095 bytes without control characters, and without a space at either end"

/* Errors quote texts, not numbers. */
static bool is_number(const char *text)
{
    return text[0] != '\0' && strspn(text, "-0123456789") == strlen(text);
}

TEST(option_with_bad_value_is_refused)
{
    static const struct {
        const char *option, *value, *must;
    } rows[] = {
        {"--listen", "localhost", "HOST:PORT with a port from 0 to 65535"},
        {"--listen", "localhost:", "HOST:PORT with a port from 0 to 65535"},
        {"--listen", "localhost:65536", "HOST:PORT with a port from 0 to 65535"},
        {"--listen", ":7400", "HOST:PORT with a port from 0 to 65535"},
        {"--workers", "0", "a whole number from 1 to 256"},
        {"--workers", "257", "a whole number from 1 to 256"},
        {"--workers", "many", "a whole number from 1 to 256"},
        {"--workers", "", "a whole number from 1 to 256"},
        {"--workers", "-1", "a whole number from 1 to 256"},
        {"--rooms-max", "1K", "a whole number from 1 to 1048576"}, /* a count, which has no unit */
        {"--frame-max", "1", "a size from 8K to 256M"},
        {"--frame-max", "5T", "a size from 8K to 256M"},
        {"--frame-max", "4MB", "a size from 8K to 256M"},
        /* numbers that do not fit in 64 bits, by themselves and by their unit */
        {"--workers", "99999999999999999999", "a whole number from 1 to 256"},
        {"--frame-max", "18446744073709551615G", "a size from 8K to 256M"},
        {"--frame-max", "17179869185G", "a size from 8K to 256M"},
        {"--log-level", "loud", "error, warn, info or debug"},
        {"--listen", "local host:7400", "HOST:PORT with a host without spaces and control characters"},
        {"--token-file", "", PATH_RULE},
        {"--token-file", " tokens", PATH_RULE},
        {"--token-file", "tokens\n", PATH_RULE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char together[80], text[300];

        snprintf(together, sizeof together, "%s=%s", rows[i].option, rows[i].value);
        const char *quote = is_number(rows[i].value) ? "" : "'";
        snprintf(text, sizeof text, "%s is %s%s%s; must be %s." FIX, rows[i].option, quote, rows[i].value, quote,
                 rows[i].must);
        assert_bad(PARSE((char *)rows[i].option, (char *)rows[i].value), text);
        assert_bad(PARSE(together), text);
    }
}

TEST(unknown_option_is_refused)
{
    assert_bad(PARSE("--wrokers", "3"), "unknown option '--wrokers'. Did you mean --workers?" FIX);
    assert_bad(PARSE("--worker=3"), "unknown option '--worker'. Did you mean --workers?" FIX);
    assert_bad(PARSE("--verbose", "3"), "unknown option '--verbose'." FIX);
    assert_bad(PARSE("workers"), "too many arguments, from 'workers' on: needs none." FIX);
    assert_bad(PARSE("--workers"), "--workers needs a value: --workers N." FIX);
}

TEST(repeated_option_is_refused)
{
    assert_bad(PARSE("--listen", "a:1", "--listen", "b:2"), "--listen is given twice; give it once." FIX);
    assert_bad(PARSE("--loops", "2", "--loops=2"), "--loops is given twice; give it once." FIX);
}

TEST(environment_gives_way_to_command_line)
{
    variable_name = "QUADRILLE_FRAME_MAX";
    variable_value = "1M";
    assert_int_equal(PARSE("--loops", "2"), QD_SERVER_OPTIONS_RUN);
    assert_int_equal(options.limits.frame_bytes_max, 1 << 20);
    assert_int_equal(PARSE("--frame-max", "2M"), QD_SERVER_OPTIONS_RUN);
    assert_int_equal(options.limits.frame_bytes_max, 2 << 20);
    variable_value = "0";
    assert_bad(PARSE("--loops", "2"), "QUADRILLE_FRAME_MAX is 0; must be a size from 8K to 256M." FIX);
    variable_name = NULL;
}

static void assert_stray(const char *variable, const char *text)
{
    char given[200] = "";

    assert_true(qd_server_options_is_stray(variable, given, sizeof given));
    assert_string_equal(given, text);
}

TEST(variable_without_option_is_reported)
{
    assert_stray("QUADRILLE_WORKER=3", "ignoring the variable QUADRILLE_WORKER: no option has this name. Did you mean "
                                       "QUADRILLE_WORKERS? See quadrille-server --help.");
    assert_stray("QUADRILLE_workers=3", "ignoring the variable QUADRILLE_workers: no option has this name. Did you "
                                        "mean QUADRILLE_WORKERS? See quadrille-server --help.");
    assert_stray("QUADRILLE_MEMORY_LIMIT=1G", "ignoring the variable QUADRILLE_MEMORY_LIMIT: no option has this name. "
                                              "Did you mean QUADRILLE_MEMORY_MAX? See quadrille-server --help.");
    assert_stray("QUADRILLE_PORT=7400",
                 "ignoring the variable QUADRILLE_PORT: no option has this name. See quadrille-server --help.");
    assert_stray("QUADRILLE_=",
                 "ignoring the variable QUADRILLE_: no option has this name. See quadrille-server --help.");

    /* Options, variables of the tools, other variables, and those that come with a service of that name. */
    const char *quiet[] = {"QUADRILLE_WORKERS=3",
                           "QUADRILLE_ROOM_BATCHES_MAX=",
                           "QUADRILLE_SERVER=server:7400",
                           "QUADRILLE_TOKEN=secret",
                           "QUADRILLES=1",
                           "PATH=/bin:QUADRILLE_X",
                           "QUADRILLE_X",
                           "QUADRILLE_SERVICE_HOST=10.0.0.1",
                           "QUADRILLE_SERVICE_PORT=7400",
                           "QUADRILLE_SERVICE_PORT_GAME=7400",
                           "QUADRILLE_PORT=tcp://10.0.0.1:7400",
                           "QUADRILLE_PORT_7400_TCP=tcp://10.0.0.1:7400",
                           "QUADRILLE_PORT_7400_TCP_PROTO=tcp",
                           "QUADRILLE_PORT_7400_TCP_PORT=7400",
                           "QUADRILLE_PORT_7400_TCP_ADDR=10.0.0.1",
                           "QUADRILLE_SERVER_SERVICE_HOST=10.0.0.1",
                           "QUADRILLE_SERVER_PORT=tcp://10.0.0.1:7400",
                           "QUADRILLE_NAME=/game/quadrille",
                           "QUADRILLE_ENV_TERM=dumb"};
    char text[200];
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
        if (qd_server_options_is_stray(quiet[i], text, sizeof text)) {
            fail_msg("%s", text);
        }
    }
    /* Longer than any name. */
    char *variable = malloc(1000);
    assert_non_null(variable);
    memset(variable, 'X', 999);
    memcpy(variable, "QUADRILLE_", 10);
    variable[998] = '=';
    variable[999] = '\0';
    assert_true(qd_server_options_is_stray(variable, text, sizeof text));
    free(variable);
}

TEST(help_and_version_come_first)
{
    assert_int_equal(PARSE("--help"), QD_SERVER_OPTIONS_HELP);
    assert_int_equal(PARSE("--workers", "0", "--help"), QD_SERVER_OPTIONS_HELP);
    assert_int_equal(PARSE("--version"), QD_SERVER_OPTIONS_VERSION);
    assert_int_equal(PARSE("--workers", "0", "--version"), QD_SERVER_OPTIONS_VERSION);
    variable_name = "QUADRILLE_WORKERS";
    variable_value = "0";
    assert_int_equal(PARSE("--help"), QD_SERVER_OPTIONS_HELP);
    variable_name = NULL;

    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    qd_server_options_help(stream);
    fclose(stream);
    assert_non_null(strstr(text, "--listen HOST:PORT"));
    assert_non_null(strstr(text, "(127.0.0.1:7400)"));
    assert_non_null(strstr(text, "(4M; 8K to 256M)"));
    assert_non_null(strstr(text, "error, warn, info or debug (info)"));
    assert_non_null(strstr(text, "--version"));
    free(text);
}

TEST_MAIN()
