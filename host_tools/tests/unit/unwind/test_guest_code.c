/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a guest that have one path, and mappings of the process that a vCPU runs. */
#include "unwind/guest-code.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "unit/tests.h"

static char path[] = "/lib/x.so";

/* The vDSO of this process, which serves as a file of the guest. */
struct vdso {
    const char *contents;
    size_t size;
    struct image image;
    uint64_t function; /* where a function is */
};

static void find_vdso(struct vdso *v)
{
    struct guest_files files = {0};
    struct error t = {0};
    Elf64_Ehdr head;
    uint32_t number;

    v->contents = (const char *)getauxval(AT_SYSINFO_EHDR);
    memcpy(&head, v->contents, sizeof(head));
    v->size = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
    ck_assert_int_eq(guest_files_number(&files, path, NULL, 0, &number, &t), 0);
    ck_assert_int_eq(guest_files_give(&files, number, v->contents, v->size, &t), 0);
    ck_assert_uint_gt(files.file[0].functions.n, 0);
    v->image = files.file[0].image;
    v->function = files.file[0].functions.function[0].start;
    guest_files_free(&files);
}

/* A mapping of the file. @id: which build ID the guest's memory has of it; 0 for none. */
static struct kept_map map_of(const struct vdso *v, uint64_t start, int id, uint64_t inode)
{
    struct kept_map map = {.map = {.pid = 1, .start = start, .end = start + 0x10000, .file = inode},
                           .path = path};

    if (id) {
        memcpy(map.map.build_id, v->image.build_id, sizeof(map.map.build_id));
        map.map.build_id_size = (uint16_t)v->image.build_id_size;
        map.map.build_id[0] ^= (uint8_t)(id - 1);
    }
    return map;
}

/*
 * A second mapping of the path, and whether it is one of another file. A recording names functions
 * by the path only, so it has none if there were two files. An inode does not tell files apart: the
 * kernel may free it while the file is not used.
 */
START_TEST(files_of_one_path)
{
    static const struct {
        const char *reason;
        int id;
        uint64_t inode;
        bool wanted;
        size_t files;
    } rows[] = {
        {"the same file", 1, 0x100, false, 1},
        {"the same file, and another inode", 1, 0x200, false, 1},
        {"the same inode, and no build ID in memory", 0, 0x100, false, 1},
        {"no build ID in memory", 0, 0x200, false, 0},
        {"another file", 2, 0x200, true, 0},
    };
    struct vdso v;

    find_vdso(&v);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct kept_map first = map_of(&v, 0x100000, 1, 0x100);
        const struct kept_map second = map_of(&v, 0x200000, rows[i].id, rows[i].inode);
        struct kept_map both[] = {first, second};
        const struct kept_maps maps = {.map = both, .n = 2};
        struct guest_code c = {0};
        struct filesymbols symbols[2];
        struct error t = {0};
        bool wanted;

        ck_assert(guest_code_wants(&c, &first));
        ck_assert_int_eq(guest_code_give(&c, &first, v.contents, v.size, &t), 0);
        wanted = guest_code_wants(&c, &second);
        ck_assert_msg(wanted == rows[i].wanted, "%s: wanted %d", rows[i].reason, wanted);
        if (wanted) {
            ck_assert_int_eq(guest_code_give(&c, &second, v.contents, v.size, &t), 0);
        }
        guest_code_use(&c, &maps, 0x100000 + v.function);
        ck_assert_msg(guest_code_symbols(&c, symbols) == rows[i].files, "%s", rows[i].reason);
        guest_code_free(&c);
    }
}
END_TEST

/*
 * A guest can have any number of files. Only some are read, since their contents stay in memory,
 * and each has a descriptor. @size: of each; @most: how many are read.
 */
