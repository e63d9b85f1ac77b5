/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an x86 CPU's PMU beside its counters, in the order in which each
 * of their functions is called
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "parts.h"

static const X86Part *const parts[] = { &x86_lbr_part, &x86_branches_part };

/* Calls a function of each part that has it. */
#define FOR_EACH_PART(part, function)                                   \
    for (const X86Part *const *p = parts, *part;                        \
         p < parts + ARRAY_SIZE(parts) && (part = *p, true); p++)       \
        if (part->function)

bool x86_parts_realize(X86CPU *cpu, Error **errp)
{
    FOR_EACH_PART(part, realize) {
        if (!part->realize(cpu, errp)) {
            x86_parts_finalize(cpu);
            return false;
        }
    }
    return true;
}

void x86_parts_finalize(X86CPU *cpu)
{
    FOR_EACH_PART(part, finalize) {
        part->finalize(cpu);
    }
}

void x86_parts_reset(X86CPU *cpu)
{
    FOR_EACH_PART(part, reset) {
        part->reset(cpu);
    }
}

void x86_parts_loaded(X86CPU *cpu)
{
    FOR_EACH_PART(part, loaded) {
        part->loaded(cpu);
    }
}

void x86_parts_arrived(X86CPU *cpu)
{
    FOR_EACH_PART(part, arrived) {
        part->arrived(cpu);
    }
}

void x86_parts_interrupting(X86CPU *cpu)
{
    FOR_EACH_PART(part, interrupting) {
        part->interrupting(cpu);
    }
}

uint64_t x86_parts_sources(X86CPU *cpu, unsigned int ctx)
{
    uint64_t sources = 0;

    FOR_EACH_PART(part, sources) {
        sources |= part->sources(cpu, ctx);
    }
    return sources;
}

uint64_t x86_parts_flags(X86CPU *cpu, unsigned int ctx)
{
    uint64_t flags = 0;

    FOR_EACH_PART(part, flags) {
        flags |= part->flags(cpu, ctx);
    }
    return flags;
}
