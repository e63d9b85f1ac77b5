/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes perf's file as tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h of Linux describe it. The byte order is the host's; perf detects
 * it.
 */
#include "perfdata/perfdata.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata/perfaccess.h"
#include "perfdata/perfbranch.h"
#include "perfdata/perffeatures.h"
#include "perfdata/perffile.h"
#include "perfdata/perfput.h"

/* The trailer of each record that is not a sample (sample_id_all): thread, time, CPU, id. */
static void put_id(struct perfdata *p, const struct perfdata_thread *of, uint64_t id)
{
    put_u32(p, of->pid);
    put_u32(p, of->tid);
    put_u64(p, of->time);
    put_u32(p, of->cpu);
    put_u32(p, 0);
    put_u64(p, id);
}

/*
 * At the end, @size is the size of the records and @mask has the features. Until then both are 0.
 */
static void put_header(struct perfdata *p, uint64_t size, const uint64_t mask[PERFFEATURES_WORDS])
{
    const struct perffile_header header = {
        .magic = PERFFILE_MAGIC,
        .size = sizeof(header),
        .attr_size = PERFPUT_ATTR_SIZE + sizeof(struct perffile_section),
        .attrs = {p->attributes, p->data - p->attributes},
        .data = {p->data, size},
        .features = {mask[0], mask[1], mask[2], mask[3]},
    };

    put(p, &header, sizeof(header));
}

static void put_name(struct perfdata *p, size_t event)
{
    put_begin(p, PERFFILE_RECORD_EVENT_UPDATE, 0);
    put_u64(p, PERFFILE_UPDATE_NAME);
    put_u64(p, put_id_of(p, event, 0));
    put_text(p, p->event[event].name, 8);
    put_end(p);
}

static void begin_file(struct perfdata *p)
{
    uint64_t ids = sizeof(struct perffile_header);

    p->attributes = ids + p->events * p->cpus * sizeof(uint64_t);
    p->data = p->attributes + p->events * (PERFPUT_ATTR_SIZE + sizeof(struct perffile_section));
    put_header(p, 0, (const uint64_t[PERFFEATURES_WORDS]){0});
    for (size_t i = 0; i < p->events; i++) {
        put_ids(p, i);
    }
    for (size_t i = 0; i < p->events; i++) {
        struct perffile_section section = {ids + i * p->cpus * sizeof(uint64_t),
                                           p->cpus * sizeof(uint64_t)};

        put_attr(p, i);
        put(p, &section, sizeof(section));
    }
    /*
     * Write the names as records too: the feature with the names is missing if the recorder is
     * killed.
     */
    for (size_t i = 0; i < p->events; i++) {
        put_name(p, i);
    }
}

static void begin_pipe(struct perfdata *p)
{
    put(p, PERFFILE_MAGIC, 8);
    put_u64(p, PERFFILE_PIPE_HEADER_SIZE);
    for (size_t i = 0; i < p->events; i++) {
        put_begin(p, PERFFILE_RECORD_ATTR, 0);
        put_attr(p, i);
        put_ids(p, i);
        put_end(p);
        put_name(p, i);
    }
    perffeatures_put_records(p);
}

void perfdata_begin(struct perfdata *p)
{
    p->first = UINT64_MAX;
    if (p->pipe) {
        begin_pipe(p);
    } else {
        begin_file(p);
    }
}

/* Records */

void perfdata_map(struct perfdata *p, enum perfdata_mode mode, uint32_t pid, uint64_t start,
                  uint64_t length, uint64_t offset, const char *name)
{

    put_begin(p, PERF_RECORD_MMAP, mode);
    put_u32(p, pid);
    put_u32(p, pid);
    put_u64(p, start);
    put_u64(p, length);
    put_u64(p, offset);
    put_text(p, name, 8);
    put_id(p, &(struct perfdata_thread){.pid = pid, .tid = pid}, put_id_of(p, 0, 0));
    put_end(p);
}

/* PERF_RECORD_MISC_MMAP_BUILD_ID: the record has a build ID instead of device and inode numbers. */
#define MISC_MAP_BUILD_ID (1u << 14)

void perfdata_code(struct perfdata *p, const struct perfdata_thread *thread,
                   const struct perfdata_code *code)
{
    unsigned char build_id[4 + PERFDATA_BUILD_ID] = {(unsigned char)code->build_id_size};

    if (code->build_id_size) {
        memcpy(build_id + 4, code->build_id, code->build_id_size);
    }
    if (p->branches && code->build_id_size) {
        file_ids_add(&p->ids, code->path, code->build_id, code->build_id_size);
    }
    put_begin(p, PERF_RECORD_MMAP2,
              PERFDATA_USER | (code->build_id_size ? MISC_MAP_BUILD_ID : 0) |
                  (code->is_data ? PERF_RECORD_MISC_MMAP_DATA : 0));
    put_u32(p, thread->pid);
    put_u32(p, thread->tid);
    put_u64(p, code->start);
    put_u64(p, code->length);
    put_u64(p, code->offset);
    put(p, build_id, sizeof(build_id));
    put_u32(p, code->is_data ? PROT_READ : PROT_READ | PROT_EXEC);
    put_u32(p, MAP_PRIVATE);
    put_text(p, code->path, 8);
    put_id(p, thread, put_id_of(p, 0, thread->cpu));
    put_end(p);
}

