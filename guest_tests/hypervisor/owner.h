/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_OWNER_H
#define HYPERVISOR_OWNER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An owner of PMU registers, the host or a guest, fills them with a pattern and checks later
 * whether it is still there. Nothing counts meanwhile, though counters may be enabled: their event
 * is SW_INCR, and the cycle counter's filter excludes where it runs.
 */

/* Registers that there is one of; the others are a pair for each event counter. */
#define OWNER_SINGLES 8u

/**
 * struct owner - its registers, and the first of them that was not as the owner had left it
 * @first: its event counters are this one
 * @end: to the one before this.
 * @cycles: it has the cycle counter, too.
 * @user_runs: EL0 runs meanwhile, and not only kernels.
 * @any_selection: PMSELR selects counters, too, that do not exist.
 * @seed: makes its patterns different from another owner's.
 * @round: how often it has written them.
 * @bits: which bits of each register it uses.
 * @access_lent: another owner has PMSELR and PMUSERENR at the moment.
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

/* At the owner's exception level. owner_init() wants the members up to seed. */
void owner_init(struct owner *o);
void owner_write(struct owner *o);
void owner_check(struct owner *o);

/* One more comparison, noted as those of owner_check() are. */
void owner_compare(struct owner *o, const char *name, unsigned index, uint64_t expected,
                   uint64_t got);

#endif
