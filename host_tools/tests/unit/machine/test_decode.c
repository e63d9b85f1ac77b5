/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/decode.h"
#include "unit/tests.h"

/* Bits of PMEVTYPER, written by hand (Arm ARM D24.5.10). */
#define P (1ull << 31)
#define U (1ull << 30)
#define NSK (1ull << 29)
#define NSU (1ull << 28)
#define NSH (1ull << 27)
#define SH (1ull << 24)
#define RLK (1ull << 22)

START_TEST(levels)
{
    static const struct {
        uint64_t type;
        const char *levels, *modifiers;
    } rows[] = {
        {0, "EL0 EL1", ":uk"},
        {NSH, "EL0 EL1 EL2", ""},
        {P, "EL0", ":u"},
        {U, "EL1", ":k"},
        {P | U, "nowhere", ""},
        {P | U | NSH, "EL2", ":h"},
        {P | NSK, "EL0 EL1 S-EL0 RL-EL0", ":uk"},
        {NSU, "EL1 S-EL0 S-EL1 RL-EL0 RL-EL1", ":k"},
        {P | RLK, "EL0 RL-EL0 RL-EL1", ":u"},
        {SH, "EL0 EL1 S-EL0 S-EL1 S-EL2", ":uk"},
        {NSH | SH, "EL0 EL1 EL2 S-EL0 S-EL1", ""},
    };
    char buf[DECODE_SIZE];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(decode_levels(buf, rows[i].type), rows[i].levels);
        ck_assert_str_eq(decode_modifiers(buf, rows[i].type), rows[i].modifiers);
    }
}
END_TEST

/* Bits of PERFEVTSEL and of a field of FIXED_CTR_CTRL (SDM 20.2). */
START_TEST(x86)
{
    static const struct {
        struct counter counter;
        const char *levels, *modifiers, *event;
    } rows[] = {
        {{.index = 0, .event = 8, .type = 0x10000}, "user", ":u", "0x0008"},
        {{.index = 7, .event = 0x4f2e, .type = 0x20000}, "kernel", ":k", "0x4f2e"},
        {{.index = 5, .event = 0x1000001a0, .type = 0x1000101a0}, "user", ":u", "0x1000001a0"},
        {{.index = 3, .event = 0xc0, .type = 0x30000, .name = "INST"}, "user kernel", "", "INST"},
        {{.index = 16, .event = 0xc0, .type = 1}, "kernel", ":k", "0x00c0"},
        {{.index = 17, .event = 0x3c, .type = 2}, "user", ":u", "0x003c"},
        {{.index = 18, .type = 0xb}, "user kernel", "", "0x0000"},
        {{.index = 1, .type = 3}, "nowhere", "", "0x0000"},
        {{.index = 33, .name = "ibs_op, ops"}, "user kernel", "", "ibs_op, ops"},
    };
    char buf[DECODE_SIZE];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct counter c = rows[i].counter;

        c.x86 = true;
        ck_assert_str_eq(decode_counter_levels(buf, &c), rows[i].levels);
        ck_assert_str_eq(decode_counter_modifiers(buf, &c), rows[i].modifiers);
        ck_assert_str_eq(decode_event(buf, &c), rows[i].event);
    }
}
END_TEST

START_TEST(event)
{
    static const struct {
        struct counter counter;
        const char *text;
    } rows[] = {
        {{.event = 8, .name = "INST_RETIRED"}, "INST_RETIRED"},
        {{.event = 3}, "L1D_CACHE_REFILL"},
        {{.event = 0x4242}, "0x4242"},
        {{.event = 0x100000008}, "0x100000008"},
        {{.event = 9, .name = "\x1b[2J"}, "?[2J"},
    };
    char buf[DECODE_SIZE];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(decode_event(buf, &rows[i].counter), rows[i].text);
    }
}
END_TEST

Suite *decode_suite(void)
{
    const TTest *const tests[] = {levels, x86, event};

    return suite_of("decode", tests, COUNT_OF(tests));
}
