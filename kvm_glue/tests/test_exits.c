/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and sums of the figures of exits. */
#include <linux/kvm.h>
#include <string.h>

#include "fixture.h"
#include "kvm_glue/meter.h"

START_TEST(reasons)
{
    static const struct {
        unsigned reason;
        const char *name;
    } rows[] = {
        {KVM_EXIT_UNKNOWN, "unknown"},
        {KVM_EXIT_HLT, "hlt"},
        {KVM_EXIT_MMIO, "mmio"},
        {KVM_EXIT_INTR, "intr"},
        {KVM_EXIT_INTERNAL_ERROR, "internal-error"},
        {KVM_EXIT_SYSTEM_EVENT, "system-event"},
        {KVM_EXIT_ARM_NISV, "arm-nisv"},
        {KVM_EXIT_DIRTY_RING_FULL, "dirty-ring-full"},
        {KVM_EXIT_NOTIFY, "notify"},
        {39, "memory-fault"},
        {KVM_GLUE_REASON_INTERRUPTED, "interrupted"},
        {KVM_GLUE_REASON_OTHER, "other"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(rows[i].name, kvm_glue_reason_name(rows[i].reason));
    }
    ck_assert_ptr_null(kvm_glue_reason_name(KVM_GLUE_REASON_INTERRUPTED - 1));
    ck_assert_ptr_null(kvm_glue_reason_name(KVM_GLUE_REASONS));
}
END_TEST

/* Each part has its own name. */
START_TEST(parts)
{
    for (unsigned i = 0; i < KVM_GLUE_PARTS; i++) {
        ck_assert_ptr_nonnull(kvm_glue_part_name(i));
        for (unsigned j = 0; j < i; j++) {
            ck_assert_str_ne(kvm_glue_part_name(i), kvm_glue_part_name(j));
        }
    }
    ck_assert_str_eq("blackout-cycles", kvm_glue_part_name(KVM_GLUE_BLACKOUT_CYCLES));
    ck_assert_ptr_null(kvm_glue_part_name(KVM_GLUE_PARTS));
}
END_TEST

static void fill(struct kvm_glue_exits *e, uint64_t n)
{
    kvm_glue_exits_clear(e);
    e->exits = n;
    e->measured = n + 1;
    e->scaled = n + 2;
    e->negative = n + 3;
    e->blackout[1] = -(int64_t)n;
    e->software[KVM_GLUE_MIGRATIONS] = n + 4;
    e->part[KVM_GLUE_RUN_NS] = (struct vpmu_spread){.sum = n, .min = n, .max = n, .log2[3] = 1};
}

START_TEST(sums)
{
    struct kvm_glue_exits sum;
    struct kvm_glue_exits more;

    kvm_glue_exits_clear(&sum);
    fill(&more, 5);
    kvm_glue_exits_add(&sum, &more);
    ck_assert_mem_eq(&sum, &more, sizeof(sum));
    fill(&more, 7);
    kvm_glue_exits_add(&sum, &more);
    expect("exits", 12, (long long)sum.exits);
    expect("measured", 14, (long long)sum.measured);
    expect("scaled", 16, (long long)sum.scaled);
    expect("negative", 18, (long long)sum.negative);
    expect("blackout", -12, sum.blackout[1]);
    expect("migrations", 20, (long long)sum.software[KVM_GLUE_MIGRATIONS]);
    expect("sum", 12, (long long)sum.part[KVM_GLUE_RUN_NS].sum);
    expect("min", 5, (long long)sum.part[KVM_GLUE_RUN_NS].min);
    expect("max", 7, (long long)sum.part[KVM_GLUE_RUN_NS].max);
    expect("bucket", 2, (long long)sum.part[KVM_GLUE_RUN_NS].log2[3]);
    ck_assert_uint_eq(UINT64_MAX, sum.part[KVM_GLUE_VMM_NS].min);
}
END_TEST

Suite *exits_suite(void)
{
    const TTest *const tests[] = {reasons, parts, sums};

    return suite_of("exits", tests, COUNT_OF(tests));
}
