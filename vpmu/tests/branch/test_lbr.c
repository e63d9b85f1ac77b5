/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* LBR: tables of its rules. test_lbr_random.c compares everything with a second implementation. */
#include "fixture.h"
#include "vpmu/x86/lbr.h"

#define KERNEL 0xffff800000001000ull
#define NO_TIME VPMU_BRANCH_NO_TIME
#define BIT63 BIT(63)

static struct vpmu_lbr_config config_of_family(enum vpmu_x86_family family)
{
    struct vpmu_lbr_config config;

    expect("family", 0, (uint64_t)vpmu_lbr_config_of(family, &config));
    return config;
}

static void start(struct vpmu_lbr *l, enum vpmu_x86_family family)
{
    struct vpmu_lbr_config config = config_of_family(family);

    expect("init", 0, (uint64_t)vpmu_lbr_init(l, &config, NULL));
}

static void write(struct vpmu_lbr *l, uint32_t msr, uint64_t val)
{
    expect("WRMSR", VPMU_X86_OK, vpmu_lbr_wrmsr(l, msr, val));
}

static uint64_t read(const struct vpmu_lbr *l, uint32_t msr)
{
    uint64_t val = 99;

    expect("RDMSR", VPMU_X86_OK, vpmu_lbr_rdmsr(l, msr, &val));
    return val;
}

/* Records everything, as Linux switches it on. */
static void start_recording(struct vpmu_lbr *l, enum vpmu_x86_family family)
{
    start(l, family);
    write(l, 0x1d9, l->config.kind == VPMU_LBR_LEGACY ? 0x801 : 0x800);
    if (l->config.kind == VPMU_LBR_ARCH) {
        write(l, 0x14ce, 0x7f0007);
    } else if (l->config.kind == VPMU_LBR_AMD) {
        write(l, 0xc000010f, 0x40);
    }
}

START_TEST(configurations)
{
    static const char formats[] =
        "Intel's legacy LBR has format 3, 4 or 5, and any other LBR has format 3fH";
    static const char legacy_depth[] = "Intel's legacy LBR has 8, 16 or 32 records";
    static const char amd_depth[] = "AMD's LBR has 1 to 63 records";
    static const char arch_depth[] =
        "the depth of architectural LBR is the largest one of its mask of depths";
    static const struct {
        struct vpmu_lbr_config config;
        const char *why;
    } rows[] = {
        {{3, 5, 32, 0, 48, 0, 0, 0}, "LBR is Intel's legacy or architectural one, or AMD's"},
        {{VPMU_LBR_LEGACY, 2, 16, 0, 48, 0, 0, 0}, formats},
        {{VPMU_LBR_LEGACY, 6, 16, 0, 48, 0, 0, 0}, formats},
        {{VPMU_LBR_ARCH, 5, 32, 8, 48, VPMU_LBR_STATUS, 0, 0}, formats},
        {{VPMU_LBR_AMD, 0, 16, 0, 48, 0, 0, 0}, formats},
        {{VPMU_LBR_LEGACY, 5, 32, 0, 52, 0, 0, 0}, "linear addresses have 48 or 57 bits"},
        {{VPMU_LBR_LEGACY, 5, 24, 0, 48, 0, 0, 0}, legacy_depth},
        {{VPMU_LBR_LEGACY, 5, 0, 0, 48, 0, 0, 0}, legacy_depth},
        {{VPMU_LBR_LEGACY, 5, 64, 0, 48, 0, 0, 0}, legacy_depth},
        {{VPMU_LBR_LEGACY, 5, 32, 8, 48, 0, 0, 0}, "only architectural LBR has a mask of depths"},
        {{VPMU_LBR_AMD, 0x3f, 0, 0, 48, 0, 0, 0}, amd_depth},
        {{VPMU_LBR_AMD, 0x3f, 64, 0, 48, 0, 0, 0}, amd_depth},
        {{VPMU_LBR_ARCH, 0x3f, 32, 7, 48, VPMU_LBR_STATUS, 0, 0}, arch_depth},
        {{VPMU_LBR_ARCH, 0x3f, 32, 0x18, 48, VPMU_LBR_STATUS, 0, 0}, arch_depth},
        {{VPMU_LBR_ARCH, 0x3f, 0, 0, 48, VPMU_LBR_STATUS, 0, 0}, arch_depth},
        {{VPMU_LBR_ARCH, 0x3f, 255, 0xff, 48, VPMU_LBR_STATUS, 0, 0}, arch_depth},
        {{VPMU_LBR_LEGACY, 5, 32, 0, 48, 8, 0, 0}, "an LBR feature is not known"},
        {{VPMU_LBR_LEGACY, 5, 32, 0, 48, 0, 1, 0}, "an LBR feature is not known"},
        {{VPMU_LBR_AMD, 0x3f, 16, 0, 48, VPMU_LBR_CALL_STACK, 0, 0},
         "AMD's LBR has no call-stack mode"},
        {{VPMU_LBR_ARCH, 0x3f, 32, 8, 48, 0, 0, 0},
         "architectural LBR freezes by the global status"},
        {{VPMU_LBR_LEGACY, 5, 32, 0, 48, VPMU_LBR_TSX, 0, 0},
         "only LBR format 4 has flags of transactions in its addresses"},
    };
    struct vpmu_lbr l = {.select = 5};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *why = NULL;

        expect_in(rows[i].why, "error", (uint64_t)-VPMU_ERR_CONFIG,
                  (uint64_t)vpmu_lbr_init(&l, &rows[i].config, &why));
        ck_assert_str_eq(why, rows[i].why);
        expect("unchanged", 5, l.select);
    }
}
END_TEST

