/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_OWNER_H
#define HYPERVISOR_OWNER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Somebody who fills the registers of the PMU that are his with a pattern, and looks later whether
 * it is still there. Nothing counts meanwhile, though counters may be enabled: their event is
 * SW_INCR, and the cycle counter's filter excludes who runs.
 */

/* Registers that there is one of; the others are a pair for each event counter. */
#define OWNER_SINGLES 8u

/**
 * struct owner - his registers, and the first of them that was not as he had left it
 * @first: his event counters are this one
 * @end: to the one before this.
 * @cycles: the cycle counter is his, too.
 * @user_runs: EL0 runs meanwhile, and not only kernels.
 * @any_selection: PMSELR selects counters, too, that do not exist.
 * @seed: makes his patterns different from another's.
 * @round: how often he has written them.
 * @bits: which bits of each register he uses.
 * @access_lent: PMSELR and PMUSERENR are another's at the moment.
 * @bad: name of the first that was wrong, or NULL; @bad_index is its counter.
 */
struct owner {
    unsigned first, end;
    bool cycles, user_runs, any_selection;
    uint64_t seed, round;
    uint64_t bits[OWNER_SINGLES];
    uint64_t type_bits, value_bits;
    bool access_lent;
    const char *bad;
    unsigned bad_index;
    uint64_t expected, got;
};

/* At his exception level. owner_init() wants the members up to seed. */
void owner_init(struct owner *o);
void owner_write(struct owner *o);
void owner_check(struct owner *o);

/* One more thing for him to look at. */
void owner_compare(struct owner *o, const char *name, unsigned index, uint64_t expected,
                   uint64_t got);

#endif
