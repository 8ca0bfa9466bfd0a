/* SPDX-License-Identifier: Apache-2.0 */
#include "work_time.h"

#define SAMPLE_NS UINT64_C(1000000) /* a sample is old then */
#define LONG_NS   UINT64_C(200000)  /* shorter work is seldom interrupted, and costs little if it is */

typedef struct sample {
    uint64_t at_ns, ran_ns;
} sample;

static _Thread_local sample last;

static void take_sample(const qd_service *service, uint64_t now_ns)
{
    const qd_scheduler *scheduler = service->config.scheduler;

    last = (sample){.at_ns = now_ns, .ran_ns = scheduler->ran_ns(scheduler->context)};
}

void qd_work_time_begin(const qd_service *service, uint64_t now_ns)
{
    if (now_ns - last.at_ns >= SAMPLE_NS) {
        take_sample(service, now_ns);
    }
}

uint64_t qd_work_time_of(const qd_service *service, uint64_t now_ns, uint64_t took_ns)
{
    if (took_ns < LONG_NS) {
        return took_ns;
    }
    uint64_t before_ns = last.ran_ns;
    take_sample(service, now_ns);
    uint64_t ran_ns = last.ran_ns - before_ns;

    return ran_ns < took_ns ? ran_ns : took_ns;
}
