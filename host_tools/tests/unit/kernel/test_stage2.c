/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the kernel of a guest of the machine's own hypervisor, through hostile page tables, too. */
#include "kernel/stage2.h"

#include <stdlib.h>
#include <string.h>

#include "fixtures/guests.h"
#include "kernel/kernel.h"
#include "unit/tests.h"

static struct made_guest made;
static struct stage2 stage2;

/* Returns whether the kernel is found. Its functions and those of its modules must be right. */
static bool finds_in(const char *row, const struct vpmu_record_guest *guest, bool is_x86)
{
    struct kernel k = {0};
    struct error t = {0};
    bool found = stage2_init(&stage2, &made.memory, guest, is_x86) &&
                 kernel_find(&k, &stage2.memory, &t) == 0;

    if (found) {
        const struct function *first = functions_find(&k.functions, KERNELS_TEXT + 0x100);
        const struct function *module = functions_find(&k.functions, KERNELS_MODULE_CODE);

        ck_assert_msg(first && strcmp(first->name, "first") == 0, "%s", row);
        ck_assert_msg(module && strcmp(module->name, "one") == 0, "%s", row);
    }
    kernel_free(&k);
    return found;
}

static bool finds(const char *row, const struct vpmu_record_guest *guest)
{
    return finds_in(row, guest, false);
}

START_TEST(stage2_found)
{
    struct vpmu_record_guest guest = guests_record();

    guests_make(&made);
    ck_assert(finds("both tables", &guest));
    guest.ttbr0 = 0;
    ck_assert(finds("without a program", &guest));
    /* The guest has never used its symbols. */
    made.table[GUESTS_THIRD][KERNELS_NAMES >> 12] = 0;
    ck_assert(!finds("without a program and symbols", &guest));
    guest.ttbr0 = GUESTS_TTBR0;
    ck_assert(finds("with symbols in the program", &guest));
    guest.tcr = 0x10; /* 48 bits: one level less */
    ck_assert(!finds("a program with other tables", &guest));
    /* The kernel of another guest, which has another page table. */
    guests_make(&made);
    guest = guests_record();
    guest.ttbr1 += 0x1000;
    ck_assert(!finds("another guest's", &guest));
}
END_TEST

static bool reads(uint64_t at, size_t size)
{
    static char buf[KERNELS_SIZE];
    struct error ignored = {0};

    return stage2.memory.read(&stage2.memory, at, buf, size, &ignored) == 0;
}

/* An address has 40 bits here. The second of the two first tables has the upper half. */
START_TEST(stage2_ranges)
{
    struct vpmu_record_guest guest = guests_record();

    guests_make(&made);
    guest.ttbr0 = 0;
    ck_assert(stage2_init(&stage2, &made.memory, &guest, false));
    ck_assert(reads(KERNELS_RAM, KERNELS_SIZE));
    ck_assert(!reads(KERNELS_RAM, KERNELS_SIZE + 1));
    ck_assert(!reads(KERNELS_RAM - 1, 1));
    ck_assert(!reads(KERNELS_RAM + (1ull << 40), 1));
    ck_assert(!reads(KERNELS_RAM | 1ull << 39, 1));
    made.table[GUESTS_FIRST + 1][KERNELS_RAM >> 30] = made.table[GUESTS_FIRST][KERNELS_RAM >> 30];
    ck_assert(stage2_init(&stage2, &made.memory, &guest, false));
    ck_assert(reads(KERNELS_RAM | 1ull << 39, KERNELS_SIZE));
}
END_TEST

START_TEST(stage2_refused)
{
    static const struct {
        const char *row;
        uint64_t vttbr;
        uint64_t vtcr;
    } rows[] = {
        {"no table", 7ull << 48, GUESTS_VTCR},
        {"64 bits", GUESTS_VTTBR, 0x40},
        {"52 bits", GUESTS_VTTBR, 0x4c},
        {"no such pages", GUESTS_VTTBR, 0xc058},
        {"no such level", GUESTS_VTTBR, 0x40d8},
        {"more tables than 16", GUESTS_VTTBR, 0x54},
        {"fewer bits than a table", GUESTS_VTTBR, 0x7f},
    };

    guests_make(&made);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_record_guest guest = guests_record();

        guest.vttbr = rows[i].vttbr;
        guest.vtcr = rows[i].vtcr;
        ck_assert_msg(!stage2_init(&stage2, &made.memory, &guest, false), "%s", rows[i].row);
    }
}
END_TEST

