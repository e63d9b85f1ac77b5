/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the file that a process had mapped at a time, and the function in a copy of that file. */
#include "profile/code-maps.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/guest-files.h"
#include "symbols/elffile.h"
#include "unit/tests.h"

/* In the order of the file, which is not the order of time. */
static void make_maps(struct code_maps *maps)
{
    static const struct code_map rows[] = {
        {7, 200, 0x1000, 0x1000, 0, 2}, /* covers a part of the next one */
        {7, 100, 0x1000, 0x3000, 0, 1}, {8, 100, 0x1000, 0x1000, 0x40, 3},
        {7, 300, 0x1000, 0x1000, 0, 4}, {7, 300, 0x1000, 0x1000, 0, 5},
    };
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(code_maps_add(maps, &rows[i], &t), 0);
    }
    ck_assert_int_eq(code_maps_fork(maps, 9, 250, 7, &t), 0);
    /* From then on, the number belongs to another process. */
    ck_assert_int_eq(code_maps_fork(maps, 8, 400, 9, &t), 0);
    /* Impossible: a process that is its own child. */
    ck_assert_int_eq(code_maps_fork(maps, 10, 10, 10, &t), 0);
    ck_assert_int_eq(code_maps_settle(maps, &t), 0);
}

START_TEST(code_maps_found)
{
    static const struct {
        const char *row;
        uint32_t pid;
        uint64_t time;
        uint64_t address;
        uint32_t file; /* 0: none */
    } rows[] = {
        {"before", 7, 99, 0x1000, 0},
        {"its first byte", 7, 100, 0x1000, 1},
        {"its last", 7, 199, 0x3fff, 1},
        {"behind it", 7, 199, 0x4000, 0},
        {"what came over it", 7, 200, 0x1fff, 2},
        {"what is left of it", 7, 200, 0x2000, 1},
        {"two at the same time", 7, 300, 0x1000, 5},
        {"another process's", 8, 200, 0x1000, 3},
        {"nobody's", 6, 200, 0x1000, 0},
        {"a child's, as its parent had it", 9, 350, 0x1000, 2},
        {"before it was born", 9, 249, 0x1000, 0},
        {"a grandchild's", 8, 400, 0x1000, 2},
        {"not that of who had its number", 8, 400, 0x4000, 0},
        {"without an end", 10, 20, 0x1000, 0},
    };
    struct code_maps maps = {0};

    make_maps(&maps);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct code_map *code =
            code_maps_find(&maps, rows[i].pid, rows[i].time, rows[i].address);

        ck_assert_msg((code ? code->file : 0) == rows[i].file, "%s: expected %u got %u",
                      rows[i].row, rows[i].file, code ? code->file : 0);
    }
    code_maps_free(&maps);
}
END_TEST

/* Returns the number of the file, or 0 if there is none. */
static uint32_t file_at(const struct code_maps *maps, uint32_t pid, uint64_t time, uint64_t address)
{
    const struct code_map *code = code_maps_find(maps, pid, time, address);

    return code ? code->file : 0;
}

/*
 * A mapping is found, however many later ones exist at other addresses, or at the same address of
 * another process.
 */
START_TEST(code_maps_many)
{
    enum {
        MANY = 5000
    };
    struct code_maps maps = {0};
    struct error t = {0};
    struct code_map first = {.pid = 7, .time = 1, .start = 0x1000, .length = 0x1000, .file = 1};

    ck_assert_int_eq(code_maps_add(&maps, &first, &t), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        struct code_map other = {.pid = 7 + i % 2,
                                 .time = 2 + i,
                                 .start = i % 2 ? 0x1000 : 0x10000 + i * 0x1000,
                                 .length = 0x1000,
                                 .file = 2 + i};

        ck_assert_int_eq(code_maps_add(&maps, &other, &t), 0);
        other.pid = 7;
        other.start = 0x20000000;
        ck_assert_int_eq(code_maps_add(&maps, &other, &t), 0);
    }
    ck_assert_int_eq(code_maps_settle(&maps, &t), 0);
    ck_assert_uint_eq(file_at(&maps, 7, MANY + 2, 0x1005), 1);
    ck_assert_uint_eq(file_at(&maps, 8, MANY + 2, 0x1005), MANY + 1);
    ck_assert_uint_eq(file_at(&maps, 7, 1000, 0x20000005), 1000);
    ck_assert(!code_maps_find(&maps, 7, MANY + 2, 0x2005));
    code_maps_free(&maps);
}
END_TEST

/*
 * A simple reference: the last mapping up to the time, of the process or of the one that it was
 * forked from.
 */
