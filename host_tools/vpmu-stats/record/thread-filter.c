/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/thread-filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int thread_filter_numbers(uint32_t *number, size_t *n, const char *list, struct error *t)
{
    char *copy = strdup(list);
    char *rest = copy;
    int err = copy ? 0 : error_memory(t);

    for (char *item = strsep(&rest, ","); !err && item; item = strsep(&rest, ",")) {
        long value;

        if (*n == THREAD_FILTER_MAX) {
            err = error_set(t, ERROR_USAGE, "at most %u IDs can be given", THREAD_FILTER_MAX);
        } else if (!number_parse(item, 0, INT32_MAX, &value)) {
            err = error_set(t, ERROR_USAGE, "'%s' is not the ID of a process or thread", item);
        } else {
            number[(*n)++] = (uint32_t)value;
        }
    }
    free(copy);
    return err;
}

/* A VMID has at most 16 bits. */
static int add_guest(struct thread_filter *f, const char *item, struct error *t)
{
    static const struct {
        const char *prefix;
        long first;
        uint32_t added;
    } kinds[] = {{"vmid-", 0, 0}, {"svm-", 1, THREAD_FILTER_SVM}};

    if (f->vmids == THREAD_FILTER_MAX) {
        return error_set(t, ERROR_USAGE, "at most %u guests can be given", THREAD_FILTER_MAX);
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t n = strlen(kinds[i].prefix);
        long value;

        if (strncmp(item, kinds[i].prefix, n) == 0 &&
            number_parse(item + n, kinds[i].first, UINT16_MAX, &value)) {
            f->vmid[f->vmids++] = kinds[i].added + (uint32_t)value;
            return 0;
        }
    }
    return error_set(t, ERROR_USAGE,
                     "'%s' is no guest; guests are vmid-0 to vmid-65535, on x86-64 svm-1 to "
                     "svm-65535",
                     item);
}

int thread_filter_guests(struct thread_filter *f, const char *list, struct error *t)
{
    char *copy = strdup(list);
    char *rest = copy;
    int err = copy ? 0 : error_memory(t);

    for (char *item = strsep(&rest, ","); !err && item; item = strsep(&rest, ",")) {
        err = add_guest(f, item, t);
    }
    free(copy);
    return err;
}

int thread_filter_comm(struct thread_filter *f, const char *comm, struct error *t)
{
    if (f->comms == THREAD_FILTER_MAX) {
        return error_set(t, ERROR_USAGE, "--comm can be given at most %u times", THREAD_FILTER_MAX);
    }
    f->comm[f->comms++] = comm;
    return 0;
}

bool thread_filter_is_empty(const struct thread_filter *f)
{
    return f->pids + f->tids + f->comms + f->vmids == 0;
}

static bool has_number(const uint32_t *number, size_t n, uint32_t wanted)
{
    for (size_t i = 0; i < n; i++) {
        if (number[i] == wanted) {
            return true;
        }
    }
    return false;
}

bool thread_filter_keeps(const struct thread_filter *f, uint32_t pid, uint32_t tid,
                         const char *comm)
{
    if (thread_filter_is_empty(f) || has_number(f->pid, f->pids, pid) ||
        has_number(f->tid, f->tids, tid)) {
        return true;
    }
    for (size_t i = 0; comm && i < f->comms; i++) {
        if (strcmp(f->comm[i], comm) == 0) {
            return true;
        }
    }
    return false;
}

bool thread_filter_keeps_guest(const struct thread_filter *f, uint32_t vmid)
{
    return thread_filter_is_empty(f) || has_number(f->vmid, f->vmids, vmid);
}
