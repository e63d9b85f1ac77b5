/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/start-arguments.h"

static int reach(struct live *l, bool *with_kvm, struct error *t)
{
    struct targets targets = {0};
    struct session *s = &l->session;
    const char *accelerator;
    int err = options_target(&l->o->common, l->stop_fd, &targets, t);

    err = err || session_reach(s, &l->o->common, &targets.target[0], l->stop_fd, t) ||
          machine_accelerator(s->q, &accelerator, t);
    targets_free(&targets);
    if (err) {
        return -1;
    }
    /* With KVM the host's PMU takes the samples, so the guest does not need a PMU. */
    *with_kvm = strcmp(accelerator, "kvm") == 0;
    return *with_kvm ? 0 : machine_pmus(s->q, &s->pmus, t);
}

static int find_names(struct live *l, bool with_kvm, struct error *t)
{
    struct guest_names *names = &l->recording->names;
    const char *why;

    if (!with_kvm) {
        l->memory = machine_memory(l->session.q);
        l->recording->nested.memory = &l->memory.memory;
    }
    if (l->o->names.kallsyms) {
        return guest_names_read(names, l->o->names.kallsyms, NULL, t);
    }
    if (guest_names_find(names, l->session.q, with_kvm, t)) {
        return -1;
    }
    why = guest_names_why(names);
    if (why && !l->o->names.vmlinux) {
        fprintf(stderr, "[ vpmu-stats top: function names are not available: %s ]\n", why);
    }
    return 0;
}

static int open_file(FILE **file, struct error *t)
{
    *file = tmpfile();
    return *file ? 0
                 : error_set(t, ERROR_OUTPUT, "cannot make a temporary file: %s", strerror(errno));
}

static int start(struct live *l, struct error *t)
{
    const struct start_arguments arguments = {.events = &l->o->measure.events,
                                              .period = l->o->period,
                                              .frequency = l->o->frequency,
                                              .names = &l->recording->names,
                                              .cpus = l->session.pmus.n};

    l->sampling = (struct sampling){.q = l->session.q,
                                    .file = &l->file,
                                    .patience = l->o->common.patience,
                                    .stop_fd = l->stop_fd};
    if (start_arguments_begin(&arguments, &l->sampling, t)) {
        return -1;
    }
    l->runs = true;
    l->began = l->looked = qmp_now();
    return 0;
}

int live_open(struct live *l, const struct function_options *o, int stop_fd, struct error *t)
{
    bool with_kvm;

    l->o = o;
    l->stop_fd = stop_fd;
    l->recording = calloc(1, sizeof(*l->recording));
    if (!l->recording) {
        return error_memory(t);
    }
    l->recording->keeps_maps = true;
    l->recording->symfs = o->names.symfs;
    if (hot_functions_init(&l->functions, t) || reach(l, &with_kvm, t) ||
        find_names(l, with_kvm, t) || open_file(&l->file.file, t)) {
        return -1;
    }
    l->recording->file.file = l->file.file;
    l->recording->file.host = l->session.name;
    return start(l, t);
}

int live_wait(struct live *l, int64_t until, int fd, struct error *t)
{
    int got;

    while ((got = sampling_wait(&l->sampling, until, fd, t)) == SAMPLING_DATA) {
        if (recording_take(l->recording, l->sampling.data, l->sampling.size, t)) {
            return -1;
        }
    }
    if (got == SAMPLING_TIME) {
        return 0;
    }
    if (got == SAMPLING_ENDED && stream_close(&l->recording->stream, t) == 0) {
        error_set(t, ERROR_ENDED, "the machine has ended the recording");
    }
    return -1;
}

/* Reads a file of samples. */
static int read_samples(struct live *l, FILE *file, struct profile *p, struct error *t)
{
    struct sample_input g = {.vmlinux = l->o->names.vmlinux,
                             .programs = &l->o->programs,
                             .symfs = l->o->names.symfs,
                             .debug_dir = l->o->names.debug_dir,
                             .key = hot_functions_key,
                             .opaque = &l->functions.columns,
                             .profile = p};
    char path[32];

    if (fflush(file) || ferror(file)) {
        return error_set(t, ERROR_OUTPUT, "cannot write a temporary file: %s", strerror(errno));
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
    g.input = path;
    return sample_input_read(&g, l->stop_fd, t);
}

int live_frame(struct live *l, bool zero, struct error *t)
{
    int64_t now = qmp_now();
    FILE *file = l->file.file;
    struct profile p = {0};
    FILE *next;
    int err;

    l->interval = now - l->looked;
    l->looked = now;
    /* The machine has sent nothing yet. */
    if (!l->recording->totals.rows) {
        return 0;
    }
    if (open_file(&next, t)) {
        return -1;
    }
    recording_next(l->recording, next);
    l->file.file = next;
    err = read_samples(l, file, &p, t) || hot_functions_take(&l->functions, &p, zero, t) ? -1 : 0;
    profile_free(&p);
    fclose(file);
    return err;
}

int live_close(struct live *l, struct error *t)
{
    if (l->runs) {
        sampling_end(&l->sampling);
    }
    if (l->file.file) {
        fclose(l->file.file);
    }
    if (l->recording) {
        recording_free(l->recording);
    }
    free(l->recording);
    hot_functions_free(&l->functions);
    return session_close(&l->session, t);
}