static uint32_t found_slowly(const struct code_map *row, const uint32_t *parent, size_t n,
                             uint32_t pid, uint64_t address)
{
    while (n-- > 0) {
        if (row[n].pid == pid && parent[n]) {
            pid = parent[n];
        } else if (row[n].pid == pid && address - row[n].start < row[n].length) {
            return row[n].file;
        }
    }
    return 0;
}

/* Random mappings from a generator with a fixed seed, so they are always the same. */
START_TEST(code_maps_as_they_are_said)
{
    enum {
        N = 6000,
        LOOKS = 6000
    };
    static struct code_map row[N];
    static uint32_t parent[N];
    struct code_maps maps = {0};
    struct error t = {0};
    uint64_t random = 1;
    unsigned found = 0;

    for (uint32_t i = 0; i < N; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        row[i] = (struct code_map){.pid = 1 + (random >> 60) % 4,
                                   .time = i / 2,
                                   .start = (random >> 40) % 0x4000,
                                   .length = (random >> 30) % 8,
                                   .file = i + 1};
        parent[i] = (random >> 20) % 512 == 0 ? 1 + (uint32_t)(random >> 50) % 4 : 0;
        row[i].length = parent[i] ? 0 : row[i].length;
        ck_assert_int_eq(parent[i] ? code_maps_fork(&maps, row[i].pid, row[i].time, parent[i], &t)
                                   : code_maps_add(&maps, &row[i], &t),
                         0);
    }
    ck_assert_int_eq(code_maps_settle(&maps, &t), 0);
    for (unsigned i = 0; i < LOOKS; i++) {
        size_t n = i % N | 1; /* both mappings of the same time are there */
        uint64_t address = (i * 7919u) % 0x4000;
        uint32_t pid = 1 + i % 5;
        const struct code_map *got = code_maps_find(&maps, pid, row[n].time, address);
        uint32_t want = found_slowly(row, parent, n + 1, pid, address);

        ck_assert_msg((got ? got->file : 0) == want, "%u: expected %u got %u", i, want,
                      got ? got->file : 0);
        found += got != NULL;
    }
    ck_assert_uint_gt(found, LOOKS / 10);
    ck_assert_uint_lt(found, LOOKS);
    code_maps_free(&maps);
}
END_TEST

/* A mapping ends at the last address. */
START_TEST(code_maps_at_the_end)
{
    struct code_maps maps = {0};
    struct error t = {0};
    const struct code_map code = {.pid = 7, .start = UINT64_MAX - 9, .length = 100, .file = 1};

    for (unsigned i = 0; i < 64; i++) {
        ck_assert_int_eq(code_maps_add(&maps, &code, &t), 0);
    }
    ck_assert_int_eq(code_maps_settle(&maps, &t), 0);
    ck_assert(code_maps_find(&maps, 7, 1, UINT64_MAX - 1));
    ck_assert(!code_maps_find(&maps, 7, 1, 0));
    code_maps_free(&maps);
}
END_TEST

#define DIRECTORY "/tmp/vpmu-stats-test-XXXXXX"

/* Files in the directory, besides this program as /exe: a directory and links. */
static const struct {
    const char *name;
    const char *to; /* NULL: a directory; "": the path of the program on the host */
} links[] = {
    {"/inner", NULL},        {"/absolute", "/exe"}, {"/relative", "inner/../exe"},
    {"/inner/up", "../exe"}, {"/inner/host", ""},
};

static char *below(const char *directory, const char *name)
{
    char *path = NULL;

    ck_assert_int_gt(asprintf(&path, "%s%s", directory, name), 0);
    return path;
}

static void make_copies(char *directory)
{
    char *program;
    FILE *from = fopen("/proc/self/exe", "r");
    FILE *to;
    char data[4096];
    size_t n;

    ck_assert(mkdtemp(directory));
    program = below(directory, "/exe");
    to = fopen(program, "w");
    ck_assert(from && to);
    while ((n = fread(data, 1, sizeof(data), from)) > 0) {
        ck_assert_uint_eq(fwrite(data, 1, n, to), n);
    }
    fclose(from);
    ck_assert_int_eq(fclose(to), 0);
    for (size_t i = 0; i < COUNT_OF(links); i++) {
        char *path = below(directory, links[i].name);
        const char *target = links[i].to && !*links[i].to ? program : links[i].to;

        ck_assert_int_eq(target ? symlink(target, path) : mkdir(path, 0700), 0);
        free(path);
    }
    free(program);
}

