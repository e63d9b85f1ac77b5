/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_FIXTURE_H
#define VPMU_TESTS_FIXTURE_H

#include <check.h>
#include <stdio.h>

#include "vpmu/arm/adopt.h"
#include "vpmu/arm/pmu.h"
#include "vpmu/arm/regs.h"
#include "vpmu/arm/snapshot.h"
#include "vpmu/arm/state.h"
#include "vpmu/arm/watch.h"

/* Short names of contexts: Secure, Non-secure and Realm EL0 to EL2. */
enum {
    S_EL0,
    S_EL1,
    S_EL2,
    NS_EL0,
    NS_EL1,
    NS_EL2,
    RL_EL0,
    RL_EL1,
    RL_EL2,
    CTX_EL3,
};

#define BIT(n) (1ull << (n))
#define CYCLES BIT(VPMU_CYCLE_COUNTER)
#define INSTS BIT(VPMU_INST_COUNTER)
#define ALL_ONES UINT64_MAX
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Families of registers. */
#define PMEVCNTR(n) (VPMU_PMEVCNTR0 + (n))
#define PMEVTYPER(n) (VPMU_PMEVTYPER0 + (n))

/*
 * Filter bits with which a counter counts everywhere: NSH alone includes EL2 in each security
 * state.
 */
#define EVERYWHERE VPMU_TYPER_NSH
#define INST_EVERYWHERE (EVERYWHERE | VPMU_EVENT_INST_RETIRED)

/* All exception levels and security states. */
#define ALL_LEVELS (VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_SECURE_EL2 | VPMU_HAS_REALM)

/* Masks of one source. */
#define SRC(source) VPMU_SRC_BIT(VPMU_SRC_##source)
#define INST_SRC SRC(INST_RETIRED)
#define CPU_SRC SRC(CPU_CYCLES)
#define CNT_SRC SRC(CNT_CYCLES)

/* Further events that count time. */
#define EVENT_BUS_CYCLES 0x001d
#define EVENT_CNT_CYCLES 0x4004

/*
 * Totals and clocks do not start at 0. The totals wrap after 2 events, which must not affect
 * counters.
 */
#define TOTALS_START (UINT64_MAX - 1)
#define CLOCK_START 1000000ull
#define CNT_CLOCK_START (UINT64_MAX - 2)

/*
 * A machine with one PE and its PMU. It records what was due after calls of the PMU, and how often
 * its clocks were read.
 */
struct machine {
    struct vpmu_arm v;
    struct vpmu_arm_totals totals;
    struct vpmu_arm_controls controls;
    struct vpmu_now clock;
    unsigned clock_reads;
    bool irq;
    unsigned irq_edges;
    unsigned rearms;
    void (*sample)(struct machine *m, const struct vpmu_sample *sample);
    void (*span)(struct machine *m, const struct vpmu_ended_span *span);
};

/* The state of a PE at each exception level, with EL2 enabled. */
extern const struct vpmu_pe at_el0;
extern const struct vpmu_pe at_el1;
extern const struct vpmu_pe at_el2;
extern const struct vpmu_pe at_el3;
/* The same in AArch32, with an AArch32 EL1. */
extern const struct vpmu_pe at_el0_32;
extern const struct vpmu_pe at_el1_32;
extern const struct vpmu_pe at_el2_32;

/*
 * A PMU whose machine counts all sources, both kinds of cycles by clocks; IMP 0x41, IDCODE 0x5a
 * before PMUv3p7.
 */
struct vpmu_arm_config config_of(enum vpmu_version version, unsigned counters, unsigned features);

/* The same, but CPU cycles are tallied, with @units units per cycle. */
struct vpmu_arm_config config_units(enum vpmu_version version, unsigned counters, unsigned units);

/* The largest PMU: PMUv3p9, 31 counters, every feature that does not exclude another, SLOTS 6. */
struct vpmu_arm_config config_full(void);

/* Makes the machine. All controls are zero, except HPMN, which is the number of counters. */
void machine_start(struct machine *m, const struct vpmu_arm_config *config);
void machine_start_as(struct machine *m, enum vpmu_version version, unsigned counters,
                      unsigned features);

/*
 * The library's functions of the same names. They read the clocks if the library needs them, and
 * act on what is due. They return 0 or the library's error; machine_settle() and machine_step()
 * whether a counter overflowed; machine_observer_remove() and machine_observer_read() the count.
 */
bool machine_settle(struct machine *m);
bool machine_step(struct machine *m);
int machine_reset(struct machine *m);
int machine_set_controls(struct machine *m, const struct vpmu_arm_controls *controls);
int machine_set_counters(struct machine *m, unsigned counters);
int machine_sample(struct machine *m);
int machine_sample_taken(struct machine *m, bool passed);
int machine_reg_read(struct machine *m, unsigned reg, const struct vpmu_pe *pe, uint64_t *val);
int machine_reg_write(struct machine *m, unsigned reg, const struct vpmu_pe *pe, uint64_t val);
int machine_trap(struct machine *m, const struct vpmu_pe *pe, uint64_t esr, uint64_t spsr,
                 uint64_t x[], enum vpmu_access *access);
int machine_observer_add(struct machine *m, struct vpmu_observer *o);
uint64_t machine_observer_remove(struct machine *m, struct vpmu_observer *o);
uint64_t machine_observer_read(struct machine *m, const struct vpmu_observer *o);
int machine_watch_moved(struct machine *m, unsigned ctx, enum vpmu_world world, unsigned reason);
int machine_watch_detach(struct machine *m);
int machine_blackout_start(struct machine *m, struct vpmu_blackout *b);
int machine_blackout_stop(struct machine *m);
int machine_adopt(struct machine *m, const struct vpmu_register *regs, size_t count,
                  const char **why);
