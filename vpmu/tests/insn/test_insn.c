/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What instructions count as, also in detail, and for how many cycles they stall. */
#include <inttypes.h>
#include <string.h>

#include "fixture.h"
#include "insn_cases.h"
#include "vpmu/arm/insn.h"

/* The step between the encodings that are checked instead of all. It is odd, so all bits change. */
#define SWEEP_STEP 4099

static const struct isa {
    const char *name;
    vpmu_sources (*sources)(uint32_t insn);
    struct vpmu_insn_detail (*detail)(uint32_t insn);
    unsigned (*stall)(uint32_t insn);
    const struct insn_case *cases;
    const size_t *count;
} isas[] = {
    {"A64", vpmu_insn_a64, vpmu_insn_a64_detail, vpmu_insn_a64_stall, insn_cases_a64,
     &insn_cases_a64_count},
    {"A32", vpmu_insn_a32, vpmu_insn_a32_detail, vpmu_insn_a32_stall, insn_cases_a32,
     &insn_cases_a32_count},
    {"T32", vpmu_insn_t32, vpmu_insn_t32_detail, vpmu_insn_t32_stall, insn_cases_t32,
     &insn_cases_t32_count},
};

enum {
    A64,
    A32,
    T32,
};

/* Checks each row of the tables of instructions. */
static void check_cases(const struct isa *isa)
{
    for (size_t i = 0; i < *isa->count; i++) {
        const struct insn_case *row = &isa->cases[i];

        expect_sources(row->text, row->sources | VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED),
                       isa->sources(row->insn));
    }
}

START_TEST(a64)
{
    check_cases(&isas[A64]);
}
END_TEST

START_TEST(a32)
{
    check_cases(&isas[A32]);
}
END_TEST

START_TEST(t32)
{
    check_cases(&isas[T32]);
}
END_TEST

/* The 15 conditions of an A32 instruction make no difference, also for stalls and details. */
START_TEST(a32_conditions)
{
    for (size_t i = 0; i < insn_cases_a32_count; i++) {
        uint32_t insn = insn_cases_a32[i].insn;

        for (uint32_t cond = 0; insn >> 28 != 15 && cond < 15; cond++) {
            uint32_t other = (insn & 0x0fffffff) | cond << 28;

            expect_sources(insn_cases_a32[i].text, vpmu_insn_a32(insn), vpmu_insn_a32(other));
            expect_in(insn_cases_a32[i].text, "cycles", vpmu_insn_a32_stall(insn),
                      vpmu_insn_a32_stall(other));
            expect_sources(insn_cases_a32[i].text, vpmu_insn_a32_detail(insn).sources,
                           vpmu_insn_a32_detail(other).sources);
        }
    }
}
END_TEST

/* BR_RETIRED is the sum of four sources. An instruction has at most one of them. */
static unsigned branch_kinds(vpmu_sources sources)
{
    unsigned immed = sources >> VPMU_SRC_BR_IMMED & 1;
    unsigned ret = sources >> VPMU_SRC_BR_RETURN & 1;
    unsigned indirect = sources >> VPMU_SRC_BR_INDIRECT & 1;
    unsigned exc_return = sources >> VPMU_SRC_EXC_RETURN & 1;

    return immed + ret + indirect + exc_return;
}

/* The fault in a result, or NULL. */
static const char *fault_of(const struct isa *isa, uint32_t insn)
{
    vpmu_sources sources = isa->sources(insn);

    if (!(sources & VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED))) {
        return "expected INST_RETIRED got none";
    }
    if (sources & ~VPMU_SRC_INSNS) {
        return "expected sources that an instruction has got others";
    }
    if (branch_kinds(sources) > 1) {
        return "expected one kind of branch got more";
    }
    if (sources & PC && branch_kinds(sources) == 0) {
        return "expected a branch to write the PC got none";
    }
    return isa->stall(insn) <= 20 ? NULL : "expected 0 to 20 cycles got more";
}

