/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* SPE: tables of its rules. test_spe_random.c compares everything with a second implementation. */
#include "fixture.h"
#include "naive_spe.h"

static const struct vpmu_spe_config v1p2 = {3, true, true, false, true, true, true, true};

static void write(struct vpmu_spe *s, unsigned reg, uint64_t val)
{
    expect("write", 0, (uint64_t)vpmu_spe_write(s, reg, val));
}

static uint64_t read(const struct vpmu_spe *s, unsigned reg)
{
    uint64_t val = 99;

    expect("read", 0, (uint64_t)vpmu_spe_read(s, reg, &val));
    return val;
}

/* At EL1, which owns the buffer; records are written to 0x10000 up to 0x11000. */
static void start(struct vpmu_spe *s, const struct vpmu_spe_config *config)
{
    struct vpmu_spe_pe pe = {.el = 1, .mdcr_el3 = 3ull << 12, .mdcr_el2 = 3ull << 12};

    pe.state = VPMU_SPE_NON_SECURE;
    pe.el2_enabled = config->has_el2;
    expect("init", 0, (uint64_t)vpmu_spe_init(s, config, NULL));
    vpmu_spe_move(s, &pe);
    write(s, VPMU_PMSCR_EL1, VPMU_PMSCR_E0SPE | VPMU_PMSCR_EXSPE);
    write(s, VPMU_PMBPTR, 0x10000);
    write(s, VPMU_PMBLIMITR, 0x11000 | VPMU_PMBLIMITR_E);
}

/* Completes a sample and reads its record. Returns whether no filter rejects it. */
static bool collect(struct vpmu_spe *s, const struct vpmu_spe_sample *sample, struct decoded *d)
{
    struct vpmu_spe_record record;
    bool kept = vpmu_spe_collect(s, sample, &record);

    decode_record(record.bytes, record.size, d);
    return kept;
}

START_TEST(configurations)
{
    static const struct {
        struct vpmu_spe_config config;
        const char *why;
    } rows[] = {
        {{0}, "SPE has version 1 (FEAT_SPE) to 5 (FEAT_SPEv1p4)"},
        {{.version = 6}, "SPE has version 1 (FEAT_SPE) to 5 (FEAT_SPEv1p4)"},
        {{.version = 3, .has_realm = true, .has_el2 = true}, "Realm state needs EL2 and EL3"},
        {{.version = 3, .has_realm = true, .has_el3 = true}, "Realm state needs EL2 and EL3"},
        {{.version = 2, .freezes = true}, "freezing the PMU needs FEAT_SPEv1p2"},
    };
    struct vpmu_spe s = {.random = 5};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *why = NULL;

        expect("error", (uint64_t)-VPMU_ERR_CONFIG,
               (uint64_t)vpmu_spe_init(&s, &rows[i].config, &why));
        ck_assert_str_eq(why, rows[i].why);
        expect("unchanged", 5, s.random);
    }
}
END_TEST

/* A register that is refused reads as 0, and a write has no effect. */
START_TEST(refused)
{
    const struct vpmu_spe_config v1p1 = {.version = 2};
    struct vpmu_spe s;
    uint64_t val = 99;

    start(&s, &v1p1);
    expect("PMSNEVFR_EL1 without FEAT_SPEv1p2", (uint64_t)-VPMU_ERR_REG,
           (uint64_t)vpmu_spe_read(&s, VPMU_PMSNEVFR, &val));
    expect("its value", 0, val);
    expect("write", (uint64_t)-VPMU_ERR_REG, (uint64_t)vpmu_spe_write(&s, VPMU_PMSNEVFR, 1));
    expect("write of PMBIDR_EL1", (uint64_t)-VPMU_ERR_REG,
           (uint64_t)vpmu_spe_write(&s, VPMU_PMBIDR, 1));
}
END_TEST

