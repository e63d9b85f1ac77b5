/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Where the counts of an event come from: the instructions themselves, a model, or a clock. */
#include "x86_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)

const char *vpmu_x86_event_model(const struct vpmu_x86_config *config,
                                 const struct vpmu_x86_event *event)
{
    if (!event->sources) {
        return "always-0";
    }
    if (event->sources & config->timed) {
        return "clock";
    }
    if (event->sources & (BIT(CYCLES) | VPMU_X86_STALLS)) {
        return "pipeline";
    }
    if (event->sources & VPMU_X86_MISPREDICTED) {
        return "branch-prediction";
    }
    if (event->sources & VPMU_SRCS_TLB) {
        return "tlbs";
    }
    return event->sources & VPMU_X86_MODELLED ? "caches" : NULL;
}
