/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

/* The PMU of Intel's models, and that of AMD's, of which there are three kinds. */

#define INTEL_SELECT 0x186u
#define INTEL_COUNTER 0xc1u
#define INTEL_FIXED 0x309u
#define INTEL_FIXED_CONTROL 0x38du
#define INTEL_STATUS 0x38eu
#define INTEL_CONTROL 0x38fu
#define INTEL_CLEAR 0x390u
#define INTEL_PEBS_ENABLE 0x3f1u
#define INTEL_LOAD_LATENCY 0x3f6u
#define INTEL_FIXED_COUNTERS 3u
#define STATUS_FIXED 32
#define STATUS_BUFFER BIT(62)

#define K7_SELECT 0xc0010000u
#define K7_COUNTER 0xc0010004u
#define CORE_SELECT 0xc0010200u
#define CORE_COUNTER 0xc0010201u

#define V2_STATUS 0xc0000300u
#define V2_CONTROL 0xc0000301u
#define V2_CLEAR 0xc0000302u

#define COUNTER_TOP BIT(47)

/*
 * The addresses of its registers, determined once. Without global ones, status, control and clear
 * are 0.
 */
static struct {
    bool intel;
    bool pebs;
    unsigned counters;
    uint32_t select;
    uint32_t counter;
    uint32_t step;
    uint32_t status;
    uint32_t control;
    uint32_t clear;
} pmu;

#define VENDOR_INTEL_EBX 0x756e6547u /* "Genu" */
#define CPUID_DS BIT(21)
#define CPUID_PERFCTR_CORE BIT(23)
#define CPUID_PERFMON_V2 BIT(0)
#define LEAF_PERFMON_V2 0x80000022u

static void init_intel(void)
{
    uint32_t regs[4];

    cpuid(1, regs);
    pmu.pebs = regs[3] & CPUID_DS;
    if (pmu.pebs) {
        pebs_init();
    }
    cpuid(10, regs);
    pmu.counters = regs[0] >> 8 & 0xff;
    pmu.select = INTEL_SELECT;
    pmu.counter = INTEL_COUNTER;
    pmu.step = 1;
    pmu.status = INTEL_STATUS;
    pmu.control = INTEL_CONTROL;
    pmu.clear = INTEL_CLEAR;
}

static void init_v2(void)
{
    uint32_t regs[4];

    cpuid(0x80000000, regs);
    if (regs[0] < LEAF_PERFMON_V2) {
        return;
    }
    cpuid(LEAF_PERFMON_V2, regs);
    if (regs[0] & CPUID_PERFMON_V2) {
        pmu.counters = regs[1] & 0xf;
        pmu.status = V2_STATUS;
        pmu.control = V2_CONTROL;
        pmu.clear = V2_CLEAR;
    }
}

static void init_amd(void)
{
    uint32_t regs[4];

    cpuid(0x80000001, regs);
    if (regs[2] & CPUID_PERFCTR_CORE) {
        pmu.counters = 6;
        pmu.select = CORE_SELECT;
        pmu.counter = CORE_COUNTER;
        pmu.step = 2;
        init_v2();
    } else {
        pmu.counters = 4;
        pmu.select = K7_SELECT;
        pmu.counter = K7_COUNTER;
        pmu.step = 1;
    }
}

void pmu_init(void)
{
    uint32_t regs[4];

    cpuid(0, regs);
    pmu.intel = regs[1] == VENDOR_INTEL_EBX;
    if (pmu.intel) {
        init_intel();
    } else {
        init_amd();
        ibs_init();
    }
    lbr_init(pmu.intel);
}

static uint32_t select_of(unsigned n)
{
    return pmu.select + n * pmu.step;
}

static uint32_t counter_of(unsigned n)
{
    return pmu.counter + n * pmu.step;
}

