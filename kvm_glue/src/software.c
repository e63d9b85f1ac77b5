/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts perf's software events of a thread. */
#define _GNU_SOURCE
#include "kvm_glue/software.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define ALL ((1u << KVM_GLUE_SOFTWARE_EVENTS) - 1)
/* These events happen in the kernel. Without permission to count there, perf returns 0. */
#define IN_KERNEL (1u << KVM_GLUE_CONTEXT_SWITCHES | 1u << KVM_GLUE_MIGRATIONS)
#define MAX_STATUS 8192

static const struct {
    const char *name;
    uint64_t config;
} events[KVM_GLUE_SOFTWARE_EVENTS] = {
    [KVM_GLUE_TASK_CLOCK] = {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
    [KVM_GLUE_CONTEXT_SWITCHES] = {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
    [KVM_GLUE_MIGRATIONS] = {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
    [KVM_GLUE_FAULTS_MINOR] = {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
    [KVM_GLUE_FAULTS_MAJOR] = {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
};

/* The same counts in /proc/self/task/TID: the sum of all lines that begin with a @key. */
static const struct {
    unsigned event;
    const char *file;
    const char *key[2];
} proc_rows[] = {
    {KVM_GLUE_CONTEXT_SWITCHES,
     "status",
     {"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"}},
    {KVM_GLUE_MIGRATIONS, "sched", {"\nse.nr_migrations", NULL}},
};

const char *kvm_glue_software_name(unsigned event)
{
    return event < KVM_GLUE_SOFTWARE_EVENTS ? events[event].name : NULL;
}

static int open_group(struct kvm_glue_software *s, const struct kvm_glue_os *os, pid_t tid,
                      bool exclude_kernel, struct kvm_glue_error *err)
{
    struct kvm_glue_event list[KVM_GLUE_SOFTWARE_EVENTS];

    for (unsigned i = 0; i < KVM_GLUE_SOFTWARE_EVENTS; i++) {
        list[i] = (struct kvm_glue_event){
            PERF_TYPE_SOFTWARE, events[i].config, {.exclude_kernel = exclude_kernel}};
    }
    return kvm_glue_group_open(&s->group, os, list, KVM_GLUE_SOFTWARE_EVENTS, tid, err);
}

int kvm_glue_software_open(struct kvm_glue_software *s, const struct kvm_glue_os *os, pid_t tid,
                           struct kvm_glue_error *err)
{
    int ret;

    memset(s, 0, sizeof(*s));
    s->tid = tid;
    ret = open_group(s, os, tid, false, err);
    if (ret == -EACCES || ret == -EPERM) {
        s->from_proc = true;
        ret = open_group(s, os, tid, true, err);
    }
    return ret;
}

int kvm_glue_software_read(struct kvm_glue_software *s, struct kvm_glue_software_values *values)
{
    struct kvm_glue_reading reading;
    int ret = kvm_glue_group_read(&s->group, &reading);

    if (ret < 0) {
        return ret;
    }
    values->valid = s->from_proc ? ALL & ~IN_KERNEL : ALL;
    memcpy(values->value, reading.value, sizeof(values->value));
    return 0;
}

/* Finds the number after a line's key, colon and blanks. */
static bool find_number(const char *text, const char *key, uint64_t *number)
{
    const char *at = strstr(text, key);

    if (at == NULL) {
        return false;
    }
    at += strlen(key);
    *number = strtoull(at + strspn(at, " \t:"), NULL, 10);
    return true;
}

static bool read_proc(const struct kvm_glue_software *s, unsigned row, uint64_t *value)
{
    char path[64];
    char text[MAX_STATUS];

    snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)s->tid, proc_rows[row].file);
    if (kvm_glue_read_text_(s->group.os, path, text, sizeof(text)) < 0) {
        return false;
    }
    *value = 0;
    for (unsigned i = 0; i < 2 && proc_rows[row].key[i] != NULL; i++) {
        uint64_t part;

        if (!find_number(text, proc_rows[row].key[i], &part)) {
            return false;
        }
        *value += part;
    }
    return true;
}

int kvm_glue_software_total(struct kvm_glue_software *s, struct kvm_glue_software_values *values)
{
    int ret = kvm_glue_software_read(s, values);

    if (ret < 0 || !s->from_proc) {
        return ret;
    }
    for (unsigned row = 0; row < KVM_GLUE_COUNT_OF(proc_rows); row++) {
        unsigned event = proc_rows[row].event;

        if (read_proc(s, row, &values->value[event])) {
            values->valid |= 1u << event;
        }
    }
    return 0;
}

void kvm_glue_software_close(struct kvm_glue_software *s)
{
    kvm_glue_group_close(&s->group);
}
