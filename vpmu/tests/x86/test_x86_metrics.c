/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* PERF_METRICS and the fixed counter of slots. */
#include <string.h>

#include "fixture.h"
#include "naive_x86.h"
#include "pc.h"
#include "vpmu/x86/cpuid.h"
#include "vpmu/x86/state.h"

#define FIXED3 0x30c
#define METRICS 0x329
#define FIXED_CTRL 0x38d
#define GLOBAL_CTRL 0x38f
#define ENABLE (BIT(48) | BIT(35))
#define FEATURES (VPMU_X86_HAS_PDCM | VPMU_X86_HAS_METRICS)

static const struct vpmu_x86_config icelake =
    CONFIG(VPMU_X86_INTEL, 2, 8, 4, 48, FEATURES, 5, VPMU_X86_SRC_ALL,
           VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES), 0, VPMU_X86_ICELAKEX);
static const struct vpmu_x86_config sapphire =
    CONFIG(VPMU_X86_INTEL, 2, 8, 4, 48, FEATURES, 6, VPMU_X86_SRC_ALL,
           VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES), 0, VPMU_X86_SAPPHIRERAPIDS);

static void write(struct pc *pc, uint32_t msr, uint64_t val)
{
    expect("WRMSR", VPMU_X86_OK, pc_access(pc, vpmu_x86_wrmsr(&pc->v, msr, val, &pc->clock)));
}

static uint64_t read(struct pc *pc, uint32_t msr)
{
    uint64_t val;

    expect("RDMSR", VPMU_X86_OK, pc_access(pc, vpmu_x86_rdmsr(&pc->v, msr, &val, &pc->clock)));
    return val;
}

/* Slots pass: retiring, bad speculation, frontend, backend, and of these memory. */
static void pass(struct pc *pc, const uint64_t *slots)
{
    static const unsigned sources[] = {VPMU_X86_SRC_INST, VPMU_X86_SRC_SLOT_RECOVERY,
                                       VPMU_X86_SRC_SLOT_FETCH, VPMU_X86_SRC_SLOT_BACKEND,
                                       VPMU_X86_SRC_SLOT_MEMORY};

    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        pc->totals.n[pc->v.count.ctx][sources[i]] += slots[i];
    }
    pc_service(pc, vpmu_x86_settle(&pc->v, &pc->clock));
}

/* Each field is a part of 255, and those of level 1 add up to it. */
START_TEST(fractions)
{
    static const struct {
        const char *what;
        const struct vpmu_x86_config *config;
        uint64_t slots[5];
        uint64_t want;
    } rows[] = {
        {"nothing", &icelake, {0}, 0},
        {"all retire", &icelake, {7, 0, 0, 0, 0}, 0xff},
        {"a half each", &icelake, {1, 0, 1, 0, 0}, 0x7f0080},
        {"three thirds", &icelake, {10, 10, 10, 0, 0}, 0x555555},
        {"four quarters", &icelake, {1, 1, 1, 1, 1}, 0x403f4040},
        {"level 2", &sapphire, {1, 1, 1, 1, 0}, 0x003f4000403f4040},
        {"all of the backend is memory", &sapphire, {1, 1, 1, 1, 1}, 0x403f4000403f4040},
        {"memory is part of the backend", &sapphire, {1, 1, 0, 1, 1}, 0x5500550055005555},
        {"very many", &icelake, {UINT64_C(1) << 58, 0, UINT64_C(3) << 58, 0, 0}, 0xbf0040},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pc pc;
        uint64_t val;

        start_pc(&pc, rows[i].config);
        write(&pc, FIXED_CTRL, 0x3000);
        write(&pc, GLOBAL_CTRL, ENABLE);
        pass(&pc, rows[i].slots);
        expect_in(rows[i].what, "RDMSR", rows[i].want, read(&pc, METRICS));
        expect_in(rows[i].what, "RDPMC", VPMU_X86_OK,
                  pc_access(&pc, vpmu_x86_rdpmc(&pc.v, 0x20000000, true, &val, &pc.clock)));
        expect_in(rows[i].what, "what it reads", rows[i].want, val);
        expect_in(rows[i].what, "RDPMC that is not allowed", VPMU_X86_GP,
                  pc_access(&pc, vpmu_x86_rdpmc(&pc.v, 0x20000000, false, &val, &pc.clock)));
        expect_in(rows[i].what, "another metric", VPMU_X86_GP,
                  pc_access(&pc, vpmu_x86_rdpmc(&pc.v, 0x20000001, true, &val, &pc.clock)));
    }
}
END_TEST

