/* SPDX-License-Identifier: Apache-2.0 */
#include "claims.h"

#include <stdbool.h>

#include "../memory.h"

void qd_claims_deinit(qd_claims *claims, qd_heap *heap)
{
    qd_heap_free(heap, claims->claim, claims->capacity * sizeof claims->claim[0]);
    *claims = (qd_claims){0};
}

void qd_claims_add(qd_claims *claims, qd_heap *heap, qd_claim claim)
{
    claims->claim = qd_array_need(heap, claims->claim, &claims->capacity, sizeof claims->claim[0], claims->count);
    claims->claim[claims->count++] = claim;
}

static bool is_before(const qd_claim *a, const qd_claim *b)
{
    if (a->lead != b->lead) {
        return a->lead < b->lead;
    }
    if (a->distance != b->distance) {
        return a->distance < b->distance;
    }
    return a->rank != b->rank ? a->rank < b->rank : a->id < b->id;
}

/* Lets the claim at `root` sink until both of its children are before it. */
static void sink(qd_claim *claims, uint32_t root, uint32_t count)
{
    qd_claim sinking = claims[root];
    uint32_t child;

    while ((child = 2 * root + 1) < count) {
        if (child + 1 < count && is_before(&claims[child], &claims[child + 1])) {
            child++;
        }
        if (!is_before(&sinking, &claims[child])) {
            break;
        }
        claims[root] = claims[child];
        root = child;
    }
    claims[root] = sinking;
}

/* A heap: in place, and no worse for any order. */
void qd_claims_sort(qd_claim *claims, uint32_t count)
{
    for (uint32_t root = count / 2; root-- > 0;) {
        sink(claims, root, count);
    }
    for (uint32_t end = count; end > 1;) {
        qd_claim last = claims[--end];

        claims[end] = claims[0];
        claims[0] = last;
        sink(claims, 0, end);
    }
}