static void check_sound(const struct isa *isa, uint64_t first, uint64_t last, uint64_t step)
{
    for (uint64_t insn = first; insn <= last; insn += step) {
        const char *fault = fault_of(isa, (uint32_t)insn);

        if (fault) {
            ck_abort_msg("%s %#" PRIx64 ": %s", isa->name, insn, fault);
        }
    }
}

/* Every value has a valid result, whether it is an instruction or not. */
START_TEST(any_encoding)
{
    for (size_t i = 0; i < COUNT_OF(isas); i++) {
        check_sound(&isas[i], 0, UINT32_MAX, SWEEP_STEP);
    }
    check_sound(&isas[T32], 0, 0xffff, 1);
}
END_TEST

/*
 * A branch that is not taken counts as a branch, a return as another indirect one. A load whose
 * condition fails counts only as an instruction; what only events of speculative execution count,
 * counts.
 */
START_TEST(cond_failed)
{
    vpmu_sources inst = VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED);
    vpmu_sources indirect = inst | VPMU_SRC_BIT(VPMU_SRC_BR_INDIRECT);
    vpmu_sources dp = VPMU_SRC_BIT(VPMU_SRC_DP);
    vpmu_sources load = VPMU_SRC_BIT(VPMU_SRC_LD_SKIPPED);
    vpmu_sources store = VPMU_SRC_BIT(VPMU_SRC_ST_SKIPPED);
    vpmu_sources returns = indirect | VPMU_SRC_BIT(VPMU_SRC_BR_RETURN_SKIPPED);

    expect_sources("bne", inst | BR, vpmu_insn_cond_failed(vpmu_insn_a32(0x1a000002)));
    expect_sources("beq.n", inst | BR, vpmu_insn_cond_failed(vpmu_insn_t32(0xd002)));
    expect_sources("streq r0, [r1]", inst | store,
                   vpmu_insn_cond_failed(vpmu_insn_a32(0x05810000)));
    expect_sources("swpeq r0, r1, [r2]", inst | load | store,
                   vpmu_insn_cond_failed(vpmu_insn_a32(0x01020091)));
    expect_sources("ldreq r0, [r1]", inst | load, vpmu_insn_cond_failed(vpmu_insn_a32(0x05910000)));
    expect_sources("bxeq r1", indirect, vpmu_insn_cond_failed(vpmu_insn_a32(0x012fff11)));
    expect_sources("bxeq lr", returns, vpmu_insn_cond_failed(vpmu_insn_a32(0x012fff1e)));
    expect_sources("popeq {pc}", returns | load, vpmu_insn_cond_failed(vpmu_insn_t32(0xbd00)));
    expect_sources("moveqs pc, lr", indirect | dp,
                   vpmu_insn_cond_failed(vpmu_insn_a32(0x01b0f00e)));
    expect_sources("addeq r0, r0, #1", inst | dp, vpmu_insn_cond_failed(vpmu_insn_a32(0x02800001)));
    expect_sources("mcreq p15, 0, r0, c13, c0, 1", inst | dp,
                   vpmu_insn_cond_failed(vpmu_insn_a32(0x0e0d0f30)));
    expect_sources("vaddeq.f32 s0, s1, s2", inst | VPMU_SRC_BIT(VPMU_SRC_VFP),
                   vpmu_insn_cond_failed(vpmu_insn_a32(0x0e300a81)));
}
END_TEST

struct stall_row {
    const char *text;
    unsigned cycles;
};

/*
 * The stalls of the library's model, see vpmu_insn_a64_stall(). The instructions are those of the
 * tables.
 */
