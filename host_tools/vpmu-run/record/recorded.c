/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes what init recorded as a file of perf's, with the names of all functions in it. */
#include "record/recorded.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "perfdata/costs.h"
#include "perfdata/perfdata.h"
#include "protocol.h"
#include "record/exact.h"
#include "record/names.h"
#include "record/raw.h"
#include "report/output.h"

/* Linux limits call chains to this. */
#define CHAIN_MAX 256u

struct writer {
    const struct recorded *of;
    struct perfdata file;
    uint64_t *samples, *lost, *bare;
};

/* event_of() - the event of a record; the number of events if it is unknown */
static size_t event_of(const struct writer *w, uint64_t id)
{
    const struct result *r = w->of->result;

    for (size_t i = 0; i < r->n_sampled; i++) {
        if (r->sampled[i].id == id) {
            return r->sampled[i].event;
        }
    }
    return id >= EXACT_OTHER ? id - EXACT_OTHER + w->of->job->events.n : w->file.events;
}

static struct perfdata_thread thread_of(const struct writer *w, const struct raw_record *r)
{
    return (struct perfdata_thread){.pid = r->at.pid,
                                    .tid = r->at.tid,
                                    .time = r->at.time,
                                    .cpu = r->at.cpu < w->file.cpus ? r->at.cpu : 0};
}

/* take_chain() - a chain without the sample's own address and marks of parts. Return: its size. */
static size_t take_chain(const struct raw_record *r, uint64_t *chain)
{
    uint64_t context = 0;
    size_t n = 0;
    bool own = true;

    for (uint64_t i = 0; i < r->at.n_chain && n < CHAIN_MAX; i++) {
        uint64_t address = perfsample_word(r->at.chain, i);
        bool mark = address >= (uint64_t)PERF_CONTEXT_MAX;

        /* The same mark again says of the next address that it is no return address. */
        if (mark ? address == context : !own || address != r->at.ip) {
            chain[n++] = address;
        }
        context = mark ? address : context;
        own = own && mark;
    }
    return n;
}

static void put_sample(struct writer *w, const struct raw_record *r)
{
    bool kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    struct perfdata_thread thread = thread_of(w, r);
    size_t event = event_of(w, r->at.id);
    uint64_t chain[CHAIN_MAX];

    if (event < w->file.events) {
        if (event < w->of->job->events.n) {
            w->samples[event]++;
        }
        *w->bare += r->at.registers && !r->at.stack_size;
        perfdata_sample(&w->file, &(struct perfdata_sample){
                                      .mode = kernel ? PERFDATA_KERNEL : PERFDATA_USER,
                                      .pid = thread.pid,
                                      .tid = thread.tid,
                                      .cpu = thread.cpu,
                                      .event = (unsigned)event,
                                      .time = r->at.time,
                                      .ip = r->at.ip,
                                      .weight = r->at.period,
                                      .chain = chain,
                                      .depth = take_chain(r, chain),
                                      .entries = r->at.branches,
                                      .branches = r->at.n_branches,
                                  });
    }
}

static void put_comm(struct writer *w, const struct raw_record *r)
{
    struct perfdata_thread thread = thread_of(w, r);
    struct bytes b = r->body;
    char name[16];

    thread.pid = bytes_u32(&b);
    thread.tid = bytes_u32(&b);
    if (!b.ended) {
        snprintf(name, sizeof(name), "%.*s", (int)(b.left < sizeof(name) ? b.left : sizeof(name)),
                 (const char *)b.at);
        format_tame(name);
        perfdata_comm(&w->file, &thread, name);
    }
}

static void put_fork(struct writer *w, const struct raw_record *r)
{
    struct perfdata_thread thread = thread_of(w, r);
    uint32_t parent_pid, parent_tid;

    if (names_fork(r, &thread.pid, &thread.tid, &parent_pid, &parent_tid)) {
        perfdata_fork(&w->file, &thread, parent_pid, parent_tid);
    }
}

static void put_map(struct writer *w, const struct raw_record *r)
{
    struct perfdata_thread thread = thread_of(w, r);
    struct names_map map;

    if (names_map(w->of->job, r, &map)) {
        format_tame(map.path);
        perfdata_code(&w->file, &thread,
                      &(struct perfdata_code){.start = map.start,
                                              .length = map.length,
                                              .offset = map.offset,
                                              .path = map.path,
                                              .build_id = map.build_id,
                                              .build_id_size = map.build_id_size});
    }
}

static void put_lost(struct writer *w, const struct raw_record *r)
{
    struct perfdata_thread thread = thread_of(w, r);
    struct bytes b = r->body;
    size_t event;
    uint64_t n;

    event = r->type == PERF_RECORD_LOST ? event_of(w, bytes_u64(&b)) : event_of(w, r->at.id);
    n = bytes_u64(&b);
    *w->lost += n;
    perfdata_lost(&w->file, thread.cpu, event < w->file.events ? (unsigned)event : 0, thread.time,
                  n);
}

