/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/syscalls.h"

#include <stdio.h>
#include <sys/syscall.h>

static const char *const names[] = {
#include "syscall-names.h"
};

void syscall_event_name(unsigned number, char *name, size_t size)
{
    if (number < sizeof(names) / sizeof(names[0]) && names[number]) {
        snprintf(name, size, "syscall:%s", names[number]);
    } else {
        snprintf(name, size, "syscall:%u", number);
    }
}
