/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines and inlined functions of this program itself, and of broken copies of it. */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "export/pprof.h"
#include "fixtures/perffiles.h"
#include "profile/annotate.h"
#include "profile/report.h"
#include "profile/stacks.h"
#include "lines/source-lines.h"
#include "lines/source-text.h"
#include "symbols/elffile.h"
#include "unit/tests.h"

#define SELF "/proc/self/exe"

/* The address at which this program is loaded. */
extern const Elf64_Ehdr __ehdr_start;

/* Return: the address of the call in the file. */
static __attribute__((noinline)) uint64_t here(void)
{
    return (uintptr_t)__builtin_return_address(0) - 1 - (uintptr_t)&__ehdr_start;
}

enum {
    LINE_INNER = __LINE__ + 4
};
static inline __attribute__((always_inline)) uint64_t inner(void)
{
    uint64_t address = here();

    __asm__ volatile("" : "+r"(address));
    return address;
}

enum {
    LINE_OUTER = __LINE__ + 4
};
static __attribute__((noinline)) uint64_t outer(void)
{
    uint64_t address = inner();

    __asm__ volatile("" : "+r"(address));
    return address;
}

START_TEST(inlined)
{
    struct dwarf_line line[DWARF_LINES_FRAMES];
    struct source_lines s = {0};
    char text[SOURCE_TEXT_SIZE];
    struct source_text source = {0};

    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(source_lines_find(&s, SELF, outer(), line), 2);
        ck_assert_str_eq(line[0].function, "inner");
        ck_assert_ptr_nonnull(strstr(line[0].file, "test_source_lines.c"));
        ck_assert_uint_eq(line[0].line, LINE_INNER);
        ck_assert_ptr_null(line[1].function);
        ck_assert_ptr_nonnull(strstr(line[1].file, "test_source_lines.c"));
        ck_assert_uint_eq(line[1].line, LINE_OUTER);
    }
    ck_assert_uint_eq(source_lines_find(&s, SELF, UINT64_MAX, line), 0);
    ck_assert_uint_eq(source_lines_find(&s, "/dev/zero", 0, line), 0);
    ck_assert_uint_eq(source_lines_find(&s, "/nothing", 0, line), 0);
    ck_assert_ptr_null(s.broken);
    source_lines_free(&s);
    s.no_inline = true;
    ck_assert_uint_eq(source_lines_find(&s, SELF, outer(), line), 1);
    ck_assert_ptr_null(line[0].function);
    ck_assert_uint_eq(line[0].line, LINE_INNER);
    ck_assert_uint_eq(source_lines_find(&s, SELF, UINT64_MAX, line), 0);
    source_lines_free(&s);
    source_text_line(&source, "/nothing", 1, text);
    ck_assert_str_eq(text, "");
    /* Files of /proc have no size; some, such as kmsg, wait for more to read. */
    source_text_line(&source, "/proc/version", 1, text);
    ck_assert_str_eq(text, "");
    source_text_free(&source);
}
END_TEST

/* A function in a section of its own, as those of kernel modules that only run once. */
enum {
    LINE_ELSEWHERE = __LINE__ + 4
};
static __attribute__((noinline, used, section(".text.elsewhere"))) uint64_t elsewhere(uint64_t x)
{
    return x + 1;
}

/* Finds where a function begins in the object file of this one, where each section begins at 0. */
static void check_object(const char *path, const struct functions *functions, const char *name,
                         unsigned wanted)
{
    const struct function *function = functions_named(functions, name);
    struct dwarf_line line[DWARF_LINES_FRAMES];
    struct source_lines s = {.no_inline = true};

    ck_assert_ptr_nonnull(function);
    ck_assert_uint_eq(source_lines_find(&s, path, function->start, line), 1);
    ck_assert_ptr_nonnull(strstr(line[0].file, "test_source_lines.c"));
    ck_assert_uint_eq(line[0].line, wanted);
    source_lines_free(&s);
}

