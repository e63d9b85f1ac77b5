/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Makes CPUID leaves from the configuration. */
#include "vpmu/x86/cpuid.h"

#include "x86_internal.h"

#define ANY_THREAD_DEPRECATED VPMU_BIT(15)

/* The number of architectural events: 7, or 8 with that of slots. */
static uint32_t arch_events(const struct vpmu_x86_config *config)
{
    int last = 0;

    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];

        if ((event->families >> config->family & 1) && event->bit > last) {
            last = event->bit;
        }
    }
    return (uint32_t)last + 1;
}

/* CPUID.0AH (SDM 2A, CPUID). A bit of EBX is set if the event is not available. */
static struct vpmu_x86_cpuid leaf_0a(const struct vpmu_x86_config *config)
{
    uint32_t events = arch_events(config);
    struct vpmu_x86_cpuid leaf = {.ebx = (1u << events) - 1};
    uint32_t width = config->width;

    leaf.eax = config->version | (uint32_t)config->counters << 8 | width << 16 | events << 24;
    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];

        if (event->bit >= 0 && vpmu_x86_event_counted(config, event)) {
            leaf.ebx &= ~(1u << event->bit);
        }
    }
    if (config->version > 1) {
        leaf.edx = config->fixed | (config->fixed ? width << 5 : 0);
    }
    if (config->version > 4) {
        leaf.ecx = (uint32_t)vpmu_below_(config->fixed);
        leaf.edx |= ANY_THREAD_DEPRECATED;
    }
    return leaf;
}

/* CPUID Fn8000_0022 (APM 3, appendix E): EAX[0] is PerfMonV2, EBX[3:0] NumPerfCtrCore. */
static struct vpmu_x86_cpuid leaf_22(const struct vpmu_x86_config *config)
{
    if (config->version < VPMU_X86_AMD_V2) {
        return (struct vpmu_x86_cpuid){0};
    }
    return (struct vpmu_x86_cpuid){.eax = 1, .ebx = config->counters};
}

struct vpmu_x86_cpuid vpmu_x86_cpuid(const struct vpmu_x86_config *config, uint32_t leaf)
{
    if (leaf == 0x0a && vpmu_x86_is_intel_(config)) {
        return leaf_0a(config);
    }
    if (leaf == 0x80000022 && !vpmu_x86_is_intel_(config)) {
        return leaf_22(config);
    }
    return (struct vpmu_x86_cpuid){0};
}
