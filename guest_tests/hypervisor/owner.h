/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_OWNER_H
#define HYPERVISOR_OWNER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An owner of PMU registers, the host or a guest, fills them with a pattern and checks later that
 * it is unchanged. Nothing counts meanwhile, though counters may be enabled: their event is
 * SW_INCR, and the cycle counter's filter excludes the level at which the owner runs.
 */

/* The registers that exist once. The others are a pair for each event counter. */
#define OWNER_SINGLES 8u

/**
 * struct owner - its registers, and the first register that had changed
 * @first: its first event counter.
 * @end: the number after its last event counter.
 * @cycles: it has the cycle counter, too.
 * @user_runs: EL0 runs meanwhile, and not only kernels.
 * @any_selection: PMSELR also selects counters that do not exist.
 * @seed: makes its patterns different from another owner's.
 * @round: how often it has written them.
 * @bits: the bits of each register that it uses.
 * @access_lent: another owner has PMSELR and PMUSERENR at the moment.
 * @bad: name of the first register that was wrong, or NULL; @bad_index is its counter.
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

/* Called at the owner's exception level. owner_init() needs the members up to seed. */
void owner_init(struct owner *o);
void owner_write(struct owner *o);
void owner_check(struct owner *o);

/* Makes one more comparison and records it as owner_check() does. */
void owner_compare(struct owner *o, const char *name, unsigned index, uint64_t expected,
                   uint64_t got);

#endif
