/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates a machine's samples for perf: which record goes where, and where a file begins and
 * ends.
 */
#include "record/recording-parts.h"

#include <stdlib.h>
#include <string.h>

#include "perfdata/costs.h"

/* Begins a file with the names that each file has. */
static void begin_file(struct recording *r)
{
    perfdata_begin(&r->file);
    /* perf takes a file without any record for a truncated one. */
    perfdata_comm(&r->file, &(struct perfdata_thread){0}, "swapper");
    if (r->names.kernel.text) {
        recording_map_kernel(r);
    }
}

/* Returns how many events the file has after those for calls were added. */
static size_t add_call_events(struct recording *r)
{
    unsigned n = r->stream.start.events;

    if (!r->calls || n + 2 > VPMU_RECORD_EVENTS) {
        return n;
    }
    r->event[n++] = (struct perfdata_event){.name = PERFDATA_CALLS, .period = 1};
    r->event[n++] = (struct perfdata_event){.name = PERFDATA_CALLED, .period = 1};
    for (unsigned i = 1; i < r->stream.start.events && n < VPMU_RECORD_EVENTS; i++) {
        const char *name = costs_called(r->stream.event[i].name);

        if (name) {
            r->called[i] = n;
            r->event[n++] = (struct perfdata_event){.name = name, .period = 1};
        }
    }
    return n;
}

static int allocate(struct recording *r, struct error *t)
{
    r->cpus = calloc(r->stream.start.cpus, sizeof(*r->cpus));
    r->used = calloc(r->names.functions.n + 1, sizeof(*r->used));
    r->written = calloc(1, sizeof(*r->written));
    r->ids = calloc(1, sizeof(*r->ids));
    return r->cpus && r->used && r->written && r->ids &&
                   event_totals_begin(&r->totals, &r->stream, t) == 0
               ? 0
               : error_memory(t);
}

static void describe_file(struct recording *r)
{
    const struct stream *s = &r->stream;
    bool x86 = recording_is_x86(r);

    for (unsigned i = 0; i < s->start.events; i++) {
        r->event[i] = (struct perfdata_event){.name = s->event[i].name,
                                              .period = s->event[i].period,
                                              .frequency = s->event[i].frequency};
    }
    r->file.events = add_call_events(r);
    r->file.event = r->event;
    r->file.functions = &r->names.functions;
    r->file.used = r->used;
    r->file.arch = x86 ? "x86_64" : "aarch64";
    r->file.cpus = s->start.cpus;
    r->file.build_id = r->names.has_build_id ? r->names.build_id : NULL;
    r->file.start = s->start.time;
    r->file.links = r->file.chains && !x86;
    r->file.chains |= r->calls;
    r->file.registers = !r->keeps_stacks ? 0 : x86 ? VPMU_RECORD_REGS_X86 : VPMU_RECORD_REGS_ARM;
    r->file.stack = r->stack;
    r->file.predictions = s->start.flags & VPMU_RECORD_PREDICTIONS;
}

/* The events are known. */
static int begin(struct recording *r, struct error *t)
{
    char vdso[] = "[vdso]";

    if (allocate(r, t)) {
        return -1;
    }
    describe_file(r);
    begin_file(r);
    r->nested.is_x86 = recording_is_x86(r);
    r->ids->symfs = r->symfs;
    r->code.files.symfs = r->symfs;
    if (r->names.vdso && guest_code_give(&r->code, &(const struct kept_map){.path = vdso},
                                         r->names.vdso, r->names.vdso_size, t)) {
        return -1;
    }
    return r->stack ? program_stacks_begin(&r->stacks, r->stream.start.cpus, recording_is_x86(r),
                                           &r->code.files, t)
                    : 0;
}

static void take_lost(struct recording *r, const struct vpmu_record_lost *from)
{
    event_totals_lost(&r->totals, from);
    perfdata_lost(&r->file, from->head.cpu, from->event, from->time, from->samples);
}

static int take_count(struct recording *r, const struct vpmu_record_count *from, struct error *t)
{
    const struct event_totals_row *row = event_totals_row(&r->totals, from->head.cpu, from->event);

    if (event_totals_count(&r->totals, from, t)) {
        return -1;
    }
    if (row->lost > row->reported) {
        perfdata_lost(&r->file, from->head.cpu, from->event, r->file.last,
                      row->lost - row->reported);
    }
    return 0;
}