/* What enables the slots and the metrics. */
START_TEST(enables)
{
    static const struct {
        const char *what;
        uint64_t fixed;
        uint64_t global;
        uint64_t slots;
        uint64_t metrics;
    } rows[] = {
        {"both", 0x3000, ENABLE, 8, 0x403f4040},  {"no metrics", 0x3000, BIT(35), 8, 0},
        {"no counter", 0x3000, BIT(48), 0, 0},    {"only users", 0x2000, ENABLE, 0, 0},
        {"another counter", 0x300, ENABLE, 0, 0},
    };
    static const uint64_t slots[5] = {2, 2, 2, 2, 0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pc pc;

        start_pc(&pc, &icelake);
        write(&pc, FIXED_CTRL, rows[i].fixed);
        write(&pc, GLOBAL_CTRL, rows[i].global);
        expect_in(rows[i].what, "control", rows[i].global, read(&pc, GLOBAL_CTRL));
        pass(&pc, slots);
        expect_in(rows[i].what, "slots", rows[i].slots, read(&pc, FIXED3));
        expect_in(rows[i].what, "metrics", rows[i].metrics, read(&pc, METRICS));
    }
}
END_TEST

/* Linux clears both after it has read them, and restores both: the slots first. */
START_TEST(restored)
{
    static const uint64_t first[5] = {100, 0, 100, 0, 0}, second[5] = {0, 0, 300, 300, 0};
    struct pc pc;

    start_pc(&pc, &icelake);
    write(&pc, FIXED_CTRL, 0x3000);
    write(&pc, GLOBAL_CTRL, ENABLE);
    pass(&pc, first);
    write(&pc, FIXED3, 0);
    write(&pc, METRICS, 0);
    expect("cleared", 0, read(&pc, METRICS));
    pass(&pc, second);
    expect("only what came since", 0x7f800000, read(&pc, METRICS));
    write(&pc, FIXED3, 255);
    write(&pc, METRICS, 0x0000ff);
    expect("restored", 0xff, read(&pc, METRICS));
    pass(&pc, (const uint64_t[5]){0, 0, 0, 255, 0});
    expect("and goes on", 0x7f000080, read(&pc, METRICS));
    expect("reserved bits", VPMU_X86_GP,
           pc_access(&pc, vpmu_x86_wrmsr(&pc.v, METRICS, BIT(32), &pc.clock)));
    write(&pc, FIXED3, 100);
    write(&pc, METRICS, 0x80007f);
    /* 127 and 128 of 255 of 100 slots are 49 and 50 slots; of these 99, 126 and 129 of 255. */
    expect("of fewer slots than fractions", 0x81007e, read(&pc, METRICS));
    start_pc(&pc, &sapphire);
    expect("level 2", VPMU_X86_OK,
           pc_access(&pc, vpmu_x86_wrmsr(&pc.v, METRICS, UINT64_MAX, &pc.clock)));
}
END_TEST

/* The counter of slots interrupts as others do; bit 48 of the status can be cleared. */
START_TEST(overflow)
{
    struct pc pc;

    start_pc(&pc, &icelake);
    write(&pc, FIXED_CTRL, 0xb000);
    write(&pc, GLOBAL_CTRL, ENABLE);
    write(&pc, FIXED3, BIT(48) - 3);
    expect("headroom", 3,
           vpmu_x86_headroom(&pc.v, VPMU_SRC_BIT(VPMU_X86_SRC_INST), VPMU_X86_CTX_KERNEL));
    pass(&pc, (const uint64_t[5]){4, 0, 0, 0, 0});
    expect("interrupts", 1, pc.pmis);
    expect("status", BIT(35), read(&pc, 0x38e));
    write(&pc, 0x390, BIT(35) | BIT(48));
    expect("status", 0, read(&pc, 0x38e));
    expect("slots", 1, read(&pc, FIXED3));
}
END_TEST

START_TEST(announced)
{
    struct pc pc;
    uint64_t val;

    start_pc(&pc, &icelake);
    expect("capabilities", BIT(15) | BIT(12), read(&pc, 0x345));
    expect("fixed counters", 4 | 48 << 5, vpmu_x86_cpuid(&icelake, 0x0a).edx);
    for (unsigned i = 0; i < 4; i++) {
        struct vpmu_x86_config config = icelake;

        config.features &= i == 0 ? (uint8_t)~VPMU_X86_HAS_METRICS : UINT8_MAX;
        config.family = i == 1 ? VPMU_X86_SKYLAKEX : config.family;
        config.sources &= i == 2 ? ~VPMU_SRC_BIT(VPMU_X86_SRC_SLOT_FETCH) : UINT64_MAX;
        config.pebs = i == 3 ? 3 : 0;
        expect_in("there is no such PMU", "error", VPMU_ERR_CONFIG,
                  (uint64_t)-vpmu_x86_config_check(&config, NULL));
        config.features = VPMU_X86_HAS_PDCM;
        config.fixed = 3;
        start_pc(&pc, &config);
        expect("no MSR", VPMU_X86_UNKNOWN,
               pc_access(&pc, vpmu_x86_rdmsr(&pc.v, METRICS, &val, &pc.clock)));
        expect("no bit", VPMU_X86_GP,
               pc_access(&pc, vpmu_x86_wrmsr(&pc.v, GLOBAL_CTRL, BIT(48), &pc.clock)));
    }
}
END_TEST

Suite *x86_metrics_suite(void)
{
    const TTest *const tests[] = {
        fractions, enables, restored, overflow, announced,
    };

    return suite_of("x86_metrics", tests, COUNT_OF(tests));
}
