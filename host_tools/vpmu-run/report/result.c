/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* parse_region() - Return: 1 if the line is about a region, 0 if it is not, -1 with an error. */
static int parse_region(struct result *r, const char *line, size_t events, struct failure *f)
{
    struct count c = {.counted = true};
    struct region *more, new = {.entries = 0};
    size_t index, i;

    if (sscanf(line, "part %zu %zu %" SCNu64 " %" SCNu64 " %" SCNu64, &index, &i, &c.value,
               &c.enabled, &c.running) == 5 &&
        index < r->regions && i < events) {
        r->region[index].count[i] = c;
        return 1;
    }
    if (sscanf(line, "region %zu %" SCNu64 " %47s", &index, &new.entries, new.name) != 3 ||
        index != r->regions || index >= RUN_REGIONS_MAX) {
        return 0;
    }
    more = realloc(r->region, (index + 1) * sizeof(*more));
    if (!more) {
        return failure_memory(f);
    }
    /* Events that the machine cannot count are not counted in regions either. */
    for (i = 0; i < events; i++) {
        new.count[i].error = r->count[i].error;
    }
    r->region = more;
    r->region[r->regions++] = new;
    return 1;
}

static int add_sampled(struct result *r, uint64_t id, size_t event, struct failure *f)
{
    struct sampled *more = realloc(r->sampled, (r->n_sampled + 1) * sizeof(*more));

    if (!more) {
        return failure_memory(f);
    }
    r->sampled = more;
    r->sampled[r->n_sampled++] = (struct sampled){.id = id, .event = event};
    return 0;
}

/* parse_line() - Return: 1 if it is the last line, 0 if it is not, -1 with an error. */
static int parse_line(struct result *r, const char *line, size_t events, struct failure *f)
{
    struct count c = {.counted = true};
    int about_region = parse_region(r, line, events, f);
    uint64_t calls;
    long number;
    size_t i;

    if (about_region != 0) {
        return about_region > 0 ? 0 : -1;
    }
    if (strcmp(line, "end") == 0) {
        return 1;
    }
    if (strncmp(line, "error ", 6) == 0) {
        return failure_set(f, FAILURE_RUN, "in the machine: %s", line + 6);
    }
    if (strcmp(line, "ready") == 0) {
        return 0;
    }
    if (sscanf(line, "count %zu %" SCNu64 " %" SCNu64 " %" SCNu64, &i, &c.value, &c.enabled,
               &c.running) == 4 &&
        i < events) {
        r->count[i] = c;
        return 0;
    }
    if (sscanf(line, "uncounted %zu %d", &i, &c.error) == 2 && i < events) {
        c.counted = false;
        r->count[i] = c;
        return 0;
    }
    if (sscanf(line, "syscall %ld %" SCNu64, &number, &calls) == 2) {
        /* Programs may try numbers that do not exist. */
        if (number >= 0 && number < (long)RESULT_SYSCALLS_MAX) {
            r->syscall[number] = calls;
        }
        return 0;
    }
    if (sscanf(line, "sampled %zu %" SCNu64, &i, &calls) == 2 && i < events &&
        r->n_sampled < RESULT_SAMPLED_MAX) {
        return add_sampled(r, calls, i, f);
    }
    if (sscanf(line, "kernel %95s", r->kernel) == 1 || sscanf(line, "status %d", &r->status) == 1 ||
        sscanf(line, "failed %d", &r->failed) == 1 || sscanf(line, "killed %u", &r->killed) == 1) {
        return 0;
    }
    return failure_set(f, FAILURE_RUN, "the machine reported '%s', which is not a result", line);
}

int result_parse(struct result *r, char *text, size_t events, struct failure *f)
{
    int end = 0;

    memset(r, 0, sizeof(*r));
    for (char *line = text, *newline; !end && (newline = strchr(line, '\n')); line = newline + 1) {
        *newline = '\0';
        end = parse_line(r, line, events, f);
    }
    if (end == 0) {
        return failure_set(f, FAILURE_RUN, "the machine ended without a result");
    }
    return end < 0 ? -1 : 0;
}

void result_free(struct result *r)
{
    free(r->region);
    r->region = NULL;
    r->regions = 0;
    free(r->sampled);
    r->sampled = NULL;
    r->n_sampled = 0;
}

const struct region *result_region(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->regions; i++) {
        if (strcmp(r->region[i].name, name) == 0) {
            return &r->region[i];
        }
    }
    return NULL;
}

const struct result *result_worst(const struct result *results, size_t n)
{
    for (size_t run = 0; run < n; run++) {
        if (results[run].status != 0) {
            return &results[run];
        }
    }
    return &results[n - 1];
}

int result_exit_status(const struct result *r)
{
    return WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 128 + WTERMSIG(r->status);
}
