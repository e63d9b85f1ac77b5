/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers in perf's syntax: names, numbers, modifiers, and what is refused. */
#include <stdio.h>
#include <string.h>

#include "model_events.h"
#include "watched_machine.h"

#define L1D_SRC (SRC(L1D_CACHE_RD) | SRC(L1D_CACHE_WR))
#define L1D_MISS_SRC (SRC(L1D_CACHE_REFILL_RD) | SRC(L1D_CACHE_REFILL_WR))
#define BRANCH_SRC (SRC(BR_IMMED) | SRC(BR_RETURN) | SRC(BR_INDIRECT) | SRC(EXC_RETURN))

static bool parses(const struct vpmu_arm_config *config, const char *text, struct vpmu_observer *o)
{
    const char *why = NULL;
    int err = vpmu_arm_observer_parse(config, text, o, &why);

    expect_in(text, "a reason", err != 0, why != NULL);
    return err == 0;
}

START_TEST(names)
{
    static const struct {
        const char *text;
        vpmu_sources sources;
    } rows[] = {
        /* Generic names. */
        {"cpu-cycles", CPU_SRC},
        {"cycles", CPU_SRC},
        {"instructions", INST_SRC},
        {"cache-references", L1D_SRC},
        {"cache-misses", L1D_MISS_SRC},
        {"branches", BRANCH_SRC},
        {"branch-instructions", BRANCH_SRC},
        {"branch-misses", SRC(BR_MIS_PRED)},
        {"bus-cycles", CPU_SRC},
        {"stalled-cycles-frontend", SRC(STALL_FRONTEND)},
        {"idle-cycles-frontend", SRC(STALL_FRONTEND)},
        {"stalled-cycles-backend", SRC(STALL_BACKEND)},
        {"idle-cycles-backend", SRC(STALL_BACKEND)},
        {"L1-dcache-loads", L1D_SRC},
        {"L1-dcache-load-misses", L1D_MISS_SRC},
        {"L1-icache-loads", SRC(L1I_CACHE)},
        {"L1-icache-load-misses", SRC(L1I_CACHE_REFILL)},
        {"dTLB-loads", L1D_SRC},
        {"dTLB-load-misses", VPMU_SRCS_DTLB_RD | VPMU_SRCS_DTLB_WR},
        {"iTLB-loads", SRC(L1I_CACHE)},
        {"iTLB-load-misses", VPMU_SRCS_ITLB},
        {"mem-loads", SRC(LD_RETIRED)},
        {"mem-stores", SRC(ST_RETIRED)},
        {"LLC-loads", SRC(L2D_CACHE_REFILL_RD)},
        {"LLC-load-misses", SRC(LL_CACHE_MISS_RD)},
        /* The architecture's names, in upper or lower case, and numbers. */
        {"l1d_cache_refill", L1D_MISS_SRC},
        {"L1D_CACHE_REFILL", L1D_MISS_SRC},
        {"L1d_Cache_Refill", L1D_MISS_SRC},
        {"cnt_cycles", CNT_SRC},
        {"r8", INST_SRC},
        {"r08", INST_SRC},
        {"r008", INST_SRC},
        {"r0008", INST_SRC},
        {"r1d", CPU_SRC},
        {"r1D", CPU_SRC},
        {"r4004", CNT_SRC},
    };
    const struct vpmu_arm_config config = config_watched();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_observer o = {0};

        ck_assert_msg(parses(&config, rows[i].text, &o), "%s: expected 0 got -VPMU_ERR_EVENT",
                      rows[i].text);
        expect_sources(rows[i].text, rows[i].sources, o.sources);
        expect_in(rows[i].text, "gate", VPMU_UNGATED, o.gate);
    }
}
END_TEST

