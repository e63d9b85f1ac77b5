/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/syscalls.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>

static const char *const amd64[] = {
#include "syscalls-amd64.h"
};
static const char *const arm64[] = {
#include "syscalls-arm64.h"
};

void syscall_event_name(unsigned machine, unsigned number, char *name, size_t size)
{
    bool arm = machine == EM_AARCH64;
    const char *const *names = arm ? arm64 : amd64;
    size_t n = arm ? sizeof(arm64) / sizeof(arm64[0]) : sizeof(amd64) / sizeof(amd64[0]);

    if (number < n && names[number]) {
        snprintf(name, size, "syscall:%s", names[number]);
    } else {
        snprintf(name, size, "syscall:%u", number);
    }
}
