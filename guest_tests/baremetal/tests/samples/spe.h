/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_SPE_H
#define TESTS_SPE_H

#include "registers/pmu.h"
#include "runtime/test.h"

#define PMSCR_EL1 S3_0_C9_C9_0
#define PMSCR_EL2 S3_4_C9_C9_0
#define PMSNEVFR_EL1 S3_0_C9_C9_1
#define PMSICR_EL1 S3_0_C9_C9_2
#define PMSIRR_EL1 S3_0_C9_C9_3
#define PMSFCR_EL1 S3_0_C9_C9_4
#define PMSEVFR_EL1 S3_0_C9_C9_5
#define PMSLATFR_EL1 S3_0_C9_C9_6
#define PMSIDR_EL1 S3_0_C9_C9_7
#define PMBLIMITR_EL1 S3_0_C9_C10_0
#define PMBPTR_EL1 S3_0_C9_C10_1
#define PMBSR_EL1 S3_0_C9_C10_3
#define PMBIDR_EL1 S3_0_C9_C10_7

#define E0SPE BIT(0)
#define E1SPE BIT(1)
#define PA BIT(4)

#define FE BIT(0)
#define FT BIT(1)
#define FL BIT(2)
#define FNE BIT(3)
#define TYPE_B BIT(16)
#define TYPE_LD BIT(17)

#define PMBSR_S BIT(17)
#define PMBSR_EA BIT(18)
#define PMBSR_FULL (PMBSR_S | 1)
#define PMBSR_STAGE1 (PMBSR_S | UINT64_C(0x24) << 26)
#define TRANSLATION_LEVEL3 0x07
#define PERMISSION_LEVEL3 0x0f
#define EXTERNAL_ABORT 0x10

#define INTID_SPE 21u
#define SAMPLE_POP 0x4000u

#define E2PB_EL1 (UINT64_C(3) << 12)
#define TPMS BIT(14)
#define NSPB_NON_SECURE (UINT64_C(3) << 12)

#define HDFGRTR_EL2 S3_4_C3_C1_4
#define HDFGWTR_EL2 S3_4_C3_C1_5
#define HDFGTR_NPMSNEVFR BIT(62)

/* The functions in spe_asm.S, except spe_calls(), get the address of one of these. */
struct run {
    uint64_t pmscr;
    uint64_t memory;
    uint64_t iterations;
};

extern uint64_t spe_loop(uint64_t run);
extern uint64_t spe_misses(uint64_t run);
extern uint64_t spe_vectors(uint64_t run);
extern uint64_t spe_calls(uint64_t arg);
extern char spe_loop_start[], spe_loop_end[], spe_miss_load[], spe_accesses[], spe_vectors_start[];

#define RECORD_SIZE 64u
#define RECORDS 64u
#define INTERVAL 256u
#define PERIOD (INTERVAL + 1) /* with the instruction that reloads the counter */

/* A record, as far as these tests read it. */
struct sample {
    uint64_t pc;
    uint64_t target;
    uint64_t address;
    uint64_t physical;
    uint64_t latency;
    uint64_t source;
    uint64_t operation;
    uint64_t events;
    bool ended;
};

/* EL1 owns the buffer, which is empty; nothing is sampled before PMSCR_EL1 is set. */
void spe_allow(void);
void spe_stop(void);

/* Runs at EL1, whose first sample is instruction @first. The iterations must all be executed. */
void spe_run(level_fn fn, uint64_t first, uint64_t iterations);

/* Returns how many records there are, and record n. */
unsigned spe_records(void);
struct sample spe_get(unsigned n);

/* Returns what a record has as the address of code: NS and the exception level, of EL1. */
uint64_t spe_code(const char *start, unsigned offset);

/*
 * The buffer is at an address where no record can be written, so PMBSR_EL1 gets this value. Nothing
 * but the records is lost: the loop is executed as often as ever, without exceptions.
 */
void spe_expect_fault(uint64_t pointer, uint64_t pmbsr);

/* Tests in files of their own. */
void test_identity(void);
void test_el0_undefined(void);
void test_el2_traps(void);
void test_el3_traps(void);
void test_nested(void);
void test_granules(void);
void test_vectors(void);
void test_calls(void);

#endif
