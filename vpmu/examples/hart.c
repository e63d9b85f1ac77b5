/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * A RISC-V hart that uses the PMU of riscv.c. Its kernel samples a program: a counter interrupts
 * after every 1000 instructions of U mode. Midway the hart moves to another machine by a saved
 * state. Prints each count beside the known one; exit status 1 if they differ.
 */
#include <stdio.h>
#include <stdlib.h>

#include "known.h"
#include "riscv.h"

#define PERIOD 1000u
#define ROUNDS 22u
#define USER_INSNS 700u   /* instructions of the program in a round, which ends with a trap */
#define KERNEL_INSNS 300u /* instructions of the kernel until it returns */

struct machine {
    struct riscv_pmu pmu;
    struct riscv_totals totals;
    uint64_t user;       /* instructions of U mode, counted without the PMU */
    unsigned interrupts; /* overflow interrupts */
    unsigned late;       /* of them at the wrong instruction */
};

/* The kernel's handler. Its instructions are not part of the example. */
static void take_interrupt(struct machine *m)
{
    m->interrupts++;
    m->late += m->user % PERIOD != 0;
    riscv_csr_write(&m->pmu, RISCV_SIP, 0);
    riscv_csr_write(&m->pmu, RISCV_MHPMEVENT3, RISCV_EVENT_INSTRUCTIONS | RISCV_SINH);
    riscv_csr_write(&m->pmu, RISCV_MHPMCOUNTER3, -(uint64_t)PERIOD);
}

/* Each instruction takes one cycle, so the headroom is a number of instructions. */
static void run(struct machine *m, enum riscv_mode mode, uint64_t insns)
{
    riscv_set_mode(&m->pmu, mode);
    while (insns) {
        uint64_t room = riscv_headroom(&m->pmu, mode);
        uint64_t n = room < insns ? room : insns;

        m->totals.n[mode][RISCV_SRC_INSTRET] += n;
        m->totals.n[mode][RISCV_SRC_CYCLES] += n;
        m->user += mode == RISCV_U ? n : 0;
        insns -= n;
        if (riscv_settle(&m->pmu) & VPMU_DUE_IRQ) {
            take_interrupt(m);
        }
    }
}

static void run_rounds(struct machine *m, unsigned rounds)
{
    while (rounds-- > 0) {
        run(m, RISCV_U, USER_INSNS);
        m->totals.n[RISCV_U][RISCV_SRC_TRAPS]++;
        run(m, RISCV_S, KERNEL_INSNS);
    }
}

static uint64_t csr(struct machine *m, unsigned number)
{
    uint64_t val;

    return riscv_csr_read(&m->pmu, number, &val) < 0 ? UINT64_MAX : val;
}

/* Moves the PMU from one machine to another. Returns how many damaged states are accepted. */
static unsigned migrate(struct machine *from, struct machine *to)
{
    uint8_t state[RISCV_STATE_SIZE];
    unsigned accepted = 0;
    int err = riscv_save(&from->pmu, state, sizeof(state));

    for (size_t i = 0; i < sizeof(state); i++) {
        state[i] ^= 1;
        accepted += riscv_load(&to->pmu, state, sizeof(state), NULL) >= 0;
        state[i] ^= 1;
    }
    riscv_set_mode(&to->pmu, RISCV_S);
    return accepted + (err || riscv_load(&to->pmu, state, sizeof(state), NULL) < 0);
}

int main(void)
{
    static struct machine m, other;
    const uint64_t insns = (uint64_t)ROUNDS * (USER_INSNS + KERNEL_INSNS);
    const uint64_t user = (uint64_t)ROUNDS * USER_INSNS;
    struct vpmu_observer observer;
    uint64_t observed;
    const char *why = "no reason";
    int wrong = 0;

    if (riscv_init(&m.pmu, &m.totals, &why) < 0 ||
        riscv_init(&other.pmu, &other.totals, &why) < 0 ||
        riscv_observer_parse("instructions:u", &observer, &why) ||
        riscv_observer_add(&m.pmu, &observer) < 0) {
        fprintf(stderr, "this cannot be: %s\n", why);
        return EXIT_FAILURE;
    }
    riscv_csr_write(&m.pmu, RISCV_MHPMEVENT3, RISCV_EVENT_INSTRUCTIONS | RISCV_SINH);
    riscv_csr_write(&m.pmu, RISCV_MHPMCOUNTER3, -(uint64_t)PERIOD);
    riscv_csr_write(&m.pmu, RISCV_MHPMEVENT4, RISCV_EVENT_TRAPS);
    run_rounds(&m, ROUNDS / 2);
    riscv_observer_remove(&m.pmu, &observer, &observed);
    wrong += differs("observed in the program", user / 2, observed);
    wrong += differs("damaged states accepted", 0, migrate(&m, &other));
    other.user = m.user;
    run_rounds(&other, ROUNDS / 2);
    wrong += differs("overflow interrupts", user / PERIOD, m.interrupts + other.interrupts);
    wrong += differs("of them at another instruction", 0, m.late + other.late);
    wrong += differs("cycles", insns, csr(&other, RISCV_MCYCLE));
    wrong += differs("instructions", insns, csr(&other, RISCV_MINSTRET));
    wrong += differs("instructions since the last", user % PERIOD,
                     csr(&other, RISCV_MHPMCOUNTER3) + PERIOD);
    wrong += differs("traps", ROUNDS, csr(&other, RISCV_MHPMCOUNTER4));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
