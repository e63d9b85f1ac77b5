/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generated code that counts for exact profiles; include this file after
 * tcg/tcg-op.h and tcg/tcg-temp-internal.h
 */

#ifndef TCG_VPMU_PROFILE_OP_H
#define TCG_VPMU_PROFILE_OP_H

#include "tcg/vpmu-profile.h"

/*
 * Adds @by to a counter.  @counters: where the CPU's state has the pointer to
 * its counters; @counter: what the functions of vpmu-profile.h return.
 */
static inline void gen_vpmu_profile(intptr_t counters, intptr_t counter,
                                    TCGv_i64 by)
{
    TCGv_ptr base = tcg_temp_ebb_new_ptr();
    TCGv_i64 n = tcg_temp_ebb_new_i64();

    tcg_gen_ld_ptr(base, tcg_env, counters);
    tcg_gen_ld_i64(n, base, counter);
    tcg_gen_add_i64(n, n, by);
    tcg_gen_st_i64(n, base, counter);
}

/* Helpers charge costs to instruction @number from now on. */
static inline void gen_vpmu_charged(intptr_t counters, uint32_t number)
{
    TCGv_ptr base = tcg_temp_ebb_new_ptr();

    tcg_gen_ld_ptr(base, tcg_env, counters);
    tcg_gen_st_i32(tcg_constant_i32(number), base, vpmu_cost_charged());
}

#endif
