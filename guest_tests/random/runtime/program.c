/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

/* PSCI by SMC if the machine starts at EL2. If it starts at EL3, a PL061 controls its power. */
#define PSCI_SYSTEM_OFF UINT64_C(0x84000008)
#define PL061_DATA_ALL 0x3fcu
#define PL061_DIR 0x400u
#define POWER_OFF_LINE 1u

#define GICD_CTLR (GICD_BASE + 0x000)
#define GICD_ISENABLER0 (GICD_BASE + 0x100)
#define GICD_ICENABLER0 (GICD_BASE + 0x180)
#define GICC_CTLR (GICC_BASE + 0x00)
#define GICC_PMR (GICC_BASE + 0x04)
#define GIC_ENABLE_GROUP0 1u
#define PMU_INTERRUPT 23

static uint64_t vectors_seed[64] __attribute__((aligned(16)));
static uint64_t vectors_left[64] __attribute__((aligned(16)));

static struct progress *const progress = (struct progress *)RESULTS_BASE;
static const struct header *const header = (const struct header *)PROGRAMS_BASE;

extern const char vectors_el1[], vectors_el2[], vectors_el3[];

static void write32(uintptr_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

static _Noreturn void power_off(void)
{
    register uint64_t x0 __asm__("x0") = PSCI_SYSTEM_OFF;

    if (highest == 3) {
        write32(SECURE_GPIO_BASE + PL061_DIR, POWER_OFF_LINE);
        write32(SECURE_GPIO_BASE + PL061_DATA_ALL, POWER_OFF_LINE);
    } else {
        __asm__ volatile("smc #0" : "+r"(x0) : : "x1", "x2", "x3", "memory");
    }
    for (;;) {
        __asm__ volatile("wfi");
    }
}

static void clear_result(void)
{
    uint64_t *words = (uint64_t *)result;

    for (unsigned i = 0; i < sizeof(*result) / 8; i++) {
        words[i] = 0;
    }
}

/* What the highest level needs: nothing is trapped, and EL2 exists. */
static void open_everything(void)
{
    if (highest == 3) {
        write_sysreg(cptr_el3, 0);
        write_sysreg(mdcr_el3, 0);
    } else {
        write_sysreg(hcr_el2, HCR_EL2_RW);
        write_sysreg(cptr_el2, 0);
        write_sysreg(mdcr_el2, FIELD(read_sysreg(S3_3_C9_C12_0), 11, 5));
        write_sysreg(hstr_el2, 0);
    }
    isb();
}

#define SET_CONTROL_(name, register) write_sysreg(register, program->name);

static void set_controls(void)
{
    write_sysreg(oslar_el1, 0);
    write_sysreg(contextidr_el1, 0);
    write_sysreg(tpidr_el0, 0);
    write_sysreg(tpidr_el1, 0);
    write_sysreg(tpidrro_el0, 0);
    write_sysreg(cntkctl_el1, 0);
    write_sysreg(far_el1, 0);
    write_sysreg(esr_el1, 0);
    write_sysreg(par_el1, 0);
    write_sysreg(elr_el1, 0);
    write_sysreg(spsr_el1, 0);
    write_sysreg(far_el2, 0);
    write_sysreg(esr_el2, 0);
    write_sysreg(tpidr_el2, 0);
    if (highest == 3) {
        write_sysreg(elr_el2, 0);
        write_sysreg(spsr_el2, 0);
        write_sysreg(far_el3, 0);
        write_sysreg(tpidr_el3, 0);
    }
    __asm__ volatile("clrex" : : : "memory");
    memory_enable();
    branches_clear();
    CONTROLS(SET_CONTROL_)
    if (highest == 3) {
        CONTROLS_EL3(SET_CONTROL_)
    }
}

/* The program has left its registers in the result, and its counters. */
static void finish_program(void)
{
    open_everything();
    vectors_store(vectors_left);
    result->vector_hash = hash_words(vectors_left, 64);
    result->data_hash = memory_hash();
    log_end();
}

static void run_program(uint64_t n)
{
    static uint64_t regs[31];

    branches_stop();
    open_everything();
    pmu_stop();
    program = (const struct program *)(PROGRAMS_BASE + PROGRAM_SIZE * (n + 1));
    result = (struct result *)(RESULTS_BASE + RESULT_SIZE * (n + 1));
    progress->started = n + 1;
    program_has_ended = false;
    clear_result();
    log_start();
    memory_fill(program->data_seed);
    vectors_load(vectors_seed);
    write32(GICC_CTLR, (uint32_t)program->gicc_ctlr);
    for (unsigned i = 0; i < 31; i++) {
        regs[i] = program->regs[i];
    }
    if (program->flags & FLAG_AARCH32) {
        write_sysreg(vbar_el1, vectors32_table());
    } else {
        write_sysreg(vbar_el1, (uintptr_t)vectors_el1);
    }
    pmu_set();
    set_controls();
    if (highest == 3) {
        write_sysreg(elr_el3, program->entry);
        write_sysreg(spsr_el3, program->spsr);
    } else {
        write_sysreg(elr_el2, program->entry);
        write_sysreg(spsr_el2, program->spsr);
    }
    enter(regs);
    finish_program();
}

/* Runs at the highest level. */
_Noreturn void boot(void)
{
    highest = current_el();
    memory_init();
    write32(GICD_CTLR, GIC_ENABLE_GROUP0);
    write32(GICD_ICENABLER0, ~0u);
    write32(GICD_ISENABLER0, 1u << PMU_INTERRUPT);
    write32(GICC_PMR, 0xff);
    for (unsigned i = 0; i < 64; i++) {
        vectors_seed[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    }
    write_sysreg(vbar_el2, (uintptr_t)vectors_el2);
    if (highest == 3) {
        write_sysreg(vbar_el3, (uintptr_t)vectors_el3);
    }
    progress->started = 0;
    for (uint64_t n = header->first; n < header->programs; n++) {
        run_program(n);
    }
    branches_stop();
    open_everything();
    pmu_stop();
    progress->done = 1;
    power_off();
}
