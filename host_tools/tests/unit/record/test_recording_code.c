/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording makes of functions: those that samples are in, and what the link register is. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "vpmu/arm/observer.h"

#include "fixtures/kernels.h"
#include "fixtures/streams.h"
#include "perfdata/perfreader.h"
#include "record/recording.h"
#include "unit/tests.h"

#define KERNEL 0xffff800080000000ull

static void add_function(struct functions *f, uint64_t start, const char *name)
{
    struct error t = {0};

    ck_assert_int_eq(functions_add(f,
                                   &(struct function){.start = start,
                                                      .end = start + 0x1000,
                                                      .name = (char *)(uintptr_t)name},
                                   &t),
                     0);
}

/* Adds a sample with a chain. */
static void add_sample(struct made_stream *m, uint64_t pc, const uint64_t *chain, unsigned n)
{
    size_t at = m->size;

    streams_sample(m, 0, 0, 0, n);
    memcpy(m->bytes + at + offsetof(struct vpmu_record_sample, pc), &pc, sizeof(pc));
    memcpy(m->bytes + at + sizeof(struct vpmu_record_sample), chain, n * sizeof(*chain));
}

/* Makes a file from a stream and opens it. */
static void make_file(struct recording *r, const struct made_stream *m, struct perfreader *reader)
{
    struct error t = {0};

    r->file.host = "host";
    r->file.file = r->file.file ? r->file.file : tmpfile();
    ck_assert_msg(recording_take(r, m->bytes, m->size, &t) == 0, "%s", t.text);
    ck_assert_int_eq(recording_finish(r, &t), 0);
    *reader = (struct perfreader){.name = "FILE", .stop_fd = -1};
    ck_assert_msg(perfreader_open(reader, r->file.file, &t) == 0, "%s", t.text);
}

static void close_file(struct recording *r, struct perfreader *reader)
{
    perfreader_close(reader);
    fclose(r->file.file);
    recording_free(r);
}

static int see_chain(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                     struct error *t)
{
    char *seen = opaque;

    (void)event, (void)mode, (void)t;
    /* The first two words are the marker of the kernel and the sample's own address. */
    for (uint64_t i = 2; i < s->n_chain; i++) {
        seen += sprintf(seen, "%llx ", (unsigned long long)perfsample_word(s->chain, i) & 0xffff);
    }
    if (s->has_link) {
        sprintf(seen, "link %llx", (unsigned long long)s->link & 0xffff);
    }
    return 0;
}

/*
 * The link register is in the chain if it is a return address: it points to another function. If a
 * function's name is unknown, it is kept as a register. On x86-64 the chain has no link register.
 */
START_TEST(code_links)
{
    static const struct {
        const char *row;
        unsigned flags, n;
        uint64_t pc, chain[2]; /* from KERNEL on */
        const char *seen;
    } rows[] = {
        {"caller", 0, 2, 0x1010, {0x2010, 0x2500}, "2010 2500 "},
        {"caller's last call", 0, 1, 0x1010, {0x3000}, "3000 "},
        {"itself", 0, 2, 0x1010, {0x1100, 0x2500}, "2500 "},
        {"itself, alone", 0, 1, 0x1010, {0x1100}, ""},
        {"in the frame, too", 0, 2, 0x1010, {0x2010, 0x2010}, "2010 "},
        {"unknown function", 0, 2, 0x9010, {0x2010, 0x2500}, "2500 link 2010"},
        {"unknown caller", 0, 2, 0x1010, {0x9010, 0x2500}, "2500 link 9010"},
        {"unknown, alone", 0, 1, 0x9010, {0x2010}, "link 2010"},
        {"no chain", 0, 0, 0x1010, {0}, ""},
        {"x86", VPMU_RECORD_X86, 2, 0x9010, {0x2010, 0x2500}, "2010 2500 "},
    };
    static const struct perfreader_ops ops = {.sample = see_chain};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t chain[] = {KERNEL + rows[i].chain[0], KERNEL + rows[i].chain[1]};
        struct recording r = {.file.chains = true};
        struct perfreader reader;
        struct error t = {0};
        struct made_stream m;
        char seen[64] = "";

        add_function(&r.names.functions, KERNEL + 0x1000, "first");
        add_function(&r.names.functions, KERNEL + 0x2000, "second");
        streams_begin(&m, 1, 1, rows[i].flags);
        add_sample(&m, KERNEL + rows[i].pc, chain, rows[i].n);
        streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
        streams_end(&m);
        make_file(&r, &m, &reader);
        ck_assert_int_eq(perfreader_walk(&reader, &ops, seen, &t), 0);
        ck_assert_msg(strcmp(seen, rows[i].seen) == 0, "%s: expected '%s' got '%s'", rows[i].row,
                      rows[i].seen, seen);
        close_file(&r, &reader);
    }
}
END_TEST