/* op0 op1 CRn CRm op2, as arch/arm64/tools/sysreg of Linux has them. */
START_TEST(encodings)
{
    static const struct {
        unsigned reg;
        uint16_t enc;
        const char *name;
    } rows[] = {
        {VPMU_PMSCR_EL1, VPMU_ENC64(3, 0, 9, 9, 0), "PMSCR_EL1"},
        {VPMU_PMSCR_EL2, VPMU_ENC64(3, 4, 9, 9, 0), "PMSCR_EL2"},
        {VPMU_PMSCR_EL12, VPMU_ENC64(3, 5, 9, 9, 0), "PMSCR_EL12"},
        {VPMU_PMSNEVFR, VPMU_ENC64(3, 0, 9, 9, 1), "PMSNEVFR_EL1"},
        {VPMU_PMSICR, VPMU_ENC64(3, 0, 9, 9, 2), "PMSICR_EL1"},
        {VPMU_PMSIRR, VPMU_ENC64(3, 0, 9, 9, 3), "PMSIRR_EL1"},
        {VPMU_PMSFCR, VPMU_ENC64(3, 0, 9, 9, 4), "PMSFCR_EL1"},
        {VPMU_PMSEVFR, VPMU_ENC64(3, 0, 9, 9, 5), "PMSEVFR_EL1"},
        {VPMU_PMSLATFR, VPMU_ENC64(3, 0, 9, 9, 6), "PMSLATFR_EL1"},
        {VPMU_PMSIDR, VPMU_ENC64(3, 0, 9, 9, 7), "PMSIDR_EL1"},
        {VPMU_PMBLIMITR, VPMU_ENC64(3, 0, 9, 10, 0), "PMBLIMITR_EL1"},
        {VPMU_PMBPTR, VPMU_ENC64(3, 0, 9, 10, 1), "PMBPTR_EL1"},
        {VPMU_PMBSR, VPMU_ENC64(3, 0, 9, 10, 3), "PMBSR_EL1"},
        {VPMU_PMBIDR, VPMU_ENC64(3, 0, 9, 10, 7), "PMBIDR_EL1"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct vpmu_spe_reg_info *info = vpmu_spe_reg_info(rows[i].reg);

        expect_in(rows[i].name, "encoding", rows[i].enc, info->enc);
        ck_assert_str_eq(info->name, rows[i].name);
    }
    expect("none", 0, vpmu_spe_reg_info(VPMU_SPE_REG_COUNT) != NULL);
}
END_TEST

/* Fields of MDCR_EL3 and MDCR_EL2, by the Arm ARM: NSPB 13:12, EnPMSN 36; E2PB 13:12, TPMS 14. */
START_TEST(traps)
{
    static const struct {
        const char *what;
        uint64_t mdcr_el3, mdcr_el2;
        unsigned reg;
        uint8_t el;
        enum vpmu_access access;
    } rows[] = {
        {"NSPB", 0x3000, 0x3000, VPMU_PMSICR, 1, VPMU_ACCESS_OK},
        {"NSPB[0] = 0", 0x2000, 0x3000, VPMU_PMSICR, 1, VPMU_ACCESS_TRAP_EL3},
        {"NSPB[1] = 0", 0x1000, 0x3000, VPMU_PMBPTR, 2, VPMU_ACCESS_TRAP_EL3},
        {"NSTB", 0x3000000, 0x3000, VPMU_PMBPTR, 1, VPMU_ACCESS_TRAP_EL3},
        {"at EL3", 0, 0x3000, VPMU_PMSNEVFR, 3, VPMU_ACCESS_OK},
        {"EnPMSN = 0", 0x3000, 0x3000, VPMU_PMSNEVFR, 1, VPMU_ACCESS_TRAP_EL3},
        {"EnPMSN = 0", 0x3000, 0x3000, VPMU_PMSNEVFR, 2, VPMU_ACCESS_TRAP_EL3},
        {"EnPMSN = 1", 0x1000003000, 0x3000, VPMU_PMSNEVFR, 1, VPMU_ACCESS_OK},
        {"TPMS before EnPMSN", 0x3000, 0x7000, VPMU_PMSNEVFR, 1, VPMU_ACCESS_TRAP_EL2},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_spe_pe pe = {.state = VPMU_SPE_NON_SECURE, .el2_enabled = true};
        struct vpmu_spe s;

        start(&s, &v1p2);
        pe.el = rows[i].el;
        pe.mdcr_el3 = rows[i].mdcr_el3;
        pe.mdcr_el2 = rows[i].mdcr_el2;
        vpmu_spe_move(&s, &pe);
        expect_in(rows[i].what, "access", rows[i].access, vpmu_spe_access(&s, rows[i].reg, true));
    }
}
END_TEST

/* Operation types, by perf's arm-spe-pkt-decoder.h. Assembled by binutils. */
static const struct {
    const char *what;
    uint32_t insn;
    uint8_t version;
    uint8_t class;
    uint8_t subclass;
} operation_rows[] = {
    {"ldr x0, [x1]", 0xf9400020, 3, 1, 0x00},
    {"str x0, [x1]", 0xf9000020, 3, 1, 0x01},
    {"ldp x0, x1, [x2]", 0xa9400440, 3, 1, 0x00},
    {"ldr q0, [x1]", 0x3dc00020, 3, 1, 0x04},
    {"str q0, [x1]", 0x3d800020, 3, 1, 0x05},
    {"ld1 {v0.16b}, [x1]", 0x4c407020, 3, 1, 0x04},
    {"ldadd x0, x1, [x2]", 0xf8200041, 3, 1, 0x06},
    {"stadd x0, [x1]", 0xf820003f, 3, 1, 0x07},
    {"ldaddal w0, w1, [x2]", 0xb8e00041, 3, 1, 0x16},
    {"cas x0, x1, [x2]", 0xc8a07c41, 3, 1, 0x06},
    {"swp x0, xzr, [x1]", 0xf820803f, 3, 1, 0x06},
    {"ldxr x0, [x1]", 0xc85f7c20, 3, 1, 0x0a},
    {"ldaxr x0, [x1]", 0xc85ffc20, 3, 1, 0x1a},
    {"stxr w2, x0, [x1]", 0xc8027c20, 3, 1, 0x0b},
    {"ldar x0, [x1]", 0xc8dffc20, 3, 1, 0x12},
    {"stlr x0, [x1]", 0xc89ffc20, 3, 1, 0x13},
    {"ldg x0, [x1]", 0xd9600020, 3, 1, 0x14},
    {"stg x0, [x1]", 0xd9200820, 3, 1, 0x15},
    {"dc zva, x0", 0xd50b7420, 3, 1, 0x11},
    {"cpyfp [x1]!, [x0]!, x2!", 0x19000441, 3, 1, 0x11},
    {"cpyfp [x1]!, [x0]!, x2!", 0x19000441, 4, 1, 0x21},
    {"setp [x1]!, x0!, x2", 0x19c20401, 4, 1, 0x25},
    {"ld1b {z0.b}, p0/z, [x1]", 0xa400a020, 3, 1, 0x3c},
    {"ldr z0, [x1]", 0x85804020, 3, 1, 0x38},
    {"st1b {z0.d}, p0, [x1, z0.d]", 0xe400a020, 3, 1, 0xbd},
    {"b", 0x14000002, 3, 2, 0x00},
    {"b.ne", 0x54000041, 3, 2, 0x01},
    {"b.al", 0x5400004e, 3, 2, 0x01},
    {"cbz x0", 0xb4000040, 3, 2, 0x01},
    {"ret", 0xd65f03c0, 3, 2, 0x02},
    {"br x1", 0xd61f0020, 3, 2, 0x02},
    {"eret", 0xd69f03e0, 3, 2, 0x02},
    {"b", 0x14000002, 5, 2, 0x18},
    {"bl", 0x94000002, 5, 2, 0x08},
    {"ret", 0xd65f03c0, 5, 2, 0x12},
    {"br x1", 0xd61f0020, 5, 2, 0x1a},
    {"blr x1", 0xd63f0020, 5, 2, 0x0a},
    {"add x0, x0, x1", 0x8b010000, 3, 0, 0x00},
    {"fadd s0, s1, s2", 0x1e222820, 3, 0, 0x02},
    {"add v0.16b, v1.16b, v2.16b", 0x4e228420, 3, 0, 0x04},
    {"fadd v0.4s, v1.4s, v2.4s", 0x4e22d420, 3, 0, 0x06},
    {"fmla v0.4s, v1.4s, v2.4s", 0x4e22cc20, 3, 0, 0x06},
    {"fmov v0.4s, #1.0", 0x4f03f600, 3, 0, 0x06},
    {"add z0.s, z0.s, z0.s", 0x04a00000, 3, 0, 0x38},
    {"add z0.s, p0/m, z0.s, z1.s", 0x04800020, 3, 0, 0x3c},
    {"fadd z0.s, z0.s, z0.s", 0x65800000, 3, 0, 0x3a},
    {"fadd z0.s, p0/m, z0.s, z0.s", 0x65808000, 3, 0, 0x3e},
    {"bfdot z0.s, z1.h, z2.h", 0x64628020, 3, 0, 0x3a},
    {"fmov z0.s, #1.0", 0x25b9ce00, 3, 0, 0x3a},
    {"ptrue p0.b", 0x2518e3e0, 3, 0, 0x38},
    {"nop", 0xd503201f, 3, 0, 0x00},
};

START_TEST(operations)
{
    for (size_t i = 0; i < COUNT_OF(operation_rows); i++) {
        struct vpmu_spe_config config = v1p2;
        struct vpmu_spe_sample sample;
        struct decoded d;
        struct vpmu_spe s;

        config.version = operation_rows[i].version;
        start(&s, &config);
        vpmu_spe_start(&s, &sample);
        sample.insn = operation_rows[i].insn;
        sample.vector = 256;
        expect_in(operation_rows[i].what, "kept", 1, collect(&s, &sample, &d));
        expect_in(operation_rows[i].what, "class", operation_rows[i].class, d.value[D_CLASS]);
        expect_in(operation_rows[i].what, "subclass", operation_rows[i].subclass,
                  d.value[D_SUBCLASS]);
    }
}
END_TEST

/* The events, data source and latency of an access, by the place where it finds its data. */
#define LDR 0xf9400020
#define STR 0xf9000020
#define LDADD 0xf8200041
START_TEST(levels)
{
    static const struct {
        uint32_t insn;
        uint8_t version, memory, translation, flags;
        uint64_t events;
        uint64_t source;
        unsigned total;
    } rows[] = {
        {LDR, 3, VPMU_DATA_L1, VPMU_TLB_L1, 0, 0x16, 0, 5},
        {LDR, 3, VPMU_DATA_L2, VPMU_TLB_L1, 0, 0x1e, 8, 13},
        {LDR, 3, VPMU_DATA_L2, VPMU_TLB_L1, VPMU_SPE_LAST_LEVEL_L2, 0x11e, 8, 13},
        {LDR, 3, VPMU_DATA_LLC, VPMU_TLB_L2, 0, 0x11e, 0xb, 45},
        {LDR, 3, VPMU_DATA_SHARED, VPMU_TLB_L1, 0, 0x11e, 0xb, 41},
        {LDR, 3, VPMU_DATA_PEER, VPMU_TLB_L1, 0, 0x11e, 9, 61},
        {LDR, 3, VPMU_DATA_DRAM, VPMU_TLB_WALK, 0, 0x33e, 0xe, 181},
        {LDR, 5, VPMU_DATA_L2, VPMU_TLB_L1, 0, 0x8001e, 8, 13},
        {LDR, 5, VPMU_DATA_PEER, VPMU_TLB_L1, 0, 0x18011e, 9, 61},
        {LDR, 5, VPMU_DATA_DRAM, VPMU_TLB_L1, 0, 0x18031e, 0xe, 151},
        {STR, 3, VPMU_DATA_DRAM, VPMU_TLB_L1, 0, 0x31e, 0, 151},
        {STR, 5, VPMU_DATA_L2, VPMU_TLB_L1, VPMU_SPE_LAST_LEVEL_L2, 0x116, 0, 13},
        {STR, 5, VPMU_DATA_DRAM, VPMU_TLB_L1, 0, 0x316, 0, 151},
        {LDADD, 5, VPMU_DATA_DRAM, VPMU_TLB_L1, 0, 0x18031e, 0xe, 151},
        {LDR, 3, VPMU_DATA_UNCACHED, VPMU_TLB_L1, 0, 0x12, 0xe, 151},
        {LDR, 3, VPMU_DATA_L1, VPMU_TLB_L1, VPMU_SPE_MISALIGNED, 0x816, 0, 5},
        {LDR, 1, VPMU_DATA_L1, VPMU_TLB_L1, VPMU_SPE_MISALIGNED, 0x16, 0, 5},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_spe_config config = {.version = rows[i].version};
        struct vpmu_spe_sample sample;
        struct decoded d;
        struct vpmu_spe s;

        start(&s, &config);
        vpmu_spe_start(&s, &sample);
        sample.insn = rows[i].insn;
        sample.memory = rows[i].memory;
        sample.translation = rows[i].translation;
        sample.flags = (uint8_t)(rows[i].flags | VPMU_SPE_ACCESSED);
        collect(&s, &sample, &d);
        expect("events", rows[i].events, d.value[D_EVENTS]);
        expect("source", rows[i].source, d.value[D_SOURCE]);
        expect("total", rows[i].total, d.value[D_TOTAL]);
    }
}
END_TEST

/* The governing predicate of FADD Z0.S, P0/M: events, and what a filter by bit 17 rejects. */
START_TEST(predicates)
{
    static const struct {
        uint8_t version, flags;
        uint64_t events;
    } rows[] = {
        {3, 0, 0x2},
        {3, VPMU_SPE_PARTIAL, 0x20002},
        {3, VPMU_SPE_EMPTY, 0x60002},
        {1, VPMU_SPE_EMPTY, 0x2},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_spe_config config = {.version = rows[i].version, .has_sve = true};
        struct vpmu_spe_sample sample;
        struct decoded d;
        struct vpmu_spe s;

        start(&s, &config);
        vpmu_spe_start(&s, &sample);
        sample.insn = 0x65808000;
        sample.flags = rows[i].flags;
        collect(&s, &sample, &d);
        expect("events", rows[i].events, d.value[D_EVENTS]);
        write(&s, VPMU_PMSEVFR, BIT(17));
        write(&s, VPMU_PMSFCR, VPMU_PMSFCR_FE);
        expect("kept", rows[i].version == 1 || rows[i].events & BIT(17), collect(&s, &sample, &d));
    }
}
END_TEST

/* Some level is sampled if the buffer is enabled and not stopped, and a PMSCR enables a level. */
START_TEST(configured)
{
    struct vpmu_spe s;

    start(&s, &v1p2);
    expect("all", 1, vpmu_spe_configured(&s));
    write(&s, VPMU_PMSCR_EL1, 0);
    expect("no level", 0, vpmu_spe_configured(&s));
    write(&s, VPMU_PMSCR_EL1, VPMU_PMSCR_E0SPE);
    expect("EL0", 1, vpmu_spe_configured(&s));
    write(&s, VPMU_PMBSR, VPMU_PMBSR_S);
    expect("stopped", 0, vpmu_spe_configured(&s));
    write(&s, VPMU_PMBSR, 0);
    write(&s, VPMU_PMBLIMITR, 0x11000);
    expect("no buffer", 0, vpmu_spe_configured(&s));
}
END_TEST

/* The total latency: the issue, a stall, the access and its translation, a misprediction. */
START_TEST(latencies)
{
    static const struct {
        const char *what;
        struct vpmu_spe_sample sample;
        unsigned total;
    } rows[] = {
        {"issued", {.flags = 0}, 1},
        {"a stall", {.stall = 30}, 31},
        {"mispredicted", {.flags = VPMU_SPE_MISPREDICTED}, 16},
        {"no access", {.memory = VPMU_DATA_DRAM, .translation = VPMU_TLB_WALK}, 1},
        {"all",
         {.flags = VPMU_SPE_ACCESSED | VPMU_SPE_MISPREDICTED,
          .memory = VPMU_DATA_DRAM,
          .translation = VPMU_TLB_WALK,
          .stall = 30},
         226},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].what, "total", rows[i].total, vpmu_spe_latency_of(&rows[i].sample).total);
    }
}
END_TEST

