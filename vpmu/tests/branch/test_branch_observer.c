/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Branch records for an observer outside of the machine. */
#include <string.h>

#include "fixture.h"
#include "vpmu/branch_observer.h"

#define KERNEL 0xeu
#define BOTH 0xfu
#define FROM VPMU_BRANCH_HAS_FROM
#define TO VPMU_BRANCH_HAS_TO

enum {
    D = VPMU_BRGROUP_DIRECT,
    I = VPMU_BRGROUP_INDIRECT,
    C = VPMU_BRGROUP_CALL,
    IC = VPMU_BRGROUP_INDIRECT_CALL,
    R = VPMU_BRGROUP_RETURN,
    CC = VPMU_BRGROUP_CONDITIONAL,
    ALL = D | I | C | IC | R | CC,
};

START_TEST(words)
{
    static const struct {
        const char *text;
        struct vpmu_branch_filter filter;
    } rows[] = {
        {"any", {BOTH, ALL, true, true, false, false}},
        {"u", {1, ALL, true, true, false, false}},
        {"k", {KERNEL, ALL, true, true, false, false}},
        {"any,u,k", {BOTH, ALL, true, true, false, false}},
        {"any_call", {BOTH, C | IC, true, false, false, false}},
        {"any_ret,u", {1, R, false, true, false, false}},
        {"call", {BOTH, C, false, false, false, false}},
        {"u,ind_call", {1, IC, false, false, false, false}},
        {"ind_jmp", {BOTH, I, false, false, false, false}},
        {"cond,call", {BOTH, CC | C, false, false, false, false}},
        {"flags,cycles", {BOTH, ALL, true, true, true, true}},
        {"no_flags,no_cycles,save_type", {BOTH, ALL, true, true, false, false}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_branch_filter filter;

        expect_in(rows[i].text, "refused", 0,
                  (uint64_t)vpmu_branch_filter_parse(&filter, rows[i].text, NULL));
        expect_in(rows[i].text, "levels", rows[i].filter.levels, filter.levels);
        expect_in(rows[i].text, "groups", rows[i].filter.groups, filter.groups);
        expect_in(rows[i].text, "exceptions", rows[i].filter.exceptions, filter.exceptions);
        expect_in(rows[i].text, "returns", rows[i].filter.returns, filter.returns);
        expect_in(rows[i].text, "flags", rows[i].filter.mispredictions, filter.mispredictions);
        expect_in(rows[i].text, "cycles", rows[i].filter.cycles, filter.cycles);
    }
}
END_TEST

START_TEST(wrong_words)
{
    static const char *const rows[] = {"",      "any,",       ",any", "any,,u", "anyone",   "an",
                                       "any u", "call_stack", "U",    "hv",     "any,in_tx"};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_branch_filter filter = {.levels = 99};
        const char *why = NULL;

        expect_in(rows[i], "refused", (uint64_t)-VPMU_ERR_ATTR,
                  (uint64_t)vpmu_branch_filter_parse(&filter, rows[i], &why));
        expect_in(rows[i], "unchanged", 99, filter.levels);
        ck_assert_ptr_nonnull(why);
        ck_assert_ptr_null(strchr(why, '\n'));
    }
}
END_TEST

static struct vpmu_branch_observer observer(const char *filter)
{
    struct vpmu_branch_filter parsed;
    struct vpmu_branch_observer o;

    vpmu_branch_filter_parse(&parsed, filter, NULL);
    vpmu_branch_observer_init(&o, &parsed, 4);
    return o;
}

/* What a machine does; the name of the type says which function it calls. */
struct step {
    uint64_t from;
    uint64_t to;
    uint8_t type;
    uint8_t source;
    uint8_t level;
    uint8_t length; /* of an instruction that an exception follows */
};

static void perform(struct vpmu_branch_observer *o, const struct step *s)
{
    struct vpmu_branch branch = {.from = s->from, .to = s->to, .type = s->type, .level = s->level};

    if (vpmu_branch_group(s->type) == VPMU_BRGROUP_EXCEPTION) {
        vpmu_branch_observer_cross(o, &branch, s->source, s->from + s->length, VPMU_BRANCH_NO_TIME);
    } else {
        vpmu_branch_observer_taken(o, &branch, VPMU_BRANCH_NO_TIME);
    }
}

#define JUMP(from, to, level)                                                                      \
    {                                                                                              \
        from, to, VPMU_BRTYPE_DIRECT, level, level, 0                                              \
    }
#define IRQ(from, to, source)                                                                      \
    {                                                                                              \
        from, to, VPMU_BRTYPE_IRQ, source, 1, 0                                                    \
    }
#define CALL(from, to, length)                                                                     \
    {                                                                                              \
        from, to, VPMU_BRTYPE_SYSTEM_CALL, 0, 1, length                                            \
    }
