/* SPDX-License-Identifier: Apache-2.0 */
#include "relay_slots.h"

#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/array.h"

#define ALL_USED UINT16_MAX

typedef struct qd_relay_page {
    uint16_t used; /* one bit per slot */
    uint16_t phase;
    uint32_t next, previous; /* in the list of its phase, or of empty pages: page + 1, or 0 */
} qd_relay_page;

void qd_relay_slots_deinit(qd_relay_slots *slots, qd_heap *heap)
{
    qd_array_drop(heap, slots->pages, slots->capacity);
    *slots = (qd_relay_slots){0};
}

void qd_relay_slots_clear(qd_relay_slots *slots)
{
    slots->count = slots->used = slots->empty = 0;
    memset(slots->open, 0, sizeof slots->open);
}

uint32_t qd_relay_phases(uint32_t every)
{
    uint32_t phases = every < QD_RELAY_PHASES_MAX ? every : QD_RELAY_PHASES_MAX;

    while (every % phases != 0) {
        phases--;
    }
    return phases;
}

/* ---- lists of pages ---- */

static void push(qd_relay_slots *slots, uint32_t *list, uint32_t page)
{
    slots->pages[page].previous = 0;
    slots->pages[page].next = *list;
    if (*list != 0) {
        slots->pages[*list - 1].previous = page + 1;
    }
    *list = page + 1;
}

static void pull(qd_relay_slots *slots, uint32_t *list, uint32_t page)
{
    const qd_relay_page *gone = &slots->pages[page];

    if (gone->previous != 0) {
        slots->pages[gone->previous - 1].next = gone->next;
    } else {
        *list = gone->next;
    }
    if (gone->next != 0) {
        slots->pages[gone->next - 1].previous = gone->previous;
    }
}

/* Gives the phase a page: one without used slots, or a new one. */
static bool open_page(qd_relay_slots *slots, qd_heap *heap, uint32_t phase)
{
    uint32_t page = slots->empty - 1;

    if (slots->empty != 0) {
        pull(slots, &slots->empty, page);
    } else if (qd_array_reserve(heap, slots->pages, slots->capacity, slots->count)) {
        page = slots->count++;
    } else {
        return false;
    }
    slots->pages[page] = (qd_relay_page){.phase = (uint16_t)phase};
    push(slots, &slots->open[phase], page);
    return true;
}

/* ---- slots ---- */

uint32_t qd_relay_slots_take(qd_relay_slots *slots, qd_heap *heap, uint32_t phase)
{
    if (slots->open[phase] == 0 && !open_page(slots, heap, phase)) {
        return QD_RELAY_SLOT_NONE;
    }
    const uint32_t page = slots->open[phase] - 1, bit = (uint32_t)__builtin_ctz(~(uint32_t)slots->pages[page].used);

    slots->pages[page].used |= (uint16_t)(1u << bit);
    if (slots->pages[page].used == ALL_USED) {
        pull(slots, &slots->open[phase], page);
    }
    slots->used++;
    return page * QD_RELAY_PAGE_SLOTS + bit;
}

void qd_relay_slots_give(qd_relay_slots *slots, uint32_t slot)
{
    const uint32_t page = slot / QD_RELAY_PAGE_SLOTS, bit = 1u << slot % QD_RELAY_PAGE_SLOTS;
    qd_relay_page *of = &slots->pages[page];

    QD_ASSERT((of->used & bit) != 0);
    if (of->used == ALL_USED) {
        push(slots, &slots->open[of->phase], page);
    }
    of->used &= (uint16_t)~bit;
    if (of->used == 0) {
        pull(slots, &slots->open[of->phase], page);
        push(slots, &slots->empty, page);
    }
    slots->used--;
}