/* A chain of one address has nothing behind it: neither 1 nor what a longer chain had there. */
START_TEST(code_links_alone)
{
    static const struct perfreader_ops ops = {.sample = see_chain};
    static const uint64_t links[] = {1, 0x2010};

    for (size_t i = 0; i < COUNT_OF(links); i++) {
        const uint64_t before[] = {0x3010, 0x2010};
        struct recording r = {.file.chains = true};
        struct perfreader reader;
        struct error t = {0};
        struct made_stream m;
        char seen[64] = "", want[64];

        streams_begin(&m, 1, 1, 0);
        add_sample(&m, KERNEL, before, 2);
        add_sample(&m, KERNEL, &links[i], 1);
        streams_count(&m, &(struct vpmu_record_count){.count = 200, .weight = 200, .samples = 2});
        streams_end(&m);
        make_file(&r, &m, &reader);
        ck_assert_int_eq(perfreader_walk(&reader, &ops, seen, &t), 0);
        snprintf(want, sizeof(want), "link %llx", (unsigned long long)links[i]);
        ck_assert_str_eq(seen, want);
        close_file(&r, &reader);
    }
}
END_TEST

/* What a recording knows. */
enum {
    COPIED = 1,
    THREADS = 2,
    MAPS = 4,
    ALL = 7
};

static const struct {
    const char *row;
    unsigned knows, flags, world, el, n;
    uint64_t pc, chain[3]; /* the program's code: 0x1000 to 0x3000 */
    const char *seen;
} ends[] = {
    {"program", ALL, VPMU_RECORD_X86, 0, 0, 3, 0x1010, {0x2010, 0x5000, 0x2020}, "2010 "},
    {"its end", ALL, VPMU_RECORD_X86, 0, 0, 3, 0x1010, {0x2fff, 0x1000, 0x3000}, "2fff 1000 "},
    {"no stacks", THREADS | MAPS, VPMU_RECORD_X86, 0, 0, 2, 0x1010, {0x5000, 0x2010}, "5000 2010 "},
    {"no threads", COPIED | MAPS, VPMU_RECORD_X86, 0, 0, 2, 0x1010, {0x5000, 0x2010}, "5000 2010 "},
    {"no maps", COPIED | THREADS, VPMU_RECORD_X86, 0, 0, 2, 0x1010, {0x5000, 0x2010}, "5000 2010 "},
    {"guest", ALL, VPMU_RECORD_X86, VPMU_WORLD_GUEST, 0, 2, 0x1010, {0x5000, 0x2010}, "5000 2010 "},
    {"kernel",
     ALL,
     VPMU_RECORD_X86,
     0,
     1,
     3,
     KERNEL,
     {KERNEL + 0x10, 0x2010, 0x5000},
     "10 fe00 2010 "},
    {"kernel again", ALL, VPMU_RECORD_X86, 0, 0, 2, 0x1010, {0x2010, KERNEL + 0x10}, "2010 "},
    {"link", ALL, 0, 0, 0, 2, 0x1010, {0x2010, 0x2020}, "2020 link 2010"},
    {"link to the end", ALL, 0, 0, 0, 1, 0x1010, {0x3000}, "link 3000"},
    {"link elsewhere", ALL, 0, 0, 0, 2, 0x1010, {0x1000, 0x2020}, "2020 "},
};

