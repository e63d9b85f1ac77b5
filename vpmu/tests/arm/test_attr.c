/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The plans for perf_event_attr's exclude bits, and what is refused. */
#include <string.h>

#include "fixture.h"
#include "vpmu/arm/attr.h"

/* exclude_user to exclude_guest, without exclude_idle. */
#define ATTR_BITS 5
#define BAD_MODE ((enum vpmu_host_mode)(VPMU_HOST_GUEST + 1))

static const struct {
    enum vpmu_host_mode mode;
    const char *bits;
} truth[] = {
#include "attr_truth.inc"
};

static struct vpmu_attr attr_of(uint64_t bits)
{
    return (struct vpmu_attr){
        .exclude_user = bits & BIT(0),
        .exclude_kernel = bits & BIT(1),
        .exclude_hv = bits & BIT(2),
        .exclude_host = bits & BIT(3),
        .exclude_guest = bits & BIT(4),
    };
}

/* The bits of a plan, in the order of the table. */
static uint64_t bits_of(const struct vpmu_plan *plan)
{
    return (plan->filter & VPMU_TYPER_P ? BIT(0) : 0) | (plan->filter & VPMU_TYPER_U ? BIT(1) : 0) |
           (plan->filter & VPMU_TYPER_NSH ? BIT(2) : 0) | (plan->host ? BIT(3) : 0) |
           (plan->guest ? BIT(4) : 0) | (plan->deferred ? BIT(5) : 0);
}

START_TEST(all_plans)
{
    for (size_t i = 0; i < COUNT_OF(truth); i++) {
        uint64_t bits = mask_of(truth[i].bits);
        struct vpmu_attr attr = attr_of(bits);
        struct vpmu_plan plan = {.filter = ALL_ONES};
        const char *why = "untouched";

        expect_in(truth[i].bits, "error", 0,
                  (uint64_t)-vpmu_arm_attr_plan(truth[i].mode, &attr, &plan, &why));
        expect_in(truth[i].bits, "plan", bits >> ATTR_BITS, bits_of(&plan));
        expect_in(truth[i].bits, "filter bits other than P, U, NSH", 0,
                  plan.filter & ~(VPMU_TYPER_P | VPMU_TYPER_U | VPMU_TYPER_NSH));
        ck_assert_str_eq(why, "untouched");
    }
}
END_TEST

/* 2^5 attributes in each of 3 modes. */
START_TEST(table_is_whole)
{
    uint64_t seen[VPMU_HOST_GUEST + 1] = {0};

    for (size_t i = 0; i < COUNT_OF(truth); i++) {
        seen[truth[i].mode] |= BIT(mask_of(truth[i].bits) & (BIT(ATTR_BITS) - 1));
    }
    for (unsigned mode = 0; mode <= VPMU_HOST_GUEST; mode++) {
        expect("attributes seen", BIT(1 << ATTR_BITS) - 1, seen[mode]);
    }
}
END_TEST

static void check_refused(enum vpmu_host_mode mode, const struct vpmu_attr *attr,
                          const char *reason)
{
    static const struct vpmu_plan untouched = {.filter = 0x5a, .host = true, .deferred = true};
    struct vpmu_plan plan;
    const char *why = "no reason";

    memcpy(&plan, &untouched, sizeof(plan));
    expect_in(reason, "error", VPMU_ERR_ATTR,
              (uint64_t)-vpmu_arm_attr_plan(mode, attr, &plan, &why));
    ck_assert_msg(strstr(why, reason) != NULL, "expected a reason with '%s' got '%s'", reason, why);
    expect_in(reason, "without a place for the reason", VPMU_ERR_ATTR,
              (uint64_t)-vpmu_arm_attr_plan(mode, attr, &plan, NULL));
    ck_assert_mem_eq(&plan, &untouched, sizeof(plan));
}

START_TEST(idle_refused)
{
    for (unsigned mode = 0; mode <= VPMU_HOST_GUEST; mode++) {
        for (uint64_t bits = 0; bits < BIT(ATTR_BITS); bits++) {
            struct vpmu_attr attr = attr_of(bits);

            attr.exclude_idle = true;
            check_refused((enum vpmu_host_mode)mode, &attr, "exclude_idle");
        }
    }
}
END_TEST

/* An unknown mode is reported first, even if the attribute is wrong as well. */
START_TEST(mode_refused)
{
    struct vpmu_attr attr = attr_of(0);

    check_refused(BAD_MODE, &attr, "no such host mode");
    check_refused((enum vpmu_host_mode) - 1, &attr, "no such host mode");
    attr.exclude_idle = true;
    check_refused(BAD_MODE, &attr, "no such host mode");
}
END_TEST

Suite *attr_suite(void)
{
    const TTest *const tests[] = {all_plans, table_is_whole, idle_refused, mode_refused};

    return suite_of("attr", tests, COUNT_OF(tests));
}