/* Every event with sources can be given by name, in upper or lower case, and by number. */
START_TEST(all_events)
{
    struct vpmu_arm_config config = config_watched();

    for (size_t i = 0; i < vpmu_events_count; i++) {
        const struct vpmu_arm_event *event = &vpmu_events[i];
        const struct model_sum *sum = model_sum(event->number);
        unsigned cores = sum ? sum->cores : 0;
        vpmu_sources want = event->number == VPMU_EVENT_SAMPLE_POP ? 0 : event->sources;
        struct vpmu_observer by_name = {.sources = 0};
        struct vpmu_observer by_number = {.sources = 0};
        char number[8];

        config.core = cores ? (uint8_t)__builtin_ctz(cores) : VPMU_CORE_OTHER;
        snprintf(number, sizeof(number), "r%x", event->number);
        config.samples = true;
        expect_in(event->name, "accepted", want != 0, parses(&config, event->name, &by_name));
        expect_in(number, "accepted", want != 0, parses(&config, number, &by_number));
        expect_sources(event->name, want, by_name.sources);
        expect_sources(number, want, by_number.sources);
    }
}
END_TEST

/*
 * A number means what the core says; a name means the same everywhere. Cortex-A9 has 0x68 for
 * instructions and no 0x14.
 */
START_TEST(events_of_a_core)
{
    static const struct {
        const char *text;
        vpmu_sources a9;
        vpmu_sources other;
    } rows[] = {
        {"r68", INST_SRC, SRC(UNALIGNED_LD)},
        {"inst_out_of_rename_stage", INST_SRC, 0},
        {"r14", 0, SRC(L1I_CACHE)},
        {"l1i_cache", SRC(L1I_CACHE), SRC(L1I_CACHE)},
        {"unaligned_ld_spec", SRC(UNALIGNED_LD), SRC(UNALIGNED_LD)},
        {"instructions", INST_SRC, INST_SRC},
    };
    struct vpmu_arm_config config = config_watched();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_observer a9 = {.sources = 0}, other = {.sources = 0};

        config.core = VPMU_CORE_CORTEX_A9;
        expect_in(rows[i].text, "accepted", rows[i].a9 != 0, parses(&config, rows[i].text, &a9));
        config.core = VPMU_CORE_OTHER;
        expect_in(rows[i].text, "accepted", rows[i].other != 0,
                  parses(&config, rows[i].text, &other));
        expect_sources(rows[i].text, rows[i].a9, a9.sources);
        expect_sources(rows[i].text, rows[i].other, other.sources);
    }
}
END_TEST

/* Where EL3 is AArch32, it has the modes of a Secure kernel: k selects it. */
START_TEST(kernel_at_el3)
{
    struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o = {.sources = 0};

    config.version = VPMU_V3;
    config.features = VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64;
    expect("accepted", 1, parses(&config, "instructions:k", &o));
    expect("EL3 for k", 1, o.ctx_mask[VPMU_WORLD_NVHE] >> VPMU_CTX_EL3 & 1);
    expect("accepted", 1, parses(&config, "instructions:u", &o));
    expect("EL3 for u", 0, o.ctx_mask[VPMU_WORLD_NVHE] >> VPMU_CTX_EL3 & 1);
    config.features = VPMU_HAS_EL3;
    expect("accepted", 1, parses(&config, "instructions:k", &o));
    expect("EL3 for k with AArch64", 0, o.ctx_mask[VPMU_WORLD_NVHE] >> VPMU_CTX_EL3 & 1);
}
END_TEST

#define AT_EL0 "100 100 100 0"
#define AT_EL1 "010 010 010 0"
#define AT_EL1_EL2 "011 011 011 0"
#define AT_EL2_EL3 "001 001 001 1"
#define AT_EL3 "000 000 000 1"

/*
 * The contexts that each modifier selects in each world. EL3 belongs to the host, also if it
 * interrupts a guest.
 */