/*
 * If stacks are copied, a program's chain ends before an address that is not in its code, and so
 * does the link register. Nobody knows the code of a guest's program, or without threads and
 * mappings.
 */
START_TEST(code_ends)
{
    static const struct perfreader_ops ops = {.sample = see_chain};

    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        struct recording r = {.file.chains = true,
                              .stack = ends[i].knows & COPIED ? 8192 : 0,
                              .names.has_threads = ends[i].knows & THREADS,
                              .names.layout.has_maps = ends[i].knows & MAPS};
        struct perfreader reader;
        struct error t = {0};
        struct made_stream m;
        char seen[64] = "";
        size_t at;

        streams_begin(&m, 1, 1, ends[i].flags);
        streams_thread(&m, 0, 1, 7, 7, "seven");
        streams_map(&m, 0, 7, "/bin/a", "ID");
        at = m.size;
        add_sample(&m, ends[i].pc, ends[i].chain, ends[i].n);
        m.bytes[at + offsetof(struct vpmu_record_sample, el)] = (unsigned char)ends[i].el;
        m.bytes[at + offsetof(struct vpmu_record_sample, world)] = (unsigned char)ends[i].world;
        streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
        streams_end(&m);
        make_file(&r, &m, &reader);
        ck_assert_int_eq(perfreader_walk(&reader, &ops, seen, &t), 0);
        ck_assert_msg(strcmp(seen, ends[i].seen) == 0, "%s: expected '%s' got '%s'", ends[i].row,
                      ends[i].seen, seen);
        close_file(&r, &reader);
    }
}
END_TEST

/* Writes the names of the kernel's functions that a file has, in the order of their addresses. */
static void see_functions(struct perfreader *reader, char *seen)
{
    struct functions found = {0};
    struct error t = {0};

    ck_assert_int_eq(perfreader_functions(reader, &found, &t), 0);
    ck_assert_int_eq(functions_sort(&found, &t), 0);
    for (size_t i = 0; i < found.n; i++) {
        strcat(strcat(seen, found.function[i].name), " ");
    }
    functions_free(&found);
}

