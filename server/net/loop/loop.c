/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/clock.h"
#include "short_slices.h"

/* A loop that is woken to write more often than OFTEN_NS, for example because thousands of rooms tick, sends few frames
 * per wake. It then sleeps for COALESCE_NS before each pass, so that each pass sends more. Sleeping lowers its rate of
 * wakes, so it stops only below the lower rate of OFTEN_NS_COALESCING. */
#define OFTEN_SPAN_NS       2000000u
#define OFTEN_NS            200000u
#define OFTEN_NS_COALESCING 350000u
#define COALESCE_NS         100000

/* The loop that runs on this thread. */
static _Thread_local const qd_loop *current;

bool qd_loop_is_current(const qd_loop *loop)
{
    return current == loop;
}

/* ---- requests ---- */

void qd_loop_post(qd_loop *loop, qd_loop_request *request)
{
    bool first = qd_mailbox_put(&loop->requests, &request->message);

    /* Only the first request of a burst wakes the loop. A callback on the loop need not wake it, because the pass ends
     * with the requests. Those that a request posts run a pass later, after the sockets (see on_pass).
     *
     * uv_async_send would make the loop spin until this thread has returned from it. The loop may have taken this
     * thread's core for that. */
    if (first && !qd_loop_is_current(loop)) {
        (void)!write(loop->wake_fd, &(uint64_t){1}, sizeof(uint64_t)); /* the count cannot overflow */
    }
}

static void run_requests(qd_loop *loop)
{
    qd_message *message = qd_mailbox_take(&loop->requests);

    while (message) {
        qd_loop_request *request = (qd_loop_request *)message;

        /* Once the request runs, it may be posted again or freed. */
        message = message->next;
        request->run(request);
    }
}

/* An active one keeps the loop from waiting. */
static void on_idle(uv_idle_t *idle)
{
    (void)idle;
}

/* libuv calls this before it waits. It does everything that this pass's callbacks posted. */
static void on_pass(uv_prepare_t *pass)
{
    qd_loop *loop = pass->data;

    run_requests(loop);
    bool goes_on = qd_turns_pass(&loop->turns);
    if (goes_on || !qd_mailbox_is_empty(&loop->requests)) {
        uv_idle_start(&loop->idle, on_idle);
    } else {
        uv_idle_stop(&loop->idle);
    }
    if (loop->stopping && loop->holders == 0) {
        uv_stop(&loop->uv);
    }
}

bool qd_loop_may_work(qd_loop *loop, const void *object)
{
    if (loop->object_pass == loop->turns.pass && loop->object != object) {
        loop->crowded_pass = loop->turns.pass;
    }
    loop->object_pass = loop->turns.pass;
    loop->object = object;
    return loop->crowded_pass == 0 || loop->crowded_pass + 1 < loop->turns.pass;
}

/* The rate of wakes in one span decides for the next span. */
static bool should_coalesce(qd_loop *loop)
{
    uint64_t now_ns = qd_clock_now_ns(), passed_ns = now_ns - loop->counted_since_ns;

    loop->wakes++;
    if (passed_ns >= OFTEN_SPAN_NS) {
        uint64_t wakes_max = passed_ns / (loop->coalesces ? OFTEN_NS_COALESCING : OFTEN_NS);

        loop->coalesces = loop->wakes > wakes_max && loop->writes >= loop->wakes;
        loop->wakes = loop->writes = 0;
        loop->counted_since_ns = now_ns;
    }
    return loop->coalesces && !QD_WITHOUT(LOOP_REST);
}

/* libuv calls this when a post has ended its wait; the pass comes next. */
static void on_wake(uv_poll_t *wake, int status, int events)
{
    qd_loop *loop = wake->data;
    uint64_t count;

    (void)status;
    (void)events;
    (void)!read(loop->wake_fd, &count, sizeof count);
    if (should_coalesce(loop)) {
        nanosleep(&(struct timespec){.tv_nsec = COALESCE_NS}, NULL);
    }
}

/* ---- deadlines ---- */

static void link_deadline(qd_loop_deadline *head, qd_loop_deadline *deadline)
{
    deadline->next = head;
    deadline->previous = head->previous;
    head->previous->next = deadline;
    head->previous = deadline;
}

static void on_clock(uv_timer_t *timer)
{
    qd_loop_clock *clock = timer->data;
    uint64_t now_ns = qd_clock_now_ns();
    qd_loop_deadline due;

    /* First move the due deadlines to a ring of their own, because expire may set and clear any deadline. */
    due.next = due.previous = &due;
    for (qd_loop_deadline *each = clock->ring.next, *next; each != &clock->ring; each = next) {
        next = each->next;
        if (each->due_ns <= now_ns) {
            qd_loop_deadline_clear(each);
            link_deadline(&due, each);
        }
    }
    while (due.next != &due) {
        qd_loop_deadline *first = due.next;

        qd_loop_deadline_clear(first);
        first->expire(first);
    }
    if (clock->ring.next == &clock->ring) {
        uv_timer_stop(timer);
    }
}