#define ERET(from, to, level)                                                                      \
    {                                                                                              \
        from, to, VPMU_BRTYPE_EXCEPTION_RETURN, 1, level, 0                                        \
    }

/* Each row is a program; the records that it leaves, the newest first. */
static const struct {
    const char *why;
    const char *filter;
    struct step step[6];
    struct vpmu_branch record[5];
} programs[] = {
    {"branches of both levels",
     "any",
     {JUMP(0x10, 0x20, 0), JUMP(0x810, 0x820, 1)},
     {{0x810, 0x820, 0, 0, 1, FROM | TO, 0}, {0x10, 0x20, 0, 0, 0, FROM | TO, 0}}},
    {"user space",
     "u",
     {JUMP(0x10, 0x20, 0), JUMP(0x810, 0x820, 1)},
     {{0x10, 0x20, 0, 0, 0, FROM | TO, 0}}},
    {"EL3 is above user space",
     "k",
     {JUMP(0x10, 0x20, 0), JUMP(0x810, 0x820, 3)},
     {{0x810, 0x820, 0, 0, 3, FROM | TO, 0}}},
    {"another kind", "call", {JUMP(0x10, 0x20, 0)}, {{0}}},
    {"an interrupt, seen from both",
     "any",
     {IRQ(0x20, 0x800, 0), ERET(0x808, 0x20, 0)},
     {{0x808, 0x20, 0, VPMU_BRTYPE_EXCEPTION_RETURN, 0, FROM | TO, 0},
      {0x20, 0x800, 0, VPMU_BRTYPE_IRQ, 1, FROM | TO, 0}}},
    {"an interrupt within the kernel",
     "k",
     {IRQ(0x820, 0x800, 1), ERET(0x808, 0x820, 1)},
     {{0x808, 0x820, 0, VPMU_BRTYPE_EXCEPTION_RETURN, 1, FROM | TO, 0},
      {0x820, 0x800, 0, VPMU_BRTYPE_IRQ, 1, FROM | TO, 0}}},
    {"user space does not see an interrupt",
     "u",
     {JUMP(0x10, 0x20, 0), IRQ(0x24, 0x800, 0), ERET(0x808, 0x24, 0), JUMP(0x28, 0x10, 0)},
     {{0x28, 0x10, 0, 0, 0, FROM | TO, 0}, {0x10, 0x20, 0, 0, 0, FROM | TO, 0}}},
    {"a system call, which returns to the instruction after it",
     "u",
     {JUMP(0x10, 0x20, 0), CALL(0x24, 0x800, 2), ERET(0x808, 0x26, 0)},
     {{0x10, 0x20, 0, 0, 0, FROM | TO, 0}}},
    {"a system call that is repeated",
     "u",
     {JUMP(0x10, 0x20, 0), CALL(0x24, 0x800, 2), ERET(0x808, 0x24, 0)},
     {{0}}},
    {"the record of a system call has its own address",
     "any",
     {CALL(0x24, 0x800, 2)},
     {{0x24, 0x800, 0, VPMU_BRTYPE_SYSTEM_CALL, 1, FROM | TO, 0}}},
    {"a signal ends what was before it",
     "u",
     {JUMP(0x10, 0x20, 0), IRQ(0x24, 0x800, 0), ERET(0x808, 0x40, 0), JUMP(0x48, 0x50, 0)},
     {{0x48, 0x50, 0, 0, 0, FROM | TO, 0}}},
    {"so does a return from it",
     "u",
     {IRQ(0x24, 0x800, 0), ERET(0x808, 0x40, 0), JUMP(0x44, 0x48, 0), IRQ(0x4c, 0x800, 0),
      ERET(0x808, 0x24, 0)},
     {{0}}},
    {"the beginning of user space", "u", {ERET(0x808, 0x40, 0)}, {{0}}},
    {"levels that are left twice",
     "u",
     {IRQ(0x24, 0x800, 0), IRQ(0x804, 0x800, 1), ERET(0x808, 0x804, 1), ERET(0x808, 0x24, 0)},
     {{0}}},
    {"the kernel does not see that it is entered, nor what was before that",
     "k",
     {JUMP(0x810, 0x820, 1), ERET(0x824, 0x20, 0), IRQ(0x20, 0x800, 0), JUMP(0x804, 0x808, 1)},
     {{0x804, 0x808, 0, 0, 1, FROM | TO, 0}}},
    {"calls of the kernel, not its returns",
     "any_call",
     {IRQ(0x20, 0x800, 0), ERET(0x808, 0x20, 0)},
     {{0x20, 0x800, 0, VPMU_BRTYPE_IRQ, 1, FROM | TO, 0}}},
    {"its returns",
     "any_ret",
     {IRQ(0x20, 0x800, 0), ERET(0x808, 0x20, 0)},
     {{0x808, 0x20, 0, VPMU_BRTYPE_EXCEPTION_RETURN, 0, FROM | TO, 0}}},
    {"the newest",
     "any",
     {JUMP(1, 2, 0), JUMP(3, 4, 0), JUMP(5, 6, 0), JUMP(7, 8, 0), JUMP(9, 10, 0)},
     {{9, 10, 0, 0, 0, FROM | TO, 0},
      {7, 8, 0, 0, 0, FROM | TO, 0},
      {5, 6, 0, 0, 0, FROM | TO, 0},
      {3, 4, 0, 0, 0, FROM | TO, 0}}},
};

