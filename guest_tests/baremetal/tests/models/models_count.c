/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registers/pmu.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "tests/models/models.h"

#define FLUSH_SIZE (UINT64_C(4) << 20)
#define LINE 64u

static const uint16_t *counted;
/* This memory lies after what model_flush() reads. */
static uint64_t next_fresh = SCRATCH_BASE + FLUSH_SIZE;

void model_count(const uint16_t *events)
{
    counted = events;
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(pmcr_el0, PMCR_E);
    for (unsigned n = 0; events[n]; n++) {
        write_pmevtyper(n, events[n] | PMEVTYPER_P);
        write_pmevcntr(n, 0);
    }
}

static unsigned length(void)
{
    unsigned n = 0;

    while (counted[n]) {
        n++;
    }
    return n;
}

void model_wait(level_fn code, uint64_t address, uint64_t iterations, uint64_t stride,
                struct model_flags *flags)
{
    struct model_arg arg = {
        .address = address,
        .iterations = iterations,
        .mask = BIT(length()) - 1,
        .stride = stride,
        .flags = flags,
    };

    call_at(EL0, code, (uintptr_t)&arg);
}

void model_run(level_fn code, uint64_t address, uint64_t iterations, uint64_t stride)
{
    model_wait(code, address, iterations, stride, NULL);
}

uint64_t model_take(uint16_t event)
{
    for (unsigned n = 0; counted[n]; n++) {
        if (counted[n] == event) {
            uint64_t value = read_pmevcntr(n);

            write_pmevcntr(n, 0);
            return value;
        }
    }
    return ~UINT64_C(0);
}

uint64_t model_fresh(uint64_t size)
{
    uint64_t address = next_fresh;

    next_fresh += (size + 0xffff) & ~UINT64_C(0xffff);
    return address;
}

void model_flush(void)
{
    /* After this the code is in the instruction cache, too. */
    model_run(model_store, SCRATCH_BASE, 1, 0);
    model_run(model_add, SCRATCH_BASE, 1, 0);
    model_run(model_load, SCRATCH_BASE, FLUSH_SIZE / LINE, LINE);
    for (unsigned n = 0; counted[n]; n++) {
        write_pmevcntr(n, 0);
    }
}
