/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads files from a page cache that is laid out as Linux's include/linux/xarray.h describes it.
 */
#include "kernel/page-cache.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/streams.h"
#include "perfdata/perfreader.h"
#include "record/recording.h"
#include "unit/tests.h"

#define PAGE 4096u
#define PAGES 192u
/* An x86-64 kernel has all of the RAM at this virtual address; and an array of struct pages. */
#define DIRECT 0xffff888000000000ull
#define STRUCTS 0xffffea0000000000ull
#define STRUCT 64u
/* Physical addresses. The tables are in the first two pages. */
#define INODE 0x2100u
#define MAPPING 0x2200u
#define STRUCTS_AT 0x2300u
#define ROOT 0x3000u
#define LOW 0x3400u
#define HIGH 0x3800u
/* Page 0 of the file is this page of RAM. */
#define FIRST 100u
/* Nodes with 64 slots each: of all pages, and of pages 0 to 63 and 64 to 127. */
#define SLOTS 64u
#define SHIFT_AT 0u
#define SLOTS_AT 0x28u
#define SIZE (70 * PAGE - 10)

static unsigned char ram[PAGES * PAGE];
static struct page_cache cache;

static int read_ram(struct memory *m, uint64_t at, void *to, size_t size, struct error *t)
{
    (void)m;
    if (at >= sizeof(ram) || size > sizeof(ram) - at) {
        return error_set(t, ERROR_TALK, "not RAM");
    }
    memcpy(to, ram + at, size);
    return 0;
}

static struct memory memory = {.read = read_ram};

static void put(uint64_t at, uint64_t value)
{
    memcpy(ram + at, &value, sizeof(value));
}

static void put_slot(uint64_t node, unsigned slot, uint64_t entry)
{
    put(node + SLOTS_AT + slot * sizeof(entry), entry);
}

/* The struct page of a page of the RAM, as an address. */
static uint64_t page(unsigned number)
{
    return STRUCTS + number * STRUCT;
}

/*
 * Page i of the file is page FIRST + i of the RAM, with i + 1 in each byte; but the pages from 64
 * on are one folio of four pages, whose struct page all of its slots lead to, and others.
 */
static void make(void)
{
    static const struct task_layout layout = {
        .files = {[FILE_MAPPING] = 0x38,
                  [FILE_SIZE] = 0x50,
                  [FILE_PAGES] = 0x10,
                  [FILE_SHIFT] = SHIFT_AT,
                  [FILE_SLOTS] = SLOTS_AT},
        .page_size = STRUCT,
    };
    const struct vmcoreinfo v = {
        .is_x86 = true, .page = PAGE, .tables = DIRECT, .distance = DIRECT};

    memset(ram, 0, sizeof(ram));
    put((DIRECT >> 39) % 512 * 8, PAGE | 3);
    put(PAGE, 0x83);
    put(INODE + 0x38, DIRECT + MAPPING);
    put(INODE + 0x50, SIZE);
    put(MAPPING + 0x10, DIRECT + ROOT + 2);
    put(STRUCTS_AT, STRUCTS);
    ram[ROOT + SHIFT_AT] = 6;
    put_slot(ROOT, 0, DIRECT + LOW + 2);
    put_slot(ROOT, 1, DIRECT + HIGH + 2);
    for (unsigned i = 0; i < SLOTS; i++) {
        put_slot(LOW, i, page(FIRST + i));
    }
    put_slot(HIGH, 0, page(FIRST + 64));
    for (unsigned i = 1; i < 4; i++) {
        put_slot(HIGH, i, 2);
    }
    put_slot(HIGH, 4, page(FIRST + 68));
    put_slot(HIGH, 5, page(FIRST + 69));
    for (unsigned i = 0; i < 70; i++) {
        memset(ram + (size_t)(FIRST + i) * PAGE, (int)i + 1, PAGE);
    }
    ck_assert(page_cache_init(&cache, &memory, &v, &layout, DIRECT + STRUCTS_AT));
}

/* Reads the file. Returns which pages have their contents; -1 if it cannot be read. */
static int pages_read(void)
{
    unsigned char *contents = NULL;
    size_t size = 0;
    int n = 0;

    if (!page_cache_read(&cache, &memory, DIRECT + INODE, &contents, &size)) {
        ck_assert(!contents);
        return -1;
    }
    for (size_t at = 0; at < size; at++) {
        ck_assert(contents[at] == 0 || contents[at] == at / PAGE + 1);
        n += contents[at] && at % PAGE == 0;
    }
    free(contents);
    return n;
}