static const struct stall_row stalls_a64[] = {
    {"add x0, x1, x2, lsl #1", 0},
    {"nop", 0},
    {"b .", 0},
    {"ldr x0, [x1, #8]", 0},
    {"str q0, [x1, #16]", 0},
    {"ldaddal x0, x2, [x1]", 0},
    {"udiv w0, w1, w2", 8},
    {"sdiv w0, w1, w2", 8},
    {"udiv x0, x1, x2", 12},
    {"sdiv x0, x1, x2", 12},
    {"mul x0, x1, x2", 2},
    {"msub x0, x1, x2, x3", 2},
    {"smull x0, w1, w2", 2},
    {"smulh x0, x1, x2", 3},
    {"umulh x0, x1, x2", 3},
    {"crc32b w0, w1, w2", 2},
    {"crc32cx w0, w1, x2", 2},
    {"lslv x0, x1, x2", 0},
    {"fadd d0, d1, d2", 3},
    {"fnmul d0, d1, d2", 3},
    {"fmadd s0, s1, s2, s3", 4},
    {"fnmsub d0, d1, d2, d3", 4},
    {"fdiv h0, h1, h2", 10},
    {"fdiv s0, s1, s2", 10},
    {"fdiv d0, d1, d2", 15},
    {"fsqrt h0, h1", 12},
    {"fsqrt s0, s1", 12},
    {"fsqrt d0, d1", 20},
    {"fmov s0, s1", 0},
    {"fneg d0, d1", 0},
    {"fmov s0, #1.0", 0},
    {"fcsel d0, d1, d2, eq", 0},
    {"fcmp s0, s1", 2},
    {"fcvt d0, s1", 3},
    {"frintx d0, d1", 3},
    {"scvtf s0, w1", 3},
    {"fcvtzs x0, d1, #4", 3},
    {"fjcvtzs w0, d1", 3},
    {"fmov x0, d1", 1},
    {"fmov v0.d[1], x1", 1},
    {"add v0.16b, v1.16b, v2.16b", 0},
    {"and v0.16b, v1.16b, v2.16b", 0},
    {"movi v0.16b, #1", 0},
    {"shl v0.4s, v1.4s, #3", 0},
    {"mul v0.4s, v1.4s, v2.4s", 3},
    {"mla v0.4h, v1.4h, v2.4h", 3},
    {"mls v0.4s, v1.4s, v2.s[1]", 3},
    {"sqdmulh v0.4s, v1.4s, v2.4s", 3},
    {"smull v0.4s, v1.4h, v2.4h", 3},
    {"saddl v0.8h, v1.8b, v2.8b", 0},
    {"sdot v0.4s, v1.16b, v2.16b", 3},
    {"fmul s0, s1, v2.s[1]", 3},
    {"fadd v0.4s, v1.4s, v2.4s", 3},
    {"fadd v0.8h, v1.8h, v2.8h", 3},
    {"fmla v0.2d, v1.2d, v2.2d", 3},
    {"fdiv v0.8h, v1.8h, v2.8h", 10},
    {"fdiv v0.4s, v1.4s, v2.4s", 10},
    {"fdiv v0.2d, v1.2d, v2.2d", 15},
    {"fsqrt v0.8h, v1.8h", 12},
    {"fsqrt v0.4s, v1.4s", 12},
    {"fsqrt v0.2d, v1.2d", 20},
    {"aese v0.16b, v1.16b", 2},
    {"sha1c q0, s1, v2.4s", 2},
    {"sha1h s0, s1", 2},
    {"sha256su1 v0.4s, v1.4s, v2.4s", 2},
    {"sha512h q0, q1, v2.2d", 2},
    {"sm4e v0.4s, v1.4s", 2},
    {"dsb sy", 10},
    {"dsb synxs", 10},
    {"dmb ish", 4},
    {"isb", 8},
};