/* What each family announces, and what a guest sees of it. */
START_TEST(families)
{
    static const struct {
        unsigned family;
        uint64_t capabilities;
        unsigned depth;
        uint64_t call_stack; /* the bit of LBR_SELECT or IA32_LBR_CTL */
    } rows[] = {
        {VPMU_X86_NEHALEM, 3, 16, 0},
        {VPMU_X86_WESTMERE, 3, 16, 0},
        {VPMU_X86_SANDYBRIDGE, 3, 16, 0},
        {VPMU_X86_IVYBRIDGE, 3, 16, 0},
        {VPMU_X86_HASWELL, 4, 16, 0x200},
        {VPMU_X86_BROADWELL, 4, 16, 0x200},
        {VPMU_X86_SKYLAKE, 5, 32, 0x200},
        {VPMU_X86_SKYLAKEX, 5, 32, 0x200},
        {VPMU_X86_CASCADELAKE, 5, 32, 0x200},
        {VPMU_X86_ICELAKEX, 5, 32, 0x200},
        {VPMU_X86_SAPPHIRERAPIDS, 0x3f, 32, 8},
        {VPMU_X86_GRANITERAPIDS, 0x3f, 32, 8},
        {VPMU_X86_SIERRAFOREST, 0x3f, 32, 8},
        {VPMU_X86_ZEN4, 0, 16, 0},
        {VPMU_X86_ZEN5, 0, 16, 0},
    };
    struct vpmu_lbr_config none = {.depth = 9};
    unsigned known = 0;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_lbr_config config = config_of_family(rows[i].family);
        struct vpmu_lbr l;

        start(&l, rows[i].family);
        expect("capabilities", rows[i].capabilities, vpmu_lbr_capabilities(&config));
        expect("depth", rows[i].depth, config.depth);
        expect("call stack", rows[i].call_stack ? VPMU_LBR_CALL_STACK : 0,
               config.features & VPMU_LBR_CALL_STACK);
    }
    for (unsigned family = 0; family < VPMU_X86_FAMILY_COUNT; family++) {
        known += vpmu_lbr_config_of(family, &none) == 0;
    }
    expect("families", COUNT_OF(rows), known);
    none.depth = 9;
    expect("generic", (uint64_t)-VPMU_ERR_CONFIG,
           (uint64_t)vpmu_lbr_config_of(VPMU_X86_GENERIC, &none));
    expect("unchanged", 9, none.depth);
}
END_TEST

START_TEST(cpuid)
{
    struct vpmu_lbr_config arch = config_of_family(VPMU_X86_SAPPHIRERAPIDS);
    struct vpmu_lbr_config amd = config_of_family(VPMU_X86_ZEN4);
    struct vpmu_x86_cpuid leaf = vpmu_lbr_cpuid(&arch, 0x1c);

    expect("1CH EAX", 0x8000000b, leaf.eax);
    expect("1CH EBX", 7, leaf.ebx);
    expect("1CH ECX", 7, leaf.ecx);
    expect("1CH EDX", 0, leaf.edx);
    arch.features &= (uint8_t)~VPMU_LBR_CALL_STACK;
    expect("1CH EBX without call stacks", 3, vpmu_lbr_cpuid(&arch, 0x1c).ebx);
    leaf = vpmu_lbr_cpuid(&amd, 0x80000022);
    expect("8000_0022H EAX", 6, leaf.eax);
    expect("8000_0022H EBX", 16 << 4, leaf.ebx);
    amd.features = 0;
    expect("8000_0022H EAX without freeze", 2, vpmu_lbr_cpuid(&amd, 0x80000022).eax);
    expect("Intel's leaf on AMD", 0, vpmu_lbr_cpuid(&amd, 0x1c).ebx);
    expect("AMD's leaf on Intel", 0, vpmu_lbr_cpuid(&arch, 0x80000022).eax);
}
END_TEST

