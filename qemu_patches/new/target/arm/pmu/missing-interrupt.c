/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs whose PMU cannot interrupt
 *
 * On some boards nothing is connected to the PMU's interrupt: QEMU has no
 * interrupt controller for that CPU, or nobody says which input it is.
 * Counters count there, but software does not notice when one wraps.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "hw/core/cpu.h"
#include "compat.h"
#include "internals.h"
#include "system/system.h"
#include "private.h"

/* A CPU that software of the board may never start is not worth a warning. */
static bool lacks_interrupt(ARMCPU *cpu)
{
    return cpu->vpmu && !cpu->pmu_interrupt && !arm_pmu_has_gicv5(cpu) &&
           !CPU(cpu)->start_powered_off;
}

static void warn_of_missing_interrupt(Notifier *notifier, void *data)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        if (lacks_interrupt(ARM_CPU(cs))) {
            g_autofree char *model =
                cpu_model_from_type(object_get_typename(OBJECT(cs)));

            warn_report("the PMU of %s has no interrupt on machine '%s': "
                        "perf loses 2^32 events whenever a counter wraps, "
                        "and records no samples", model,
                        MACHINE_GET_CLASS(qdev_get_machine())->name);
            return;
        }
    }
}

void arm_vpmu_check_interrupts(void)
{
    static Notifier notifier = { .notify = warn_of_missing_interrupt };

    if (!notifier.node.le_prev) {
        qemu_add_machine_init_done_notifier(&notifier);
    }
}
