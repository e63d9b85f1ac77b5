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
static bool finds(const char *row, const struct vpmu_record_guest *guest)
{
    struct kernel k = {0};
    struct error t = {0};
    bool found =
        stage2_init(&stage2, &made.memory, guest) && kernel_find(&k, &stage2.memory, &t) == 0;

    if (found) {
        const struct function *first = functions_find(&k.functions, KERNELS_TEXT + 0x100);
        const struct function *module = functions_find(&k.functions, KERNELS_MODULE_CODE);

        ck_assert_msg(first && strcmp(first->name, "first") == 0, "%s", row);
        ck_assert_msg(module && strcmp(module->name, "one") == 0, "%s", row);
    }
    kernel_free(&k);
    return found;
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
    ck_assert(stage2_init(&stage2, &made.memory, &guest));
    ck_assert(reads(KERNELS_RAM, KERNELS_SIZE));
    ck_assert(!reads(KERNELS_RAM, KERNELS_SIZE + 1));
    ck_assert(!reads(KERNELS_RAM - 1, 1));
    ck_assert(!reads(KERNELS_RAM + (1ull << 40), 1));
    ck_assert(!reads(KERNELS_RAM | 1ull << 39, 1));
    made.table[GUESTS_FIRST + 1][KERNELS_RAM >> 30] = made.table[GUESTS_FIRST][KERNELS_RAM >> 30];
    ck_assert(stage2_init(&stage2, &made.memory, &guest));
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
        ck_assert_msg(!stage2_init(&stage2, &made.memory, &guest), "%s", rows[i].row);
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
    ck_assert(finds("without the program", &guest));
    ck_assert_uint_lt(made.reads, 2 * PAGE_WALK_FIND);
    ck_assert(!stage2.has_program);
}
END_TEST

Suite *stage2_suite(void)
{
    const TTest *const tests[] = {stage2_found, stage2_ranges, stage2_refused, stage2_endless};

    return suite_of("stage2", tests, COUNT_OF(tests));
}