START_TEST(files_are_limited)
{
    static const struct {
        uint64_t size;
        size_t most;
    } rows[] = {{4, GUEST_CODE_FILES}, {64u << 20, GUEST_CODE_BYTES / (64u << 20)}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct guest_code c = {0};
        struct error t = {0};
        char name[32];
        const struct kept_map map = {.path = name};
        size_t n = 0;

        for (unsigned file = 0; file < GUEST_CODE_FILES + 10; file++) {
            snprintf(name, sizeof(name), "/file%u", file);
            if (guest_code_wants(&c, &map)) {
                ck_assert_int_eq(guest_code_give(&c, &map, "none", 4, &t), 0);
                /* As if it had been larger: the test does not need the memory. */
                c.bytes += rows[i].size - 4;
                n++;
            }
        }
        ck_assert_msg(n == rows[i].most, "row %zu: %zu files", i, n);
        guest_code_free(&c);
    }
}
END_TEST

/* The name of what is mapped at an address, the path without its slash; 0 if there is nothing. */
static char mapped(const struct kept_maps *k, uint64_t address)
{
    char is = 0;

    for (size_t i = 0; i < k->n; i++) {
        if (address >= k->map[i].map.start && address < k->map[i].map.end) {
            ck_assert(!is);
            is = k->map[i].path[1];
        }
    }
    return is;
}

/* A new area replaces all areas that it overlaps, since the process has unmapped them. */
START_TEST(areas_are_replaced)
{
    static const struct {
        uint64_t space, start, end;
        const char *path;
        char at[4]; /* what is at 0x1000, 0x2000, 0x3000 and 0x4000 */
    } rows[] = {
        {1, 0x1000, 0x3000, "/a", {'a', 'a', 0, 0}},
        {1, 0x1000, 0x3000, "/a", {'a', 'a', 0, 0}},
        {1, 0x3000, 0x5000, "/b", {'a', 'a', 'b', 'b'}},
        {1, 0x2000, 0x4000, "/c", {0, 'c', 'c', 0}},
        {1, 0x1000, 0x3000, "/a", {'a', 'a', 0, 0}},
        {1, 0x4000, 0x5000, "/d", {'a', 'a', 0, 'd'}},
        {1, 0x1000, 0x5000, "/e", {'e', 'e', 'e', 'e'}},
        {1, 0x2000, 0x3000, "/f", {0, 'f', 0, 0}},
        {2, 0x4000, 0x5000, "/g", {0, 0, 0, 'g'}},
    };
    struct kept_maps k = {0};
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct vpmu_record_map map = {
            .pid = 1, .space = rows[i].space, .start = rows[i].start, .end = rows[i].end};

        ck_assert_int_eq(kept_maps_add(&k, &map, rows[i].path, &t), 0);
        for (unsigned at = 0; at < 4; at++) {
            char is = mapped(&k, 0x1000 * (at + 1));

            ck_assert_msg(is == rows[i].at[at], "row %zu: %c at %u", i, is ? is : '-', at);
        }
    }
    kept_maps_free(&k);
}
END_TEST

/* A process can have any number of areas. The last ones are kept. */
START_TEST(areas_are_limited)
{
    struct kept_maps k = {0};
    struct error t = {0};
    struct vpmu_record_map map = {.pid = 1};

    for (uint64_t i = 1; i <= 3 * KEPT_MAPS_MAX; i++) {
        map.start = i * 0x1000;
        map.end = map.start + 0x1000;
        ck_assert_int_eq(kept_maps_add(&k, &map, "/a", &t), 0);
    }
    ck_assert_uint_eq(k.n, KEPT_MAPS_MAX);
    ck_assert_uint_eq(k.map[0].map.start, (2 * KEPT_MAPS_MAX + 1) * 0x1000ull);
    ck_assert(mapped(&k, map.start));
    kept_maps_free(&k);
}
END_TEST

Suite *guest_code_suite(void)
{
    const TTest *const tests[] = {files_of_one_path, files_are_limited, areas_are_replaced,
                                  areas_are_limited};

    return suite_of("guest_code", tests, COUNT_OF(tests));
}