static void remove_copies(const char *directory)
{
    char *program = below(directory, "/exe");

    for (size_t i = COUNT_OF(links); i-- > 0;) {
        char *path = below(directory, links[i].name);

        ck_assert_int_eq(remove(path), 0);
        free(path);
    }
    ck_assert_int_eq(unlink(program), 0);
    ck_assert_int_eq(rmdir(directory), 0);
    free(program);
}

/* The function of this program to search for, and its offset in the file. */
struct wanted {
    struct image image;
    struct functions own;
    const struct function *function;
    uint64_t offset;
};

static void make_wanted(struct wanted *w)
{
    struct error t = {0};

    ck_assert_int_eq(image_read(&w->image, NULL, "/proc/self/exe", &t), 0);
    ck_assert_uint_eq(w->image.build_id_size, IMAGE_BUILD_ID);
    ck_assert_int_eq(elffile_functions(&w->own, NULL, "/proc/self/exe", &t), 0);
    w->function = functions_named(&w->own, "code_maps_suite");
    ck_assert(w->function && w->image.parts == 1);
    w->offset = w->function->start - w->image.part[0].address + w->image.part[0].offset;
}

/*
 * Tests whether the function is found.
 * @id: 1 to give the right build ID, -1 to give a wrong one, 0 to give none.
 * @copy: expected path of the copy.
 */
static bool is_found(const struct wanted *w, const char *symfs, const char *name, int id,
                     const char *copy)
{
    struct guest_files files = {.symfs = symfs};
    unsigned char build_id[IMAGE_BUILD_ID];
    const struct function *got;
    const char *path = NULL;
    uint64_t address = 0;
    uint32_t first, number;
    struct error t = {0};

    memcpy(build_id, w->image.build_id, sizeof(build_id));
    build_id[0] ^= id < 0;
    ck_assert_int_eq(guest_files_number(&files, "/other", NULL, 0, &first, &t), 0);
    ck_assert_int_eq(
        guest_files_number(&files, name, build_id, id ? IMAGE_BUILD_ID : 0, &number, &t), 0);
    ck_assert_uint_ne(first, number);
    ck_assert_int_eq(guest_files_number(&files, "/other", NULL, 0, &number, &t), 0);
    ck_assert_uint_eq(first, number);
    got = guest_files_find(&files, 1, w->offset + 1, &path, &address);
    if (got) {
        ck_assert_str_eq(got->name, "code_maps_suite");
        ck_assert_uint_eq(address, w->function->start + 1);
        ck_assert_str_eq(path, copy);
        ck_assert(!guest_files_find(&files, 1, UINT64_MAX, &path, &address));
    }
    guest_files_free(&files);
    return got;
}

/* This program serves as the guest's file. */
START_TEST(guest_files_found)
{
    static const struct {
        const char *row;
        const char *symfs; /* relative to the directory; NULL: none, then @name is relative */
        const char *name;
        int id;
        bool found;
    } rows[] = {
        {"a copy", "", "/exe", 0, true},
        {"with its build ID", "", "/exe", 1, true},
        {"with another", "", "/exe", -1, false},
        {"none", "/nowhere", "/exe", 0, false},
        {"nothing to tell it from the host's", NULL, "/exe", 0, false},
        {"the host's is the same", NULL, "/exe", 1, true},
        {"outside", "/inner", "/../exe", 0, false},
        {"no file", "", "/inner", 0, false},
        {"no path", "", "exe", 0, false},
        {"a link to a path of the guest's", "", "/absolute", 0, true},
        {"a link inside", "", "/relative", 0, true},
        {"a link that leads out", "/inner", "/up", 0, false},
        {"a link to the host's", "/inner", "/host", 0, false},
    };
    char directory[] = DIRECTORY;
    struct wanted w = {0};

    make_copies(directory);
    make_wanted(&w);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *symfs = rows[i].symfs ? below(directory, rows[i].symfs) : NULL;
        char *name = below(symfs ? "" : directory, rows[i].name);
        char *copy = below(directory, "/exe");

        ck_assert_msg(is_found(&w, symfs, name, rows[i].id, copy) == rows[i].found,
                      "%s: expected %d", rows[i].row, rows[i].found);
        free(symfs);
        free(name);
        free(copy);
    }
    functions_free(&w.own);
    remove_copies(directory);
}
END_TEST

Suite *code_maps_suite(void)
{
    const TTest *const tests[] = {code_maps_found, code_maps_many, code_maps_as_they_are_said,
                                  code_maps_at_the_end, guest_files_found};

    return suite_of("code maps", tests, COUNT_OF(tests));
}
