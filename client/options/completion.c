/* SPDX-License-Identifier: Apache-2.0 */
#include "manual.h"

#include <string.h>

/* Whether its value is the path of a file. */
static bool takes_file(const qd_option *option)
{
    static const char *const arguments[] = {"FILE", "PATH", "OUT"};

    for (size_t i = 0; option->argument != NULL && i < sizeof arguments / sizeof arguments[0]; i++) {
        if (strcmp(option->argument, arguments[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void print_names(const qd_option_topic *topics)
{
    for (const char *space = ""; topics != NULL && topics->name != NULL; topics++, space = " ") {
        printf("%s%s", space, topics->name);
    }
}

static void print_choices(const qd_option_choice *choices)
{
    for (const char *space = ""; choices->name != NULL; choices++, space = " ") {
        printf("%s%s", space, choices->name);
    }
}

/* ---- bash ---- */

/* The case of a command, "" for the program itself: its options, its words, and the values of each option. */
static void print_bash_case(const char *command, const qd_usage *usage, const qd_option *options, size_t count)
{
    printf("    '%s')\n        options='", command);
    for (size_t i = 0; i < count; i++) {
        printf("%s ", options[i].name);
    }
    printf("--help%s'\n", usage->version != NULL ? " --version" : "");
    if (usage->commands != NULL || strstr(usage->arguments, "COMMAND") != NULL) {
        puts("        words=$commands");
    }
    if (strstr(usage->arguments, "FILE") != NULL) {
        puts("        files=yes");
    }
    if (count > 0) {
        puts("        case $previous in");
    }
    for (size_t i = 0; i < count; i++) {
        if (options[i].kind == QD_OPTION_CHOICE) {
            printf("        %s) value=yes words='", options[i].name);
            print_choices(options[i].choices);
            puts("' files= ;;");
        } else if (options[i].kind != QD_OPTION_FLAG) {
            printf("        %s) value=yes words= files=%s ;;\n", options[i].name, takes_file(&options[i]) ? "yes" : "");
        }
    }
    if (count > 0) {
        puts("        esac");
    }
    puts("        ;;");
}

static const char *bash_name;

static void print_bash_start(const qd_usage *usage, const qd_option *options, size_t count)
{
    printf("# bash completion for %s, from the tables of its --help\n_%s() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= word\n"
           "    local options= words= files= value= commands='",
           bash_name, bash_name);
    print_names(usage->commands);
    puts("'\n"
         "    # --name=VALUE comes as three words.\n"
         "    if [[ $current == = ]]; then\n"
         "        current=\n"
         "    elif [[ $previous == = ]]; then\n"
         "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    fi\n"
         "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD - 1}\"; do\n"
         "        if [[ \" $commands \" == *\" $word \"* ]]; then\n"
         "            command=$word\n"
         "            break\n"
         "        fi\n"
         "    done\n"
         "    case $command in");
    print_bash_case("", usage, options, count);
}

void qd_manual_bash(const char *name, qd_manual_program_fn program)
{
    static const qd_manual_visitor visitor = {print_bash_start, print_bash_case};

    bash_name = name;
    qd_manual_visit(name, program, &visitor);
    printf("    esac\n"
           "    if [[ -z $value && ($current == -* || -z $words$files) ]]; then\n"
           "        words=$options files=\n"
           "    fi\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
           "    if [[ -n $files ]]; then\n"
           "        compopt -o filenames 2>/dev/null\n"
           "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$current\")\n"
           "    fi\n"
           "}\n"
           "complete -F _%s %s\n",
           name, name);
}

/* ---- zsh ---- */

/* Inside '...[here]...' and after a colon. */
static void print_zsh_escaped(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            printf("%s%c", strchr("[]:\\", *text) != NULL ? "\\" : "", *text);
        }
    }
}

static void print_zsh_options(const qd_usage *usage, const qd_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char help[QD_OPTION_HELP_SIZE];

        qd_option_describe(&options[i], help);
        /* `=` allows --name=VALUE as well; an option with one dash takes the next word. */
        const char *equals = options[i].kind != QD_OPTION_FLAG && options[i].name[1] == '-' ? "=" : "";
        printf(" \\\n        '%s%s[", options[i].name, equals);
        print_zsh_escaped(help);
        putchar(']');
        if (options[i].kind == QD_OPTION_CHOICE) {
            fputs(":value:(", stdout);
            print_choices(options[i].choices);
            putchar(')');
        } else if (options[i].kind != QD_OPTION_FLAG) {
            putchar(':');
            print_zsh_escaped(options[i].argument);
            fputs(takes_file(&options[i]) ? ":_files" : ": ", stdout);
        }
        putchar('\'');
    }
    fputs(" \\\n        '--help[show the usage]'", stdout);
    if (usage->version != NULL) {
        fputs(" \\\n        '--version[print the version]'", stdout);
    }
}

static const char *zsh_name;

static void print_zsh_start(const qd_usage *usage, const qd_option *options, size_t count)
{
    printf("#compdef %s\n# from the tables of its --help\n_%s() {\n    local state\n    local -a commands\n    "
           "commands=(\n",
           zsh_name, zsh_name);
    for (const qd_option_topic *topic = usage->commands; topic != NULL && topic->name != NULL; topic++) {
        printf("        '%s:", topic->name);
        print_zsh_escaped(topic->help);
        puts("'");
    }
    fputs("    )\n    _arguments -C", stdout);
    print_zsh_options(usage, options, count);
    if (usage->commands != NULL) {
        fputs(" \\\n        '1:command:->command' \\\n        '*::argument:->argument'", stdout);
    }
    puts("\n    case $state in\n"
         "    command)\n"
         "        _describe command commands\n"
         "        return\n"
         "        ;;\n"
         "    argument) ;;\n"
         "    *) return ;;\n"
         "    esac\n"
         "    case $words[1] in");
}

static void print_zsh_case(const char *command, const qd_usage *usage, const qd_option *options, size_t count)
{
    printf("    %s)\n        _arguments", command);
    print_zsh_options(usage, options, count);
    if (strstr(usage->arguments, "COMMAND") != NULL) {
        fputs(" \\\n        '1:command:_describe command commands'", stdout);
    } else if (strstr(usage->arguments, "FILE") != NULL) {
        fputs(" \\\n        '*:file:_files'", stdout);
    }
    puts("\n        ;;");
}

void qd_manual_zsh(const char *name, qd_manual_program_fn program)
{
    static const qd_manual_visitor visitor = {print_zsh_start, print_zsh_case};

    zsh_name = name;
    qd_manual_visit(name, program, &visitor);
    /* As a file in fpath, the script is the body of the function. */
    printf("    *) ;;\n    esac\n}\n_%s \"$@\"\n", name);
}