START_TEST(object_file)
{
    struct functions functions = {0};
    struct error t = {0};
    char path[4096] = "", *slash;

    ck_assert_int_gt(readlink(SELF, path, sizeof(path) - 64), 0);
    slash = strrchr(path, '/');
    strcpy(slash, "/tests/unit/symbols/test_source_lines.o");
    ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
    ck_assert_int_eq(functions_sort(&functions, &t), 0);
    check_object(path, &functions, "outer", LINE_INNER);
    check_object(path, &functions, "elsewhere", LINE_ELSEWHERE);
    ck_assert_uint_eq(elsewhere(1), 2);
    functions_free(&functions);
}
END_TEST

START_TEST(text)
{
    static const char lines[] = "one\n\ttwo\x1b[2J\nlast";
    static const char *const expected[] = {"one", " two?[2J", "last", ""};
    char path[sizeof(TEMPORARY_PATH)];
    char line[SOURCE_TEXT_SIZE];
    struct source_text source = {0};

    make_temporary(path, lines, strlen(lines));
    for (unsigned i = 0; i < COUNT_OF(expected); i++) {
        source_text_line(&source, path, i + 1, line);
        ck_assert_str_eq(line, expected[i]);
    }
    source_text_line(&source, path, 0, line);
    ck_assert_str_eq(line, "");
    unlink(path);
    source_text_free(&source);
}
END_TEST

/*
 * Broken copies
 */

struct copy {
    char path[sizeof(TEMPORARY_PATH)];
    unsigned char *bytes;
    size_t size;
    int fd;
};

static void make_copy(struct copy *c)
{
    int self = open(SELF, O_RDONLY);
    struct stat status;

    ck_assert_int_eq(fstat(self, &status), 0);
    c->size = (size_t)status.st_size;
    c->bytes = malloc(c->size);
    ck_assert_int_eq(read(self, c->bytes, c->size), (ssize_t)c->size);
    make_temporary(c->path, c->bytes, c->size);
    c->fd = open(c->path, O_RDWR);
    close(self);
}

static void free_copy(struct copy *c)
{
    close(c->fd);
    unlink(c->path);
    free(c->bytes);
}

static size_t section_of(const struct copy *c, const char *name)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)c->bytes;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(c->bytes + head->e_shoff);
    const char *names = (const char *)c->bytes + section[head->e_shstrndx].sh_offset;

    for (size_t i = 0; i < head->e_shnum; i++) {
        if (strcmp(names + section[i].sh_name, name) == 0) {
            return i;
        }
    }
    ck_abort_msg("no section %s", name);
    return 0;
}

static Elf64_Shdr *header_of(const struct copy *c, const char *name)
{
    return (Elf64_Shdr *)(c->bytes + ((const Elf64_Ehdr *)c->bytes)->e_shoff) + section_of(c, name);
}

static size_t find_in_copy(const struct copy *c, struct source_lines *s)
{
    struct dwarf_line line[DWARF_LINES_FRAMES];
    size_t n = source_lines_find(s, c->path, outer(), line);

    ck_assert_uint_le(n, DWARF_LINES_FRAMES);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_lt(strlen(line[i].file), 256);
        ck_assert(!line[i].function || strlen(line[i].function) < 256);
    }
    return n;
}

/* A section that says that it contains a tebibyte, compressed. */
START_TEST(compressed)
{
    struct source_lines s = {0};
    struct copy c;
    Elf64_Shdr *info;
    const Elf64_Chdr head = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = 1ull << 40, .ch_addralign = 1};

    make_copy(&c);
    info = header_of(&c, ".debug_info");
    info->sh_flags |= SHF_COMPRESSED;
    memcpy(c.bytes + info->sh_offset, &head, sizeof(head));
    ck_assert_int_eq(pwrite(c.fd, c.bytes, c.size, 0), (ssize_t)c.size);
    ck_assert(!dwarf_lines_exist(c.fd));
    ck_assert_uint_eq(find_in_copy(&c, &s), 0);
    source_lines_free(&s);
    free_copy(&c);
}
END_TEST

/* Returns the only process that reads files. */
static pid_t child_of_this(void)
{
    char path[64];
    int pids[2];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "re");
    ck_assert(file);
    ck_assert_int_eq(fscanf(file, "%d %d", &pids[0], &pids[1]), 1);
    fclose(file);
    return pids[0];
}

