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

#include "base/hash.h"
#include "perfdata/perfaccess.h"
#include "perfdata/perfbranch.h"
#include "perfdata/perffile.h"
#include "vpmu/version.h"

/* Events have the format of Linux 5.13. Later versions treat the missing fields as 0. */
#define ATTR_SIZE PERF_ATTR_SIZE_VER7
#define STRING_ALIGN 64

#define SAMPLE_TYPE                                                                                \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* Fields of samples with accesses. */
#define ACCESS_TYPE                                                                                \
    (PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR)

static void put(struct perfdata *p, const void *data, size_t size)
{
    fwrite(data, 1, size, p->file);
}

static void put_u32(struct perfdata *p, uint32_t value)
{
    put(p, &value, sizeof(value));
}

static void put_u64(struct perfdata *p, uint64_t value)
{
    put(p, &value, sizeof(value));
}

static void put_head(struct perfdata *p, uint32_t type, unsigned misc, size_t size)
{
    struct perf_event_header head = {.type = type, .misc = (uint16_t)misc, .size = (uint16_t)size};

    put(p, &head, sizeof(head));
}

static size_t padded(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

/*
 * Writes a string, zero-terminated and padded with zeroes to @size bytes. A longer string is cut.
 */
static void put_text(struct perfdata *p, const char *text, size_t size)
{
    size_t len = strnlen(text, size - 1);

    put(p, text, len);
    while (len++ < size) {
        fputc(0, p->file);
    }
}

/* Returns the size of a name in a record. Longer names are cut. */
static size_t text_size(const char *text)
{
    return padded(strnlen(text, 4000) + 1, 8);
}

static uint64_t id_of(const struct perfdata *p, size_t event, uint32_t cpu)
{
    return 1 + event * p->cpus + cpu;
}

/*
 * Size of the trailer of each record that is not a sample (sample_id_all): thread, time, CPU, id.
 */
#define ID_SIZE 32

static void put_id(struct perfdata *p, const struct perfdata_thread *of, uint64_t id)
{
    put_u32(p, of->pid);
    put_u32(p, of->tid);
    put_u64(p, of->time);
    put_u32(p, of->cpu);
    put_u32(p, 0);
    put_u64(p, id);
}

/* Start of the file */

/* The raw event number is only an index. perf shows the event's name. */
static struct perf_event_attr make_attr(const struct perfdata *p, size_t event)
{
    const struct perfdata_event *of = &p->event[event];

    return (struct perf_event_attr){
        .type = PERF_TYPE_RAW,
        .size = ATTR_SIZE,
        .config = event,
        .sample_period = of->frequency ? of->frequency : of->period,
        .sample_type = SAMPLE_TYPE | (p->group ? PERF_SAMPLE_READ : 0) |
                       (p->chains ? PERF_SAMPLE_CALLCHAIN : 0) |
                       (p->links ? PERF_SAMPLE_REGS_INTR : 0) |
                       (p->spans ? PERF_SAMPLE_WEIGHT : 0) | (p->accesses ? ACCESS_TYPE : 0) |
                       (p->branches ? PERF_SAMPLE_BRANCH_STACK : PERF_SAMPLE_CGROUP),
        .branch_sample_type = p->branches,
        .sample_regs_intr = p->links ? PERFFILE_REGISTER_LINK : 0,
        .read_format = p->group ? PERF_FORMAT_ID | PERF_FORMAT_GROUP : 0,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .freq = of->frequency != 0,
        .sample_id_all = 1,
        .cgroup = !p->branches,
    };
}

static void put_ids(struct perfdata *p, size_t event)
{
    for (uint32_t cpu = 0; cpu < p->cpus; cpu++) {
        put_u64(p, id_of(p, event, cpu));
    }
}

/* Number of words in the bit mask of features. */
#define FEATURE_WORDS 4

/*
 * At the end, @size is the size of the records and @mask has the features. Until then both are 0.
 */
static void put_header(struct perfdata *p, uint64_t size, const uint64_t mask[FEATURE_WORDS])
{
    const struct perffile_header header = {
        .magic = PERFFILE_MAGIC,
        .size = sizeof(header),
        .attr_size = ATTR_SIZE + sizeof(struct perffile_section),
        .attrs = {p->attributes, p->data - p->attributes},
        .data = {p->data, size},
        .features = {mask[0], mask[1], mask[2], mask[3]},
    };

    put(p, &header, sizeof(header));
}

static void put_name(struct perfdata *p, size_t event)
{
    size_t size = text_size(p->event[event].name);

    put_head(p, PERFFILE_RECORD_EVENT_UPDATE, 0, 24 + size);
    put_u64(p, PERFFILE_UPDATE_NAME);
    put_u64(p, id_of(p, event, 0));
    put_text(p, p->event[event].name, size);
}

static void begin_file(struct perfdata *p)
{
    uint64_t ids = sizeof(struct perffile_header);

    p->attributes = ids + p->events * p->cpus * sizeof(uint64_t);
    p->data = p->attributes + p->events * (ATTR_SIZE + sizeof(struct perffile_section));
    put_header(p, 0, (const uint64_t[FEATURE_WORDS]){0});
    for (size_t i = 0; i < p->events; i++) {
        put_ids(p, i);
    }
    for (size_t i = 0; i < p->events; i++) {
        struct perf_event_attr attr = make_attr(p, i);
        struct perffile_section section = {ids + i * p->cpus * sizeof(uint64_t),
                                           p->cpus * sizeof(uint64_t)};

        put(p, &attr, ATTR_SIZE);
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

static void put_features_of_pipe(struct perfdata *p);
static void put_build_id(struct perfdata *p);

static void begin_pipe(struct perfdata *p)
{
    put(p, PERFFILE_MAGIC, 8);
    put_u64(p, PERFFILE_PIPE_HEADER_SIZE);
    for (size_t i = 0; i < p->events; i++) {
        struct perf_event_attr attr = make_attr(p, i);

        put_head(p, PERFFILE_RECORD_ATTR, 0,
                 sizeof(struct perf_event_header) + ATTR_SIZE + p->cpus * 8);
        put(p, &attr, ATTR_SIZE);
        put_ids(p, i);
        put_name(p, i);
    }
    put_features_of_pipe(p);
    put_build_id(p);
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
    size_t size = text_size(name);

    put_head(p, PERF_RECORD_MMAP, mode, sizeof(struct perf_event_header) + 32 + size + ID_SIZE);
    put_u32(p, pid);
    put_u32(p, pid);
    put_u64(p, start);
    put_u64(p, length);
    put_u64(p, offset);
    put_text(p, name, size);
    put_id(p, &(struct perfdata_thread){.pid = pid, .tid = pid}, id_of(p, 0, 0));
}

/* PERF_RECORD_MISC_MMAP_BUILD_ID: the record has a build ID instead of device and inode numbers. */
#define MISC_MAP_BUILD_ID (1u << 14)

void perfdata_code(struct perfdata *p, const struct perfdata_thread *thread,
                   const struct perfdata_code *code)
{
    unsigned char build_id[4 + PERFDATA_BUILD_ID] = {(unsigned char)code->build_id_size};
    size_t size = text_size(code->path);

    if (code->build_id_size) {
        memcpy(build_id + 4, code->build_id, code->build_id_size);
    }
    if (p->branches && code->build_id_size) {
        file_ids_add(&p->ids, code->path, code->build_id, code->build_id_size);
    }
    put_head(p, PERF_RECORD_MMAP2, PERFDATA_USER | (code->build_id_size ? MISC_MAP_BUILD_ID : 0),
             sizeof(struct perf_event_header) + 64 + size + ID_SIZE);
    put_u32(p, thread->pid);
    put_u32(p, thread->tid);
    put_u64(p, code->start);
    put_u64(p, code->length);
    put_u64(p, code->offset);
    put(p, build_id, sizeof(build_id));
    put_u32(p, PROT_READ | PROT_EXEC);
    put_u32(p, MAP_PRIVATE);
    put_text(p, code->path, size);
    put_id(p, thread, id_of(p, 0, thread->cpu));
}

/* perf's name of memory without a file. */
#define ANONYMOUS "//anon"
/* Addresses of programs are below this, those of a Linux kernel are above. */
#define KERNELS (1ull << 55)

void perfdata_data(struct perfdata *p, uint32_t pid)
{
    static const unsigned char no_file[24];
    size_t size = text_size(ANONYMOUS);

    put_head(p, PERF_RECORD_MMAP2, PERFDATA_USER | PERF_RECORD_MISC_MMAP_DATA,
             sizeof(struct perf_event_header) + 64 + size + ID_SIZE);
    put_u32(p, pid);
    put_u32(p, pid);
    put_u64(p, 0);
    put_u64(p, KERNELS);
    put_u64(p, 0);
    put(p, no_file, sizeof(no_file));
    put_u32(p, PROT_READ | PROT_WRITE);
    put_u32(p, MAP_PRIVATE);
    put_text(p, ANONYMOUS, size);
    put_id(p, &(struct perfdata_thread){.pid = pid, .tid = pid}, id_of(p, 0, 0));
}

void perfdata_comm(struct perfdata *p, const struct perfdata_thread *thread, const char *name)
{
    size_t size = text_size(name);

    put_head(p, PERF_RECORD_COMM, 0, sizeof(struct perf_event_header) + 8 + size + ID_SIZE);
    put_u32(p, thread->pid);
    put_u32(p, thread->tid);
    put_text(p, name, size);
    put_id(p, thread, id_of(p, 0, thread->cpu));
}

void perfdata_fork(struct perfdata *p, const struct perfdata_thread *thread, uint32_t parent_pid,
                   uint32_t parent_tid)
{
    put_head(p, PERF_RECORD_FORK, 0, sizeof(struct perf_event_header) + 24 + ID_SIZE);
    put_u32(p, thread->pid);
    put_u32(p, parent_pid);
    put_u32(p, thread->tid);
    put_u32(p, parent_tid);
    put_u64(p, thread->time);
    put_id(p, thread, id_of(p, 0, thread->cpu));
}

void perfdata_group(struct perfdata *p, uint64_t number, const char *path)
{
    size_t size = text_size(path);

    if (p->branches) {
        return;
    }
    put_head(p, PERF_RECORD_CGROUP, 0, sizeof(struct perf_event_header) + 8 + size + ID_SIZE);
    put_u64(p, number);
    put_text(p, path, size);
    put_id(p, &(struct perfdata_thread){0}, id_of(p, 0, 0));
}

static void put_values(struct perfdata *p, const struct perfdata_sample *s)
{
    put_u64(p, p->events);
    for (size_t i = 0; i < p->events; i++) {
        put_u64(p, s->values[i]);
        put_u64(p, id_of(p, i, s->cpu));
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

    put_u64(p, s->depth + 2 + (own < s->depth));
    put_u64(p, contexts[s->mode]);
    put_u64(p, s->ip);
    put(p, s->chain, own * sizeof(s->chain[0]));
    if (own < s->depth) {
        put_u64(p, PERF_CONTEXT_USER);
        put(p, s->chain + own, (s->depth - own) * sizeof(s->chain[0]));
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

/* Returns the size of the fields that not every file has. */
static size_t size_of_more(const struct perfdata *p, const struct perfdata_sample *s, size_t own)
{
    size_t values = p->group ? 8 + 16 * p->events : 0;
    size_t chain = p->chains ? 24 + 8 * (s->depth + (own < s->depth)) : 0;
    size_t branches = p->branches ? 8 + PERFBRANCH_SIZE * s->branches : 0;
    size_t group = p->branches ? 0 : 8;
    size_t links = p->links ? (s->link ? 16 : 8) : 0;
    size_t access = p->accesses ? 32 : 0;

    return values + chain + branches + links + group + access + (p->spans ? 8 : 0);
}

void perfdata_sample(struct perfdata *p, const struct perfdata_sample *s)
{
    size_t own = kernels_part(s);

    put_head(p, PERF_RECORD_SAMPLE, s->mode,
             sizeof(struct perf_event_header) + 48 + size_of_more(p, s, own));
    put_u64(p, id_of(p, s->event, s->cpu));
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
    p->samples++;
    p->first = s->time < p->first ? s->time : p->first;
    p->last = s->time > p->last ? s->time : p->last;
}

void perfdata_lost(struct perfdata *p, uint32_t cpu, unsigned event, uint64_t time, uint64_t n)
{
    put_head(p, PERF_RECORD_LOST_SAMPLES, 0, sizeof(struct perf_event_header) + 8 + ID_SIZE);
    put_u64(p, n);
    put_id(p, &(struct perfdata_thread){.time = time, .cpu = cpu}, id_of(p, event, cpu));
}

/* Features: at the end of a file, at the beginning of a pipe */

static size_t string_size(const char *text)
{
    return padded(strlen(text) + 1, STRING_ALIGN);
}

/* PERF_RECORD_MISC_BUILD_ID_SIZE */
#define MISC_BUILD_ID_SIZE (1u << 15)

/*
 * The name of the kernel's file. perf takes a kernel with the name "[kernel.kallsyms]" for that of
 * the host: perf inject -b and perf buildid-cache would copy the host's functions into perf's
 * cache, as those of the kernel with this build ID. It is a path, but perf shows its last part
 * only.
 */
#define KERNEL_FILE "/guest/[kernel.kallsyms]"

_Static_assert(PERFDATA_BUILD_ID == FILE_ID_SIZE, "size of a build ID in the record");

static void put_build_id_of(struct perfdata *p, enum perfdata_mode mode, const struct file_id *file)
{
    size_t size = padded(strnlen(file->path, 4000) + 1, STRING_ALIGN);

    put_head(p, PERFFILE_RECORD_BUILD_ID, mode | MISC_BUILD_ID_SIZE,
             sizeof(struct perf_event_header) + 28 + size);
    put_u32(p, PERFDATA_ALL);
    put(p, file->byte, FILE_ID_SIZE);
    put_u32(p, (uint32_t)file->size);
    put_text(p, file->path, size);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? hash_more(hash, text, strlen(text) + 1) : hash;
}

/*
 * Makes a build ID. If a kernel has none, perf shows the functions of the host's kernel. If all
 * kernels had the same one, perf would show the functions of another guest that are in its cache.
 * Two recordings of the same run have the same ID.
 */
static void make_build_id(const struct perfdata *p, unsigned char id[PERFDATA_BUILD_ID])
{
    uint64_t hash = hash_more(HASH_SEED, &p->start, sizeof(p->start));

    hash = hash_text(hash_text(hash_text(hash, p->arch), p->host), p->release);
    for (int i = 0; i < p->words; i++) {
        hash = hash_text(hash, p->command[i]);
    }
    for (size_t i = 0; p->functions && i < p->functions->n; i++) {
        const struct function *f = &p->functions->function[i];

        hash = hash_text(hash_more(hash, &f->start, sizeof(f->start)), f->name);
    }
    for (size_t i = 0; i < PERFDATA_BUILD_ID; i++) {
        hash = hash_more(hash, &i, sizeof(i));
        id[i] = (unsigned char)(hash >> 32);
    }
}

static void put_build_id(struct perfdata *p)
{
    static char path[] = KERNEL_FILE;
    struct file_id file = {.path = path, .size = PERFDATA_BUILD_ID};

    if (p->build_id) {
        memcpy(file.byte, p->build_id, PERFDATA_BUILD_ID);
    } else {
        make_build_id(p, file.byte);
    }
    put_build_id_of(p, PERFDATA_KERNEL, &file);
}

/* perf2bolt looks for the program here, not among the mappings. */
static void put_build_ids(struct perfdata *p)
{
    put_build_id(p);
    for (size_t i = 0; i < p->ids.n; i++) {
        put_build_id_of(p, PERFDATA_USER, &p->ids.file[i]);
    }
}

/* Writes a struct perf_header_string. */
static void put_string(struct perfdata *p, const char *text)
{
    put_u32(p, (uint32_t)string_size(text));
    put_text(p, text, string_size(text));
}

static void put_hostname(struct perfdata *p)
{
    put_string(p, p->host);
}

static void put_osrelease(struct perfdata *p)
{
    put_string(p, p->release ? p->release : "unknown");
}

static void put_version(struct perfdata *p)
{
    put_string(p, "vpmu-stats " VPMU_VERSION);
}

static void put_arch(struct perfdata *p)
{
    put_string(p, p->arch);
}

static void put_cpus(struct perfdata *p)
{
    put_u32(p, p->cpus);
    put_u32(p, p->cpus);
}

static void put_cpudesc(struct perfdata *p)
{
    put_string(p, "virtual CPU, sampled from outside");
}

static void put_cmdline(struct perfdata *p)
{
    put_u32(p, (uint32_t)p->words);
    for (int i = 0; i < p->words; i++) {
        put_string(p, p->command[i]);
    }
}

static void put_event_desc(struct perfdata *p)
{
    put_u32(p, (uint32_t)p->events);
    put_u32(p, ATTR_SIZE);
    for (size_t i = 0; i < p->events; i++) {
        struct perf_event_attr attr = make_attr(p, i);

        put(p, &attr, ATTR_SIZE);
        put_u32(p, p->cpus);
        put_string(p, p->event[i].name);
        put_ids(p, i);
    }
}

/* perf c2c needs to know the nodes. There is one, with all vCPUs. */
static void put_numa_topology(struct perfdata *p)
{
    char cpus[32];

    snprintf(cpus, sizeof(cpus), p->cpus > 1 ? "0-%u" : "0", p->cpus - 1);
    put_u32(p, 1);
    put_u32(p, 0);
    put_u64(p, 0);
    put_u64(p, 0);
    put_string(p, cpus);
}

static bool has_accesses(const struct perfdata *p)
{
    return p->accesses;
}

/* Tells perf report to expect branches. The feature has no contents. */
static void put_branch_stack(struct perfdata *p)
{
    (void)p;
}

static void put_group_desc(struct perfdata *p)
{
    put_u32(p, 1);
    put_string(p, "{anon_group}");
    put_u32(p, 0);
    put_u32(p, (uint32_t)p->events);
}

static void put_sample_time(struct perfdata *p)
{
    put_u64(p, p->samples ? p->first : 0);
    put_u64(p, p->last);
}

static bool has_kernel(const struct perfdata *p)
{
    return p->functions && p->functions->n;
}

static void put_symbols(struct perfdata *p)
{
    if (has_kernel(p)) {
        filesymbols_write(p->functions, p->used, p->file);
    }
    for (size_t i = 0; i < p->n_programs; i++) {
        filesymbols_write_program(&p->programs[i], p->file);
    }
}

static bool has_group(const struct perfdata *p)
{
    return p->group;
}

static bool has_branches(const struct perfdata *p)
{
    return p->branches;
}

static bool has_symbols(const struct perfdata *p)
{
    return has_kernel(p) || p->n_programs;
}

/* Sorted by number. */
static const struct {
    unsigned feature;
    void (*put)(struct perfdata *p);
    bool pipe; /* known before the first sample, and accepted by perf in a pipe */
    bool (*has)(const struct perfdata *p);
} features[] = {
    {PERFFILE_FEATURE_BUILD_ID, put_build_ids, false, NULL},
    {PERFFILE_FEATURE_HOSTNAME, put_hostname, true, NULL},
    {PERFFILE_FEATURE_OSRELEASE, put_osrelease, true, NULL},
    {PERFFILE_FEATURE_VERSION, put_version, true, NULL},
    {PERFFILE_FEATURE_ARCH, put_arch, true, NULL},
    {PERFFILE_FEATURE_NRCPUS, put_cpus, true, NULL},
    {PERFFILE_FEATURE_CPUDESC, put_cpudesc, true, NULL},
    {PERFFILE_FEATURE_CMDLINE, put_cmdline, true, NULL},
    {PERFFILE_FEATURE_EVENT_DESC, put_event_desc, true, NULL},
    {PERFFILE_FEATURE_NUMA_TOPOLOGY, put_numa_topology, true, has_accesses},
    {PERFFILE_FEATURE_BRANCH_STACK, put_branch_stack, false, has_branches},
    {PERFFILE_FEATURE_GROUP_DESC, put_group_desc, true, has_group},
    {PERFFILE_FEATURE_SAMPLE_TIME, put_sample_time, false, NULL},
    {FILESYMBOLS_FEATURE, put_symbols, false, has_symbols},
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

/* Writes a feature as a record, unless it is too large for a record's 16-bit size. */
static void put_feature_record(struct perfdata *p, size_t i)
{
    struct perfdata feature = *p;
    char *buf = NULL;
    size_t size = 0;
    size_t whole;

    feature.file = open_memstream(&buf, &size);
    if (!feature.file) {
        return;
    }
    features[i].put(&feature);
    whole =
        fclose(feature.file) ? SIZE_MAX : padded(sizeof(struct perf_event_header) + 8 + size, 8);
    if (whole <= UINT16_MAX) {
        put_head(p, PERFFILE_RECORD_FEATURE, 0, whole);
        put_u64(p, features[i].feature);
        put(p, buf, size);
        put(p, "\0\0\0\0\0\0\0", whole - sizeof(struct perf_event_header) - 8 - size);
    }
    free(buf);
}

static bool has_feature(const struct perfdata *p, size_t i)
{
    return (!p->pipe || features[i].pipe) && (!features[i].has || features[i].has(p));
}

static void put_features_of_pipe(struct perfdata *p)
{
    for (size_t i = 0; i < FEATURES; i++) {
        if (has_feature(p, i)) {
            put_feature_record(p, i);
        }
    }
}

/*
 * Writes the features after the records: first a table of their positions, then their contents.
 * Sets their bits in @mask.
 */
static void put_features_of_file(struct perfdata *p, uint64_t at, uint64_t mask[FEATURE_WORDS])
{
    struct perffile_section sections[FEATURES];
    size_t n = 0;

    for (size_t i = 0; i < FEATURES; i++) {
        n += has_feature(p, i);
    }
    fseeko(p->file, (off_t)(at + n * sizeof(sections[0])), SEEK_SET);
    n = 0;
    for (size_t i = 0; i < FEATURES; i++) {
        if (has_feature(p, i)) {
            sections[n].offset = (uint64_t)ftello(p->file);
            features[i].put(p);
            sections[n].size = (uint64_t)ftello(p->file) - sections[n].offset;
            mask[features[i].feature / 64] |= 1ull << features[i].feature % 64;
            n++;
        }
    }
    fseeko(p->file, (off_t)at, SEEK_SET);
    put(p, sections, n * sizeof(sections[0]));
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
    uint64_t mask[FEATURE_WORDS] = {0};
    uint64_t end;

    perfdata_so_far(p);
    end = (uint64_t)ftello(p->file);
    if (ferror(p->file)) {
        return;
    }
    put_features_of_file(p, end, mask);
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
    static const char zeroes[8];
    size_t next = p->functions->n;
    char *buf = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&buf, &size);

    if (file) {
        next = filesymbols_write_some(p->functions, p->used, from, MOST_SYMBOLS, file);
        if (fclose(file) == 0) {
            put_head(p, PERFFILE_RECORD_EVENT_TYPE, 0,
                     sizeof(struct perf_event_header) + 8 + padded(size, 8));
            put(p, PERFFILE_SYMBOLS, 8);
            put(p, buf, size);
            put(p, zeroes, padded(size, 8) - size);
        }
    }
    free(buf);
    return next;
}

static void put_symbols_of_pipe(struct perfdata *p)
{
    size_t next = 0;

    while (has_kernel(p) && next < p->functions->n) {
        next = put_some_symbols(p, next);
    }
}

void perfdata_end(struct perfdata *p)
{
    if (p->pipe) {
        put_symbols_of_pipe(p);
        put_head(p, PERFFILE_RECORD_FINISHED_ROUND, 0, sizeof(struct perf_event_header));
    } else {
        end_file(p);
    }
}

void perfdata_free(struct perfdata *p)
{
    file_ids_free(&p->ids);
}