/* Of the kernel's functions a file has those that a sample of the kernel or its callers are in. */
START_TEST(code_used)
{
    static const struct {
        const char *row;
        unsigned el, n;
        uint64_t pc, chain[3]; /* from KERNEL on */
        const char *seen;
    } rows[] = {
        {"sample", 1, 0, 0x1010, {0}, "first "},
        {"caller", 1, 2, 0x1010, {0x2010, 0x3010}, "first second third "},
        {"call that ends a function", 1, 2, 0x1010, {0x2010, 0x4000}, "first second third fourth "},
        {"no function", 1, 0, 0x9000, {0}, ""},
        {"program", 0, 2, 0x1010, {0x2010, 0x3010}, ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t chain[] = {KERNEL + rows[i].chain[0], KERNEL + rows[i].chain[1]};
        struct recording r = {.file.chains = true};
        struct perfreader reader;
        struct made_stream m;
        char seen[64] = "";
        size_t at;

        add_function(&r.names.functions, KERNEL + 0x1000, "first");
        add_function(&r.names.functions, KERNEL + 0x2000, "second");
        add_function(&r.names.functions, KERNEL + 0x3000, "third");
        add_function(&r.names.functions, KERNEL + 0x4000, "fourth");
        streams_begin(&m, 1, 1, 0);
        at = m.size;
        add_sample(&m, KERNEL + rows[i].pc, chain, rows[i].n);
        m.bytes[at + offsetof(struct vpmu_record_sample, el)] = (unsigned char)rows[i].el;
        streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
        streams_end(&m);
        make_file(&r, &m, &reader);
        see_functions(&reader, seen);
        ck_assert_msg(strcmp(seen, rows[i].seen) == 0, "%s: expected '%s' got '%s'", rows[i].row,
                      rows[i].seen, seen);
        close_file(&r, &reader);
    }
}
END_TEST

/* Adds a sample of a program that has accessed memory. */
static void add_access(struct made_stream *m, uint32_t pid, uint64_t address)
{
    const struct vpmu_record_access access = {
        .flags = VPMU_RECORD_LOAD, .pc = 0x1000, .address = address};
    size_t at;

    streams_access(m, 0, &access);
    at = m->size;
    streams_sample(m, 0, 0, 0, 0);
    m->bytes[at + offsetof(struct vpmu_record_sample, el)] = 0;
    memcpy(m->bytes + at + offsetof(struct vpmu_record_sample, contextidr), &pid, sizeof(pid));
}

/*
 * The variable of the kernel at an accessed address has its name, and each process whose accesses
 * are in the file has a mapping for all of its memory, once.
 */
START_TEST(code_accessed)
{
    struct recording r = {.file.accesses = true};
    struct perfreader reader;
    struct made_stream m;
    static char all[1u << 16];
    char seen[64] = "";
    unsigned maps = 0;
    size_t n;

    add_function(&r.names.functions, KERNEL + 0x1000, "first");
    add_function(&r.names.functions, KERNEL + 0x3000, "variable");
    streams_begin(&m, 1, 1, VPMU_RECORD_X86);
    add_access(&m, 7, KERNEL + 0x3008);
    add_access(&m, 8, 0x5000);
    add_access(&m, 7, 0x6000);
    add_access(&m, 8, 0x7000);
    streams_count(&m, &(struct vpmu_record_count){.count = 400, .weight = 400, .samples = 4});
    streams_end(&m);
    make_file(&r, &m, &reader);
    see_functions(&reader, seen);
    ck_assert_str_eq(seen, "variable ");
    rewind(r.file.file);
    n = fread(all, 1, sizeof(all), r.file.file);
    for (char *at = all; (at = memmem(at, n - (size_t)(at - all), "//anon", 7)); at++) {
        maps++;
    }
    ck_assert_uint_eq(maps, 2);
    close_file(&r, &reader);
}
END_TEST

/* Reads the names of a made kernel, as long as it has neither modules nor BPF programs. */
static void read_early(struct guest_names *n, struct made_kernel *made)
{
    static const unsigned heads[] = {KERNELS_MODULES, KERNELS_BPF_LIST, KERNELS_BPF_PACKS};
    struct kernel kernel = {0};
    struct error t = {0};

    kernels_make(made, false);
    for (size_t i = 0; i < COUNT_OF(heads); i++) {
        const uint64_t none = KERNELS_TEXT + heads[i];

        memcpy(made->ram + heads[i], &none, sizeof(none));
    }
    ck_assert_msg(kernel_find(&kernel, &made->memory, &t) == 0, "%s", t.text);
    n->kernel = kernel.symbols;
    n->functions = kernel.functions;
    n->info = kernel.info;
    n->layout = kernel.layout;
    n->is_found = true;
}

/* Adds a sample of the kernel at a time, with a caller unless it is 0. */
static void add_kernel_sample(struct made_stream *m, uint64_t time, uint64_t pc, uint64_t caller)
{
    size_t at = m->size;

    add_sample(m, pc, &caller, caller != 0);
    memcpy(m->bytes + at + offsetof(struct vpmu_record_sample, time), &time, sizeof(time));
}

/* Does the file have the module's mapping, which stock perf needs? */
static bool has_module(FILE *file)
{
    static char bytes[1u << 16];
    size_t n;

    rewind(file);
    n = fread(bytes, 1, sizeof(bytes), file);
    return memmem(bytes, n, "[made]", sizeof("[made]")) != NULL;
}

struct later_row {
    const char *row;
    uint64_t pc, caller;
    bool early;    /* a sample without a name comes before they are there */
    uint64_t time; /* of the other sample; that one has the time 50 */
    const char *seen;
    unsigned modules; /* that the recording has found */
};

static void check_later(const struct later_row *row)
{
    static struct made_kernel made, complete;
    struct recording r = {.file.chains = true, .memory = &made.memory};
    unsigned samples = row->early ? 2 : 1;
    struct perfreader reader;
    struct made_stream m;
    char seen[128] = "";

    read_early(&r.names, &made);
    streams_begin(&m, 1, 1, VPMU_RECORD_X86);
    if (row->early) {
        struct error t = {0};

        add_kernel_sample(&m, 50, KERNELS_TEXT - 0x1000, 0);
        r.file.host = "host";
        r.file.file = tmpfile();
        ck_assert_msg(recording_take(&r, m.bytes, m.size, &t) == 0, "%s", t.text);
        m.size = 0;
    }
    kernels_make(&complete, false);
    memcpy(made.ram, complete.ram, sizeof(made.ram));
    add_kernel_sample(&m, row->time, row->pc, row->caller);
    streams_count(&m, &(struct vpmu_record_count){.count = 100ull * samples,
                                                  .weight = 100ull * samples,
                                                  .samples = samples});
    streams_end(&m);
    make_file(&r, &m, &reader);
    see_functions(&reader, seen);
    ck_assert_msg(strcmp(seen, row->seen) == 0, "%s: expected '%s' got '%s'", row->row, row->seen,
                  seen);
    ck_assert_msg(r.names.kernel.modules == row->modules, "%s", row->row);
    ck_assert_msg(has_module(r.file.file) == (row->modules == 1), "%s", row->row);
    close_file(&r, &reader);
}

/*
 * A sample at an address without a name makes the recording read the modules and BPF programs that
 * the kernel has got since. If these do not have it either, they are not read again for a tenth of
 * a second.
 */
START_TEST(code_later)
{
    const uint64_t module = KERNELS_MODULE_CODE + 0x10, program = KERNELS_BPF_CODE + 0x1050,
                   filter = KERNELS_BPF_CODE, first = KERNELS_TEXT + 0x110,
                   second = KERNELS_TEXT + 0x210;
    const struct later_row rows[] = {
        {"module", module, 0, false, 100, "one ", 1},
        {"module calls", first, module, false, 100, "one first ", 1},
        {"program", program, 0, false, 100, "bpf_prog_0123456789abcdef_first ", 1},
        {"filter", filter, second, false, 100, "bpf_prog_pack second ", 1},
        {"read before", module, first, true, 100000000, "first ", 0},
        {"read before and again", module, first, true, 100000050, "one first ", 1},
        {"named before", second, first, true, 100000050, "first second ", 0},
        {"interrupted", first, VPMU_RECORD_INTERRUPTED, false, 100, "first ", 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_later(&rows[i]);
    }
}
END_TEST

static int see_program(void *opaque, const struct filesymbols *from, struct error *t)
{
    char *seen = opaque;

    (void)t;
    seen += strlen(seen);
    seen += sprintf(seen, "%s:", from->path);
    for (size_t i = 0; i < from->functions->n; i++) {
        seen += sprintf(seen, " %s", from->functions->function[i].name);
    }
    strcpy(seen, "; ");
    return 0;
}

/*
 * A sample of a guest names a function of that guest's kernel, if the guest that the vCPU runs has
 * the sample's VMID. Otherwise nobody knows whose function it is.
 */
START_TEST(code_of_guests)
{
    static const uint64_t vttbr = 7ull << 48 | 0x1000;
    static const struct {
        const char *row;
        uint64_t vttbr;
        unsigned vmid;
        uint64_t pc; /* from KERNEL on */
        const char *seen;
        unsigned machine;
    } rows[] = {
        {"guest", vttbr, 7, 0x1010, "[guest-7]: guests; ", 0},
        {"data of the guest", vttbr, 7, 0x9000, "[guest-7]:; ", 0},
        {"another VMID", vttbr, 8, 0x1010, "", 0},
        {"another guest", 8ull << 48 | 0x1000, 7, 0x1010, "", 0},
        {"another guest's VMID", 7ull << 48 | 0x2000, 7, 0x1010, "", 0},
        {"none", 0, 0, 0x1010, "", 0},
        {"guest of SVM", vttbr, 0, 0x1010, "[guest-7]: guests; ", VPMU_RECORD_X86},
        {"another guest of SVM", 0x2000, 0, 0x1010, "", VPMU_RECORD_X86},
        {"none of SVM", 0, 0, 0x1010, "", VPMU_RECORD_X86},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool *used = calloc(2, sizeof(*used));
        struct recording r = {.nested = {.n = 1}};
        struct perfreader reader;
        struct error t = {0};
        struct made_stream m;
        const uint64_t pc = KERNEL + rows[i].pc;
        char seen[128] = "";
        size_t at;

        r.nested.guest[0] = (struct nested_guest){
            .vmid = 7, .vttbr = vttbr, .used = used, .path = "[guest-7]", .first = true};
        add_function(&r.nested.guest[0].functions, KERNEL + 0x1000, "guests");
        add_function(&r.nested.guest[0].functions, KERNEL + 0x2000, "guests_other");
        add_function(&r.names.functions, KERNEL + 0x1000, "machines");
        streams_begin(&m, 1, 1, rows[i].machine);
        streams_guest(&m, 0, rows[i].vttbr);
        at = m.size;
        streams_guest_sample(&m, 0, rows[i].vmid);
        memcpy(m.bytes + at + offsetof(struct vpmu_record_sample, pc), &pc, sizeof(pc));
        streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
        streams_end(&m);
        make_file(&r, &m, &reader);
        ck_assert_int_eq(perfreader_programs(&reader, see_program, seen, &t), 0);
        ck_assert_msg(strcmp(seen, rows[i].seen) == 0, "%s: expected '%s' got '%s'", rows[i].row,
                      rows[i].seen, seen);
        close_file(&r, &reader);
    }
}
END_TEST

static int see_call(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                    struct error *t)
{
    char *seen = opaque;
    bool jumps =
        perfsample_word(s->chain, s->n_chain - 1) == perfsample_word(s->chain, s->n_chain - 2);

    (void)mode, (void)t;
    sprintf(seen + strlen(seen), "%u %llx %llu%s; ", event, (unsigned long long)s->ip,
            (unsigned long long)s->period, jumps ? " jump" : "");
    return 0;
}

static void add_call_of(struct made_stream *m, uint16_t type, unsigned event, uint64_t spent,
                        uint64_t weight)
{
    const struct vpmu_record_call call = {
        .head = {.type = type, .size = sizeof(call)}, .target = 0x2000, .spent = spent};
    size_t at;

    streams_add(m, &call, sizeof(call));
    at = m->size;
    streams_sample(m, 0, event, 0, 0);
    memcpy(m->bytes + at + offsetof(struct vpmu_record_sample, weight), &weight, sizeof(weight));
}

static void add_call(struct made_stream *m, uint16_t type, uint64_t insns, uint64_t weight)
{
    add_call_of(m, type, 0, insns, weight);
}

/* The name of an event of the stream */
static void set_event(struct made_stream *m, unsigned event, const char *name)
{
    size_t at = sizeof(struct vpmu_record_start) + event * sizeof(struct vpmu_record_event) +
                offsetof(struct vpmu_record_event, name);

    strcpy((char *)m->bytes + at, name);
}

static int see_cgroup(void *opaque, uint64_t number, const char *path, struct error *t)
{
    char *seen = opaque;

    (void)t;
    sprintf(seen + strlen(seen), "%" PRIu64 " is %s; ", number, path);
    return 0;
}

/*
 * Calls have two samples: how often, and the instructions until they returned. A call that a thread
 * made on another CPU has only the second one. Chains of jumps have their address twice.
 */
START_TEST(code_calls)
{
    static const struct perfreader_ops ops = {.sample = see_call, .cgroup = see_cgroup};
    struct recording r = {.file.chains = true, .calls = true};
    struct perfreader reader;
    struct error t = {0};
    struct made_stream m;
    char seen[128] = "";

    streams_begin(&m, 1, 1, 0);
    add_call(&m, VPMU_RECORD_CALL, 40, 900);
    add_call(&m, VPMU_RECORD_CALL, 7, 0);
    add_call(&m, VPMU_RECORD_JUMP, 50, 200);
    add_call(&m, VPMU_RECORD_CALL, 0, 300);
    streams_count(&m, &(struct vpmu_record_count){.count = 0, .weight = 0, .samples = 0});
    streams_end(&m);
    make_file(&r, &m, &reader);
    ck_assert_int_eq(perfreader_walk(&reader, &ops, seen, &t), 0);
    ck_assert_str_eq(seen, "1 is /host; 1 2000 900; 2 2000 40; 2 2000 7; "
                           "1 2000 200 jump; 2 2000 50 jump; 1 2000 300; ");
    close_file(&r, &reader);
}
END_TEST

/* What calls cost of other events has events of its own. Those that are no costs have none. */
START_TEST(code_calls_cost)
{
    static const struct perfreader_ops ops = {.sample = see_call};
    struct recording r = {.file.chains = true, .calls = true};
    struct perfreader reader;
    struct error t = {0};
    struct made_stream m;
    char seen[128] = "";

    streams_begin(&m, 1, 4, 0);
    set_event(&m, 1, "Dr:k");
    set_event(&m, 2, "cycles");
    set_event(&m, 3, "Bcm:k");
    add_call(&m, VPMU_RECORD_CALL, 0, STREAMS_PERIOD);
    add_call_of(&m, VPMU_RECORD_CALL, 1, 5, 0);
    add_call_of(&m, VPMU_RECORD_CALL, 2, 6, 0);
    add_call_of(&m, VPMU_RECORD_JUMP, 3, 7, 0);
    for (uint32_t i = 0; i < 4; i++) {
        streams_count(&m, &(struct vpmu_record_count){.event = i});
    }
    streams_end(&m);
    make_file(&r, &m, &reader);
    ck_assert_int_eq(perfreader_walk(&reader, &ops, seen, &t), 0);
    ck_assert_str_eq(seen, "4 2000 100; 6 2000 5; 7 2000 7 jump; ");
    ck_assert_str_eq(reader.events.event[6].name, "called-Dr");
    ck_assert_str_eq(reader.events.event[7].name, "called-Bcm");
    close_file(&r, &reader);
}
END_TEST

/* The file has the functions of the vDSO that a sample or its callers are in. */
START_TEST(code_of_vdso)
{
    const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
    const struct function *last;
    struct recording r = {.file.chains = true};
    struct guest_files files = {0};
    struct perfreader reader;
    struct error t = {0};
    struct made_stream m;
    char wanted[300];
    char seen[300] = "";
    uint32_t number;
    uint64_t pc, behind;
    Elf64_Ehdr head;
    size_t at;

    memcpy(&head, vdso, sizeof(head));
    r.names.vdso_size = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
    r.names.vdso = malloc(r.names.vdso_size);
    memcpy(r.names.vdso, vdso, r.names.vdso_size);
    ck_assert_int_eq(guest_files_number(&files, "[vdso]", NULL, 0, &number, &t), 0);
    ck_assert_int_eq(guest_files_give(&files, number, vdso, r.names.vdso_size, &t), 0);
    ck_assert_uint_gt(files.file[0].functions.n, 0);
    last = &files.file[0].functions.function[files.file[0].functions.n - 1];
    /* See streams_map(). The caller's last instruction is the call. */
    pc = 0x1000 + files.file[0].functions.function[0].start - 0x500;
    behind = 0x1000 + last->end - 0x500;
    ck_assert_uint_lt(behind, 0x3000);
    streams_begin(&m, 1, 1, VPMU_RECORD_X86);
    streams_map(&m, 0, 42, "[vdso]", "");
    at = m.size;
    add_sample(&m, pc, &behind, 1);
    m.bytes[at + offsetof(struct vpmu_record_sample, el)] = 0;
    streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
    streams_end(&m);
    make_file(&r, &m, &reader);
    ck_assert_int_eq(perfreader_programs(&reader, see_program, seen, &t), 0);
    snprintf(wanted, sizeof(wanted), "[vdso]: %s %s; ", files.file[0].functions.function[0].name,
             last->name);
    ck_assert_str_eq(seen, wanted);
    close_file(&r, &reader);
    guest_files_free(&files);
}
END_TEST

Suite *recording_code_suite(void)
{
    const TTest *const tests[] = {code_links,      code_links_alone, code_ends,      code_accessed,
                                  code_used,       code_later,       code_of_guests, code_calls,
                                  code_calls_cost, code_of_vdso};

    return suite_of("recording_code", tests, COUNT_OF(tests));
}