/* A change of the guest's memory, and how many pages are then read. */
static const struct {
    const char *reason;
    uint64_t at;
    uint64_t value;
    int pages;
} rows[] = {
    {"all", INODE + 0x50, SIZE, 70},
    {"the size of the file", INODE + 0x50, 3 * PAGE, 3},
    {"one page of a file", INODE + 0x50, 1, 1},
    {"no size", INODE + 0x50, 0, -1},
    {"more than is read", INODE + 0x50, PAGE_CACHE_MAX + 1ull, -1},
    {"a page that is not in memory", LOW + SLOTS_AT + 8, 0, 69},
    {"a page that was written to a disk: a value", LOW + SLOTS_AT + 8, 0x1235, 69},
    {"a value like the address of a page", LOW + SLOTS_AT + 8, (STRUCTS + (FIRST + 1) * STRUCT) | 1,
     69},
    {"an entry that is being changed", LOW + SLOTS_AT + 8, 256 << 2 | 2, 69},
    {"a page outside of the RAM", LOW + SLOTS_AT + 8, STRUCTS - STRUCT, 69},
    {"no node for pages from 64 on", ROOT + SLOTS_AT + 8, 0, 64},
    {"a slot that leads to itself", HIGH + SLOTS_AT, 2, 66},
    {"the first page is not in memory", LOW + SLOTS_AT, 0, -1},
    {"a tree without an end", ROOT + SLOTS_AT, DIRECT + ROOT + 2, -1},
    {"a node that is not in memory", ROOT + SLOTS_AT, DIRECT + sizeof(ram) + 2, -1},
    {"a node with a large shift", ROOT + SHIFT_AT, 64, -1},
    {"only one page, without a node", MAPPING + 0x10, STRUCTS + FIRST *STRUCT, 1},
    {"no page", MAPPING + 0x10, 0, -1},
    {"a mapping that is not in memory", INODE + 0x38, 0, -1},
};

START_TEST(files_in_memory)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int n;

        make();
        put(rows[i].at, rows[i].value);
        n = pages_read();
        ck_assert_msg(n == rows[i].pages, "%s: %d pages", rows[i].reason, n);
    }
}
END_TEST

/* The first bytes of a file, which may be larger than files that are read as a whole. */
START_TEST(beginnings)
{
    static const struct {
        const char *reason;
        uint64_t at;
        uint64_t value;
        size_t size;
    } sizes[] = {
        {"a large file", INODE + 0x50, PAGE_CACHE_MAX + 1ull, 3 * PAGE},
        {"a small file", INODE + 0x50, 100, 100},
        {"no size", INODE + 0x50, 0, 0},
        {"the first page is not in memory", LOW + SLOTS_AT, 0, 0},
        {"no page", MAPPING + 0x10, 0, 0},
    };

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        unsigned char bytes[3 * PAGE] = {0xff};
        size_t size;

        make();
        put(sizes[i].at, sizes[i].value);
        size = page_cache_beginning(&cache, &memory, DIRECT + INODE, bytes, sizeof(bytes));
        ck_assert_msg(size == sizes[i].size, "%s: %zu bytes", sizes[i].reason, size);
        for (size_t at = 0; at < size; at++) {
            ck_assert_uint_eq(bytes[at], at / PAGE + 1);
        }
    }
}
END_TEST

/* Puts a program's headers, which name its build ID, at the beginning of the file. */
static void put_program(const char *id, size_t size)
{
    const struct {
        Elf64_Ehdr head;
        Elf64_Phdr part;
        Elf64_Nhdr note;
        char owner[4];
        char id[20];
    } program = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_X86_64,
                 .e_version = EV_CURRENT,
                 .e_phoff = offsetof(__typeof__(program), part),
                 .e_ehsize = sizeof(Elf64_Ehdr),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 1},
        .part = {.p_type = PT_NOTE,
                 .p_offset = offsetof(__typeof__(program), note),
                 .p_filesz = sizeof(Elf64_Nhdr) + 24,
                 .p_align = 4},
        .note = {.n_namesz = 4, .n_descsz = (Elf64_Word)size, .n_type = NT_GNU_BUILD_ID},
        .owner = "GNU",
    };

    memcpy(ram + FIRST * PAGE, &program, sizeof(program));
    memcpy(ram + FIRST * PAGE + offsetof(__typeof__(program), id), id, size);
}

