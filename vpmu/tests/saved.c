/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "saved.h"

#include <stdio.h>
#include <string.h>

#include "fixture.h"

void saved_layout(const struct saved_part *part, uint8_t *want)
{
    uint8_t got[SAVED_MAX];

    state_seal(want, part->size);
    part->fill(part->of);
    expect("too little space", (uint64_t)-VPMU_ERR_SPACE,
           (uint64_t)part->save(part->of, got, part->size - 1));
    expect("save", 0, (uint64_t)part->save(part->of, got, part->size));
    for (unsigned i = 0; i < part->size; i++) {
        char where[16];

        snprintf(where, sizeof(where), "byte %u", i);
        expect(where, want[i], got[i]);
    }
}

void saved_fault(const struct saved_part *part, const struct saved_fault *fault)
{
    uint8_t before[SAVED_MAX], state[SAVED_MAX], after[SAVED_MAX];
    const char *why = "none";
    char where[16];

    snprintf(where, sizeof(where), "byte %u", fault->at);
    part->fill(part->of);
    part->save(part->of, before, part->size);
    memcpy(state, before, part->size);
    state[fault->at] = fault->val;
    state_seal(state, part->size);
    expect_in(where, fault->why, (uint64_t)-VPMU_ERR_STATE,
              (uint64_t)part->load(part->of, state, part->size, &why));
    ck_assert_str_eq(why, fault->why);
    part->save(part->of, after, part->size);
    ck_assert_mem_eq(after, before, part->size);
}
