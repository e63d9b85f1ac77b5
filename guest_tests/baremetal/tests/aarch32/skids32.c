/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Overflows in AArch32 code, at instructions whose condition passes and at those whose condition
 * fails.
 */
#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/overflow/skids.h"
#include "tests/models/steps.h"

#define ITERATIONS 3u
#define MAX_STEPS 64u

/* User mode, with IRQs not masked. */
#define SPSR_USR_IRQS UINT64_C(0x150)
#define SPSR_T32 UINT64_C(0x20)

/* A row of steps32_code.S. The offset of the code of an instruction set comes before its rows. */
struct row {
    uint32_t offset;
    uint8_t counts[STEP_COLUMNS];
};

extern const uint32_t steps32_blob[];

static struct {
    level_fn code;
    struct step steps[MAX_STEPS];
} loaded;

static uint8_t buffer[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

/* This follows the last row. */
static const uint32_t *load_steps(const uint32_t *table)
{
    const struct row *row = (const struct row *)(table + 1);
    struct step *step = loaded.steps;

    loaded.code = (level_fn)((uintptr_t)steps32_blob + table[0]);
    for (;; row++, step++) {
        *step = (struct step){.address = (uintptr_t)steps32_blob + row->offset};
        for (unsigned i = 0; i < STEP_COLUMNS; i++) {
            step->counts[i] = row->counts[i];
        }
        if (!row->counts[INST]) {
            return (const uint32_t *)(row + 1);
        }
    }
}

static void check_one(const struct event *event, uint64_t k)
{
    uintptr_t code = (uintptr_t)loaded.code;
    const uint64_t regs[4] = {ITERATIONS, (uintptr_t)buffer, 1};
    uint64_t address;

    if (steps_find((const struct steps *)&loaded, event->columns, k, ITERATIONS, &address) ==
        UINT64_MAX) {
        return;
    }
    skids_set(0, event->number | PMEVTYPER_P, k);
    skids_begin();
    level_enter(regs, code & ~UINT64_C(1), SPSR_USR_IRQS | (code & 1 ? SPSR_T32 : 0), 0, 0);
    expect_eq("interrupts", event->number << 20 | k, 1, skids_count());
    expect_eq("ELR", event->number << 20 | k, address, skids_elr(0));
}

static void check_all(void)
{
    skids_prepare(BIT(0));
    for (unsigned i = 0; i < instruction_events_count; i++) {
        const struct event *event = &instruction_events[i];
        unsigned each = steps_per_iteration((const struct steps *)&loaded, event->columns);

        for (unsigned k = 1; event_exists(event->number) && k <= each * ITERATIONS; k++) {
            check_one(event, k);
        }
    }
}

void test_skid_a32(void)
{
    if (!has_aarch32(EL0)) {
        skip_test("no AArch32");
        return;
    }
    load_steps(steps32_blob);
    check_all();
}

void test_skid_t32(void)
{
    if (!has_aarch32(EL0)) {
        skip_test("no AArch32");
        return;
    }
    load_steps(load_steps(steps32_blob));
    check_all();
}