/* The period is the interval, and one instruction that reloads the counter. */
START_TEST(periods)
{
    struct vpmu_spe s;

    start(&s, &v1p2);
    expect("no interval", ALL_ONES, vpmu_spe_left(&s));
    expect("no interval", 0, vpmu_spe_advance(&s, 1000));
    write(&s, VPMU_PMSIRR, 0x300);
    expect("first", 0x301, vpmu_spe_left(&s));
    expect("reloads only", 0, vpmu_spe_advance(&s, 1));
    expect("after the reload", 0x300, vpmu_spe_left(&s));
    expect("before", 0, vpmu_spe_advance(&s, 0x2ff));
    expect("sampled", 1, vpmu_spe_advance(&s, 1));
    expect("again", 0x301, vpmu_spe_left(&s));
    expect("nothing executed", 0, vpmu_spe_advance(&s, 0));
    write(&s, VPMU_PMSICR, 5);
    expect("set", 5, vpmu_spe_left(&s));
    expect("sampled", 1, vpmu_spe_advance(&s, 5));
}
END_TEST

START_TEST(jitter)
{
    bool seen[256] = {false};
    unsigned different = 0;
    struct vpmu_spe s;

    start(&s, &v1p2);
    write(&s, VPMU_PMSIRR, 0x401);
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t left = vpmu_spe_left(&s);

        ck_assert_uint_ge(left, 0x401);
        ck_assert_uint_le(left, 0x500);
        different += !seen[left - 0x401];
        seen[left - 0x401] = true;
        expect("sampled", 1, vpmu_spe_advance(&s, left));
    }
    ck_assert_uint_gt(different, 240);
}
END_TEST

