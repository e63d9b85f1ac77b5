/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks of an x86 CPU's PMU
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "cpu.h"
#if QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR == 0
#include "system/cpu-timers.h"
#else
#include "exec/icount.h"
#endif
#include "compat.h"
#include "private.h"

/* The shortest time in which the rate of the host's ticks is measured. */
#define MEASURED_NS (2 * SCALE_MS)
/* How often a reading is repeated to find one that was not interrupted. */
#define READINGS 8

uint64_t x86_vpmu_clock_now(X86CPU *cpu, unsigned int clock)
{
    return clock ? cpu_get_tsc(&cpu->env)
                 : qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

struct vpmu_now x86_vpmu_now(X86CPU *cpu)
{
    const X86VPMU *vpmu = cpu->vpmu;
    struct vpmu_now now;

    for (unsigned int i = 0; i < VPMU_CLOCK_COUNT; i++) {
        uint64_t ticks = vpmu->pmu.controls.halted
            ? vpmu->halted_at[i] : x86_vpmu_clock_now(cpu, i);

        now.ticks[i] = ticks - vpmu->halted_for[i];
    }
    return now;
}

/* Reads the host's ticks and its clock at the same time. */
static void read_host(int64_t *ticks, int64_t *ns)
{
    int64_t shortest = INT64_MAX;

    for (unsigned int i = 0; i < READINGS; i++) {
        int64_t before = get_clock();
        int64_t now = cpu_get_host_ticks();
        int64_t after = get_clock();

        if (after - before < shortest) {
            shortest = after - before;
            *ticks = now;
            *ns = before + shortest / 2;
        }
    }
}

static uint64_t measure_host_hz(void)
{
    int64_t ticks, ns, ticks_before, ns_before;

    read_host(&ticks_before, &ns_before);
    do {
        read_host(&ticks, &ns);
    } while (ns - ns_before < MEASURED_NS);
    return muldiv64(ticks - ticks_before, NANOSECONDS_PER_SECOND,
                    ns - ns_before);
}

uint64_t x86_vpmu_tsc_hz(void)
{
    static uint64_t host_hz;

    if (icount_enabled()) {
        return NANOSECONDS_PER_SECOND;
    }
    if (!host_hz) {
        host_hz = measure_host_hz();
    }
    return host_hz;
}