/* Sends a signal to the process that reads files, and waits for its end. */
static void kill_child(int sign)
{
    pid_t pid = child_of_this();
    siginfo_t ended;

    ck_assert_int_eq(kill(pid, sign), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
}

/* If the process that reads the file crashes, the file is marked as broken and has no lines. */
START_TEST(truncated)
{
    struct source_lines s = {0};
    struct copy c;

    make_copy(&c);
    ck_assert_uint_eq(find_in_copy(&c, &s), 2);
    ck_assert_int_eq(ftruncate(c.fd, 4096), 0);
    for (uint64_t i = 1; i < 200 && !s.broken; i++) {
        struct dwarf_line line[DWARF_LINES_FRAMES];

        /* Each address may be in a part that has not been read. */
        source_lines_find(&s, c.path, outer() + i * 0x10, line);
    }
    ck_assert_str_eq(s.broken, c.path);
    ck_assert_uint_eq(s.slow, 0);
    ck_assert_uint_eq(source_lines_find(&s, c.path, 1, (struct dwarf_line[DWARF_LINES_FRAMES]){0}),
                      0);
    source_lines_free(&s);
    free_copy(&c);
}
END_TEST

/*
 * A process that has used the time that it may use ends with SIGXCPU. After two of them no other
 * file is read, because a guest can have any number of files.
 */
START_TEST(slow)
{
    struct source_lines s = {0};
    struct dwarf_line line[DWARF_LINES_FRAMES];

    for (unsigned i = 1; i <= SOURCE_LINES_MAX_SLOW; i++) {
        struct copy c;

        make_copy(&c);
        ck_assert_uint_eq(find_in_copy(&c, &s), 2);
        kill_child(SIGXCPU);
        ck_assert_uint_eq(source_lines_find(&s, c.path, 1, line), 0);
        ck_assert_uint_eq(s.slow, i);
        ck_assert_str_eq(s.broken, c.path);
        free_copy(&c);
    }
    ck_assert_uint_eq(source_lines_find(&s, SELF, outer(), line), 0);
    source_lines_free(&s);
}
END_TEST

/* A process that ends by another signal was not slow. */
START_TEST(killed)
{
    struct source_lines s = {0};
    struct dwarf_line line[DWARF_LINES_FRAMES];

    ck_assert_uint_eq(source_lines_find(&s, SELF, outer(), line), 2);
    kill_child(SIGKILL);
    ck_assert_uint_eq(source_lines_find(&s, SELF, 1, line), 0);
    ck_assert_str_eq(s.broken, SELF);
    ck_assert_uint_eq(s.slow, 0);
    source_lines_free(&s);
}
END_TEST

/* Checks the limits of the process that reads a file. It has only its socket and the file open. */
START_TEST(limits)
{
    static const struct {
        enum __rlimit_resource what;
        rlim_t least;
        rlim_t most;
    } rows[] = {
        {RLIMIT_CPU, 1, 60},
        /* With the sanitizers, the process has terabytes of addresses already. */
        {RLIMIT_DATA, 1u << 30, 1ull << 50},
        {RLIMIT_NOFILE, 5, 5},
        {RLIMIT_CORE, 0, 0},
    };
    struct source_lines s = {0};
    struct dwarf_line line[DWARF_LINES_FRAMES];

    ck_assert_uint_eq(source_lines_find(&s, SELF, outer(), line), 2);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rlimit now;

        ck_assert_int_eq(prlimit(child_of_this(), rows[i].what, NULL, &now), 0);
        ck_assert_msg(now.rlim_cur >= rows[i].least && now.rlim_cur <= rows[i].most,
                      "%zu: the limit is %llu", i, (unsigned long long)now.rlim_cur);
    }
    source_lines_free(&s);
}
END_TEST

