/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a guest, as users write them. */
#include <errno.h>
#include <linux/perf_event.h>

#include "fixture.h"
#include "kvm_glue/sampler.h"

/* The type of an Arm host's PMU if there are several. */
#define TYPE 8

struct row {
    const char *text;
    uint32_t type;
    uint64_t config;
    bool exclude_user;
    bool exclude_kernel;
    const char *why; /* a part of the error */
};

static int parse(const char *text, bool x86, struct kvm_glue_sampled *event,
                 struct kvm_glue_error *err)
{
    return x86 ? kvm_glue_sampled_parse_x86(text, event, err)
               : kvm_glue_sampled_parse(text, TYPE, event, err);
}

/* The period is kept. */
static void check(const struct row *row, bool x86)
{
    struct kvm_glue_sampled event = {.period = 7};
    struct kvm_glue_error err;

    expect(row->text, row->why ? -EINVAL : 0, parse(row->text, x86, &event, &err));
    expect("period", 7, (long long)event.period);
    if (row->why) {
        expect_text(row->text, row->why, err.text);
        return;
    }
    expect(row->text, row->type, event.type);
    expect(row->text, (long long)row->config, (long long)event.config);
    expect(row->text, row->exclude_user, event.exclude_user);
    expect(row->text, row->exclude_kernel, event.exclude_kernel);
}

START_TEST(arm)
{
    static const struct row rows[] = {
        {"cycles", TYPE, 0x11, false, false, NULL},
        {"instructions:u", TYPE, 8, false, true, NULL},
        {"l1d_cache:k", TYPE, 4, true, false, NULL},
        {"r8123:uk", TYPE, 0x8123, false, false, NULL},
        {"instructions:h", 0, 0, 0, 0, "modifiers are u and k"},
        {"instructions:uG", 0, 0, 0, 0, "modifiers are u and k"},
        {"instructions:H", 0, 0, 0, 0, "modifiers are u and k"},
        {"instructions:x", 0, 0, 0, 0, "modifiers are u, k and h"},
        {"nosuch", 0, 0, 0, 0, "an event is one of perf's generic names"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check(&rows[i], false);
    }
}
END_TEST

START_TEST(x86)
{
    static const struct row rows[] = {
        {"instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, true, NULL},
        {"LLC-loads:k", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL, true, false, NULL},
        {"r1c0:ku", PERF_TYPE_RAW, 0x1c0, false, false, NULL},
        {"instructions:G", 0, 0, 0, 0, "modifiers are u and k"},
        {"inst_retired", 0, 0, 0, 0, "an event is one of perf's generic names"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check(&rows[i], true);
    }
}
END_TEST

Suite *sampled_suite(void)
{
    const TTest *const tests[] = {arm, x86};

    return suite_of("sampled", tests, COUNT_OF(tests));
}
