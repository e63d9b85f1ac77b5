/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * A small emulator with a PMU: one PE, EL0 and EL1, a dozen A64 instructions. docs/porting.md
 * explains it. Its program samples: a counter of instructions interrupts EL0 after every 1000.
 * Prints each count beside the known one; exit status 1 if they differ.
 */
#include <stdio.h>
#include <stdlib.h>

#include "known.h"
#include "program.h"
#include "toy.h"
#include "vpmu/arm/insn.h"
#include "vpmu/arm/trap.h"

/* The sources that the PE tallies: what an encoding shows, three kinds of exception, one cycle for
 * each instruction. */
#define SOURCES                                                                                    \
    (VPMU_SRC_INSNS | VPMU_SRC_BIT(VPMU_SRC_EXC_UNDEF) | VPMU_SRC_BIT(VPMU_SRC_EXC_SVC) |          \
     VPMU_SRC_BIT(VPMU_SRC_EXC_IRQ) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES))

struct machine {
    struct toy cpu;
    struct vpmu_arm pmu;
    struct vpmu_arm_totals totals;
    bool irq;      /* the interrupt line of the PMU; EL1 masks it */
    bool rearmed;  /* headroom and armed sources may have changed */
    uint64_t el0;  /* instructions executed at EL0, counted without the PMU */
    unsigned late; /* interrupts taken at the wrong instruction */
};

static unsigned context(const struct machine *m)
{
    return vpmu_arm_ctx(m->cpu.el, VPMU_NONSECURE);
}

/*
 * Acts on what is due after a call of the PMU: the only place that does. No source of this PE is
 * timed, so all calls get NULL for the time. An emulator with clocks needs vpmu/arm/deadline.h as
 * well.
 */
static void service(struct machine *m, int due)
{
    if (due & VPMU_DUE_IRQ) {
        m->irq = vpmu_arm_irq_level(&m->pmu);
    }
    m->rearmed = m->rearmed || (due & VPMU_DUE_REARM);
}

/* Adds @one (1 or -1) to the total of each source in the PE's context. */
static void tally(struct machine *m, vpmu_sources sources, uint64_t one)
{
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        m->totals.n[context(m)][source] += sources >> source & 1 ? one : 0;
    }
}

/* An exception or a return from one: tells the PMU the new context. */
static void go(struct machine *m, unsigned el, unsigned pc)
{
    m->cpu.el = el;
    m->cpu.pc = pc;
    service(m, vpmu_arm_set_context(&m->pmu, context(m), NULL));
}

static void take_exception(struct machine *m, unsigned vector, unsigned source)
{
    tally(m, VPMU_SRC_BIT(source), 1);
    m->cpu.elr = m->cpu.pc;
    go(m, 1, vector);
}

/* MSR and MRS. The syndrome has the fields of the instruction in another order. */
static bool access_register(struct machine *m, uint32_t insn)
{
    struct vpmu_pe pe = {.el = (uint8_t)m->cpu.el};
    uint64_t esr = (uint64_t)VPMU_TRAP_MSR << 26 | (insn >> 19 & 3) << 20 | (insn >> 5 & 7) << 17 |
                   (insn >> 16 & 7) << 14 | (insn >> 12 & 15) << 10 | (insn & 31) << 5 |
                   (insn >> 8 & 15) << 1 | (insn >> 21 & 1);
    enum vpmu_access access;
    int due = vpmu_arm_trap(&m->pmu, &pe, esr, 0, m->cpu.x, NULL, &access);

    if (due < 0) {
        return false;
    }
    service(m, due);
    return access == VPMU_ACCESS_OK;
}

static bool execute(struct machine *m, uint32_t insn)
{
    if (insn == SVC) {
        take_exception(m, SVC_VECTOR, VPMU_SRC_EXC_SVC);
        return true;
    }
    if (insn == ERET) {
        go(m, 0, m->cpu.elr);
        return true;
    }
    if (insn >> 22 == MSR(0, 0) >> 22) {
        return access_register(m, insn);
    }
    return toy_execute(&m->cpu, insn);
}

/* Tallies what an instruction counts as before it executes; takes it back if it is undefined. */
static void step(struct machine *m)
{
    uint32_t insn = program[m->cpu.pc++];
    vpmu_sources sources = vpmu_insn_a64(insn) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);

    sources &= vpmu_arm_armed(&m->pmu, context(m));
    tally(m, sources, 1);
    m->el0 += m->cpu.el == 0;
    m->cpu.taken = false;
    if (!execute(m, insn)) {
        tally(m, sources, -1ull);
        m->el0 -= m->cpu.el == 0;
        take_exception(m, UNDEF_VECTOR, VPMU_SRC_EXC_UNDEF);
    }
    if (m->cpu.taken) { /* the encoding of a conditional branch does not show this */
        tally(m, VPMU_SRC_BIT(VPMU_SRC_PC_WRITE), 1);
    }
}

/*
 * Calls the PMU only when the headroom is used up or the context changes. No instruction of this PE
 * is two events of one counter, so the headroom is a number of instructions.
 */
static void run(struct machine *m)
{
    while (program[m->cpu.pc] != HERE) {
        unsigned el = m->cpu.el;
        uint64_t room = vpmu_arm_headroom(&m->pmu, VPMU_SRC_ALL, context(m));

        m->rearmed = false;
        while (room-- > 0 && !m->rearmed && m->cpu.el == el && program[m->cpu.pc] != HERE) {
            step(m);
        }
        service(m, vpmu_arm_settle(&m->pmu, NULL));
        if (m->irq && m->cpu.el == 0) {
            m->late += m->el0 != (m->cpu.x[6] + 1) * PERIOD;
            take_exception(m, IRQ_VECTOR, VPMU_SRC_EXC_IRQ);
        }
    }
}

int main(void)
{
    static const struct vpmu_arm_config config = {
        .version = VPMU_V3P5,
        .counters = 6,
        .features = VPMU_HAS_NO_AARCH32,
        .sources = SOURCES,
        .cycle_units = 1,
    };
    static struct machine m = {.cpu = {.pc = RESET, .elr = EL0_START, .el = 1}};
    const uint64_t *x = m.cpu.x; /* the registers that hold the results of the program */
    const char *why;
    int wrong = 0;

    if (vpmu_arm_init(&m.pmu, &config, &m.totals, NULL, &why)) {
        fprintf(stderr, "no such PMU: %s\n", why);
        return EXIT_FAILURE;
    }
    run(&m);
    wrong += differs("rounds", ROUNDS, m.cpu.memory);
    wrong += differs("traps of PMCCNTR_EL0", 1, x[7]);
    wrong += differs("overflow interrupts", EL0_INSNS / PERIOD, x[6]);
    wrong += differs("of them at another instruction", 0, m.late);
    wrong += differs("instructions since the last", EL0_INSNS % PERIOD, (uint32_t)(x[10] + PERIOD));
    wrong += differs("loads and stores at EL0", 2 * ROUNDS, x[11]);
    wrong += differs("branches taken at EL0", ROUNDS - 1, x[12]);
    wrong += differs("supervisor calls", 1, x[13]);
    wrong += differs("exception returns", 1 + x[6] + x[7], x[14]);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
