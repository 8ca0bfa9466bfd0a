/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The alternate screen, no cursor, no line wrap; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l\033[2J"
#define LEAVE "\033[0m\033[?7h\033[?25h\033[?1049l"

static volatile sig_atomic_t entered, suspend_asked;
static struct termios before;
static bool has_keys;

bool qd_terminal_is_there(void)
{
    const char *type = getenv("TERM");

    return isatty(STDOUT_FILENO) && type != NULL && type[0] != '\0' && strcmp(type, "dumb") != 0;
}

/* Makes only calls that are allowed in a signal handler. */
void qd_terminal_leave(void)
{
    if (!entered) {
        return;
    }
    entered = 0;
    if (has_keys) {
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    }
    ssize_t written = write(STDOUT_FILENO, LEAVE, sizeof LEAVE - 1);
    (void)written;
}

static void leave_at_crash(int number)
{
    qd_terminal_leave();
    signal(number, SIG_DFL);
    raise(number);
}

static void note_suspend(int number)
{
    (void)number;
    suspend_asked = 1;
}

static void take(void)
{
    has_keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &before) == 0;
    entered = 1;
    if (has_keys) {
        struct termios keys = before;

        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        keys.c_cc[VMIN] = 0;
        keys.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    }
    qd_terminal_write(ENTER, sizeof ENTER - 1);
}

void qd_terminal_enter(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT};
    struct sigaction action = {.sa_handler = leave_at_crash};

    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) {
        sigaction(crashes[i], &action, NULL);
    }
    action.sa_handler = note_suspend;
    sigaction(SIGTSTP, &action, NULL);
    atexit(qd_terminal_leave);
    take();
}

void qd_terminal_size(int *columns, int *rows)
{
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;

    *columns = known ? size.ws_col : 80;
    *rows = known ? size.ws_row : 24;
}

char qd_terminal_key(void)
{
    char key = 0;

    return has_keys && read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}

bool qd_terminal_write(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);

        if (written < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = STDOUT_FILENO, .events = POLLOUT};

            poll(&ready, 1, 100);
        } else if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

bool qd_terminal_suspend_if_asked(void)
{
    if (!suspend_asked) {
        return false;
    }
    suspend_asked = 0;
    qd_terminal_leave();
    raise(SIGSTOP);
    take();
    return true;
}