/* perf's name of memory without a file. */
#define ANONYMOUS "//anon"
/* Addresses of programs are below this, those of a Linux kernel are above. */
#define KERNELS (1ull << 55)

void perfdata_data(struct perfdata *p, uint32_t pid)
{
    static const unsigned char no_file[24];

    put_begin(p, PERF_RECORD_MMAP2, PERFDATA_USER | PERF_RECORD_MISC_MMAP_DATA);
    put_u32(p, pid);
    put_u32(p, pid);
    put_u64(p, 0);
    put_u64(p, KERNELS);
    put_u64(p, 0);
    put(p, no_file, sizeof(no_file));
    put_u32(p, PROT_READ | PROT_WRITE);
    put_u32(p, MAP_PRIVATE);
    put_text(p, ANONYMOUS, 8);
    put_id(p, &(struct perfdata_thread){.pid = pid, .tid = pid}, put_id_of(p, 0, 0));
    put_end(p);
}

void perfdata_comm(struct perfdata *p, const struct perfdata_thread *thread, const char *name)
{

    put_begin(p, PERF_RECORD_COMM, 0);
    put_u32(p, thread->pid);
    put_u32(p, thread->tid);
    put_text(p, name, 8);
    put_id(p, thread, put_id_of(p, 0, thread->cpu));
    put_end(p);
}

void perfdata_fork(struct perfdata *p, const struct perfdata_thread *thread, uint32_t parent_pid,
                   uint32_t parent_tid)
{
    put_begin(p, PERF_RECORD_FORK, 0);
    put_u32(p, thread->pid);
    put_u32(p, parent_pid);
    put_u32(p, thread->tid);
    put_u32(p, parent_tid);
    put_u64(p, thread->time);
    put_id(p, thread, put_id_of(p, 0, thread->cpu));
    put_end(p);
}

void perfdata_group(struct perfdata *p, uint64_t number, const char *path)
{

    if (p->branches) {
        return;
    }
    put_begin(p, PERF_RECORD_CGROUP, 0);
    put_u64(p, number);
    put_text(p, path, 8);
    put_id(p, &(struct perfdata_thread){0}, put_id_of(p, 0, 0));
    put_end(p);
}

static void put_values(struct perfdata *p, const struct perfdata_sample *s)
{
    put_u64(p, p->events);
    for (size_t i = 0; i < p->events; i++) {
        put_u64(p, s->values[i]);
        put_u64(p, put_id_of(p, i, s->cpu));
    }
}

/*
 * Returns how many entries of the chain belong to the kernel. The others belong to the program that
 * entered the kernel.
 */
static size_t kernels_part(const struct perfdata_sample *s)
{
    size_t n = 0;

    if (s->mode != PERFDATA_KERNEL || !(s->ip & KERNELS)) {
        return s->depth;
    }
    while (n < s->depth && s->chain[n] & KERNELS) {
        n++;
    }
    return n;
}

/* A chain begins with a marker of enum perf_callchain_context and the sampled address. */
static void put_chain(struct perfdata *p, const struct perfdata_sample *s, size_t own)
{
    static const uint64_t contexts[] = {
        [PERFDATA_KERNEL] = PERF_CONTEXT_KERNEL, [PERFDATA_USER] = PERF_CONTEXT_USER};
    size_t depth = s->registers ? own : s->depth;

    if (s->registers && s->mode == PERFDATA_USER) {
        put_u64(p, 0);
        return;
    }
    put_u64(p, depth + 2 + (own < depth));
    put_u64(p, contexts[s->mode]);
    put_u64(p, s->ip);
    put(p, s->chain, own * sizeof(s->chain[0]));
    if (own < depth) {
        put_u64(p, PERF_CONTEXT_USER);
        put(p, s->chain + own, (depth - own) * sizeof(s->chain[0]));
    }
}