static const struct {
    uint32_t type;
    void (*put)(struct writer *w, const struct raw_record *r);
} putters[] = {
    {PERF_RECORD_SAMPLE, put_sample}, {PERF_RECORD_COMM, put_comm},
    {PERF_RECORD_FORK, put_fork},     {PERF_RECORD_MMAP2, put_map},
    {PERF_RECORD_LOST, put_lost},     {PERF_RECORD_LOST_SAMPLES, put_lost},
};

static void put_records(struct writer *w, const struct names *names, const struct raw *raw)
{
    const struct symbols *kernel = &names->symbols;

    perfdata_begin(&w->file);
    if (kernel->end > kernel->text) {
        perfdata_map(&w->file, PERFDATA_KERNEL, PERFDATA_ALL, kernel->text,
                     kernel->end - kernel->text, kernel->text, "[kernel.kallsyms]_text");
    }
    for (size_t i = 0; i < raw->n; i++) {
        for (size_t k = 0; k < sizeof(putters) / sizeof(putters[0]); k++) {
            if (putters[k].type == raw->record[i].type) {
                putters[k].put(w, &raw->record[i]);
            }
        }
    }
    perfdata_end(&w->file);
    perfdata_free(&w->file);
}

/* init_writer() - @events: receives the events of the file */
static void init_writer(struct writer *w, const struct names *names,
                        struct perfdata_event events[EVENTS_MAX + 2 + 2 * COSTS_MAX])
{
    const struct job *job = w->of->job;

    for (size_t i = 0; i < job->events.n; i++) {
        /* The samples of a profile are all instructions. */
        events[i] = (struct perfdata_event){.name = job->events.event[i].name,
                                            .period = w->of->exact >= 0 ? 1 : job->record.period,
                                            .frequency = job->record.frequency};
    }
    w->file.event = events;
    w->file.events = job->events.n;
    if (w->of->calls) {
        events[w->file.events++] = (struct perfdata_event){.name = PERFDATA_CALLS, .period = 1};
        events[w->file.events++] = (struct perfdata_event){.name = PERFDATA_CALLED, .period = 1};
    }
    for (size_t i = 0; i < w->of->costs; i++) {
        events[w->file.events++] = (struct perfdata_event){.name = w->of->cost[i], .period = 1};
    }
    for (size_t i = 0; w->of->calls && i < w->of->costs; i++) {
        events[w->file.events++] =
            (struct perfdata_event){.name = costs_called(w->of->cost[i]), .period = 1};
    }
    w->file.cpus = w->of->cpus;
    if (job->record.branches) {
        w->file.branches = RUN_BRANCHES | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL;
    }
    w->file.chains = job->record.chains || w->of->calls;
    w->file.arch = w->of->machine == EM_X86_64 ? "x86_64" : "aarch64";
    w->file.host = "vpmu-run";
    w->file.release = w->of->result->kernel;
    w->file.command = w->of->command;
    w->file.words = w->of->words;
    w->file.functions = &names->kernel;
    w->file.used = names->used;
    w->file.programs = names->program;
    w->file.n_programs = names->n_programs;
}

/* add_exact() - the event's number in samples is that of any CPU */
static int add_exact(const struct recorded *r, struct raw *raw, struct exact_calls *calls,
                     struct failure *f)
{
    const struct result *result = r->result;

    return result->n_sampled == 0 ? failure_set(f, FAILURE_RUN, "the machine recorded nothing")
                                  : exact_add(raw,
                                              &(struct exact_profile){
                                                  .job = r->job,
                                                  .fd = r->exact,
                                                  .count = result->count[0].value,
                                                  .id = result->sampled[0].id,
                                                  .calls = r->calls,
                                                  .cost = r->cost,
                                                  .costs = r->costs,
                                              },
                                              calls, f);
}

int recorded_write(const struct recorded *r, const char *path, uint64_t *samples, uint64_t *lost,
                   uint64_t *bare, struct failure *f)
{
    struct perfdata_event events[EVENTS_MAX + 2 + 2 * COSTS_MAX];
    struct writer w = {.of = r, .samples = samples, .lost = lost, .bare = bare};
    struct names names = {0};
    struct output to;
    struct raw raw;
    struct exact_calls calls = {0};
    const struct raw_contents contents = {.chains = r->job->record.chains,
                                          .branches = r->job->record.branches,
                                          .stack = r->job->record.stack,
                                          .registers = r->job->record.registers};
    int err = raw_open(&raw, r->fd, &contents, f);

    memset(samples, 0, EVENTS_MAX * sizeof(*samples));
    *lost = *bare = 0;
    if (!err && r->exact >= 0) {
        err = add_exact(r, &raw, &calls, f);
    }
    err = err || names_find(&names, r->job, &raw, r->machine, f) != 0 ||
          output_open_recording(&to, path, f) != 0;
    if (!err) {
        init_writer(&w, &names, events);
        w.file.file = to.file;
        w.file.build_id = raw_build_id(&raw, PERFDATA_BUILD_ID);
        put_records(&w, &names, &raw);
        err = output_close(&to, true, f);
    }
    names_free(&names);
    raw_close(&raw);
    free(calls.chain);
    return err ? -1 : 0;
}
