/* SPDX-License-Identifier: Apache-2.0 */
#include "manual.h"

#include <ctype.h>
#include <string.h>

/* The present traversal; a program has one thread. */
static const qd_manual_visitor *visiting;
static const char *command_name; /* NULL: the program itself */
static const qd_option_topic *commands;

static void take_table(const qd_usage *usage, const qd_option *options, size_t count)
{
    if (command_name != NULL) {
        visiting->command(command_name, usage, options, count);
        return;
    }
    commands = usage->commands;
    visiting->general(usage, options, count);
}

void qd_manual_visit(const char *name, qd_manual_program_fn program, const qd_manual_visitor *visitor)
{
    char own[64], command[64], help[] = "--help";

    visiting = visitor;
    command_name = NULL;
    commands = NULL;
    qd_options_on_help(take_table);
    snprintf(own, sizeof own, "%s", name);
    program(2, (char *[]){own, help, NULL});
    for (const qd_option_topic *topic = commands; topic != NULL && topic->name != NULL; topic++) {
        command_name = topic->name;
        snprintf(command, sizeof command, "%s", topic->name);
        program(3, (char *[]){own, command, help, NULL});
    }
    qd_options_on_help(NULL);
}

/* ---- the manual page ---- */

/* Prints text for the formatter: a minus stays a minus, and `code` becomes bold. */
static void print_escaped(const char *text, size_t size)
{
    bool bold = false;

    if (size > 0 && (text[0] == '.' || text[0] == '\'')) {
        fputs("\\&", stdout);
    }
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '-':
            fputs("\\-", stdout);
            break;
        case '\\':
            fputs("\\e", stdout);
            break;
        case '`':
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", stdout);
            break;
        default:
            putchar(text[i]);
        }
    }
}

static void print_plain(const char *text)
{
    print_escaped(text, strlen(text));
}

/* Prints lines: an empty one ends a paragraph, and indented ones stay as they are. */
static void print_text(const char *text)
{
    bool is_example = false;

    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        const bool indented = text[0] == ' ';

        if (indented != is_example) {
            puts(indented ? ".EX" : ".EE");
            is_example = indented;
        }
        if (size == 0) {
            puts(".PP");
        } else {
            print_escaped(text, size);
            putchar('\n');
        }
        text += size + (text[size] == '\n');
    }
    if (is_example) {
        puts(".EE");
    }
}

static void print_synopsis(const qd_usage *usage)
{
    fputs("\\fB", stdout);
    print_plain(usage->program);
    fputs("\\fR", stdout);
    if (usage->arguments[0] != '\0') {
        putchar(' ');
        print_plain(usage->arguments);
    }
    puts(" [\\fIOPTION\\fR...]");
}

static void print_option(const qd_option *option)
{
    char help[QD_OPTION_HELP_SIZE];

    qd_option_describe(option, help);
    fputs(".TP\n\\fB", stdout);
    print_plain(option->name);
    fputs("\\fR", stdout);
    if (option->argument != NULL) {
        fputs(" \\fI", stdout);
        print_plain(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_plain(help);
    putchar('\n');
}

static void print_options(const qd_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        print_option(&options[i]);
    }
}

static void print_topic(const char *name, const char *help)
{
    fputs(".TP\n\\fB", stdout);
    print_plain(name);
    puts("\\fR");
    print_plain(help);
    putchar('\n');
}

static void print_topics(const char *title, const qd_option_topic *topics)
{
    if (topics == NULL) {
        return;
    }
    fputs(".SH ", stdout);
    for (; *title != '\0'; title++) {
        putchar(toupper((unsigned char)*title));
    }
    putchar('\n');
    for (; topics->name != NULL; topics++) {
        print_topic(topics->name, topics->help);
    }
}

static const char *page_version;

static void print_page_start(const qd_usage *usage, const qd_option *options, size_t count)
{
    fputs(".TH ", stdout);
    for (const char *letter = usage->program; *letter != '\0'; letter++) {
        putchar(toupper((unsigned char)*letter));
    }
    printf(" 1 \"\" \"Quadrille %s\" \"Quadrille\"\n.SH NAME\n", page_version);
    print_plain(usage->program);
    printf(" \\- %s\n.SH SYNOPSIS\n", usage->summary);
    print_synopsis(usage);
    puts(".SH DESCRIPTION");
    print_text(usage->text);
    puts(".SH OPTIONS");
    print_options(options, count);
    print_topic("--help", "show the usage");
    print_topic("--version", "print the version");
    if (usage->notes != NULL) {
        puts(".PP");
        print_text(usage->notes);
    }
    print_topics("environment", usage->variables);
    print_topics("exit status", qd_exit_statuses);
    print_topics(usage->commands_title != NULL ? usage->commands_title : "", usage->commands);
}

static void print_page_command(const char *name, const qd_usage *usage, const qd_option *options, size_t count)
{
    printf(".SS %s\n", name);
    print_synopsis(usage);
    puts(".PP");
    print_text(usage->text);
    print_options(options, count);
}

void qd_manual_page(const char *name, const char *version, qd_manual_program_fn program)
{
    static const qd_manual_visitor visitor = {print_page_start, print_page_command};

    page_version = version;
    qd_manual_visit(name, program, &visitor);
}