/* Keeps what the vCPU's next sample is about. */
static int keep(struct recording *r, const union stream_record *from, struct error *t)
{
    struct recording_cpu *runs = &r->cpus[from->head.cpu];

    switch (from->head.type) {
    case VPMU_RECORD_SPAN:
        runs->ns = from->span.ns;
        break;
    case VPMU_RECORD_ACCESS:
        runs->accessed = true;
        runs->access = from->access;
        break;
    case VPMU_RECORD_CALL:
    case VPMU_RECORD_JUMP:
        runs->calls = true;
        runs->call = from->call;
        break;
    case VPMU_RECORD_STACK:
        return r->stack ? program_stacks_take(&r->stacks, &from->stack, stream_stack(from), t) : 0;
    }
    return 0;
}

static int take(struct recording *r, const union stream_record *from, struct error *t)
{
    switch (from->head.type) {
    case VPMU_RECORD_EVENT:
        return begin(r, t);
    case VPMU_RECORD_SAMPLE:
        recording_sample(r, from);
        return 0;
    case VPMU_RECORD_THREAD:
        recording_thread(r, &from->thread);
        return 0;
    case VPMU_RECORD_MAP:
        return recording_map(r, &from->map, stream_path(from), t);
    case VPMU_RECORD_GUEST:
        recording_guest(r, &from->guest);
        return 0;
    case VPMU_RECORD_GUEST_THREAD:
        recording_guest_thread(r, &from->thread);
        return 0;
    case VPMU_RECORD_LOST:
        take_lost(r, &from->lost);
        return 0;
    case VPMU_RECORD_HOST:
        event_totals_host(&r->totals, &from->host);
        return 0;
    case VPMU_RECORD_COUNT:
        return take_count(r, &from->count, t);
    default:
        return keep(r, from, t);
    }
}

int recording_take(struct recording *r, const void *data, size_t n, struct error *t)
{
    int got;

    stream_put(&r->stream, data, n);
    while ((got = stream_next(&r->stream, t)) > 0) {
        if (take(r, &r->stream.record, t)) {
            return -1;
        }
    }
    if (got == 0 && stream_began(&r->stream)) {
        perfdata_so_far(&r->file);
    }
    return got;
}

static void end_file(struct recording *r)
{
    size_t n = nested_guests_symbols(&r->nested);
    struct filesymbols *symbols = reallocarray(r->symbols, n + r->code.given + 1, sizeof(*symbols));

    /* Without memory, these functions have no names. */
    if (symbols) {
        memcpy(symbols, r->nested.symbols, n * sizeof(*symbols));
        r->symbols = symbols;
        r->file.programs = symbols;
        r->file.n_programs = n + guest_code_symbols(&r->code, symbols + n);
    }
    perfdata_end(&r->file);
}

void recording_next(struct recording *r, FILE *next)
{
    end_file(r);
    perfdata_free(&r->file);
    r->file.file = next;
    r->file.attributes = r->file.data = r->file.last = r->file.samples = 0;
    memset(r->used, 0, r->names.functions.n * sizeof(*r->used));
    memset(r->written, 0, sizeof(*r->written));
    memset(&r->guest_maps, 0, sizeof(r->guest_maps));
    r->worlds = 0;
    memset(r->vmids, 0, sizeof(r->vmids));
    memset(r->svm, 0, sizeof(r->svm));
    nested_guests_next(&r->nested);
    guest_code_next(&r->code);
    begin_file(r);
    for (uint32_t cpu = 0; cpu < r->file.cpus; cpu++) {
        recording_repeat(r, cpu);
    }
}

int recording_finish(struct recording *r, struct error *t)
{
    if (r->totals.rows) {
        end_file(r);
    }
    return stream_close(&r->stream, t);
}

void recording_free(struct recording *r)
{
    perfdata_free(&r->file);
    guest_names_free(&r->names);
    nested_guests_free(&r->nested);
    free(r->used);
    free(r->written);
    free(r->ids);
    for (size_t i = 0; r->cpus && i < r->stream.start.cpus; i++) {
        kept_maps_free(&r->cpus[i].kept);
    }
    free(r->cpus);
    program_stacks_free(&r->stacks);
    guest_code_free(&r->code);
    free(r->symbols);
    event_totals_free(&r->totals);
}