static const struct {
    char level;
    char side;
    enum vpmu_world world;
    const char *contexts; /* EL0 to EL2: Secure, Non-secure, Realm; EL3 */
} parts[] = {
    {'u', 'H', VPMU_WORLD_NVHE, AT_EL0},     {'k', 'H', VPMU_WORLD_NVHE, AT_EL1},
    {'h', 'H', VPMU_WORLD_NVHE, AT_EL2_EL3}, {'u', 'H', VPMU_WORLD_VHE, AT_EL0},
    {'k', 'H', VPMU_WORLD_VHE, AT_EL1_EL2},  {'h', 'H', VPMU_WORLD_VHE, AT_EL3},
    {'u', 'G', VPMU_WORLD_GUEST, AT_EL0},    {'k', 'G', VPMU_WORLD_GUEST, AT_EL1},
    {'h', 'H', VPMU_WORLD_GUEST, AT_EL3},
};

static bool lets_in(const char *modifiers, const char *kin, char letter)
{
    return strchr(modifiers, letter) || !strpbrk(modifiers, kin);
}

static void check_modifiers(const char *modifiers)
{
    const struct vpmu_arm_config config = config_watched();
    uint64_t want[VPMU_WORLD_COUNT] = {0};
    struct vpmu_observer o;
    char text[32];

    snprintf(text, sizeof(text), "%s%s%s", "instructions", *modifiers ? ":" : "", modifiers);
    ck_assert_msg(parses(&config, text, &o), "%s: expected 0 got -VPMU_ERR_EVENT", text);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (lets_in(modifiers, "ukh", parts[i].level) && lets_in(modifiers, "GH", parts[i].side)) {
            want[parts[i].world] |= mask_of(parts[i].contexts);
        }
    }
    for (unsigned world = 0; world < VPMU_WORLD_COUNT; world++) {
        expect_in(text, "contexts", want[world], o.ctx_mask[world]);
    }
    expect_sources(text, INST_SRC, o.sources);
}

START_TEST(modifiers)
{
    static const char letters[] = "ukhGH";
    static const char *const others[] = {"Gu", "HkG", "hu", "uuu", "GGHH", "kkkkkkkkkku"};

    for (unsigned set = 0; set < 32; set++) {
        char text[6] = "";
        unsigned len = 0;

        for (unsigned i = 0; i < 5; i++) {
            if (set >> i & 1) {
                text[len++] = letters[i];
            }
        }
        check_modifiers(text);
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        check_modifiers(others[i]);
    }
}
END_TEST

/* A part of each reason. */
#define NO_EVENT "generic names"
#define NOT_COUNTED "does not tally the sources"
#define NO_MODIFIER "modifiers"

static const struct {
    const char *text;
    const char *why;
} refused[] = {
    {"", NO_EVENT},
    {":", NO_EVENT},
    {":u", NO_EVENT},
    {" instructions", NO_EVENT},
    {"instructions ", NO_EVENT},
    {"instruction", NO_EVENT},
    {"instructionss", NO_EVENT},
    {"instructions/u", NO_EVENT},
    {"instructions,cycles", NO_EVENT},
    {"inst-retired", NO_EVENT},
    {"inst_retire", NO_EVENT},
    {"r", NO_EVENT},
    {"R08", NO_EVENT},
    {"r0x8", NO_EVENT},
    {"r8 ", NO_EVENT},
    {"r-8", NO_EVENT},
    {"rg", NO_EVENT},
    {"r00008", NO_EVENT},
    {"r10008", NO_EVENT}, /* 8, modulo 2^16 */
    {"0x8", NO_EVENT},
    {"8", NO_EVENT},
    {"\xff", NO_EVENT},
    {"r1234", NOT_COUNTED},
    {"rffff", NOT_COUNTED},
    {"sw_incr", NOT_COUNTED},
    {"chain", NOT_COUNTED},
    /* Only counters know where SPE samples. */
    {"sample_pop", NOT_COUNTED},
    {"r4000", NOT_COUNTED},
    {"sample_feed", NOT_COUNTED},
    {"r1e", NOT_COUNTED},
    {"chain:x", NO_MODIFIER},
    {"instructions:", NO_MODIFIER},
    {"r08:", NO_MODIFIER},
    {"instructions::", NO_MODIFIER},
    {"instructions::u", NO_MODIFIER},
    {"instructions:u:k", NO_MODIFIER},
    {"instructions:u ", NO_MODIFIER},
    {"instructions:U", NO_MODIFIER},
    {"instructions:g", NO_MODIFIER},
    {"instructions:up", NO_MODIFIER},
    {"instructions:uk,h", NO_MODIFIER},
};