static void put_stack(struct perfdata *p, const struct perfdata_sample *s)
{
    put_u64(p, s->registers ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
    if (s->registers) {
        put(p, s->registers, (size_t)__builtin_popcountll(p->registers) * sizeof(p->registers));
    }
    put_u64(p, s->stack_size);
    if (s->stack_size) {
        put(p, s->stack, s->stack_size);
        put_u64(p, s->stack_size);
    }
}

/* Writes the link register as the registers at the time of the sample. perf skips them. */
static void put_link(struct perfdata *p, const uint64_t *link)
{
    put_u64(p, link ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
    if (link) {
        put_u64(p, *link);
    }
}

static void put_branches(struct perfdata *p, const struct perfdata_sample *s)
{
    unsigned char entry[PERFBRANCH_SIZE];

    put_u64(p, s->branches);
    if (s->entries) {
        put(p, s->entries, s->branches * PERFBRANCH_SIZE);
        return;
    }
    for (size_t i = 0; i < s->branches; i++) {
        perfbranch_encode(entry, &s->branch[i], p->predictions);
        put(p, entry, sizeof(entry));
    }
}

void perfdata_sample(struct perfdata *p, const struct perfdata_sample *s)
{
    size_t own = kernels_part(s);

    put_begin(p, PERF_RECORD_SAMPLE, s->mode);
    put_u64(p, put_id_of(p, s->event, s->cpu));
    put_u64(p, s->ip);
    put_u32(p, s->pid);
    put_u32(p, s->tid);
    put_u64(p, s->time);
    if (p->accesses) {
        put_u64(p, s->access ? s->access->address : 0);
    }
    put_u32(p, s->cpu);
    put_u32(p, 0);
    put_u64(p, s->weight);
    if (p->group) {
        put_values(p, s);
    }
    if (p->chains) {
        put_chain(p, s, own);
    }
    if (p->branches) {
        put_branches(p, s);
    }
    if (p->registers) {
        put_stack(p, s);
    }
    if (p->spans) {
        put_u64(p, s->ns);
    }
    if (p->accesses) {
        put_u64(p, s->access ? s->access->latency : 0);
        put_u64(p, perfaccess_encode(s->access));
    }
    if (p->links) {
        put_link(p, s->link);
    }
    if (p->accesses) {
        put_u64(p, s->access && s->access->flags & VPMU_RECORD_PHYSICAL ? s->access->physical : 0);
    }
    if (!p->branches) {
        put_u64(p, s->group);
    }
    put_end(p);
    p->samples++;
    p->first = s->time < p->first ? s->time : p->first;
    p->last = s->time > p->last ? s->time : p->last;
}

void perfdata_lost(struct perfdata *p, uint32_t cpu, unsigned event, uint64_t time, uint64_t n)
{
    put_begin(p, PERF_RECORD_LOST_SAMPLES, 0);
    put_u64(p, n);
    put_id(p, &(struct perfdata_thread){.time = time, .cpu = cpu}, put_id_of(p, event, cpu));
    put_end(p);
}

/*
 * The header in the file gets a size, because perf rejects a size of 0, but no features, because
 * features mark a complete file.
 */
void perfdata_so_far(struct perfdata *p)
{
    uint64_t size;

    if (!p->pipe && !ferror(p->file) && fflush(p->file) == 0) {
        size = (uint64_t)ftello(p->file) - p->data;
        /* Ignore the error: writing the records will fail in the same way. */
        if (pwrite(fileno(p->file), &size, sizeof(size),
                   offsetof(struct perffile_header, data.size)) < 0) {
            return;
        }
    }
}

/* If the disk is full, the header stays as perfdata_so_far() wrote it, so the file can be read. */
static void end_file(struct perfdata *p)
{
    uint64_t mask[PERFFEATURES_WORDS] = {0};
    uint64_t end;

    perfdata_so_far(p);
    end = (uint64_t)ftello(p->file);
    if (ferror(p->file)) {
        return;
    }
    perffeatures_put(p, end, mask);
    if (fflush(p->file) == 0) {
        fseeko(p->file, 0, SEEK_SET);
        put_header(p, end - p->data, mask);
    }
}

/* Must fit in a record, whose size has 16 bits. */
#define MOST_SYMBOLS 60000u

/*
 * Writes one record with functions, starting at index @from. Returns the index of the first
 * function that did not fit.
 */
static size_t put_some_symbols(struct perfdata *p, size_t from)
{
    size_t next = p->functions->n;
    char *buf = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&buf, &size);

    if (file) {
        next = filesymbols_write_some(p->functions, p->used, from, MOST_SYMBOLS, file);
        if (fclose(file) == 0) {
            put_begin(p, PERFFILE_RECORD_EVENT_TYPE, 0);
            put(p, PERFFILE_SYMBOLS, 8);
            put(p, buf, size);
            put_align(p);
            put_end(p);
        }
    }
    free(buf);
    return next;
}

static void put_symbols_of_pipe(struct perfdata *p)
{
    size_t next = 0;

    while (p->functions && next < p->functions->n) {
        next = put_some_symbols(p, next);
    }
}

void perfdata_end(struct perfdata *p)
{
    if (p->pipe) {
        put_symbols_of_pipe(p);
        put_begin(p, PERFFILE_RECORD_FINISHED_ROUND, 0);
        put_end(p);
    } else {
        end_file(p);
    }
}

void perfdata_free(struct perfdata *p)
{
    file_ids_free(&p->ids);
}
