/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_PSCI_H
#define RUNTIME_PSCI_H

#include <stdbool.h>
#include <stdint.h>

/* Makes a PSCI call: the function's number and three arguments. Call it at the level of home. */
int64_t psci_call(uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3);

int64_t psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context);
/* Returns whether a CPU is off (AFFINITY_INFO). */
bool psci_cpu_is_off(uint64_t mpidr);
void psci_cpu_off(void);
_Noreturn void psci_system_off(void);
_Noreturn void psci_system_reset(void);

#endif