static void check_refused(const struct vpmu_arm_config *config, const char *text, const char *want)
{
    struct vpmu_observer o;
    struct vpmu_observer before;
    const char *why = "nothing";

    memset(&o, 0x5a, sizeof(o));
    before = o;
    expect_in(text, "error", VPMU_ERR_EVENT,
              (uint64_t)-vpmu_arm_observer_parse(config, text, &o, &why));
    ck_assert_msg(strstr(why, want), "%s: expected a reason with '%s' got '%s'", text, want, why);
    expect_in(text, "error without a reason", VPMU_ERR_EVENT,
              (uint64_t)-vpmu_arm_observer_parse(config, text, &o, NULL));
    expect_in(text, "left alone", 0, (uint64_t)(memcmp(&o, &before, sizeof(o)) != 0));
}

START_TEST(refusals)
{
    struct vpmu_arm_config config = config_watched();
    static char long_text[4096];

    config.samples = true;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        check_refused(&config, refused[i].text, refused[i].why);
    }
    memset(long_text, 'r', sizeof(long_text) - 1);
    check_refused(&config, long_text, NO_EVENT);
    memcpy(long_text, "instructions:", strlen("instructions:"));
    check_refused(&config, long_text, NO_MODIFIER);
}
END_TEST

/* An event is refused if the machine lacks one of its sources. */
START_TEST(not_counted_here)
{
    struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o;

    config.sources &= ~(SRC(L1D_CACHE_WR) | SRC(BR_MIS_PRED) | INST_SRC);
    check_refused(&config, "instructions", NOT_COUNTED);
    check_refused(&config, "r3b:u", NOT_COUNTED);
    check_refused(&config, "branch-misses", NOT_COUNTED);
    check_refused(&config, "l1d_cache", NOT_COUNTED);
    ck_assert(parses(&config, "l1d_cache_rd", &o));
    ck_assert(parses(&config, "cycles", &o));
}
END_TEST

/* Parsing without a PMU also accepts events that the library does not count. */
START_TEST(events_alone)
{
    static const struct {
        const char *text;
        uint16_t number;
        unsigned given;
    } rows[] = {
        {"instructions", 0x08, 0},
        {"LLC-load-misses:u", 0x37, VPMU_MODIFIER_U},
        {"sw_incr:uk", 0x00, VPMU_MODIFIER_U | VPMU_MODIFIER_K},
        {"r1234:hGH", 0x1234, VPMU_MODIFIER_H | VPMU_MODIFIER_GUEST | VPMU_MODIFIER_HOST},
        {"rffff", 0xffff, 0},
    };
    uint16_t number = 0;
    unsigned given = 0;
    const char *why;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(vpmu_arm_event_parse(rows[i].text, &number, &given, NULL), 0);
        expect_in(rows[i].text, "number", rows[i].number, number);
        expect_in(rows[i].text, "modifiers", rows[i].given, given);
    }
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        if (strcmp(refused[i].why, NOT_COUNTED) != 0) {
            ck_assert_int_eq(vpmu_arm_event_parse(refused[i].text, &number, &given, &why),
                             -VPMU_ERR_EVENT);
            ck_assert_msg(strstr(why, refused[i].why), "%s: got '%s'", refused[i].text, why);
        }
    }
    expect_in("refused", "number", 0xffff, number);
    expect_in("refused", "modifiers", 0, given);
}
END_TEST

Suite *observer_parse_suite(void)
{
    const TTest *const tests[] = {events_of_a_core, kernel_at_el3, names,
                                  all_events,       modifiers,     refusals,
                                  not_counted_here, events_alone};

    return suite_of("observer_parse", tests, COUNT_OF(tests));
}