/* Random bytes in each section that libdw reads. */
START_TEST(random_bytes)
{
    static const char *const names[] = {".debug_info",    ".debug_abbrev", ".debug_line",
                                        ".debug_aranges", ".debug_str",    ".debug_line_str",
                                        ".debug_rnglists"};
    struct copy c;

    make_copy(&c);
    srandom(1);
    for (size_t round = 0; round < 3 * COUNT_OF(names); round++) {
        const Elf64_Shdr *section = header_of(&c, names[round % COUNT_OF(names)]);
        struct source_lines s = {0};

        for (uint64_t i = 0; i < 1 + section->sh_size / 16; i++) {
            unsigned char byte = (unsigned char)random();
            uint64_t at = section->sh_offset + (uint64_t)random() % section->sh_size;

            ck_assert_int_eq(pwrite(c.fd, &byte, 1, (off_t)at), 1);
            i += section->sh_size / 1024;
        }
        find_in_copy(&c, &s);
        source_lines_free(&s);
        ck_assert_int_eq(
            pwrite(c.fd, c.bytes + section->sh_offset, section->sh_size, (off_t)section->sh_offset),
            (ssize_t)section->sh_size);
    }
    free_copy(&c);
}
END_TEST

/*
 * Reports
 */

/* A sample in inner(), which is inlined in outer(), and one in an unknown function. */
static void read_samples(struct sample_input *g)
{
    static const struct programs none;
    const uint64_t chain[] = {PERF_CONTEXT_KERNEL, outer()};
    struct made_file m;
    struct error t = {0};

    perffiles_begin(&m, false, PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN);
    perffiles_sample(&m, &(struct made_sample){.mode = 1,
                                               .id = 1,
                                               .time = 5,
                                               .ip = chain[1],
                                               .tid = 7,
                                               .period = 60,
                                               .chain = chain,
                                               .n_chain = COUNT_OF(chain)});
    perffiles_sample(
        &m, &(struct made_sample){.mode = 1, .id = 1, .time = 5, .ip = 1, .tid = 7, .period = 40});
    perffiles_end(&m);
    g->vmlinux = SELF;
    g->programs = &none;
    g->input = perffiles_save(&m);
    ck_assert_msg(sample_input_read(g, -1, &t) == 0, "%s", t.text);
}

/* Returns the rows of the first event's table, which the caller frees. */
static char *print(struct report r, const char *sort, bool no_inline)
{
    struct profile p = {0};
    struct sample_input g = {
        .key = report_key, .opaque = &r, .no_inline = no_inline, .profile = &p};
    struct error t = {0};
    struct out out = {0};
    char *printed = NULL;
    size_t size;
    char *end;

    ck_assert_int_eq(report_choose(&r, sort, &t), 0);
    read_samples(&g);
    out.text = open_memstream(&printed, &size);
    ck_assert_int_eq(report_print(&r, &p, 0, &out, &t), 0);
    fclose(out.text);
    profile_free(&p);
    end = strstr(printed, "# Samples: 0");
    if (end) {
        *end = '\0';
    }
    return printed;
}

static void has(const char *printed, const char *part, bool expected)
{
    ck_assert_msg(!!strstr(printed, part) == expected, "'%s' in:\n%s", part, printed);
}

/* As in perf, the sample belongs to the symbol, and the inlined function is part of the chain. */
START_TEST(report)
{
    char line[64];
    char *printed = print((struct report){.graph = true}, "sym", false);

    has(printed, "    60.00%        1      60  [k] outer\n", true);
    has(printed, "\n            ---inner (inlined)\n               outer\n", true);
    free(printed);
    printed = print((struct report){.graph = true}, "sym", true);
    has(printed, "(inlined)", false);
    has(printed, "---outer\n", true);
    free(printed);
    printed = print((struct report){.children = true, .caller = true}, "sym", false);
    has(printed, "    60.00%    60.00%        1      60  [k] outer\n", true);
    has(printed, "    60.00%     0.00%        0       0  [k] inner (inlined)\n", true);
    free(printed);
    printed = print((struct report){0}, "srcline", false);
    snprintf(line, sizeof(line), "  test_source_lines.c:%d\n", LINE_INNER);
    has(printed, line, true);
    has(printed, "Source:Line", true);
    has(printed, "  [kernel.kallsyms][1]\n", true);
    free(printed);
    printed = print((struct report){.children = true}, "srcline,sym", false);
    snprintf(line, sizeof(line), "  test_source_lines.c:%d  [k] outer\n", LINE_OUTER);
    has(printed, line, true);
    free(printed);
}
END_TEST