/* All entries of a table point to that table, so there are 2^36 pages. Few of them are read. */
START_TEST(stage2_endless)
{
    struct vpmu_record_guest guest = guests_record();

    guests_make(&made);
    for (size_t i = 0; i < 512; i++) {
        made.table[GUESTS_PROGRAM_FIRST][i] =
            made.table[GUESTS_PROGRAM_START][GUESTS_TTBR0_OFFSET / 8];
    }
    made.table[GUESTS_THIRD][KERNELS_NAMES >> 12] = 0;
    ck_assert(!finds("without the program", &guest));
    ck_assert_uint_lt(made.reads, 2 * PAGE_WALK_FIND);
    ck_assert(stage2.side[0].tried && !stage2.side[0].known);
}
END_TEST

static bool finds_x86(const char *row, const struct vpmu_record_guest *guest)
{
    return finds_in(row, guest, true);
}

/* A guest of SVM, whose page tables have the format of its hypervisor's. */
START_TEST(stage2_of_svm)
{
    struct vpmu_record_guest guest = guests_record_x86();
    struct vpmu_record_guest five = guest;

    guests_make_x86(&made);
    five.vttbr = guests_table_x86(GUESTS_X86_PML5);
    five.ttbr0 = guests_table_x86(GUESTS_X86_PROGRAM_PML5);
    five.vtcr |= VPMU_RECORD_FIVE_LEVELS;
    ck_assert(finds_x86("four levels", &guest));
    ck_assert(finds_x86("five levels", &five));
    guest.ttbr0 = 0;
    ck_assert(finds_x86("without a program", &guest));
    made.table[GUESTS_X86_PT][KERNELS_NAMES >> 12] = 0;
    ck_assert(!finds_x86("without a program and symbols", &guest));
    guest = guests_record_x86();
    ck_assert(finds_x86("with symbols in the program", &guest));
    ck_assert(finds_x86("the same with five levels", &five));
    /* The addresses of kernels are not those of the program. */
    made.table[GUESTS_X86_PROGRAM_PML4][511] = guests_table_x86(GUESTS_X86_PROGRAM_PDPT);
    made.table[GUESTS_X86_PROGRAM_PML4][GUESTS_PROGRAM >> 39] = 0;
    ck_assert(!finds_x86("symbols in the kernel's half", &guest));
    guests_make_x86(&made);
    guest = guests_record_x86();
    guest.ttbr1 = KERNELS_RAM + KERNELS_NAMES;
    ck_assert(!finds_x86("another guest's", &guest));
}
END_TEST

/*
 * The program has the page of CR3, above 4 GiB, at another distance than the kernel. Something that
 * is no kernel was looked for before.
 */
START_TEST(stage2_of_svm_sides)
{
    struct vpmu_record_guest guest = guests_record_x86();
    struct error t = {0};
    struct kernel k = {0};

    guests_make_x86(&made);
    made.table[GUESTS_X86_PDPT][5] = guests_table_x86(GUESTS_X86_PD);
    made.table[GUESTS_X86_PT][KERNELS_NAMES >> 12] = 0;
    guest.ttbr1 += 1ull << 32;
    ck_assert(stage2_init(&stage2, &made.memory, &guest, true));
    ck_assert(!reads(0x1000, 1) && !reads(1ull << 32, 1));
    ck_assert_int_eq(kernel_find(&k, &stage2.memory, &t), 0);
    ck_assert_ptr_nonnull(functions_find(&k.functions, KERNELS_TEXT + 0x100));
    kernel_free(&k);
}
END_TEST

static bool begins_x86(const struct vpmu_record_guest *guest)
{
    return stage2_init(&stage2, &made.memory, guest, true);
}