static const struct stall_row stalls_a32[] = {
    {"and r0, r1, r2", 0},
    {"ldr r0, [r1]", 0},
    {"bl .+16", 0},
    {"svc #0", 0},
    {"mul r0, r1, r2", 2},
    {"mls r0, r1, r2, r3", 2},
    {"umaal r0, r1, r2, r3", 2},
    {"umull r0, r1, r2, r3", 3},
    {"smlabb r0, r1, r2, r3", 2},
    {"smlad r0, r1, r2, r3", 2},
    {"usad8 r0, r1, r2", 2},
    {"sdiv r0, r1, r2", 8},
    {"udiv r0, r1, r2", 8},
    {"bfi r0, r1, #2, #3", 0},
    {"crc32w r0, r1, r2", 2},
    {"vadd.f32 s0, s1, s2", 3},
    {"vnmul.f64 d0, d1, d2", 3},
    {"vmla.f32 s0, s1, s2", 4},
    {"vfnms.f64 d0, d1, d2", 4},
    {"vdiv.f16 s0, s1, s2", 10},
    {"vdiv.f32 s0, s1, s2", 10},
    {"vdiv.f64 d0, d1, d2", 15},
    {"vsqrt.f16 s0, s1", 12},
    {"vsqrt.f32 s0, s1", 12},
    {"vsqrt.f64 d0, d1", 20},
    {"vmov.f64 d0, #1.0", 0},
    {"vmov.f32 s0, s1", 0},
    {"vabs.f64 d0, d1", 0},
    {"vcmp.f32 s0, s1", 2},
    {"vcmpe.f64 d0, #0.0", 2},
    {"vcvt.s32.f64 s0, d1", 3},
    {"vrintz.f64 d0, d1", 3},
    {"vmov r0, s1", 1},
    {"vmov r0, r1, d2", 1},
    {"vmov.8 d0[1], r1", 1},
    {"vseleq.f32 s0, s1, s2", 0},
    {"vselge.f16 s0, s1, s2", 0},
    {"vmaxnm.f64 d0, d1, d2", 3},
    {"vadd.i32 q0, q1, q2", 0},
    {"vmul.i32 q0, q1, q2", 3},
    {"vqdmulh.s32 q0, q1, q2", 3},
    {"vmul.f32 q0, q1, d2[1]", 3},
    {"vmull.s16 q0, d1, d2", 3},
    {"vaddl.s8 q0, d1, d2", 0},
    {"vmla.f32 q0, q1, q2", 3},
    {"vfma.f32 d0, d1, d2", 3},
    {"vext.8 q0, q1, q2, #3", 0},
    {"vrev64.8 q0, q1", 0},
    {"vcvt.s32.f32 q0, q1", 3},
    {"vsdot.s8 q0, q1, q2", 3},
    {"vmov.i32 q0, #1", 0},
    {"aese.8 q0, q1", 2},
    {"sha1c.32 q0, q1, q2", 2},
    {"sha1h.32 q0, q1", 2},
    {"sha256su0.32 q0, q1", 2},
    {"dsb sy", 10},
    {"dmb ish", 4},
    {"isb", 8},
    {"mcr p15, 0, r0, c7, c10, 4", 10},
    {"mcr p15, 0, r0, c7, c10, 5", 4},
    {"mcr p15, 0, r0, c7, c5, 4", 8},
};

static const struct stall_row stalls_t32[] = {
    {"adds r0, r1, r2", 0},
    {"muls r0, r1, r0", 2},
    {"mul r0, r1, r2", 2},
    {"smlad r0, r1, r2, r3", 2},
    {"umlal r0, r1, r2, r3", 3},
    {"sdiv r0, r1, r2", 8},
    {"udiv r0, r1, r2", 8},
    {"crc32w r0, r1, r2", 2},
    {"clz r0, r1", 0},
    {"ldr.w r0, [r1]", 0},
    {"dsb sy", 10},
    {"dmb ishst", 4},
    {"isb", 8},
    {"vdiv.f64 d0, d1, d2", 15},
    {"vmul.f32 q0, q1, q2", 3},
    {"vld1.8 {d0}, [r1]", 0},
};

static const struct insn_case *case_of(const struct isa *isa, const char *text)
{
    for (size_t i = 0; i < *isa->count; i++) {
        if (strcmp(isa->cases[i].text, text) == 0) {
            return &isa->cases[i];
        }
    }
    return NULL;
}

static void check_stalls(const struct isa *isa, const struct stall_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++, row++) {
        const struct insn_case *insn = case_of(isa, row->text);

        ck_assert_msg(insn != NULL, "expected a case of %s got none", row->text);
        expect_in(row->text, isa->name, row->cycles, isa->stall(insn->insn));
    }
}

