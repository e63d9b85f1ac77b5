/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an Arm CPU's PMU beside its counters, in the order in which they
 * are realized, and in which each of their functions is called
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "parts.h"

static const ARMPart *const parts[] = {
    &arm_brbe_part, &arm_spe_part, &arm_branches_part, &arm_accesses_part,
};

/* Calls a function of each part that has it. */
#define FOR_EACH_PART(part, function)                                   \
    for (const ARMPart *const *p = parts, *part;                        \
         p < parts + ARRAY_SIZE(parts) && (part = *p, true); p++)       \
        if (part->function)

bool arm_parts_realize(ARMCPU *cpu, Error **errp)
{
    FOR_EACH_PART(part, realize) {
        if (!part->realize(cpu, errp)) {
            arm_parts_finalize(cpu);
            return false;
        }
    }
    return true;
}

void arm_parts_finalize(ARMCPU *cpu)
{
    FOR_EACH_PART(part, finalize) {
        part->finalize(cpu);
    }
}

void arm_parts_define_regs(ARMCPU *cpu)
{
    FOR_EACH_PART(part, define_regs) {
        part->define_regs(cpu);
    }
}

void arm_parts_reset(ARMCPU *cpu)
{
    FOR_EACH_PART(part, reset) {
        part->reset(cpu);
    }
}

void arm_parts_loaded(ARMCPU *cpu)
{
    FOR_EACH_PART(part, loaded) {
        part->loaded(cpu);
    }
}

void arm_parts_leaving(ARMCPU *cpu)
{
    FOR_EACH_PART(part, leaving) {
        part->leaving(cpu);
    }
}

void arm_parts_arrived(ARMCPU *cpu)
{
    FOR_EACH_PART(part, arrived) {
        part->arrived(cpu);
    }
}

void arm_parts_excepting(ARMCPU *cpu)
{
    FOR_EACH_PART(part, excepting) {
        part->excepting(cpu);
    }
}

void arm_parts_el_changed(ARMCPU *cpu)
{
    FOR_EACH_PART(part, el_changed) {
        part->el_changed(cpu);
    }
}

void arm_parts_controlled(ARMCPU *cpu)
{
    FOR_EACH_PART(part, controlled) {
        part->controlled(cpu);
    }
}

uint32_t arm_parts_events(ARMCPU *cpu, unsigned int ctx)
{
    uint32_t events = 0;

    FOR_EACH_PART(part, events) {
        events |= part->events(cpu, ctx);
    }
    return events;
}

uint64_t arm_parts_insns_left(ARMCPU *cpu, unsigned int ctx)
{
    uint64_t left = UINT64_MAX;

    FOR_EACH_PART(part, insns_left) {
        left = MIN(left, part->insns_left(cpu, ctx));
    }
    return left;
}

bool arm_parts_due(ARMCPU *cpu, unsigned int ctx)
{
    bool due = false;

    FOR_EACH_PART(part, due) {
        due |= part->due(cpu, ctx);
    }
    return due;
}

void arm_parts_controls(ARMCPU *cpu, struct vpmu_controls *controls)
{
    FOR_EACH_PART(part, controls) {
        part->controls(cpu, controls);
    }
}