static int see_id(void *opaque, const struct perfreader_code *code, struct error *t)
{
    (void)t;
    snprintf(opaque, 64, "%s %u %.*s", code->path, (unsigned)code->build_id_size,
             (int)code->build_id_size, (const char *)code->build_id);
    return 0;
}

/*
 * A mapping without a build ID gets the one in the beginning of the file, unless the machine has
 * found it.
 */
START_TEST(build_id_in_memory)
{
    static const struct {
        const char *path, *id, *want;
        uint64_t file;
    } maps[] = {
        {"/bin/a", "", "/bin/a 20 in the cached pages.", DIRECT + INODE},
        {"/bin/a", "ID", "/bin/a 2 ID", DIRECT + INODE},
        {"/bin/a", "", "/bin/a 0 ", DIRECT + MAPPING},
        {"[vdso]", "", "[vdso] 0 ", DIRECT + INODE},
    };
    static const struct perfreader_ops ops = {.code = see_id};

    for (size_t i = 0; i < COUNT_OF(maps); i++) {
        struct recording r = {.memory = &memory, .names.files = &cache, .file.host = "host"};
        struct perfreader reader = {.name = "FILE", .stop_fd = -1};
        struct error t = {0};
        struct made_stream m;
        char seen[64] = "";
        size_t at;

        make();
        put_program("in the cached pages.", 20);
        streams_begin(&m, 1, 1, VPMU_RECORD_X86);
        at = m.size;
        streams_map(&m, 0, 7, maps[i].path, maps[i].id);
        memcpy(m.bytes + at + offsetof(struct vpmu_record_map, file), &maps[i].file, 8);
        streams_end(&m);
        r.file.file = tmpfile();
        ck_assert_msg(recording_take(&r, m.bytes, m.size, &t) == 0, "%s", t.text);
        ck_assert_int_eq(recording_finish(&r, &t), 0);
        rewind(r.file.file);
        ck_assert_msg(perfreader_open(&reader, r.file.file, &t) == 0, "%s", t.text);
        ck_assert_int_eq(perfreader_walk(&reader, &ops, seen, &t), 0);
        ck_assert_str_eq(seen, maps[i].want);
        perfreader_close(&reader);
        fclose(r.file.file);
        r.names.files = NULL;
        recording_free(&r);
    }
}
END_TEST

/* Each word of what the guest has written may be anything. */
START_TEST(nonsense_in_memory)
{
    static const unsigned from[] = {INODE, MAPPING, ROOT, LOW, HIGH};

    srandom(1);
    for (int round = 0; round < 2000; round++) {
        unsigned char *contents = NULL;
        size_t size;

        make();
        for (int i = 0; i < 3; i++) {
            put(from[(size_t)random() % COUNT_OF(from)] + (uint64_t)random() % 0x60 / 8 * 8,
                (uint64_t)random() % 4 * 0x7fff0000ull * (uint64_t)random() +
                    (random() % 2 ? DIRECT + (uint64_t)random() % sizeof(ram) : 0));
        }
        if (page_cache_read(&cache, &memory, DIRECT + INODE, &contents, &size)) {
            ck_assert(contents && size <= PAGE_CACHE_MAX);
        }
        free(contents);
    }
}
END_TEST

/* On arm64, VMCOREINFO says where the struct pages are, of RAM from an address on. */
START_TEST(pages_of_arm)
{
    static const struct task_layout layout = {.page_size = STRUCT};
    struct vmcoreinfo v = {.page = PAGE, .tables = DIRECT, .distance = DIRECT, .va_bits = 48};

    ck_assert(!page_cache_init(&cache, &memory, &v, &layout, 0));
    v.pages = 0xfffffdffc0000000ull;
    v.ram = 0x40000000;
    ck_assert(page_cache_init(&cache, &memory, &v, &layout, 0));
    ck_assert_uint_eq(cache.first, 0xfffffdffc0000000ull - (0x40000000 >> 12) * STRUCT);
    /* With 52 bits on a CPU that has 48, the RAM begins below 0. */
    v.ram = -0x1000000000ull;
    ck_assert(page_cache_init(&cache, &memory, &v, &layout, 0));
    ck_assert_uint_eq(cache.first, 0xfffffdffc0000000ull + (0x1000000000 >> 12) * STRUCT);
}
END_TEST

Suite *page_cache_suite(void)
{
    const TTest *const tests[] = {files_in_memory, beginnings, build_id_in_memory,
                                  nonsense_in_memory, pages_of_arm};

    return suite_of("page_cache", tests, COUNT_OF(tests));
}