START_TEST(stalls)
{
    check_stalls(&isas[A64], stalls_a64, COUNT_OF(stalls_a64));
    check_stalls(&isas[A32], stalls_a32, COUNT_OF(stalls_a32));
    check_stalls(&isas[T32], stalls_t32, COUNT_OF(stalls_t32));
}
END_TEST

#define EFFECTIVE VPMU_SRC_BIT(VPMU_SRC_EFFECTIVE)
#define LDREX VPMU_SRC_BIT(VPMU_SRC_LDREX)
#define ACQ VPMU_SRC_BIT(VPMU_SRC_RC_LD)
#define REL VPMU_SRC_BIT(VPMU_SRC_RC_ST)
#define CRYPTO VPMU_SRC_BIT(VPMU_SRC_CRYPTO)
#define ASE_VECTOR VPMU_SRC_BIT(VPMU_SRC_ASE_VECTOR)

START_TEST(details_a64)
{
    for (size_t i = 0; i < insn_cases_detail_count; i++) {
        const struct detail_case *row = &insn_cases_detail[i];
        struct vpmu_insn_detail got = vpmu_insn_a64_detail(row->insn);
        vpmu_sources effective = row->sources & VPMU_SRC_BIT(VPMU_SRC_MOVPRFX) ? 0 : EFFECTIVE;

        expect_sources(row->text, (row->sources & ~GOVERNED) | effective, got.sources);
        expect_in(row->text, "operations", row->ops, got.ops);
        expect_in(row->text, "predicated", (row->sources & GOVERNED) != 0, got.predicated);
    }
}
END_TEST

START_TEST(predicates)
{
    for (size_t i = 0; i < insn_cases_predicate_count; i++) {
        const struct predicate_case *row = &insn_cases_predicate[i];
        struct vpmu_insn_detail got = vpmu_insn_a64_detail(row->insn);

        expect_in(row->text, "predicated", true, got.predicated);
        expect_in(row->text, "predicate", row->predicate, got.predicate);
        expect_in(row->text, "element", row->element, got.element);
    }
}
END_TEST

/* The cases leave no source out. */
START_TEST(details_all)
{
    vpmu_sources all = EFFECTIVE;

    for (size_t i = 0; i < insn_cases_detail_count; i++) {
        all |= insn_cases_detail[i].sources & ~GOVERNED;
    }
    expect_sources("all cases", VPMU_SRCS_DETAIL, all);
}
END_TEST

/* The details of A32 and T32, besides EFFECTIVE. The instructions are those of the tables. */
static const struct detail_row {
    const char *text;
    vpmu_sources sources;
} details_a32[] = {
    {"ldrex r0, [r1]", LDREX},
    {"ldrexb r0, [r1]", LDREX},
    {"ldrexd r0, r1, [r2]", LDREX},
    {"ldaex r0, [r1]", LDREX | ACQ},
    {"ldaexd r0, r1, [r2]", LDREX | ACQ},
    {"lda r0, [r1]", ACQ},
    {"ldab r0, [r1]", ACQ},
    {"strex r0, r1, [r2]", 0},
    {"strexd r0, r2, r3, [r4]", 0},
    {"stlex r0, r1, [r2]", REL},
    {"stlexd r0, r2, r3, [r4]", REL},
    {"stl r0, [r1]", REL},
    {"stlh r0, [r1]", REL},
    {"aese.8 q0, q1", ASE_VECTOR | CRYPTO},
    {"aesimc.8 q0, q1", ASE_VECTOR | CRYPTO},
    {"sha1c.32 q0, q1, q2", ASE_VECTOR | CRYPTO},
    {"sha1h.32 q0, q1", ASE_VECTOR | CRYPTO},
    {"sha1su1.32 q0, q1", ASE_VECTOR | CRYPTO},
    {"sha256h.32 q0, q1, q2", ASE_VECTOR | CRYPTO},
    {"sha256su0.32 q0, q1", ASE_VECTOR | CRYPTO},
    {"vmull.p64 q0, d1, d2", ASE_VECTOR},
    {"vfma.f32 d0, d1, d2", ASE_VECTOR},
    {"vadd.i32 q0, q1, q2", ASE_VECTOR},
    {"vld1.8 {d0}, [r1]", ASE_VECTOR},
    {"vld1.8 {d0[1]}, [r1]", ASE_VECTOR},
    {"isb", 0},
};

