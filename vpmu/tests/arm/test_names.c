/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Each item has a name, the names are unique, and they are those that programs rely on. */
#include <ctype.h>
#include <string.h>

#include "fixture.h"

static void expect_name(const char *want, const char *got)
{
    ck_assert_msg(got && strcmp(want, got) == 0, "expected %s got %s", want, got ? got : "none");
}

static void expect_distinct(const char *(*name_of)(unsigned), unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const char *name = name_of(i);

        ck_assert_msg(name && *name, "expected a name of %u got none", i);
        for (const char *p = name; *p; p++) {
            ck_assert_msg(islower((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '-',
                          "expected lower case, digits and hyphens got %s", name);
        }
        for (unsigned other = 0; other < i; other++) {
            ck_assert_msg(strcmp(name, name_of(other)) != 0, "expected one %s got two", name);
        }
    }
    ck_assert_msg(!name_of(count), "expected no name of %u got %s", count, name_of(count));
    ck_assert_msg(!name_of(UINT32_MAX), "expected no name of UINT32_MAX got one");
}

START_TEST(sources)
{
    expect_distinct(vpmu_arm_source_name, VPMU_SRC_COUNT);
    expect_name("inst-retired", vpmu_arm_source_name(VPMU_SRC_INST_RETIRED));
    expect_name("pc-write", vpmu_arm_source_name(VPMU_SRC_PC_WRITE));
    expect_name("unaligned", vpmu_arm_source_name(VPMU_SRC_UNALIGNED));
    expect_name("exc-trap-fiq", vpmu_arm_source_name(VPMU_SRC_EXC_TRAP_FIQ));
    expect_name("l1d-cache-refill-rd", vpmu_arm_source_name(VPMU_SRC_L1D_CACHE_REFILL_RD));
    expect_name("stall-slot-backend", vpmu_arm_source_name(VPMU_SRC_STALL_SLOT_BACKEND));
    expect_name("bus-access-wr", vpmu_arm_source_name(VPMU_SRC_BUS_ACCESS_WR));
}
END_TEST

START_TEST(contexts)
{
    expect_distinct(vpmu_arm_ctx_name, VPMU_CTX_COUNT);
    expect_name("secure-el1", vpmu_arm_ctx_name(vpmu_arm_ctx(1, VPMU_SECURE)));
    expect_name("el0", vpmu_arm_ctx_name(vpmu_arm_ctx(0, VPMU_NONSECURE)));
    expect_name("el2", vpmu_arm_ctx_name(vpmu_arm_ctx(2, VPMU_NONSECURE)));
    expect_name("realm-el0", vpmu_arm_ctx_name(vpmu_arm_ctx(0, VPMU_REALM)));
    expect_name("el3", vpmu_arm_ctx_name(vpmu_arm_ctx(3, VPMU_SECURE)));
}
END_TEST

Suite *names_suite(void)
{
    const TTest *const tests[] = {
        sources,
        contexts,
    };

    return suite_of("names", tests, COUNT_OF(tests));
}
