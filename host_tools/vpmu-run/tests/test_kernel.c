/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernels that are made here: packed and unpacked, with and without a PVH entry, and damaged. */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "machine/kernel.h"
#include "tests/tests.h"

/* Places in the header of a packed kernel, and where the made ones have their payload. */
#define MAGIC 0x202
#define VERSION 0x206
#define PAYLOAD 0x248
#define LENGTH 0x24c
#define PAYLOAD_START (5 * 512 + 64)

/* What QEMU starts: a file header, one program header, one note, and something to compress. */
struct unpacked {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Nhdr note;
    char name[4];
    uint64_t entry;
    char rest[5000];
};

static struct unpacked unpacked;
static uint8_t packed[8192];
static size_t packed_size;

static void put(size_t at, uint32_t value, size_t size)
{
    memcpy(packed + at, &value, size);
}

static void pack(void)
{
    size_t n = ZSTD_compress(packed + PAYLOAD_START, sizeof(packed) - PAYLOAD_START - 4, &unpacked,
                             sizeof(unpacked), 1);

    ck_assert(!ZSTD_isError(n));
    put(PAYLOAD_START + n, sizeof(unpacked), 4);
    put(LENGTH, (uint32_t)n + 4, 4);
    packed_size = PAYLOAD_START + n + 4;
}

static void setup(void)
{
    memset(packed, 0, sizeof(packed));
    unpacked = (struct unpacked){
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_X86_64,
                   .e_version = EV_CURRENT,
                   .e_phoff = offsetof(struct unpacked, segment),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 1},
        .segment = {.p_type = PT_NOTE,
                    .p_offset = offsetof(struct unpacked, note),
                    .p_filesz = offsetof(struct unpacked, rest) - offsetof(struct unpacked, note),
                    .p_align = 4},
        .note = {.n_namesz = 4, .n_descsz = 8, .n_type = 18},
        .name = "Xen",
    };
    packed[0x1f1] = 4;
    memcpy(packed + MAGIC, "HdrS", 4);
    put(VERSION, 0x20f, 2);
    put(PAYLOAD, 64, 4);
    pack();
}

/* open_made() - what kernel_open() says of a file with these bytes */
static int open_made(const void *bytes, size_t size)
{
    int file = memfd_create("kernel", MFD_CLOEXEC), fd;
    char path[64];

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, bytes, size), (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    fd = kernel_open(path);
    close(file);
    return fd;
}

static void expect_opened(int fd)
{
    static struct unpacked read_back;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pread(fd, &read_back, sizeof(read_back), 0), sizeof(read_back));
    ck_assert(memcmp(&read_back, &unpacked, sizeof(unpacked)) == 0);
    close(fd);
}

static void expect_refused(void)
{
    ck_assert_int_eq(open_made(packed, packed_size), -1);
}

START_TEST(opens)
{
    expect_opened(open_made(packed, packed_size));
    expect_opened(open_made(&unpacked, sizeof(unpacked)));
}
END_TEST

START_TEST(without_entry)
{
    unpacked.note.n_type = 17;
    ck_assert_int_eq(open_made(&unpacked, sizeof(unpacked)), -1);
    pack();
    expect_refused();
    unpacked.note.n_type = 18;
    unpacked.name[0] = 'x';
    pack();
    expect_refused();
    unpacked.name[0] = 'X';
    unpacked.segment.p_type = PT_LOAD;
    pack();
    expect_refused();
}
END_TEST

/* Notes that end after the file, and one that ends after the notes */
START_TEST(damaged_notes)
{
    unpacked.segment.p_filesz = UINT64_MAX - 8;
    ck_assert_int_eq(open_made(&unpacked, sizeof(unpacked)), -1);
    unpacked.segment.p_filesz = sizeof(Elf64_Nhdr);
    ck_assert_int_eq(open_made(&unpacked, sizeof(unpacked)), -1);
    unpacked.header.e_phoff = UINT64_MAX - 8;
    ck_assert_int_eq(open_made(&unpacked, sizeof(unpacked)), -1);
}
END_TEST

static const struct {
    const char *what;
    size_t at;
    uint32_t value;
    size_t size;
} damages[] = {
    {"magic", MAGIC, 0, 4},
    {"version", VERSION, 0x207, 2},
    {"payload after the end", PAYLOAD, UINT32_MAX, 4},
    {"length after the end", LENGTH, UINT32_MAX, 4},
    {"no length", LENGTH, 0, 4},
    {"short length", LENGTH, 7, 4},
    {"another packing", PAYLOAD_START, 0x5a58, 2},
    {"damaged payload", PAYLOAD_START + 30, 0x12345678, 4},
};

START_TEST(damaged)
{
    put(damages[_i].at, damages[_i].value, damages[_i].size);
    expect_refused();
}
END_TEST

/* The size at the end of the payload is a lie. */
START_TEST(other_size)
{
    static const uint32_t sizes[] = {0, 600, sizeof(unpacked) - 1, sizeof(unpacked) + 1, 1u << 31};

    put(packed_size - 4, sizes[_i], 4);
    expect_refused();
}
END_TEST

START_TEST(short_file)
{
    ck_assert_int_eq(open_made("", 0), -1);
    ck_assert_int_eq(open_made(packed, LENGTH), -1);
    ck_assert_int_eq(open_made(packed, packed_size - 1), -1);
    ck_assert_int_eq(kernel_open("/nonexistent"), -1);
}
END_TEST

void add_kernel_tests(Suite *suite)
{
    TCase *tests = tcase_create("kernel");

    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, opens);
    tcase_add_test(tests, without_entry);
    tcase_add_test(tests, damaged_notes);
    tcase_add_loop_test(tests, damaged, 0, COUNT_OF(damages));
    tcase_add_loop_test(tests, other_size, 0, 5);
    tcase_add_test(tests, short_file);
    suite_add_tcase(suite, tests);
}