START_TEST(stacks)
{
    for (int no_inline = 0; no_inline < 2; no_inline++) {
        struct stacks_options o = {0};
        struct profile p = {0};
        struct sample_input g = {
            .key = stacks_key, .opaque = &o, .no_inline = no_inline, .profile = &p};
        const struct profile_entry *e;

        read_samples(&g);
        e = p.entry[0];
        ck_assert_int_eq((int)e->n, STACKS_FIRST + 2 - no_inline);
        ck_assert_str_eq(profile_text(&p, e, STACKS_FIRST), "outer");
        ck_assert_str_eq(profile_text(&p, e, e->n - 1), no_inline ? "outer" : "inner (inlined)");
        profile_free(&p);
    }
}
END_TEST

START_TEST(annotate)
{
    const struct annotate a = {.limit = 1, .source = true};
    struct profile p = {0};
    struct sample_input g = {.key = annotate_key, .profile = &p};
    struct out out = {0};
    struct error t = {0};
    char *printed = NULL;
    char line[80];
    size_t size;

    read_samples(&g);
    out.text = open_memstream(&printed, &size);
    ck_assert_msg(annotate_print(&a, &p, &out, &t) == 0, "%s", t.text);
    fclose(out.text);
    snprintf(line, sizeof(line), "  test_source_lines.c:%d inner (inlined)", LINE_INNER);
    has(printed, line, true);
    snprintf(line, sizeof(line), "  test_source_lines.c:%d  }\n", LINE_OUTER + 4);
    has(printed, line, true);
    free(printed);
    profile_free(&p);
}
END_TEST

/* pprof has names of functions only. */
START_TEST(pprof)
{
    static char bytes[4096];
    char path[sizeof(TEMPORARY_PATH)];
    struct stacks_options o = {0};
    struct profile p = {0};
    struct sample_input g = {.key = stacks_key, .opaque = &o, .profile = &p};
    struct error t = {0};
    FILE *file;
    gzFile packed;
    int n;

    read_samples(&g);
    make_temporary(path, "", 0);
    file = fopen(path, "w");
    ck_assert_int_eq(pprof_write(&p, 0, file, &t), 0);
    fclose(file);
    packed = gzopen(path, "r");
    n = gzread(packed, bytes, sizeof(bytes));
    gzclose(packed);
    unlink(path);
    ck_assert_int_gt(n, 0);
    ck_assert_ptr_nonnull(memmem(bytes, (size_t)n, "inner", 5));
    ck_assert_ptr_nonnull(memmem(bytes, (size_t)n, "outer", 5));
    ck_assert_ptr_null(memmem(bytes, (size_t)n, "inlined", 7));
    profile_free(&p);
}
END_TEST

/* Some compilers write no index of addresses: the unit is found by its own ranges. */
START_TEST(no_index)
{
    struct dwarf_line line[DWARF_LINES_FRAMES];
    struct source_lines s = {0};
    char path[sizeof(TEMPORARY_PATH)];
    char self[200] = "";
    char command[300];

    ck_assert_int_gt(readlink(SELF, self, sizeof(self) - 1), 0);
    make_temporary(path, "", 0);
    snprintf(command, sizeof(command), "objcopy -R .debug_aranges '%s' %s", self, path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_uint_eq(source_lines_find(&s, path, outer(), line), 2);
    ck_assert_str_eq(line[0].function, "inner");
    ck_assert_uint_eq(line[0].line, LINE_INNER);
    ck_assert_uint_eq(line[1].line, LINE_OUTER);
    ck_assert_uint_eq(source_lines_find(&s, path, UINT64_MAX, line), 0);
    source_lines_free(&s);
    unlink(path);
}
END_TEST

Suite *source_lines_suite(void)
{
    const TTest *const tests[] = {inlined, object_file, text,   compressed,   truncated,
                                  slow,    killed,      limits, random_bytes, report,
                                  stacks,  annotate,    pprof,  no_index};

    return suite_of("source_lines", tests, COUNT_OF(tests));
}