static const struct detail_row details_t32[] = {
    {"ldrex r0, [r1]", LDREX},
    {"ldrexb r0, [r1]", LDREX},
    {"ldrexd r0, r1, [r2]", LDREX},
    {"ldaex r0, [r1]", LDREX | ACQ},
    {"ldaexd r0, r1, [r2]", LDREX | ACQ},
    {"lda r0, [r1]", ACQ},
    {"strex r0, r1, [r2]", 0},
    {"strexh r0, r1, [r2]", 0},
    {"strexd r0, r2, r3, [r4]", 0},
    {"stlex r0, r1, [r2]", REL},
    {"stlexd r0, r2, r3, [r4]", REL},
    {"stl r0, [r1]", REL},
    {"stlb r0, [r1]", REL},
    {"aese.8 q0, q1", ASE_VECTOR | CRYPTO},
    {"sha256h.32 q0, q1, q2", ASE_VECTOR | CRYPTO},
    {"vmul.f32 q0, q1, q2", ASE_VECTOR},
    {"vadd.i32 q0, q1, q2", ASE_VECTOR},
    {"vld1.8 {d0}, [r1]", ASE_VECTOR},
    {"adds r0, r1, r2", 0},
};

static void check_details(const struct isa *isa, const struct detail_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++, row++) {
        const struct insn_case *insn = case_of(isa, row->text);

        ck_assert_msg(insn != NULL, "expected a case of %s got none", row->text);
        expect_sources(row->text, row->sources | EFFECTIVE, isa->detail(insn->insn).sources);
    }
}

START_TEST(details_aarch32)
{
    check_details(&isas[A32], details_a32, COUNT_OF(details_a32));
    check_details(&isas[T32], details_t32, COUNT_OF(details_t32));
}
END_TEST

static unsigned count_of(vpmu_sources sources)
{
    return (unsigned)(__builtin_popcountll((uint64_t)sources) +
                      __builtin_popcountll((uint64_t)(sources >> 64)));
}

#define KINDS_OF_SVE (VPMU_SRC_BIT(VPMU_SRC_SVE_SIMD) | VPMU_SRC_BIT(VPMU_SRC_SVE_SCALAR))

/* Sources that only instructions of others have. */
static const struct {
    vpmu_sources parts;
    vpmu_sources whole;
} detail_subsets[] = {
    {VPMU_SRC_FROM_TO(VPMU_SRC_SVE_PREG, VPMU_SRC_MOVPRFX), KINDS_OF_SVE},
    {VPMU_SRC_FROM_TO(VPMU_SRC_SVE_LDR_REG, VPMU_SRC_SVE_LDFF), KINDS_OF_SVE},
    {VPMU_SRC_FROM_TO(VPMU_SRC_LD_MULTI, VPMU_SRC_LD_BROADCAST),
     KINDS_OF_SVE | VPMU_SRC_BIT(VPMU_SRC_ASE_VECTOR)},
};

