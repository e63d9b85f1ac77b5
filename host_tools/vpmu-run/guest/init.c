/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first process of the machine: runs one program, counts what it does, and stops the machine.
 */
#include <sys/utsname.h>

#include "guest.h"

/* run() - waits for the program, and reports what it did */
static void run(const struct job *job, struct child *child)
{
    int status = forward(child, !job->learn);

    if (job->record.on) {
        count_stop(job);
    }
    count_report(job);
    regions_report();
    if (job->record.on) {
        record_finish(job);
    }
    if (job->syscalls) {
        syscalls_report();
    }
    if (job->outs > 0) {
        out_bring(job);
    }
    setup_report();
    guest_result("status %d", status);
}

int main(void)
{
    static struct job job;
    struct utsname name;
    struct child child;
    pid_t regions;
    int failed;

    setup_mount();
    setup_modules();
    setup_ports();
    setup_kernel();
    network_loopback();
    platform_open();
    firmware_prepare();
    regions_prepare();
    confine_prepare();
    child_start(&child);
    setup_clean();
    guest_result("ready");
    platform_stop_here();
    unpack();
    job_read(&job);
    setup_random(job.seed);
    setup_date(job.date);
    if (job.net) {
        network_user();
    }
    uname(&name);
    guest_result("kernel %s", name.release);
    if (!job.learn) {
        confine_leave();
    }
    out_note(&job);
    child_settle(&job, &child);
    count_open(&job, child.pid);
    /* Before that: a copy of its pipe would keep it from ending. */
    if (job.learn) {
        supply_start(&child);
    }
    regions = regions_start(&job, &child);
    if (job.record.on) {
        record_start(&job);
    }
    if (job.syscalls) {
        syscalls_open(regions);
    }
    count_start(&job);
    failed = child_go(&child);
    if (failed) {
        guest_result("failed %d", failed);
    } else {
        run(&job, &child);
    }
    guest_stop();
}