START_TEST(full)
{
    struct vpmu_spe_sample sample;
    struct vpmu_spe_record record;
    struct vpmu_spe s;

    start(&s, &v1p2);
    vpmu_spe_start(&s, &sample);
    for (unsigned i = 0; i < 64; i++) {
        expect("room", 0, vpmu_spe_stopped(&s));
        expect("pointer", 0x10000 + 64 * i, vpmu_spe_pointer(&s));
        vpmu_spe_collect(&s, &sample, &record);
        vpmu_spe_written(&s, record.size);
    }
    expect("PMBSR_EL1", VPMU_PMBSR_S | VPMU_PMBSR_FULL, read(&s, VPMU_PMBSR));
    expect("PMBPTR_EL1", 0x11000, read(&s, VPMU_PMBPTR));
    expect("no more samples", 0, vpmu_spe_enabled(&s));
    vpmu_spe_fault(&s, VPMU_SPE_STAGE1_FAULT, 7, false);
    expect("the first event stays", VPMU_PMBSR_S | VPMU_PMBSR_FULL, read(&s, VPMU_PMBSR));
    write(&s, VPMU_PMBSR, 0);
    vpmu_spe_fault(&s, VPMU_SPE_STAGE2_FAULT, 0x10, true);
    expect("fault", 0x25ull << 26 | VPMU_PMBSR_EA | VPMU_PMBSR_S | 0x10, read(&s, VPMU_PMBSR));
    vpmu_spe_reset(&s);
    expect("PMBSR_EL1", 0, read(&s, VPMU_PMBSR));
    expect("PMBLIMITR_EL1", 0, read(&s, VPMU_PMBLIMITR));
    expect("configured", 0, vpmu_spe_configured(&s));
}
END_TEST

Suite *spe_suite(void)
{
    const TTest *const tests[] = {configurations, refused,    encodings, operations,
                                  levels,         latencies,  periods,   jitter,
                                  full,           configured, traps,     predicates};

    return suite_of("spe", tests, COUNT_OF(tests));
}
