/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate CALLS STATUS REGION...: in each region, 10,000 turns of a loop and CALLS system calls. Then
 * it exits with STATUS, or aborts if STATUS is above 99.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vpmu_run.h>

static volatile long sum;

int main(int argc, char **argv)
{
    int calls = argc > 2 ? atoi(argv[1]) : 0, status = argc > 2 ? atoi(argv[2]) : 0;

    for (int i = 3; i < argc; i++) {
        vpmu_run_begin(argv[i]);
        for (int n = 0; n < calls; n++) {
            syscall(SYS_getppid);
        }
        for (long n = 0; n < 10000; n++) {
            sum += n;
        }
        vpmu_run_end(argv[i]);
    }
    if (status > 99) {
        abort();
    }
    return status;
}
