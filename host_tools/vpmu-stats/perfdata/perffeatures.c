/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata/perffeatures.h"

#include <string.h>

#include "base/hash.h"
#include "perfdata/perffile.h"
#include "perfdata/perfput.h"
#include "vpmu/version.h"

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
    put_begin(p, PERFFILE_RECORD_BUILD_ID, mode | MISC_BUILD_ID_SIZE);
    put_u32(p, PERFDATA_ALL);
    put(p, file->byte, FILE_ID_SIZE);
    put_u32(p, (uint32_t)file->size);
    put_text(p, file->path, PERFPUT_STRING_ALIGN);
    put_end(p);
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
    size_t len = strlen(text), zeroes = PERFPUT_STRING_ALIGN - len % PERFPUT_STRING_ALIGN;

    put_u32(p, (uint32_t)(len + zeroes));
    put(p, text, len);
    put_zeroes(p, zeroes);
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
    put_u32(p, PERFPUT_ATTR_SIZE);
    for (size_t i = 0; i < p->events; i++) {
        put_attr(p, i);
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

static bool has_feature(const struct perfdata *p, size_t i)
{
    return (!p->pipe || features[i].pipe) && (!features[i].has || features[i].has(p));
}

/* A feature that is too large for a record is left out. */
void perffeatures_put_records(struct perfdata *p)
{
    for (size_t i = 0; i < FEATURES; i++) {
        if (has_feature(p, i)) {
            put_begin(p, PERFFILE_RECORD_FEATURE, 0);
            put_u64(p, features[i].feature);
            features[i].put(p);
            put_align(p);
            put_end(p);
        }
    }
    put_build_id(p);
}

void perffeatures_put(struct perfdata *p, uint64_t at, uint64_t mask[PERFFEATURES_WORDS])
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
