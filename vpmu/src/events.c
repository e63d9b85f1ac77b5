/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "vpmu/events.h"

/* Sorted by number. */
const struct vpmu_event vpmu_events[] = {
    {VPMU_EVENT_SW_INCR, VPMU_SRC_NONE, "SW_INCR",
     "a write of 1 to the counter's bit of PMSWINC_EL0", "Arm ARM D14.12, 0x0000"},
    {VPMU_EVENT_INST_RETIRED, VPMU_SRC_INST_RETIRED, "INST_RETIRED",
     "an instruction architecturally executed; one that faults and is resumed counts once",
     "Arm ARM D14.12, 0x0008"},
    {VPMU_EVENT_CPU_CYCLES, VPMU_SRC_CPU_CYCLES, "CPU_CYCLES", "a cycle of the machine's clock",
     "Arm ARM D14.12, 0x0011"},
    {VPMU_EVENT_CHAIN, VPMU_SRC_NONE, "CHAIN",
     "an overflow of the even-numbered counter just below an odd-numbered one",
     "Arm ARM D14.12, 0x001E"},
};

const size_t vpmu_events_count = sizeof(vpmu_events) / sizeof(vpmu_events[0]);

const struct vpmu_event *vpmu_event_find(uint16_t number)
{
    for (size_t i = 0; i < vpmu_events_count; i++) {
        if (vpmu_events[i].number == number) {
            return &vpmu_events[i];
        }
    }
    return NULL;
}