/* It no longer counts, and no interrupt comes that was pending. */
void pmu_stop(void)
{
    if (pmu.control) {
        write_msr(pmu.control, 0);
        write_msr(pmu.clear, read_msr(pmu.status));
    }
    if (pmu.intel) {
        write_msr(INTEL_FIXED_CONTROL, 0);
    }
    if (pmu.pebs) {
        write_msr(INTEL_PEBS_ENABLE, 0);
    }
    for (unsigned i = 0; i < pmu.counters; i++) {
        write_msr(select_of(i), 0);
    }
    write_lapic(LAPIC_LVTPC, LAPIC_MASKED);
    ibs_stop();
}

/* The PMU is stopped. What counts begins with the last writes. */
void pmu_set(void)
{
    write_lapic(LAPIC_LVTPC, program->lvtpc);
    for (unsigned i = 0; i < pmu.counters; i++) {
        write_msr(counter_of(i), program->counter[i]);
        write_msr(select_of(i), program->select[i]);
    }
    if (pmu.intel) {
        for (unsigned i = 0; i < INTEL_FIXED_COUNTERS; i++) {
            write_msr(INTEL_FIXED + i, i == 0 ? program->fixed : 0);
        }
        write_msr(INTEL_FIXED_CONTROL, program->fixed_control);
    }
    if (pmu.pebs) {
        pebs_set();
        write_msr(INTEL_LOAD_LATENCY, program->load_latency);
        write_msr(INTEL_PEBS_ENABLE, program->pebs_enable);
    }
    if (pmu.control) {
        write_msr(pmu.control, program->global_control);
    }
    ibs_set();
}

void pmu_record(void)
{
    result->lvtpc = read_lapic(LAPIC_LVTPC);
    if (pmu.control) {
        result->global_status = read_msr(pmu.status);
        result->global_control = read_msr(pmu.control);
    }
    if (pmu.intel) {
        result->fixed_control = read_msr(INTEL_FIXED_CONTROL);
        for (unsigned i = 0; i < INTEL_FIXED_COUNTERS; i++) {
            result->fixed[i] = read_msr(INTEL_FIXED + i);
        }
    }
    if (pmu.pebs) {
        result->pebs_enable = read_msr(INTEL_PEBS_ENABLE);
        result->load_latency = read_msr(INTEL_LOAD_LATENCY);
        pebs_take();
    }
    for (unsigned i = 0; i < pmu.counters; i++) {
        result->counter[i] = read_msr(counter_of(i));
        result->select[i] = read_msr(select_of(i));
    }
    ibs_record();
}

static uint64_t answer_status(void)
{
    uint64_t status = read_msr(pmu.status);

    for (unsigned i = 0; i < pmu.counters; i++) {
        if (status & BIT(i)) {
            write_msr(counter_of(i), program->reload[i]);
        }
    }
    if (status & BIT(STATUS_FIXED)) {
        write_msr(INTEL_FIXED, program->reload[FIXED_RELOAD]);
    }
    if (status & STATUS_BUFFER) {
        pebs_take();
    }
    write_msr(pmu.clear, status);
    return status;
}

/* No register says which counters overflowed: those that are no longer close to overflow. */
static uint64_t answer_ends(void)
{
    uint64_t overflows = 0;

    for (unsigned i = 0; i < pmu.counters; i++) {
        if (!(read_msr(counter_of(i)) & COUNTER_TOP)) {
            write_msr(counter_of(i), program->reload[i]);
            overflows |= BIT(i);
        }
    }
    return overflows;
}

/*
 * Answers an interrupt: counters that overflowed start again, and after some interrupts no more
 * come. Returns which overflowed.
 */
uint64_t pmu_answer(bool vectored)
{
    uint64_t overflows = pmu.status ? answer_status() : answer_ends();
    uint64_t lvtpc = read_lapic(LAPIC_LVTPC) & ~LAPIC_MASKED;

    if (++result->interrupts >= program->interrupts) {
        lvtpc |= LAPIC_MASKED;
    }
    write_lapic(LAPIC_LVTPC, lvtpc);
    ibs_answer(!(lvtpc & LAPIC_MASKED));
    if (vectored) {
        write_lapic(LAPIC_EOI, 0);
    }
    return overflows;
}