/* Linux writes these bits to each MSR and reads them back before it uses LBR (check_msr()). */
START_TEST(linux_probes)
{
    static const unsigned probed[] = {VPMU_X86_NEHALEM, VPMU_X86_HASWELL, VPMU_X86_SKYLAKE,
                                      VPMU_X86_ICELAKEX};

    for (size_t i = 0; i < COUNT_OF(probed); i++) {
        struct vpmu_lbr l;

        start(&l, probed[i]);
        write(&l, 0x1c9, 3);
        expect("TOS", 3, read(&l, 0x1c9));
        write(&l, 0x1c8, 0x11);
        expect("LBR_SELECT", 0x11, read(&l, 0x1c8));
        for (unsigned n = 0; n < l.config.depth; n++) {
            write(&l, 0x680 + n, 0xffff);
            write(&l, 0x6c0 + n, 0xfffe);
            expect("FROM", 0xffff, read(&l, 0x680 + n));
            expect("TO", 0xfffe, read(&l, 0x6c0 + n));
        }
    }
}
END_TEST

/* Which MSRs exist: the last one of each family of MSRs, and the next one. */
START_TEST(msrs)
{
    static const struct {
        unsigned family;
        uint32_t msr;
        enum vpmu_x86_access access;
        const char *why;
    } rows[] = {
        {VPMU_X86_NEHALEM, 0x1d9, VPMU_X86_OK, "DEBUGCTL"},
        {VPMU_X86_NEHALEM, 0x68f, VPMU_X86_OK, "FROM 15"},
        {VPMU_X86_NEHALEM, 0x690, VPMU_X86_UNKNOWN, "FROM 16"},
        {VPMU_X86_SKYLAKE, 0x69f, VPMU_X86_OK, "FROM 31"},
        {VPMU_X86_SKYLAKE, 0x6df, VPMU_X86_OK, "TO 31"},
        {VPMU_X86_SKYLAKE, 0xddf, VPMU_X86_OK, "INFO 31"},
        {VPMU_X86_SKYLAKE, 0xde0, VPMU_X86_UNKNOWN, "INFO 32"},
        {VPMU_X86_BROADWELL, 0xdc0, VPMU_X86_UNKNOWN, "INFO of format 4"},
        {VPMU_X86_SKYLAKE, 0x14ce, VPMU_X86_UNKNOWN, "LBR_CTL of a legacy LBR"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1c8, VPMU_X86_UNKNOWN, "LBR_SELECT of architectural LBR"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1c9, VPMU_X86_UNKNOWN, "TOS of architectural LBR"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x151f, VPMU_X86_OK, "FROM 31"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x161f, VPMU_X86_OK, "TO 31"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x121f, VPMU_X86_OK, "INFO 31"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1520, VPMU_X86_UNKNOWN, "FROM 32"},
        {VPMU_X86_ZEN4, 0xc001031f, VPMU_X86_OK, "TO 15"},
        {VPMU_X86_ZEN4, 0xc0010320, VPMU_X86_UNKNOWN, "FROM 16"},
        {VPMU_X86_ZEN4, 0x680, VPMU_X86_UNKNOWN, "Intel's FROM"},
        {VPMU_X86_ZEN4, 0x1d9, VPMU_X86_OK, "DEBUGCTL"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_lbr l;
        uint64_t val = 7;

        start(&l, rows[i].family);
        expect_in(rows[i].why, "RDMSR", rows[i].access, vpmu_lbr_rdmsr(&l, rows[i].msr, &val));
        expect_in(rows[i].why, "value", 0, val);
        expect_in(rows[i].why, "WRMSR", rows[i].access, vpmu_lbr_wrmsr(&l, rows[i].msr, 0));
    }
}
END_TEST

/* A write that is refused, or what is read back. */
START_TEST(written_values)
{
    static const struct {
        unsigned family;
        uint32_t msr;
        uint64_t val;
        enum vpmu_x86_access access;
        uint64_t read;
        const char *why;
    } rows[] = {
        {VPMU_X86_NEHALEM, 0x1d9, 0x801, VPMU_X86_OK, 0x801, "DEBUGCTL"},
        {VPMU_X86_NEHALEM, 0x1d9, 0x1000, VPMU_X86_GP, 0, "a bit that does not exist"},
        {VPMU_X86_NEHALEM, 0x1c8, 0x200, VPMU_X86_GP, 0, "call stacks before Haswell"},
        {VPMU_X86_HASWELL, 0x1c8, 0x3ff, VPMU_X86_OK, 0x3ff, "call stacks"},
        {VPMU_X86_HASWELL, 0x1c8, 0x400, VPMU_X86_GP, 0, "beyond call stacks"},
        {VPMU_X86_HASWELL, 0x1c9, 15, VPMU_X86_OK, 15, "TOS"},
        {VPMU_X86_HASWELL, 0x1c9, 16, VPMU_X86_GP, 0, "TOS beyond the depth"},
        {VPMU_X86_NEHALEM, 0x680, KERNEL & ~BIT63, VPMU_X86_OK, KERNEL & ~BIT63, "predicted"},
        {VPMU_X86_NEHALEM, 0x680, KERNEL, VPMU_X86_OK, KERNEL, "mispredicted"},
        {VPMU_X86_NEHALEM, 0x680, BIT(47), VPMU_X86_GP, 0, "FROM is not canonical"},
        {VPMU_X86_NEHALEM, 0x680, BIT(62), VPMU_X86_GP, 0, "nor that"},
        {VPMU_X86_NEHALEM, 0x6c0, KERNEL & ~BIT63, VPMU_X86_GP, 0, "TO is not canonical"},
        {VPMU_X86_HASWELL, 0x680, KERNEL, VPMU_X86_OK, KERNEL, "signs in bits 62:61"},
        {VPMU_X86_HASWELL, 0x680, KERNEL & ~(7ull << 61), VPMU_X86_GP, 0, "no transactions"},
        {VPMU_X86_SKYLAKE, 0x680, KERNEL & ~BIT63, VPMU_X86_GP, 0, "FROM has no flag"},
        {VPMU_X86_SKYLAKE, 0xdc0, 0xe00000000000ffff, VPMU_X86_OK, 0xe00000000000ffff, "INFO"},
        {VPMU_X86_SKYLAKE, 0xdc0, 0x10000, VPMU_X86_GP, 0, "INFO's reserved bits"},
        {VPMU_X86_ICELAKEX, 0x6c0, BIT(55), VPMU_X86_OK, BIT(55), "57 bits"},
        {VPMU_X86_ICELAKEX, 0x6c0, BIT(56), VPMU_X86_GP, 0, "58 bits"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1d9, 0x801, VPMU_X86_OK, 0x800, "DEBUGCTL.LBR is ignored"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14ce, 0x7f000f, VPMU_X86_OK, 0x7f000f, "LBR_CTL"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14ce, 0x10, VPMU_X86_GP, 0, "LBR_CTL's reserved bits"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14cf, 16, VPMU_X86_OK, 16, "a depth"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14cf, 24, VPMU_X86_GP, 32, "not in the mask"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14cf, 0, VPMU_X86_GP, 32, "no depth"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14cf, 1ull << 32 | 8, VPMU_X86_GP, 32, "too deep"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1200, ALL_ONES, VPMU_X86_OK, 0xff0000000000ffff,
         "undefined bits of INFO are ignored"},
        {VPMU_X86_ZEN4, 0x1d9, ALL_ONES, VPMU_X86_OK, 0x800, "AMD ignores reserved bits"},
        {VPMU_X86_ZEN4, 0xc000010f, ALL_ONES, VPMU_X86_OK, 0x40, "DBG_EXTN_CFG"},
        {VPMU_X86_ZEN4, 0xc000010e, ALL_ONES, VPMU_X86_OK, 0x1ff, "AMD's LBR_SELECT"},
        {VPMU_X86_ZEN4, 0xc0010300, BIT63 | 0x1234, VPMU_X86_OK, BIT63 | 0x1234, "FROM"},
        {VPMU_X86_ZEN4, 0xc0010301, 0xe000000000001234, VPMU_X86_OK, 0xc000000000001234, "TO"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_lbr l;

        start(&l, rows[i].family);
        expect_in(rows[i].why, "WRMSR", rows[i].access,
                  vpmu_lbr_wrmsr(&l, rows[i].msr, rows[i].val));
        expect_in(rows[i].why, "RDMSR", rows[i].read, read(&l, rows[i].msr));
    }
}
END_TEST

/* The registers of a mispredicted branch of the kernel, the second one, 70000 cycles later. */
START_TEST(recorded_values)
{
    static const struct {
        unsigned family;
        uint32_t msr;
        uint64_t val;
        const char *why;
    } rows[] = {
        {VPMU_X86_NEHALEM, 0x1c9, 2, "TOS counts up"},
        {VPMU_X86_NEHALEM, 0x682, 0xffff800000001000, "bit 63 is MISPRED"},
        {VPMU_X86_NEHALEM, 0x681, 0x7fff800000001000, "of the first one, too"},
        {VPMU_X86_NEHALEM, 0x6c2, 0xffff800000002000, "TO"},
        {VPMU_X86_HASWELL, 0x682, 0x9fff800000001000, "flags of transactions are 0"},
        {VPMU_X86_HASWELL, 0x681, 0x1fff800000001000, "of the first one, too"},
        {VPMU_X86_SKYLAKE, 0x682, 0xffff800000001000, "FROM without flags"},
        {VPMU_X86_SKYLAKE, 0xdc2, 0x800000000000ffff, "cycles saturate"},
        {VPMU_X86_SKYLAKE, 0xdc1, 0, "no cycles before the first one"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1500, 0xffff800000001000, "the newest is 0"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1600, 0xffff800000002000, "TO"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1200, 0x930000000000ffff, "valid cycles, indirect call"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1201, 0x0300000000000000, "no valid cycles"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x1502, 0, "no third one"},
        {VPMU_X86_ZEN4, 0xc0010300, 0xffff800000001000, "bit 63 is the misprediction"},
        {VPMU_X86_ZEN4, 0xc0010302, 0x7fff800000001000, "of the first one, too"},
        {VPMU_X86_ZEN4, 0xc0010301, 0x9fff800000002000, "valid, not speculative"},
        {VPMU_X86_ZEN4, 0xc0010305, 0, "no third one"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_lbr l;

        start_recording(&l, rows[i].family);
        vpmu_lbr_branch(&l, VPMU_BRTYPE_INDIRECT_CALL, false, KERNEL, KERNEL + 0x1000, 100);
        vpmu_lbr_branch(&l, VPMU_BRTYPE_INDIRECT_CALL, true, KERNEL, KERNEL + 0x1000, 70100);
        expect_in(rows[i].why, "value", rows[i].val, read(&l, rows[i].msr));
    }
}
END_TEST

/* Each filter alone suppresses (LBR_SELECT) or selects (IA32_LBR_CTL) one group. */
START_TEST(filters)
{
    static const struct {
        unsigned select;
        unsigned ctl;
        unsigned group;
    } rows[] = {
        {2, 16, VPMU_BRGROUP_CONDITIONAL},   {3, 19, VPMU_BRGROUP_CALL},
        {4, 20, VPMU_BRGROUP_INDIRECT_CALL}, {5, 21, VPMU_BRGROUP_RETURN},
        {6, 18, VPMU_BRGROUP_INDIRECT},      {7, 17, VPMU_BRGROUP_DIRECT},
        {8, 22, VPMU_BRGROUP_EXCEPTION},
    };
    struct vpmu_lbr legacy;
    struct vpmu_lbr arch;
    struct vpmu_lbr amd;

    start_recording(&legacy, VPMU_X86_SKYLAKE);
    start_recording(&arch, VPMU_X86_SAPPHIRERAPIDS);
    start_recording(&amd, VPMU_X86_ZEN4);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        write(&legacy, 0x1c8, BIT(rows[i].select));
        write(&arch, 0x14ce, BIT(rows[i].ctl) | 7);
        write(&amd, 0xc000010e, BIT(rows[i].select));
        expect("legacy", VPMU_BRGROUP_ALL & ~rows[i].group, vpmu_lbr_recorded(&legacy));
        expect("architectural", rows[i].group, vpmu_lbr_recorded(&arch));
        expect("AMD", VPMU_BRGROUP_ALL & ~rows[i].group, vpmu_lbr_recorded(&amd));
    }
    write(&legacy, 0x1c8, 0);
    write(&legacy, 0x1d9, 0);
    write(&arch, 0x14ce, 0x7f0006);
    write(&amd, 0xc000010f, 0);
    expect("legacy is off", 0, vpmu_lbr_recorded(&legacy) | vpmu_lbr_enabled(&legacy));
    expect("architectural is off", 0, vpmu_lbr_recorded(&arch) | vpmu_lbr_enabled(&arch));
    expect("AMD is off", 0, vpmu_lbr_recorded(&amd) | vpmu_lbr_enabled(&amd));
}
END_TEST

/* A system call and its return, with a filter by CPL: the CPL at the end decides. */
START_TEST(levels)
{
    static const struct {
        unsigned family;
        uint32_t msr;
        uint64_t val;
        bool call;
        bool back;
        bool user;
        bool kernel;
        const char *why;
    } rows[] = {
        {VPMU_X86_SKYLAKE, 0x1c8, 1, false, true, true, false, "no CPL 0"},
        {VPMU_X86_SKYLAKE, 0x1c8, 2, true, false, false, true, "CPL 0 only"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14ce, 0x7f0005, false, true, true, false, "USR"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14ce, 0x7f0003, true, false, false, true, "OS"},
        {VPMU_X86_ZEN4, 0xc000010e, 1, false, true, true, false, "AMD, no CPL 0"},
        {VPMU_X86_ZEN4, 0xc000010e, 2, true, false, false, true, "AMD, CPL 0 only"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_lbr l;

        start_recording(&l, rows[i].family);
        write(&l, rows[i].msr, rows[i].val);
        vpmu_lbr_move(&l, 3);
        expect_in(rows[i].why, "user", rows[i].user,
                  vpmu_lbr_branch(&l, VPMU_BRTYPE_DIRECT, false, 4, 8, NO_TIME));
        expect_in(rows[i].why, "call", rows[i].call,
                  vpmu_lbr_far(&l, 0, VPMU_BRTYPE_SYSTEM_CALL, 8, KERNEL, NO_TIME));
        expect_in(rows[i].why, "kernel", rows[i].kernel,
                  vpmu_lbr_branch(&l, VPMU_BRTYPE_DIRECT, false, KERNEL, KERNEL, NO_TIME));
        expect_in(rows[i].why, "return", rows[i].back,
                  vpmu_lbr_far(&l, 3, VPMU_BRTYPE_EXCEPTION_RETURN, KERNEL, 10, NO_TIME));
    }
}
END_TEST

/* A return from a system call: is the kernel's address recorded? */
START_TEST(filtered_addresses)
{
    static const struct {
        unsigned family;
        uint32_t msr;
        uint64_t val;
        uint32_t from;
        uint64_t recorded;
        const char *why;
    } rows[] = {
        {VPMU_X86_SKYLAKE, 0x1c8, 1, 0x681, KERNEL, "legacy, no CPL 0"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14ce, 0x7f0005, 0x1500, UINT64_MAX, "USR"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x14ce, 0x7f0007, 0x1500, KERNEL, "USR and OS"},
        {VPMU_X86_ZEN4, 0xc000010e, 1, 0xc0010300, KERNEL & ~BIT(63), "AMD, no CPL 0"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_lbr l;

        start_recording(&l, rows[i].family);
        write(&l, rows[i].msr, rows[i].val);
        vpmu_lbr_move(&l, 0);
        vpmu_lbr_far(&l, 3, VPMU_BRTYPE_EXCEPTION_RETURN, KERNEL, 10, NO_TIME);
        expect_in(rows[i].why, "from", rows[i].recorded, read(&l, rows[i].from));
    }
}
END_TEST

/* What a PMI does, and what records again. */
START_TEST(freezes)
{
    static const struct {
        unsigned family;
        uint64_t debugctl;
        bool stopped;
        bool frozen;
        uint64_t after;
        const char *why;
    } rows[] = {
        {VPMU_X86_BROADWELL, 0x801, true, false, 0x800, "version 3 clears DEBUGCTL.LBR"},
        {VPMU_X86_BROADWELL, 0x001, false, false, 0x001, "no freeze"},
        {VPMU_X86_SKYLAKE, 0x801, true, true, 0x801, "version 4 sets the status"},
        {VPMU_X86_SKYLAKE, 0x001, false, false, 0x001, "no freeze"},
        {VPMU_X86_SAPPHIRERAPIDS, 0x800, true, true, 0x800, "architectural"},
        {VPMU_X86_SAPPHIRERAPIDS, 0, false, false, 0, "no freeze"},
        {VPMU_X86_ZEN4, 0x800, true, true, 0x800, "AMD"},
        {VPMU_X86_ZEN4, 0, false, false, 0, "no freeze"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_lbr l;

        start_recording(&l, rows[i].family);
        write(&l, 0x1d9, rows[i].debugctl);
        expect_in(rows[i].why, "stopped", rows[i].stopped, vpmu_lbr_pmi(&l));
        expect_in(rows[i].why, "frozen", rows[i].frozen, vpmu_lbr_frozen(&l));
        expect_in(rows[i].why, "DEBUGCTL", rows[i].after, read(&l, 0x1d9));
        expect_in(rows[i].why, "recorded", !rows[i].stopped,
                  vpmu_lbr_branch(&l, VPMU_BRTYPE_DIRECT, false, 4, 8, NO_TIME));
        expect_in(rows[i].why, "another PMI", false, vpmu_lbr_pmi(&l) && rows[i].stopped);
        vpmu_lbr_thaw(&l);
        write(&l, 0x1d9, rows[i].debugctl);
        expect_in(rows[i].why, "recorded again", true,
                  vpmu_lbr_branch(&l, VPMU_BRTYPE_DIRECT, false, 4, 8, NO_TIME));
    }
}
END_TEST

/* Software may set the status bit itself, if the PMU has it. */
START_TEST(frozen_by_software)
{
    struct vpmu_lbr l;

    start_recording(&l, VPMU_X86_SKYLAKE);
    vpmu_lbr_freeze(&l);
    expect("frozen", true, vpmu_lbr_frozen(&l));
    expect("enabled", false, vpmu_lbr_enabled(&l));
    start_recording(&l, VPMU_X86_BROADWELL);
    vpmu_lbr_freeze(&l);
    expect("no status", false, vpmu_lbr_frozen(&l));
    expect("still enabled", true, vpmu_lbr_enabled(&l));
}
END_TEST

START_TEST(debug_exceptions)
{
    struct vpmu_lbr l;

    start_recording(&l, VPMU_X86_SKYLAKE);
    vpmu_lbr_debug(&l);
    expect("DEBUGCTL", 0x800, read(&l, 0x1d9));
    expect("enabled", false, vpmu_lbr_enabled(&l));
    start_recording(&l, VPMU_X86_SAPPHIRERAPIDS);
    vpmu_lbr_debug(&l);
    expect("architectural LBR goes on", true, vpmu_lbr_enabled(&l));
    start_recording(&l, VPMU_X86_ZEN4);
    vpmu_lbr_debug(&l);
    expect("AMD's goes on", true, vpmu_lbr_enabled(&l));
}
END_TEST

/* main calls a and b; b calls c indirectly; a has returned. */
static void call_a_few(struct vpmu_lbr *l)
{
    vpmu_lbr_move(l, 3);
    vpmu_lbr_branch(l, VPMU_BRTYPE_CALL, false, 0x1000, 0xa000, 10);
    vpmu_lbr_branch(l, VPMU_BRTYPE_CONDITIONAL, false, 0xa000, 0xa008, 11);
    vpmu_lbr_branch(l, VPMU_BRTYPE_RETURN, false, 0xa008, 0x1005, 12);
    vpmu_lbr_branch(l, VPMU_BRTYPE_CALL, false, 0x1010, 0xb000, 20);
    vpmu_lbr_far(l, 3, VPMU_BRTYPE_SYSTEM_CALL, 0xb000, 0xb002, 21);
    vpmu_lbr_branch(l, VPMU_BRTYPE_INDIRECT_CALL, false, 0xb010, 0xc000, 30);
}

/* As Linux asks for --call-graph lbr of a program. */
START_TEST(call_stacks)
{
    struct vpmu_lbr l;

    start_recording(&l, VPMU_X86_SKYLAKE);
    write(&l, 0x1c8, 0x3c5);
    call_a_few(&l);
    expect("recorded", VPMU_BRGROUP_CALL | VPMU_BRGROUP_INDIRECT_CALL | VPMU_BRGROUP_RETURN,
           vpmu_lbr_recorded(&l));
    expect("TOS", 2, read(&l, 0x1c9));
    expect("innermost", 0xb010, read(&l, 0x682));
    expect("its caller", 0x1010, read(&l, 0x681));
    expect("no other", 0, read(&l, 0x680) | read(&l, 0x683));
    start_recording(&l, VPMU_X86_SAPPHIRERAPIDS);
    write(&l, 0x14ce, 0x38000d);
    call_a_few(&l);
    expect("innermost", 0xb010, read(&l, 0x1500));
    expect("its caller", 0x1010, read(&l, 0x1501));
    expect("no other", 0, read(&l, 0x1502));
    for (unsigned i = 0; i < 40; i++) {
        vpmu_lbr_branch(&l, VPMU_BRTYPE_RETURN, false, 0xc000, 0xb012, 40);
    }
    for (unsigned n = 0; n < 32; n++) {
        expect("all returned", 0, read(&l, 0x1500 + n) | read(&l, 0x1200 + n));
    }
}
END_TEST

/* IA32_LBR_DEPTH clears, and hides records beyond it. */
START_TEST(depths)
{
    struct vpmu_lbr l;
    uint64_t val;

    start_recording(&l, VPMU_X86_SAPPHIRERAPIDS);
    expect("after RESET", 32, read(&l, 0x14cf));
    vpmu_lbr_branch(&l, VPMU_BRTYPE_DIRECT, false, 4, 8, 10);
    write(&l, 0x14cf, 8);
    expect("cleared", 0, read(&l, 0x1500) | read(&l, 0x1600) | read(&l, 0x1200));
    expect("beyond, read", VPMU_X86_GP, vpmu_lbr_rdmsr(&l, 0x1508, &val));
    expect("beyond, written", VPMU_X86_GP, vpmu_lbr_wrmsr(&l, 0x1508, 0));
    for (unsigned i = 1; i <= 9; i++) {
        vpmu_lbr_branch(&l, VPMU_BRTYPE_DIRECT, false, 16 * i, 8, 10);
    }
    expect("the newest", 16 * 9, read(&l, 0x1500));
    expect("the oldest", 16 * 2, read(&l, 0x1507));
    vpmu_lbr_reset(&l);
    expect("after another RESET", 32, read(&l, 0x14cf));
    expect("no record", 0, read(&l, 0x1500));
}
END_TEST

/* Types in INFO, and that a pause loses the cycles. */
START_TEST(types_and_pauses)
{
    static const struct {
        unsigned type;
        uint64_t code;
    } rows[] = {
        {VPMU_BRTYPE_CONDITIONAL, 0},   {VPMU_BRTYPE_INDIRECT, 1}, {VPMU_BRTYPE_DIRECT, 2},
        {VPMU_BRTYPE_INDIRECT_CALL, 3}, {VPMU_BRTYPE_CALL, 4},     {VPMU_BRTYPE_RETURN, 5},
    };
    struct vpmu_lbr l;

    start_recording(&l, VPMU_X86_SAPPHIRERAPIDS);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        vpmu_lbr_branch(&l, rows[i].type, false, 4, 8, NO_TIME);
        expect("type", rows[i].code << 56, read(&l, 0x1200));
    }
    vpmu_lbr_far(&l, 0, VPMU_BRTYPE_IRQ, 4, 8, 100);
    expect("far", 8ull << 56, read(&l, 0x1200));
    vpmu_lbr_far(&l, 0, VPMU_BRTYPE_IRQ, 4, 8, 107);
    expect("cycles", 8ull << 56 | BIT(60) | 7, read(&l, 0x1200));
    expect("counts cycles", true, vpmu_lbr_counts_cycles(&l));
    vpmu_lbr_freeze(&l);
    expect("does not while frozen", false, vpmu_lbr_counts_cycles(&l));
    vpmu_lbr_thaw(&l);
    vpmu_lbr_far(&l, 0, VPMU_BRTYPE_IRQ, 4, 8, 110);
    expect("no cycles after a pause", 8ull << 56, read(&l, 0x1200));
    start_recording(&l, VPMU_X86_ZEN4);
    expect("AMD has no cycles", false, vpmu_lbr_counts_cycles(&l));
}
END_TEST

Suite *lbr_suite(void)
{
    const TTest *const tests[] = {
        configurations,   families,    cpuid,  linux_probes,       msrs,    written_values,
        recorded_values,  filters,     levels, filtered_addresses, freezes, frozen_by_software,
        debug_exceptions, call_stacks, depths, types_and_pauses,
    };

    return suite_of("lbr", tests, COUNT_OF(tests));
}
