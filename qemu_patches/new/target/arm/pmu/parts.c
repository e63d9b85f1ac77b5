/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of the parts of an Arm CPU's PMU
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "parts.h"

/* Calls a function of each part that has it. */
#define FOR_EACH_PART(cpu, part, function)                              \
    for (const ARMPart *const *p = (cpu)->vpmu->parts, *part;           \
         (part = *p); p++)                                              \
        if (part->function)

bool arm_parts_realize(ARMCPU *cpu, Error **errp)
{
    FOR_EACH_PART(cpu, part, realize) {
        if (!part->realize(cpu, errp)) {
            arm_parts_finalize(cpu);
            return false;
        }
    }
    return true;
}

void arm_parts_finalize(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, finalize) {
        part->finalize(cpu);
    }
}

void arm_parts_define_regs(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, define_regs) {
        part->define_regs(cpu);
    }
}

void arm_parts_reset(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, reset) {
        part->reset(cpu);
    }
}

void arm_parts_loaded(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, loaded) {
        part->loaded(cpu);
    }
}

void arm_parts_leaving(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, leaving) {
        part->leaving(cpu);
    }
}

void arm_parts_arrived(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, arrived) {
        part->arrived(cpu);
    }
}

void arm_parts_excepting(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, excepting) {
        part->excepting(cpu);
    }
}

void arm_parts_el_changed(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, el_changed) {
        part->el_changed(cpu);
    }
}

void arm_parts_controlled(ARMCPU *cpu)
{
    FOR_EACH_PART(cpu, part, controlled) {
        part->controlled(cpu);
    }
}

uint32_t arm_parts_events(ARMCPU *cpu, unsigned int ctx)
{
    uint32_t events = 0;

    FOR_EACH_PART(cpu, part, events) {
        events |= part->events(cpu, ctx);
    }
    return events;
}

uint64_t arm_parts_insns_left(ARMCPU *cpu, unsigned int ctx)
{
    uint64_t left = UINT64_MAX;

    FOR_EACH_PART(cpu, part, insns_left) {
        left = MIN(left, part->insns_left(cpu, ctx));
    }
    return left;
}

bool arm_parts_due(ARMCPU *cpu, unsigned int ctx)
{
    bool due = false;

    FOR_EACH_PART(cpu, part, due) {
        due |= part->due(cpu, ctx);
    }
    return due;
}

void arm_parts_controls(ARMCPU *cpu, struct vpmu_arm_controls *controls)
{
    FOR_EACH_PART(cpu, part, controls) {
        part->controls(cpu, controls);
    }
}
