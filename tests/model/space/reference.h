/* SPDX-License-Identifier: Apache-2.0
 *
 * The naive space: a table of bodies by slot, as they were at the last tick and as they are, and all against all. What
 * the real one reports is compared with this.
 */
#ifndef QD_TESTS_MODEL_SPACE_REFERENCE_H
#define QD_TESTS_MODEL_SPACE_REFERENCE_H

#include "support/oracle.h"

#define REFERENCE_SLOTS_MAX 4096u

typedef struct reference_state {
    bool here;
    qd_body body;
} reference_state;

typedef struct reference_thing {
    reference_state was, now;
    bool taken; /* has its slot: is there, or was at the last tick */
    bool teleported;
    qd_space_reason removed_for; /* or 0 */
} reference_thing;

typedef struct reference {
    reference_thing thing[REFERENCE_SLOTS_MAX];
    uint32_t slots; /* all below were used once */
    uint32_t taken;
    bool swept;
    uint64_t pairs, unsure; /* that were reported, and how many of them could be one thing or another */
} reference;

/* The events that may be reported of two slots, a < b: a bit for each kind of event, and bit 0 for nothing. */
typedef struct reference_pair {
    uint32_t a, b;
    uint32_t may_be;
} reference_pair;

typedef struct reference_pairs {
    reference_pair *pair; /* by (a, b); to be freed */
    size_t count;
    size_t certain; /* of which an event must be reported */
} reference_pairs;

/* The events of a tick that is due now, or with WANT_NOTHING the pairs of the last one, as stays. */
reference_pairs reference_expect(reference *r, qd_space_wanted wanted);
qd_space_reason reference_reason(const reference *r, uint32_t a, uint32_t b);

/* The changes, after the space has taken them. */
void reference_add(reference *r, uint32_t slot, const qd_body *body);
/* Whether the slot is free at once. */
bool reference_remove(reference *r, uint32_t slot, qd_space_reason reason);
/* Now becomes was; the slots of those that are gone are free. */
void reference_settle(reference *r);

#endif
