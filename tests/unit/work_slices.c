/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices: between begin and end, signals interrupt the thread again and again; they change nothing for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

#include "server/base/clock.h"
#include "server/work/thread/slices.h"
#include "tests/support/test.h"

static _Atomic uint32_t interrupts;

static void count(int number)
{
    (void)number;
    atomic_fetch_add(&interrupts, 1);
}

/* In place of the one that gives way. */
static void count_signals(void)
{
    assert_int_equal(sigaction(SIGURG, &(struct sigaction){.sa_handler = count}, NULL), 0);
    atomic_store(&interrupts, 0);
}

static bool is_armed(const qd_slices *slices)
{
    struct itimerspec left;

    assert_int_equal(timer_gettime(slices->timer, &left), 0);
    return left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0;
}

TEST(a_long_run_is_interrupted_until_its_end)
{
    qd_slices slices = {.has_timer = false};

    qd_slices_init(&slices);
    assert_true(slices.has_timer);
    count_signals();
    qd_slices_begin(&slices, QD_SLICE_NS);
    while (atomic_load(&interrupts) < 3) {
        continue;
    }
    qd_slices_end(&slices);
    assert_false(is_armed(&slices));
    qd_slices_end(&slices);
    qd_slices_deinit(&slices);
}

TEST(giving_way_does_not_change_errno)
{
    qd_slices slices = {.has_timer = false};

    qd_slices_init(&slices);
    errno = ENOENT;
    raise(SIGURG);
    assert_int_equal(errno, ENOENT);
    qd_slices_deinit(&slices);
}

TEST(a_slice_of_short_runs_ends_after_its_time)
{
    qd_slices slices = {.has_timer = false};
    const uint64_t start_ns = qd_clock_now_ns();

    qd_slices_look(&slices, start_ns, QD_SLICE_NS);
    assert_int_equal(slices.looked_ns, start_ns);
    qd_slices_look(&slices, start_ns + QD_SLICE_NS - 1, QD_SLICE_NS);
    assert_int_equal(slices.looked_ns, start_ns);
    qd_slices_look(&slices, start_ns + QD_SLICE_NS, QD_SLICE_NS);
    assert_int_equal(slices.looked_ns, start_ns + QD_SLICE_NS);
}

TEST_MAIN()