void qd_loop_deadline_set(qd_loop *loop, qd_loop_deadline *deadline, uint64_t due_ns)
{
    qd_loop_clock *clock = deadline->is_prompt ? &loop->prompt_clock : &loop->clock;

    QD_VALIDATE(qd_loop_is_current(loop));
    qd_loop_deadline_clear(deadline);
    deadline->due_ns = due_ns;
    link_deadline(&clock->ring, deadline);
    if (!uv_is_active((uv_handle_t *)&clock->timer)) {
        uv_timer_start(&clock->timer, on_clock, clock->step_ms, clock->step_ms);
    }
}

void qd_loop_deadline_clear(qd_loop_deadline *deadline)
{
    if (!deadline->next) {
        return;
    }
    deadline->previous->next = deadline->next;
    deadline->next->previous = deadline->previous;
    deadline->next = deadline->previous = NULL;
}

static void clock_init(qd_loop *loop, qd_loop_clock *clock, uint32_t step_ms)
{
    clock->step_ms = step_ms;
    clock->ring.next = clock->ring.previous = &clock->ring;
    clock->timer.data = clock;
    uv_timer_init(&loop->uv, &clock->timer); /* cannot fail */
}

/* ---- life ---- */

void qd_loop_hold(qd_loop *loop)
{
    loop->holders++;
}

void qd_loop_unhold(qd_loop *loop)
{
    QD_ASSERT(loop->holders > 0);
    loop->holders--;
}

void qd_loop_stop(qd_loop *loop)
{
    QD_VALIDATE(qd_loop_is_current(loop));
    loop->stopping = true;
}

static void run(void *argument)
{
    qd_loop *loop = argument;

    current = loop;
    /* By default the system may end a short sleep 50 microseconds late. */
    prctl(PR_SET_TIMERSLACK, 1);
    prctl(PR_SET_NAME, loop->prompt ? "qd-loop" : "qd-lobby");
    if (loop->prompt) {
        qd_short_slices();
    }
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    current = NULL;
}

qd_status qd_loop_init(qd_loop *loop)
{
    *loop = (qd_loop){0};
    qd_mailbox_init(&loop->requests);
    qd_heap_init(&loop->heap);
    loop->read_buffer = qd_heap_alloc(&loop->heap, QD_LOOP_READ_BYTES);
    if (!loop->read_buffer) {
        goto fail_memory;
    }
    if (uv_loop_init(&loop->uv) != 0) {
        goto fail_system;
    }
    /* These cannot fail. */
    uv_prepare_init(&loop->uv, &loop->pass);
    uv_idle_init(&loop->uv, &loop->idle);
    uv_timer_init(&loop->uv, &loop->sweep);
    clock_init(loop, &loop->clock, QD_LOOP_DEADLINE_STEP_MS);
    clock_init(loop, &loop->prompt_clock, QD_LOOP_PROMPT_STEP_MS);
    loop->pass.data = loop->sweep.data = loop->wake.data = loop;
    uv_prepare_start(&loop->pass, on_pass);
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    const bool has_turns = qd_turns_init(&loop->turns, &loop->uv);
    if (!has_turns || loop->wake_fd < 0 || uv_poll_init(&loop->uv, &loop->wake, loop->wake_fd) != 0 ||
        uv_poll_start(&loop->wake, UV_READABLE, on_wake) != 0) {
        qd_loop_deinit(loop);
        return QD_ERR_SYSTEM;
    }
    return QD_OK;

fail_system:
    qd_heap_free(&loop->heap, loop->read_buffer, QD_LOOP_READ_BYTES);
    qd_heap_deinit(&loop->heap);
    return QD_ERR_SYSTEM;
fail_memory:
    qd_heap_deinit(&loop->heap);
    return QD_ERR_NO_MEMORY;
}

static void close_handle(uv_handle_t *handle, void *argument)
{
    (void)argument;
    if (!uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}

void qd_loop_deinit(qd_loop *loop)
{
    /* The loop's thread has ended. This thread runs the belated requests and closes the handles. */
    run_requests(loop);
    uv_walk(&loop->uv, close_handle, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    int closed = uv_loop_close(&loop->uv);
    QD_ASSERT(closed == 0);
    if (loop->wake_fd >= 0) {
        close(loop->wake_fd);
    }
    qd_turns_deinit(&loop->turns);
    qd_heap_free(&loop->heap, loop->read_buffer, QD_LOOP_READ_BYTES);
    qd_heap_deinit(&loop->heap);
}

qd_status qd_loop_start(qd_loop *loop, bool prompt)
{
    loop->prompt = prompt;
    return uv_thread_create(&loop->thread, run, loop) == 0 ? QD_OK : QD_ERR_SYSTEM;
}

void qd_loop_join(qd_loop *loop)
{
    uv_thread_join(&loop->thread);
}
