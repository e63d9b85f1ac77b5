/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of the parts of an x86 CPU's PMU
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "parts.h"

/* Calls a function of each part that has it. */
#define FOR_EACH_PART(cpu, part, function)                              \
    for (const X86Part *const *p = (cpu)->vpmu->parts, *part;           \
         (part = *p); p++)                                              \
        if (part->function)

bool x86_parts_realize(X86CPU *cpu, Error **errp)
{
    FOR_EACH_PART(cpu, part, realize) {
        if (!part->realize(cpu, errp)) {
            x86_parts_finalize(cpu);
            return false;
        }
    }
    return true;
}

void x86_parts_finalize(X86CPU *cpu)
{
    FOR_EACH_PART(cpu, part, finalize) {
        part->finalize(cpu);
    }
}

void x86_parts_reset(X86CPU *cpu)
{
    FOR_EACH_PART(cpu, part, reset) {
        part->reset(cpu);
    }
}

void x86_parts_loaded(X86CPU *cpu)
{
    FOR_EACH_PART(cpu, part, loaded) {
        part->loaded(cpu);
    }
}

void x86_parts_controls(X86CPU *cpu, struct vpmu_x86_controls *controls)
{
    FOR_EACH_PART(cpu, part, controls) {
        part->controls(cpu, controls);
    }
}

void x86_parts_arrived(X86CPU *cpu)
{
    FOR_EACH_PART(cpu, part, arrived) {
        part->arrived(cpu);
    }
}

void x86_parts_noted(X86CPU *cpu)
{
    FOR_EACH_PART(cpu, part, noted) {
        part->noted(cpu);
    }
}

void x86_parts_interrupting(X86CPU *cpu)
{
    FOR_EACH_PART(cpu, part, interrupting) {
        part->interrupting(cpu);
    }
}

vpmu_sources x86_parts_sources(X86CPU *cpu, unsigned int ctx)
{
    vpmu_sources sources = 0;

    FOR_EACH_PART(cpu, part, sources) {
        sources |= part->sources(cpu, ctx);
    }
    return sources;
}

uint64_t x86_parts_flags(X86CPU *cpu, unsigned int ctx)
{
    uint64_t flags = 0;

    FOR_EACH_PART(cpu, part, flags) {
        flags |= part->flags(cpu, ctx);
    }
    return flags;
}
