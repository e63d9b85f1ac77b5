/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_SYSCALLS_H
#define VPMU_RUN_SYSCALLS_H

#include <stddef.h>

/**
 * syscall_event_name() - "syscall:NAME", or "syscall:NUMBER" if the number has no name
 * @machine: e_machine, because numbers differ between architectures.
 */
void syscall_event_name(unsigned machine, unsigned number, char *name, size_t size);

#endif
