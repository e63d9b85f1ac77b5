/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guests of the machine's own hypervisor in a recording. */
#include "kernel/nested-guests.h"

#include <string.h>

#include "fixtures/guests.h"
#include "unit/tests.h"

static struct made_guest made;
static struct nested_guests guests;

static struct nested_guest *find(const struct vpmu_record_guest *from)
{
    return nested_guests_find(&guests, from);
}

static void begin(void)
{
    guests_make(&made);
    guests = (struct nested_guests){.memory = &made.memory};
}

START_TEST(nested_guests_named)
{
    struct vpmu_record_guest from = guests_record();
    struct nested_guest *guest;

    begin();
    guest = find(&from);
    ck_assert(guest && functions_named(&guest->functions, "first"));
    ck_assert_str_eq(guest->path, "[guest-7]");
    ck_assert_uint_eq(nested_guests_nameless(&guests), 0);
    /* It is found once, also with another page table of its kernel. */
    from.ttbr1 = 0;
    from.vttbr &= ~1ull;
    ck_assert_ptr_eq(find(&from), guest);
    ck_assert_uint_eq(made.finds, 1);
    ck_assert_uint_eq(nested_guests_symbols(&guests), 0);
    guest->written = guest->used[1] = true;
    ck_assert_uint_eq(nested_guests_symbols(&guests), 1);
    nested_guests_next(&guests);
    ck_assert(!guest->written && !guest->used[1]);
    /* Another guest with the same VMID. */
    from.vttbr = 7ull << 48 | 0x70000000;
    guest = find(&from);
    ck_assert(guest && guest->functions.n == 0);
    ck_assert_str_eq(guest->path, "[guest-7.1]");
    nested_guests_free(&guests);
}
END_TEST

/* A kernel that boots has no symbols yet. It is searched for less and less often. */
START_TEST(nested_guests_later)
{
    struct vpmu_record_guest from = guests_record();
    struct nested_guest *guest = NULL;

    begin();
    made.kernel.ram[KERNELS_INFO] = 'X';
    for (unsigned i = 0; i < 100; i++) {
        guest = find(&from);
        ck_assert(guest && guest->functions.n == 0);
    }
    ck_assert_uint_eq(made.finds, 3);
    ck_assert_uint_eq(nested_guests_nameless(&guests), 1);
    made.kernel.ram[KERNELS_INFO] = 'O';
    for (unsigned i = 0; i < 500; i++) {
        guest = find(&from);
    }
    ck_assert(functions_named(&guest->functions, "first"));
    ck_assert_uint_eq(made.finds, 4);
    nested_guests_free(&guests);
}
END_TEST

/*
 * The first search fails, because it read the guest's memory while that changed. The seven samples
 * until the second search have names as well.
 */
START_TEST(nested_guests_early)
{
    struct vpmu_record_guest from = guests_record();
    struct nested_guest *guest = NULL;
    size_t used = 0;

    begin();
    made.kernel.ram[KERNELS_INFO] = 'X';
    for (unsigned i = 0; i < 8; i++) {
        guest = find(&from);
        ck_assert_uint_eq(guest->functions.n != 0, i == 7);
        /* The first function of the kernel, and addresses that no function has. */
        nested_guest_use(guest, i % 2 ? KERNELS_TEXT + 0x100 + i : 16 + i);
        made.kernel.ram[KERNELS_INFO] = 'O';
    }
    ck_assert_uint_eq(made.finds, 2);
    ck_assert(guest->first && !guest->early && guest->n_early == 0);
    for (size_t i = 0; i < guest->functions.n; i++) {
        used += guest->used[i];
    }
    ck_assert_uint_eq(used, 1);
    ck_assert(guest->used[functions_find(&guest->functions, KERNELS_TEXT + 0x100) -
                          guest->functions.function]);
    /* The next guest with this VMID is not the first, and there is a limit. */
    from.vttbr = 7ull << 48 | 0x70000000;
    guest = find(&from);
    ck_assert(!guest->first);
    for (unsigned i = 0; i < NESTED_GUESTS_EARLY + 5; i++) {
        nested_guest_use(guest, i);
    }
    ck_assert_uint_eq(guest->n_early, NESTED_GUESTS_EARLY);
    nested_guests_free(&guests);
}
END_TEST

/* The number of guests and the number of searches are limited. */
START_TEST(nested_guests_many)
{
    struct vpmu_record_guest from = guests_record();

    begin();
    made.kernel.ram[KERNELS_INFO] = 'X';
    for (unsigned i = 0; i < 100000; i++) {
        find(&from);
    }
    ck_assert_uint_eq(made.finds, 5);
    for (uint64_t i = 1; i < 2 * NESTED_GUESTS; i++) {
        from.vttbr = i << 12;
        ck_assert_int_eq(find(&from) != NULL, i < NESTED_GUESTS);
    }
    from.vttbr = 0;
    ck_assert_ptr_null(find(&from));
    nested_guests_free(&guests);
    from = guests_record();
    ck_assert_uint_eq(find(&from)->functions.n, 0);
    ck_assert_uint_eq(nested_guests_nameless(&guests), 0);
    nested_guests_free(&guests);
}
END_TEST

/* Guests of SVM have no VMID. Their numbers are in the order in which they are seen. */
START_TEST(nested_guests_of_svm)
{
    struct vpmu_record_guest from = guests_record_x86();
    struct nested_guest *guest;

    guests_make_x86(&made);
    guests = (struct nested_guests){.is_x86 = true, .memory = &made.memory};
    guest = find(&from);
    ck_assert(guest && guest->first && functions_named(&guest->functions, "first"));
    ck_assert_str_eq(guest->path, "[guest-1]");
    from.ttbr1 = 0;
    ck_assert_ptr_eq(find(&from), guest);
    /* Without nested paging, the address is that of the VMCB. */
    from.vttbr += 0x1000;
    from.vtcr = 0;
    guest = find(&from);
    ck_assert(guest && guest->first && guest->functions.n == 0);
    ck_assert_str_eq(guest->path, "[guest-2]");
    ck_assert_uint_eq(guest->vmid, 2);
    nested_guests_free(&guests);
}
END_TEST

Suite *nested_guests_suite(void)
{
    const TTest *const tests[] = {nested_guests_named, nested_guests_later, nested_guests_early,
                                  nested_guests_many, nested_guests_of_svm};

    return suite_of("nested_guests", tests, COUNT_OF(tests));
}