/* Pages of 2 MiB and 1 GiB. Larger ones do not exist: their bit is reserved. */
START_TEST(stage2_large_pages)
{
    const uint64_t ram = 0x50000000, page = 0x83;
    struct vpmu_record_guest guest = guests_record_x86();

    guest.ttbr0 = 0;
    guests_make_x86(&made);
    ck_assert(begins_x86(&guest) && !reads(ram, 1));
    made.table[GUESTS_X86_PD][ram >> 21 & 511] = ram | page | 0x1000; /* bit 12 is PAT */
    ck_assert(begins_x86(&guest) && reads(ram, KERNELS_SIZE) && !reads(ram + KERNELS_SIZE, 1));
    made.table[GUESTS_X86_PDPT][ram >> 30] = 0x40000000 | page;
    ck_assert(begins_x86(&guest) && reads(ram, KERNELS_SIZE) && !reads(KERNELS_RAM, 1));
    made.table[GUESTS_X86_PML4][0] = page;
    ck_assert(begins_x86(&guest) && !reads(ram, 1));
    guest.vttbr = guests_table_x86(GUESTS_X86_PML5);
    guest.vtcr |= VPMU_RECORD_FIVE_LEVELS;
    made.table[GUESTS_X86_PML5][0] = page;
    ck_assert(begins_x86(&guest) && !reads(ram, 1));
}
END_TEST

/* An address has 48 bits, or 57 with five levels. */
START_TEST(stage2_of_svm_ranges)
{
    struct vpmu_record_guest guest = guests_record_x86();

    guest.ttbr0 = 0;
    guests_make_x86(&made);
    ck_assert(begins_x86(&guest) && reads(KERNELS_RAM, KERNELS_SIZE));
    ck_assert(!reads(KERNELS_RAM + KERNELS_SIZE, 1) && !reads(KERNELS_RAM - 1, 1));
    ck_assert(!reads(KERNELS_RAM | 1ull << 48, 1) && !reads(KERNELS_RAM | 1ull << 63, 1));
    guest.vttbr = guests_table_x86(GUESTS_X86_PML5);
    guest.vtcr |= VPMU_RECORD_FIVE_LEVELS;
    ck_assert(begins_x86(&guest) && reads(KERNELS_RAM, KERNELS_SIZE));
    ck_assert(!reads(KERNELS_RAM | 1ull << 48, 1) && !reads(KERNELS_RAM | 1ull << 57, 1));
    /* Not nested paging in the format of long mode, and no table. */
    guest.vtcr = 0;
    ck_assert(!begins_x86(&guest));
    guest = guests_record_x86();
    guest.vttbr = 0xfff;
    ck_assert(!begins_x86(&guest));
}
END_TEST

/* All entries of each table point to that table. */
START_TEST(stage2_of_svm_endless)
{
    struct vpmu_record_guest guest = guests_record_x86();

    guests_make_x86(&made);
    for (size_t i = 0; i < 512; i++) {
        made.table[GUESTS_X86_PROGRAM_PML4][i] = guests_table_x86(GUESTS_X86_PROGRAM_PML4);
    }
    made.table[GUESTS_X86_PT][KERNELS_NAMES >> 12] = 0;
    ck_assert(!finds_x86("program", &guest));
    ck_assert_uint_lt(made.reads, 2 * PAGE_WALK_FIND);
    made.table[GUESTS_X86_PML4][0] = guests_table_x86(GUESTS_X86_PML4);
    ck_assert(!finds_x86("guest", &guest));
    ck_assert_uint_lt(made.reads, 4 * PAGE_WALK_FIND);
}
END_TEST

Suite *stage2_suite(void)
{
    const TTest *const tests[] = {stage2_found,         stage2_ranges,         stage2_refused,
                                  stage2_endless,       stage2_of_svm,         stage2_large_pages,
                                  stage2_of_svm_ranges, stage2_of_svm_endless, stage2_of_svm_sides};

    return suite_of("stage2", tests, COUNT_OF(tests));
}
