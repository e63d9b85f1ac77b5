/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts system calls by number with a histogram of the kernel (Documentation/trace/histogram.rst).
 * It excludes init, which is process 1, and the process that counts regions. As the other counters,
 * it starts when the program executes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define EVENTS "/sys/kernel/tracing/events/"

static void trigger(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, text, strlen(text)) < 0) {
        guest_die("the kernel cannot count system calls by number: %s", strerror(errno));
    }
    close(fd);
}

void syscalls_open(pid_t excluded)
{
    char text[96];

    snprintf(text, sizeof(text), "hist:keys=id:pause if common_pid != 1 && common_pid != %d",
             (int)excluded);
    trigger(EVENTS "raw_syscalls/sys_enter/trigger", text);
    trigger(EVENTS "sched/sched_process_exec/trigger", "enable_hist:raw_syscalls:sys_enter:1");
}

void syscalls_report(void)
{
    FILE *from = fopen(EVENTS "raw_syscalls/sys_enter/hist", "re");
    char line[256];

    if (!from) {
        guest_die("cannot read the counts of system calls: %s", strerror(errno));
    }
    while (fgets(line, sizeof(line), from)) {
        unsigned long long count;
        long number;

        if (sscanf(line, "{ id: %ld } hitcount: %llu", &number, &count) == 2) {
            guest_result("syscall %ld %llu", number, count);
        }
    }
    fclose(from);
}
