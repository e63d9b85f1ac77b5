/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what to run. protocol.h describes the file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

static char *read_file(const char *path, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *data = NULL;
    ssize_t n = -1;

    if (fd >= 0 && fstat(fd, &st) == 0 && (data = malloc((size_t)st.st_size + 1))) {
        n = read(fd, data, (size_t)st.st_size);
    }
    if (n < 0 || n != st.st_size) {
        guest_die("cannot read %s: %s", path, strerror(errno));
    }
    data[n] = '\0';
    *size = (size_t)n;
    close(fd);
    return data;
}

/* list_add() - adds to a list that ends in NULL */
static void list_add(char ***list, size_t *n, char *text)
{
    *list = realloc(*list, (*n + 2) * sizeof(**list));
    if (!*list) {
        guest_die("out of memory");
    }
    (*list)[(*n)++] = text;
    (*list)[*n] = NULL;
}

static void add_event(struct job *job, const char *text, bool tracepoint)
{
    if (job->events < GUEST_EVENTS_MAX) {
        job->event[job->events].text = text;
        job->event[job->events++].tracepoint = tracepoint;
    }
}

static void set_record(struct job *job, const char *value)
{
    int chains, branches;

    if (sscanf(value, "%llu %llu %d %d %u %llu", &job->record.period, &job->record.frequency,
               &chains, &branches, &job->record.stack, &job->record.registers) != 6) {
        guest_die("the job has no period");
    }
    job->record.on = true;
    job->record.chains = chains;
    job->record.branches = branches;
}

static void set_scalar(struct job *job, const char *key, char *value)
{
    if (strcmp(key, "path") == 0) {
        job->path = value;
    } else if (strcmp(key, "cwd") == 0) {
        job->cwd = value;
    } else if (strcmp(key, "uid") == 0) {
        job->uid = (uid_t)strtoul(value, NULL, 10);
    } else if (strcmp(key, "gid") == 0) {
        job->gid = (gid_t)strtoul(value, NULL, 10);
    } else if (strcmp(key, "group") == 0 && job->n_groups < GUEST_GROUPS_MAX) {
        job->groups[job->n_groups++] = (gid_t)strtoul(value, NULL, 10);
    } else if (strcmp(key, "live") == 0) {
        job->live = true;
    } else if (strcmp(key, "joined") == 0) {
        job->joined = true;
    } else if (strcmp(key, "machine") == 0) {
        job->machine = true;
    } else if (strcmp(key, "syscalls") == 0) {
        job->syscalls = true;
    } else if (strcmp(key, "record") == 0) {
        set_record(job, value);
    } else if (strcmp(key, "learn") == 0) {
        job->learn = true;
    } else if (strcmp(key, "out") == 0 && job->outs < RUN_OUTS_MAX) {
        job->out[job->outs++] = value;
    } else if (strcmp(key, "net") == 0) {
        job->net = true;
    } else if (strcmp(key, "date") == 0) {
        job->date = strtoull(value, NULL, 10);
    } else if (strcmp(key, "seed") == 0) {
        job->seed = strtoull(value, NULL, 10);
    } else if (strcmp(key, "event") == 0) {
        add_event(job, value, false);
    } else if (strcmp(key, "tracepoint") == 0) {
        add_event(job, value, true);
    }
}

void job_read(struct job *job)
{
    size_t size, n_args = 0, n_env = 0;
    char *at = read_file(RUN_JOB, &size), *end = at + size;

    while (at < end) {
        char *key = at, *value = key + strlen(key) + 1;

        if (value >= end) {
            guest_die("the job is truncated");
        }
        at = value + strlen(value) + 1;
        if (strcmp(key, "arg") == 0) {
            list_add(&job->argv, &n_args, value);
        } else if (strcmp(key, "env") == 0) {
            list_add(&job->envp, &n_env, value);
        } else {
            set_scalar(job, key, value);
        }
    }
    if (!job->argv || !job->envp || !job->path || !job->cwd) {
        guest_die("the job is not complete");
    }
}
