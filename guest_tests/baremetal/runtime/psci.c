/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/psci.h"

#include "runtime/layout.h"
#include "runtime/level.h"
#include "runtime/mmio.h"

#define PSCI_CPU_OFF UINT64_C(0x84000002)
#define PSCI_AFFINITY_INFO UINT64_C(0xc4000004)
#define PSCI_CPU_ON UINT64_C(0xc4000003)
#define PSCI_SYSTEM_OFF UINT64_C(0x84000008)
#define PSCI_SYSTEM_RESET UINT64_C(0x84000009)

/* There is no PSCI for software that starts at EL3. A PL061 controls the power instead. */
#define PL061_DATA_ALL 0x3fcu
#define PL061_DIR 0x400u
#define POWER_OFF_LINE (1u << 0)
#define POWER_RESET_LINE (1u << 1)

int64_t psci_call(uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
    register uint64_t x0 __asm__("x0") = function;
    register uint64_t x1 __asm__("x1") = a1;
    register uint64_t x2 __asm__("x2") = a2;
    register uint64_t x3 __asm__("x3") = a3;

    if (home == EL1) {
        __asm__ volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) : : "memory");
    } else {
        __asm__ volatile("smc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) : : "memory");
    }
    return (int64_t)x0;
}

static void drive_power_line(uint32_t line)
{
    mmio_write32(SECURE_GPIO_BASE + PL061_DIR, line);
    mmio_write32(SECURE_GPIO_BASE + PL061_DATA_ALL, line);
}

static _Noreturn void wait_for_end(void)
{
    for (;;) {
        __asm__ volatile("wfi");
    }
}

int64_t psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context)
{
    return psci_call(PSCI_CPU_ON, mpidr, entry, context);
}

bool psci_cpu_is_off(uint64_t mpidr)
{
    return psci_call(PSCI_AFFINITY_INFO, mpidr, 0, 0) == 1;
}

void psci_cpu_off(void)
{
    psci_call(PSCI_CPU_OFF, 0, 0, 0);
}

_Noreturn void psci_system_off(void)
{
    if (home == EL3) {
        drive_power_line(POWER_OFF_LINE);
    } else {
        psci_call(PSCI_SYSTEM_OFF, 0, 0, 0);
    }
    wait_for_end();
}

_Noreturn void psci_system_reset(void)
{
    if (home == EL3) {
        drive_power_line(POWER_RESET_LINE);
    } else {
        psci_call(PSCI_SYSTEM_RESET, 0, 0, 0);
    }
    wait_for_end();
}
