/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which event filters are accepted, the errors of others, and which events they allow. */
#include <errno.h>

#include "fixture.h"
#include "kvm_glue/filter.h"

START_TEST(understood)
{
    static const struct {
        const char *text;
        struct kvm_glue_filter filter;
    } rows[] = {
        {"A:0x11-0x11", {1, {{0x11, 0x11, KVM_GLUE_ALLOW}}}},
        {"D:17-17", {1, {{0x11, 0x11, KVM_GLUE_DENY}}}},
        {"A:0x11-0x11;D:0x23-0x3a", {2, {{0x11, 0x11, 0}, {0x23, 0x3a, 1}}}},
        {"A:0X11-0x11,D:0x2B-0x3a", {2, {{0x11, 0x11, 0}, {0x2b, 0x3a, 1}}}},
        {"D:0-65535", {1, {{0, 0xffff, 1}}}},
        {"A:0x00000000000000001-0x2", {1, {{1, 2, 0}}}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_filter got = {.count = 99};

        expect(rows[i].text, 0, kvm_glue_filter_parse(rows[i].text, &got, NULL));
        expect(rows[i].text, rows[i].filter.count, got.count);
        for (unsigned r = 0; r < got.count; r++) {
            expect("first", rows[i].filter.rules[r].first, got.rules[r].first);
            expect("last", rows[i].filter.rules[r].last, got.rules[r].last);
            expect("action", rows[i].filter.rules[r].action, got.rules[r].action);
        }
    }
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *text;
        const char *why;
    } rows[] = {
        {"", "'' is no rule"},
        {"A", "'A' is no rule"},
        {"A:", "'A:' is no rule"},
        {"A:0x", "is no rule"},
        {"A:0x11", "is no rule"},
        {"A:0x11-", "is no rule"},
        {"A:-0x11", "is no rule"},
        {"A:1a-1b", "is no rule"},
        {"a:0x11-0x11", "is no rule"},
        {"X:0x11-0x11", "is no rule"},
        {"A0x11-0x11", "is no rule"},
        {"A:0x11-0x11;", "'' is no rule"},
        {"A:0x11-0x11 D:0x1-0x1", "is no rule"},
        {"A:0x11-0x11;D;A:1-2", "'D' is no rule"},
        {"A:0x12-0x11", "ends before it begins"},
        {"A:0x0-0x10000", "out of bounds"},
        {"A:0-99999999999999999999999999", "out of bounds"},
        {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAA' is no rule"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_filter filter = {.count = 7};
        struct kvm_glue_error err;

        expect(rows[i].text, -EINVAL, kvm_glue_filter_parse(rows[i].text, &filter, &err));
        expect_text(rows[i].text, rows[i].why, err.text);
        expect("error", -EINVAL, err.error);
        expect("untouched", 7, filter.count);
        expect("without a place for the reason", -EINVAL,
               kvm_glue_filter_parse(rows[i].text, &filter, NULL));
    }
}
END_TEST

/* The maximum is 64 rules, "A:1-1;" each. */
START_TEST(too_many)
{
    char text[65 * 6 + 1] = "";
    struct kvm_glue_filter filter;
    struct kvm_glue_error err;

    for (unsigned i = 0; i < 64; i++) {
        strcat(text, i == 0 ? "A:1-1" : ";A:1-1");
    }
    expect("64", 0, kvm_glue_filter_parse(text, &filter, &err));
    expect("64", 64, filter.count);
    strcat(text, ";A:1-1");
    expect("65", -E2BIG, kvm_glue_filter_parse(text, &filter, &err));
    expect_text("65", "more than 64 rules", err.text);
    expect("action", -EINVAL, kvm_glue_filter_add(&filter, 2, 0, 0, &err));
    expect_text("action", "allows or denies", err.text);
}
END_TEST

/* The examples of the kernel's and kvmtool's documentation. */
START_TEST(allowed)
{
    static const struct {
        const char *text;
        unsigned event;
        bool allowed;
    } rows[] = {
        {"A:0x11-0x11,A:0x23-0x3a,D:0x30-0x30", 0x11, true},
        {"A:0x11-0x11,A:0x23-0x3a,D:0x30-0x30", 0x10, false},
        {"A:0x11-0x11,A:0x23-0x3a,D:0x30-0x30", 0x23, true},
        {"A:0x11-0x11,A:0x23-0x3a,D:0x30-0x30", 0x3a, true},
        {"A:0x11-0x11,A:0x23-0x3a,D:0x30-0x30", 0x3b, false},
        {"A:0x11-0x11,A:0x23-0x3a,D:0x30-0x30", 0x30, false},
        {"D:0x11-0x11", 0x11, false},
        {"D:0x11-0x11", 0x08, true},
        /* Overriding the first rule does not change the default. */
        {"A:0-10;D:0-10", 5, false},
        {"A:0-10;D:0-10", 11, false},
        {"D:0-10;A:0-10", 5, true},
        /* SW_INCR and CHAIN are never filtered. */
        {"D:0-0xffff", 0, true},
        {"D:0-0xffff", 0x1e, true},
        {"D:0-0xffff", 0x1d, false},
        {"D:0-0xffff", 0xffff, false},
    };
    static const struct kvm_glue_filter none = {.count = 0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_filter filter;

        expect(rows[i].text, 0, kvm_glue_filter_parse(rows[i].text, &filter, NULL));
        ck_assert_msg(kvm_glue_filter_allows(&filter, rows[i].event) == rows[i].allowed,
                      "%s: event %#x: expected allowed %d", rows[i].text, rows[i].event,
                      rows[i].allowed);
    }
    ck_assert(kvm_glue_filter_allows(&none, 0x11));
}
END_TEST

/* PMUVer 1 is PMUv3, 4 PMUv3p1, 5 PMUv3p4, 6 PMUv3p5. */
START_TEST(bounds)
{
    static const struct {
        struct kvm_glue_filter filter;
        unsigned pmuver;
        const char *why;
    } rows[] = {
        {{1, {{0, 0x3ff, 0}}}, 1, NULL},
        {{1, {{0, 0x400, 0}}},
         1,
         "0x0-0x400 is out of bounds; this guest's PMU has events 0x0 to 0x3ff"},
        {{1, {{0, 0xffff, 0}}}, 4, NULL},
        {{2, {{0, 1, 0}, {0x4000, 0x4001, 1}}}, 1, "0x4000-0x4001 is out of bounds"},
        {{1, {{2, 1, 0}}}, 6, "out of bounds"},
        {{65, {{0, 1, 0}}}, 6, "more than 64 rules"},
        {{0, {{9, 1, 0}}}, 6, NULL},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_error err = {.text = "fine"};
        int ret = kvm_glue_filter_check(&rows[i].filter, rows[i].pmuver, &err);

        expect(err.text, rows[i].why == NULL ? 0 : -EINVAL, ret);
        expect_text("why", rows[i].why == NULL ? "fine" : rows[i].why, err.text);
    }
    expect("PMUv3", 10, kvm_glue_filter_event_bits(1));
    expect("PMUv3p5", 16, kvm_glue_filter_event_bits(6));
}
END_TEST

Suite *filter_suite(void)
{
    const TTest *const tests[] = {understood, refused, too_many, allowed, bounds};

    return suite_of("filter", tests, COUNT_OF(tests));
}