int machine_state_save(struct machine *m, void *buf, size_t len);
int machine_state_load(struct machine *m, const void *buf, size_t len, const char **why);
void machine_snapshot_take(struct vpmu_arm_snapshot *s, struct machine *m);

/* Acts on what is due after a call of the library. Returns @due, or 0 if it is no error. */
int machine_service(struct machine *m, int due);

/* Sets MDCR_EL2 and MDCR_EL3. */
void machine_control(struct machine *m, uint64_t mdcr_el2, uint64_t mdcr_el3);

/* Moves the PE to @ctx. */
void machine_enter(struct machine *m, unsigned ctx);

/*
 * Lets @n events happen in the PE's context: instructions, cycles or units of cycles. Does not call
 * the PMU.
 */
void machine_events(struct machine *m, unsigned source, uint64_t n);
void machine_instructions(struct machine *m, uint64_t n);
/* Subtracts @n events that were tallied, as if a block was left midway. */
void machine_take_back(struct machine *m, unsigned source, uint64_t n);
void machine_cycles(struct machine *m, uint64_t n);

/* Reads or writes a register. Fails the test if the library refuses. */
uint64_t reg_get(struct machine *m, unsigned reg, const struct vpmu_pe *pe);
void reg_set(struct machine *m, unsigned reg, const struct vpmu_pe *pe, uint64_t val);

/* The same at EL2 in AArch64, which can access every counter. */
uint64_t get(struct machine *m, unsigned reg);
void set(struct machine *m, unsigned reg, uint64_t val);

/*
 * Sets a counter's type and value and enables it. 31 is the cycle counter, 32 the fixed instruction
 * counter.
 */
void counter_start(struct machine *m, unsigned idx, uint64_t type, uint64_t value);

/* Sets PMCR.E and leaves the other bits unchanged. */
void pmcr_enable(struct machine *m);

/* Fails the test unless @got is @want. @what names the check in the message. */
void expect(const char *what, uint64_t want, uint64_t got);
void expect_in(const char *row, const char *what, uint64_t want, uint64_t got);
void expect_sources(const char *row, vpmu_sources want, vpmu_sources got);

/* Fails the test unless @write writes the page @name. What it wrote stays in the file @written. */
void expect_page(const char *name, const char *written, void (*write)(FILE *page));

/* Saved states: changes @count bytes at @at; makes the checksum, the last four bytes, right. */
void state_put(uint8_t *state, unsigned at, unsigned count, uint64_t val);
void state_seal(uint8_t *state, size_t size);

/* A mask from a string of 0 and 1, bit 0 first. Blanks are ignored. */
uint64_t mask_of(const char *digits);

/*
 * A suite of tests. Each test is a case of its own, named "suite.test". @name must outlive the
 * suite.
 */
Suite *suite_of(const char *name, const TTest *const tests[], size_t count);

/* Adds the case "@name.@test" to a suite: @function, whose _i is @i. */
void suite_add(Suite *suite, const char *name, const char *test, const TTest *function, int i);

Suite *access_suite(void);
Suite *adopt_suite(void);
Suite *attr_suite(void);
Suite *bank_suite(void);
Suite *blackout_nvhe_suite(void);
Suite *blackout_random_suite(void);
Suite *blackout_suite(void);
Suite *blackout_vhe_suite(void);
Suite *branch_observer_suite(void);
Suite *branch_suite(void);
Suite *brbe_random_suite(void);
Suite *brbe_state_suite(void);
Suite *brbe_suite(void);
Suite *config_suite(void);
Suite *counters_suite(void);
Suite *deadline_suite(void);
Suite *events_suite(void);
Suite *exceptions_suite(void);
Suite *event_lists_suite(void);
Suite *fields_suite(void);
Suite *filter_suite(void);
Suite *frequency_suite(void);
Suite *ibs_random_suite(void);
Suite *ibs_state_suite(void);
Suite *ibs_suite(void);
Suite *insn_suite(void);
Suite *lbr_random_suite(void);
Suite *lbr_state_suite(void);
Suite *lbr_suite(void);
Suite *model_branch_suite(void);
Suite *model_cache_suite(void);
Suite *model_filter_suite(void);
Suite *model_parse_suite(void);
Suite *model_suite(void);
Suite *model_shared_suite(void);
Suite *model_tlb_suite(void);
Suite *names_suite(void);
Suite *observer_parse_suite(void);
Suite *observer_suite(void);
Suite *overflow_suite(void);
Suite *perf_event_suite(void);
Suite *pmu_suite(void);
Suite *regs_suite(void);
Suite *sampling_suite(void);
Suite *snapshot_suite(void);
Suite *spe_random_suite(void);
Suite *spe_state_suite(void);
Suite *spe_suite(void);
Suite *state_suite(void);
Suite *switch_lend_suite(void);
Suite *switch_suite(void);
Suite *switch_watch_suite(void);
Suite *threshold_suite(void);
Suite *trap_suite(void);
Suite *watch_suite(void);
Suite *x86_events_suite(void);
Suite *x86_lists_suite(void);
Suite *x86_metrics_suite(void);
Suite *x86_observe_suite(void);
Suite *x86_pebs_suite(void);
Suite *x86_random_suite(void);
Suite *x86_record_suite(void);
Suite *x86_state_suite(void);
Suite *x86_suite(void);
Suite *x86_conditions_suite(void);
Suite *x86_insn_suite(void);

#endif