/* The fault in a result, or NULL. */
static const char *detail_fault(struct vpmu_insn_detail detail)
{
    vpmu_sources sources = detail.sources;

    if (sources & ~VPMU_SRCS_DETAIL) {
        return "expected sources of details got others";
    }
    if (count_of(sources & (EFFECTIVE | VPMU_SRC_BIT(VPMU_SRC_MOVPRFX))) != 1) {
        return "expected either EFFECTIVE or MOVPRFX got both or none";
    }
    if (count_of(sources & VPMU_SRCS_OPS) != (detail.ops != 0) || detail.ops > VPMU_MAX_OPS) {
        return "expected 1 to 32 operations of one source got others";
    }
    if (count_of(sources & VPMU_SRC_FROM_TO(VPMU_SRC_ASE_VECTOR, VPMU_SRC_SVE_SCALAR)) > 1) {
        return "expected one kind of vector instruction got more";
    }
    if (count_of(sources & VPMU_SRC_FROM_TO(VPMU_SRC_FP_HP, VPMU_SRC_FP_DP)) > 1 ||
        count_of(sources & VPMU_SRC_FROM_TO(VPMU_SRC_VEC_INT8, VPMU_SRC_VEC_INT64)) > 1) {
        return "expected one precision or size got more";
    }
    if (detail.predicated && sources & VPMU_SRC_BIT(VPMU_SRC_SVE_PREG)) {
        return "expected a governing predicate or SVE_PREG got both";
    }
    if (detail.predicated ? !(sources & KINDS_OF_SVE) || detail.predicate > 15 || detail.element > 4
                          : detail.predicate || detail.element) {
        return "expected a predicate of SVE got another";
    }
    for (size_t i = 0; i < COUNT_OF(detail_subsets); i++) {
        if (sources & detail_subsets[i].parts && !(sources & detail_subsets[i].whole)) {
            return "expected also the source that a source is part of got none";
        }
    }
    return NULL;
}

/* Details that only A64 instructions with one of certain other sources have. */
static const struct {
    const char *what;
    vpmu_sources details;
    vpmu_sources sources;
} detail_implications[] = {
    {"a load",
     VPMU_SRC_BIT(VPMU_SRC_BASE_LD_REG) | VPMU_SRC_BIT(VPMU_SRC_FP_LD) |
         VPMU_SRC_BIT(VPMU_SRC_ASE_SVE_LD) | LDREX | ACQ,
     LD},
    {"a store",
     VPMU_SRC_BIT(VPMU_SRC_BASE_ST_REG) | VPMU_SRC_BIT(VPMU_SRC_FP_ST) |
         VPMU_SRC_BIT(VPMU_SRC_ASE_SVE_ST) | VPMU_SRC_BIT(VPMU_SRC_DCZVA) | REL,
     ST},
    {"ASE or a structure", VPMU_SRC_BIT(VPMU_SRC_ASE_VECTOR), ASE | LD | ST},
    {"ASE", VPMU_SRC_BIT(VPMU_SRC_ASE_SCALAR), ASE},
    {"ASE or VFP", VPMU_SRC_FROM_TO(VPMU_SRC_FP_HP_FIXED_OPS, VPMU_SRC_FP_DP_FIXED_OPS), ASE | VFP},
};

/* The tables of details agree with those of the other sources. */
START_TEST(details_agree)
{
    for (uint64_t insn = 0; insn <= UINT32_MAX; insn += SWEEP_STEP) {
        vpmu_sources sources = vpmu_insn_a64((uint32_t)insn);
        vpmu_sources details = vpmu_insn_a64_detail((uint32_t)insn).sources;

        for (size_t i = 0; i < COUNT_OF(detail_implications); i++) {
            if (details & detail_implications[i].details && !(details & CRYPTO) &&
                !(sources & detail_implications[i].sources)) {
                ck_abort_msg("%#" PRIx64 ": expected %s got another instruction", insn,
                             detail_implications[i].what);
            }
        }
    }
}
END_TEST

START_TEST(details_any_encoding)
{
    for (size_t i = 0; i < COUNT_OF(isas); i++) {
        for (uint64_t insn = 0; insn <= UINT32_MAX; insn += SWEEP_STEP) {
            const char *fault = detail_fault(isas[i].detail((uint32_t)insn));

            if (fault) {
                ck_abort_msg("%s %#" PRIx64 ": %s", isas[i].name, insn, fault);
            }
        }
    }
}
END_TEST

Suite *insn_suite(void)
{
    const TTest *const tests[] = {
        a64,       a32,         t32,         a32_conditions,  any_encoding,         cond_failed,
        stalls,    details_a64, details_all, details_aarch32, details_any_encoding, details_agree,
        predicates};

    return suite_of("insn", tests, COUNT_OF(tests));
}