START_TEST(records)
{
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        struct vpmu_branch_observer o = observer(programs[i].filter);
        struct vpmu_branch got[VPMU_BRANCH_RECORDS] = {0};
        unsigned want = 0;

        for (size_t n = 0; n < COUNT_OF(programs[i].step); n++) {
            if (programs[i].step[n].to) {
                perform(&o, &programs[i].step[n]);
            }
        }
        while (programs[i].record[want].flags) {
            want++;
        }
        expect_in(programs[i].why, "records", want, vpmu_branch_observer_copy(&o, got));
        for (unsigned n = 0; n < want; n++) {
            expect_in(programs[i].why, "from", programs[i].record[n].from, got[n].from);
            expect_in(programs[i].why, "to", programs[i].record[n].to, got[n].to);
            expect_in(programs[i].why, "type", programs[i].record[n].type, got[n].type);
            expect_in(programs[i].why, "level", programs[i].record[n].level, got[n].level);
            expect_in(programs[i].why, "flags", programs[i].record[n].flags, got[n].flags);
        }
    }
}
END_TEST

static void jump_at(struct vpmu_branch_observer *o, uint64_t from, uint64_t now)
{
    const struct vpmu_branch branch = {.from = from, .to = from, .flags = VPMU_BRANCH_MISPREDICTED};

    vpmu_branch_observer_taken(o, &branch, now);
}

START_TEST(cycles_if_wanted)
{
    struct vpmu_branch_observer o = observer("any,cycles");
    struct vpmu_branch got[VPMU_BRANCH_RECORDS];

    jump_at(&o, 1, 100);
    jump_at(&o, 2, 107);
    vpmu_branch_observer_copy(&o, got);
    expect("flags", FROM | TO | VPMU_BRANCH_HAS_CYCLES | VPMU_BRANCH_MISPREDICTED, got[0].flags);
    expect("cycles", 7, got[0].cycles);

    o = observer("any");
    jump_at(&o, 1, 100);
    jump_at(&o, 2, 107);
    vpmu_branch_observer_copy(&o, got);
    expect("flags without", FROM | TO | VPMU_BRANCH_MISPREDICTED, got[0].flags);

    o = observer("u,cycles");
    jump_at(&o, 1, 100);
    perform(&o, &(struct step)IRQ(4, 0x800, 0));
    perform(&o, &(struct step)ERET(0x808, 4, 0));
    jump_at(&o, 2, 107);
    vpmu_branch_observer_copy(&o, got);
    expect("flags after an interrupt", FROM | TO | VPMU_BRANCH_MISPREDICTED, got[0].flags);
}
END_TEST

START_TEST(address_spaces)
{
    struct vpmu_branch_observer o = observer("any");
    struct vpmu_branch got[VPMU_BRANCH_RECORDS];

    vpmu_branch_observer_enter(&o, 7);
    jump_at(&o, 1, 0);
    vpmu_branch_observer_enter(&o, 7);
    expect("same", 1, vpmu_branch_observer_copy(&o, got));
    vpmu_branch_observer_enter(&o, 8);
    expect("another", 0, vpmu_branch_observer_copy(&o, got));
    jump_at(&o, 2, 0);
    vpmu_branch_observer_enter(&o, 7);
    expect("back", 0, vpmu_branch_observer_copy(&o, got));
}
END_TEST

START_TEST(depths)
{
    const struct vpmu_branch_filter filter = {.levels = 1, .groups = ALL};
    struct vpmu_branch_observer o = {.space = 99};

    expect("none", (uint64_t)-VPMU_ERR_CONFIG, (uint64_t)vpmu_branch_observer_init(&o, &filter, 0));
    expect("too many", (uint64_t)-VPMU_ERR_CONFIG,
           (uint64_t)vpmu_branch_observer_init(&o, &filter, VPMU_BRANCH_RECORDS + 1));
    expect("unchanged", 99, o.space);
    expect("most", 0, (uint64_t)vpmu_branch_observer_init(&o, &filter, VPMU_BRANCH_RECORDS));
}
END_TEST

Suite *branch_observer_suite(void)
{
    const TTest *const tests[] = {words,          wrong_words, records, cycles_if_wanted,
                                  address_spaces, depths};

    return suite_of("branch_observer", tests, COUNT_OF(tests));
}
