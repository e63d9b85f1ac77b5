/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * FEAT_BRBE: records of known branches, exceptions and levels, filters, the freeze, and INJ; and
 * any values in all registers.
 */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define BRBCR_EL1 S2_1_C9_C0_0
#define BRBCR_EL2 S2_4_C9_C0_0
#define BRBCR_EL12 S2_5_C9_C0_0
#define BRBFCR_EL1 S2_1_C9_C0_1
#define BRBTS_EL1 S2_1_C9_C0_2
#define BRBINFINJ_EL1 S2_1_C9_C1_0
#define BRBSRCINJ_EL1 S2_1_C9_C1_1
#define BRBTGTINJ_EL1 S2_1_C9_C1_2
#define BRBIDR0_EL1 S2_1_C9_C2_0

#define E0BRE BIT(0)
#define EXBRE BIT(1)
#define CC BIT(3)
#define FZP BIT(8)
#define TS_VIRTUAL BIT(5)
#define ERTN BIT(22)
#define EXCEPTION BIT(23)

#define PAUSED BIT(7)
#define DIRCALL BIT(21)
#define ALL_KINDS UINT64_C(0x7e0000)
#define ENI BIT(16)

#define CCU BIT(46)
#define TARGET BIT(0)
#define SOURCE BIT(1)
#define INF_EL(el) ((uint64_t)(el) << 6)
#define INF_TYPE(type) ((uint64_t)(type) << 8)

#define TYPE_CALL_SVC 0x22
#define TYPE_ERET 0x07
#define TYPE_CALL 0x02

/* The fine-grained traps of BRBE's registers, which 1 disables. */
#define HDFGRTR_EL2 S3_4_C3_C1_4
#define HDFGWTR_EL2 S3_4_C3_C1_5
#define HDFGTR_NBRB (UINT64_C(7) << 59)

#define SBRBE_ALL (UINT64_C(3) << 32)
#define E3BREW BIT(37)

extern uint64_t brbe_kinds(uint64_t brbfcr);
extern uint64_t brbe_kinds_counted(uint64_t brbfcr);
extern uint64_t brbe_user(uint64_t arg);
extern char kinds_b[], kinds_bl[], kinds_blr[], kinds_br[], kinds_indirect[], kinds_cond[],
    kinds_cbz[], kinds_tbz[], kinds_al[], kinds_end[], kinds_leaf[], user_bl[], user_ret[];

/* The branches of brbe_kinds(), newest first. */
static const struct {
    const char *from;
    const char *to;
    unsigned type;
} kinds[] = {
    {kinds_al, kinds_end, 8},   {kinds_tbz, kinds_al, 8},      {kinds_cbz, kinds_tbz, 8},
    {kinds_cond, kinds_cbz, 8}, {kinds_br, kinds_indirect, 1}, {kinds_leaf, kinds_br, 5},
    {kinds_blr, kinds_leaf, 3}, {kinds_leaf, kinds_blr, 5},    {kinds_bl, kinds_leaf, 2},
    {kinds_b, kinds_bl, 0},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void invalidate(void)
{
    __asm__ volatile("isb\n sys #1, c7, c2, #4\n isb" : : : "memory");
}

static void inject(void)
{
    __asm__ volatile("isb\n sys #1, c7, c2, #5\n isb" : : : "memory");
}

/* What is set up where branches of @el are recorded. */
static void allow(enum level el, uint64_t bits)
{
    if (home == EL3) {
        write_sysreg(mdcr_el3, read_sysreg(mdcr_el3) | SBRBE_ALL | (el == EL3 ? E3BREW : 0));
    }
    if (home == EL2) {
        write_sysreg(HDFGRTR_EL2, HDFGTR_NBRB);
        write_sysreg(HDFGWTR_EL2, HDFGTR_NBRB);
    }
    if (has_el(EL2)) {
        write_sysreg(BRBCR_EL2, el == EL2 ? EXBRE | bits : 0);
    }
    write_sysreg(BRBCR_EL1, el == EL1 ? EXBRE | bits : el == EL0 ? E0BRE | bits : 0);
    invalidate();
}

static void stop(void)
{
    write_sysreg(BRBFCR_EL1, PAUSED);
    write_sysreg(BRBCR_EL1, 0);
    if (has_el(EL2)) {
        write_sysreg(BRBCR_EL2, 0);
    }
    if (home == EL2) {
        write_sysreg(HDFGRTR_EL2, 0);
        write_sysreg(HDFGWTR_EL2, 0);
    }
    if (home == EL3) {
        write_sysreg(mdcr_el3, read_sysreg(mdcr_el3) & ~E3BREW);
    }
    isb();
}

#define READ_RECORD(n)                                                                             \
    case n:                                                                                        \
        *inf = read_sysreg(S2_1_C8_C##n##_0);                                                      \
        *src = read_sysreg(S2_1_C8_C##n##_1);                                                      \
        *tgt = read_sysreg(S2_1_C8_C##n##_2);                                                      \
        break

/* Record n of the first 12 of a bank. */
static void get(unsigned n, uint64_t *inf, uint64_t *src, uint64_t *tgt)
{
    switch (n) {
        READ_RECORD(0);
        READ_RECORD(1);
        READ_RECORD(2);
        READ_RECORD(3);
        READ_RECORD(4);
        READ_RECORD(5);
        READ_RECORD(6);
        READ_RECORD(7);
        READ_RECORD(8);
        READ_RECORD(9);
        READ_RECORD(10);
        READ_RECORD(11);
    }
}

static void expect_record(unsigned n, uint64_t inf, uint64_t src, uint64_t tgt)
{
    uint64_t got_inf = 0;
    uint64_t got_src = 0;
    uint64_t got_tgt = 0;

    get(n, &got_inf, &got_src, &got_tgt);
    expect_eq("INF", n, inf, got_inf);
    expect_eq("SRC", n, src, got_src);
    expect_eq("TGT", n, tgt, got_tgt);
}

static uint64_t run_kinds(uint64_t brbfcr)
{
    return brbe_kinds(brbfcr);
}

static void check_kinds(enum level el)
{
    allow(el, 0);
    call_at(el, run_kinds, ALL_KINDS);
    stop();
    for (unsigned n = 0; n < KINDS; n++) {
        expect_record(n, CCU | INF_TYPE(kinds[n].type) | INF_EL(el) | SOURCE | TARGET,
                      (uint64_t)kinds[n].from, (uint64_t)kinds[n].to);
    }
    expect_record(KINDS, 0, 0, 0);
}

static void test_kinds(void)
{
    for (enum level el = EL1; el <= home; el++) {
        if (has_el(el)) {
            check_kinds(el);
        }
    }
}

/* Nothing is recorded at a level that is not enabled. */
static void test_other_level(void)
{
    allow(EL0, 0);
    run_kinds(ALL_KINDS);
    call_at(EL1, run_kinds, ALL_KINDS);
    stop();
    expect_record(0, 0, 0, 0);
}

static void test_filters(void)
{
    allow(home, 0);
    run_kinds(DIRCALL);
    stop();
    expect_record(0, CCU | INF_TYPE(TYPE_CALL) | INF_EL(home) | SOURCE | TARGET, (uint64_t)kinds_bl,
                  (uint64_t)kinds_leaf);
    expect_record(1, 0, 0, 0);
    allow(home, 0);
    run_kinds(ENI | (ALL_KINDS & ~DIRCALL));
    stop();
    expect_record(0, CCU | INF_TYPE(TYPE_CALL) | INF_EL(home) | SOURCE | TARGET, (uint64_t)kinds_bl,
                  (uint64_t)kinds_leaf);
    expect_record(1, 0, 0, 0);
}

/* User-only: the return to EL0 and the call from it have one side each. */
static void test_halves(void)
{
    const uint64_t trampoline = (uint64_t)level_trampoline;
    uint64_t inf;
    uint64_t src;
    uint64_t tgt;

    allow(EL0, EXCEPTION | ERTN);
    if (home == EL2) {
        write_sysreg(BRBCR_EL2, ERTN);
    }
    write_sysreg(BRBFCR_EL1, ALL_KINDS);
    isb();
    call_at(EL0, brbe_user, 0);
    stop();
    get(0, &inf, &src, &tgt);
    expect_eq("INF of the call", 0, CCU | INF_TYPE(TYPE_CALL_SVC) | SOURCE, inf);
    expect_eq("TGT of the call", 0, 0, tgt);
    expect_eq("it follows an SVC", 0, 0xd4000001, *(const uint32_t *)(src - 4) & 0xffe0001f);
    expect_record(1, CCU | INF_TYPE(5) | SOURCE | TARGET, (uint64_t)user_ret, trampoline + 4);
    expect_record(2, CCU | INF_TYPE(5) | SOURCE | TARGET, (uint64_t)kinds_leaf, (uint64_t)user_ret);
    expect_record(3, CCU | INF_TYPE(2) | SOURCE | TARGET, (uint64_t)user_bl, (uint64_t)kinds_leaf);
    expect_record(4, CCU | INF_TYPE(3) | SOURCE | TARGET, trampoline, (uint64_t)brbe_user);
    if (home != EL3) { /* EL3 would have to record itself */
        expect_record(5, CCU | INF_TYPE(TYPE_ERET) | TARGET, 0, trampoline);
    }
    expect_record(home == EL3 ? 5 : 6, 0, 0, 0);
}

/* Where both levels are recorded, an exception return has both sides. */
static void test_eret(void)
{
    uint64_t inf;
    uint64_t src;
    uint64_t tgt;

    allow(home, ERTN);
    write_sysreg(BRBCR_EL1, read_sysreg(BRBCR_EL1) | E0BRE);
    write_sysreg(BRBFCR_EL1, 0);
    isb();
    call_at(EL0, brbe_user, 0);
    stop();
    /* EL3 also records the exception that ends the call. */
    get(home == EL3 ? 1 : 0, &inf, &src, &tgt);
    expect_eq("INF", 0, CCU | INF_TYPE(TYPE_ERET) | SOURCE | TARGET, inf);
    expect_eq("SRC is an ERET", 0, 0xd69f03e0, *(const uint32_t *)src);
    expect_eq("TGT", 0, (uint64_t)level_trampoline, tgt);
}

/* An overflow flag of an event counter freezes; PMCCNTR's does not. */
static void test_freeze(void)
{
    uint64_t before;

    allow(home == EL1 ? EL1 : home, FZP | TS_VIRTUAL);
    write_sysreg(BRBCR_EL1, read_sysreg(BRBCR_EL1) | FZP | TS_VIRTUAL);
    write_sysreg(BRBFCR_EL1, ALL_KINDS);
    isb();
    write_sysreg(pmovsset_el0, BIT(31));
    isb();
    expect_eq("PMCCNTR does not freeze", 0, 0, read_sysreg(BRBFCR_EL1) & PAUSED);
    before = read_sysreg(cntvct_el0);
    write_sysreg(pmovsset_el0, BIT(0));
    isb();
    expect_eq("counter 0 freezes", 0, PAUSED, read_sysreg(BRBFCR_EL1) & PAUSED);
    expect_eq("BRBTS is later", 0, 1, read_sysreg(BRBTS_EL1) >= before);
    expect_eq("BRBTS is earlier", 0, 1, read_sysreg(BRBTS_EL1) <= read_sysreg(cntvct_el0));
    write_sysreg(pmovsclr_el0, ~UINT64_C(0));
    stop();
}

#define EVENT_BR_RETURN_RETIRED UINT64_C(0x0e)

/*
 * The flag of a counter without interrupt freezes at the instruction that sets it, which is the
 * newest record: kinds[5] is the second return.
 */
static void test_freeze_at_overflow(void)
{
    const unsigned last = 5;

    allow(EL1, FZP);
    write_sysreg(BRBCR_EL1, read_sysreg(BRBCR_EL1) | FZP);
    pmu_count(0, EVENT_BR_RETURN_RETIRED);
    call_at(EL1, brbe_kinds_counted, ALL_KINDS);
    expect_eq("PAUSED", 0, PAUSED, read_sysreg(BRBFCR_EL1) & PAUSED);
    stop();
    for (unsigned n = 0; n + last < KINDS; n++) {
        expect_record(n, CCU | INF_TYPE(kinds[n + last].type) | INF_EL(EL1) | SOURCE | TARGET,
                      (uint64_t)kinds[n + last].from, (uint64_t)kinds[n + last].to);
    }
    expect_record(KINDS - last, 0, 0, 0);
}

/* CC: what an instruction takes is one cycle, and the record after IALL has no cycles. */
static void test_cycles(void)
{
    static const uint8_t cycles[KINDS] = {1, 1, 1, 3, 1, 1, 1, 1, 1, 0};

    allow(EL1, CC);
    if (has_el(EL2)) {
        write_sysreg(BRBCR_EL2, CC);
    }
    call_at(EL1, run_kinds, ALL_KINDS);
    stop();
    for (unsigned n = 0; n < KINDS; n++) {
        uint64_t cc = cycles[n] != 0 ? (uint64_t)cycles[n] << 32 : CCU;

        expect_record(n, cc | INF_TYPE(kinds[n].type) | INF_EL(EL1) | SOURCE | TARGET,
                      (uint64_t)kinds[n].from, (uint64_t)kinds[n].to);
    }
}

/*
 * Any register of the encodings around BRBE's is written or read, with any value, at any level. The
 * code of one access has two instructions; see brbe_asm.S.
 */
#define ACCESS_BYTES 8
#define ACCESSES 1536u
#define HOSTILE_ROUNDS 3000u

extern char brbe_accesses[];

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void test_hostile(void)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    unsigned refused = 0;

    allow(home, 0);
    for (unsigned i = 0; i < HOSTILE_ROUNDS; i++) {
        uint64_t n = next_random(&state) % ACCESSES;
        enum level el = (enum level)(next_random(&state) % (home + 1u));
        level_fn access = (level_fn)(uintptr_t)(brbe_accesses + ACCESS_BYTES * n);

        if (has_el(el)) {
            refused += run_expecting_exception(el, access, next_random(&state)).count;
        }
        if (i % 64 == 0) {
            run_kinds(next_random(&state));
        }
    }
    expect_eq("some are refused", 0, 1, refused > HOSTILE_ROUNDS / 4);
    expect_eq("some are not", 0, 1, refused < HOSTILE_ROUNDS);
    expect_eq("BRBFCR_EL1", 0, 0, read_sysreg(BRBFCR_EL1) & ~UINT64_C(0x307f0080));
    expect_eq("BRBCR_EL1", 0, 0, read_sysreg(BRBCR_EL1) & ~UINT64_C(0xc0017b));
    expect_eq("BRBINFINJ_EL1", 0, 0, read_sysreg(BRBINFINJ_EL1) & ~UINT64_C(0x7fff00003fe3));
    stop();
    check_kinds(home);
}

static void test_inject(void)
{
    unsigned records = (unsigned)read_sysreg(BRBIDR0_EL1) & 0xff;

    allow(EL0, 0);
    expect_eq("BRBIDR0", 0, 0x5000 | records, read_sysreg(BRBIDR0_EL1));
    for (unsigned i = 0; i < records + 2; i++) {
        write_sysreg(BRBINFINJ_EL1, CCU | INF_TYPE(8) | INF_EL(EL1) | SOURCE | TARGET);
        write_sysreg(BRBSRCINJ_EL1, 0x1000 + i);
        write_sysreg(BRBTGTINJ_EL1, 0x2000 + i);
        inject();
    }
    expect_record(0, CCU | INF_TYPE(8) | INF_EL(EL1) | SOURCE | TARGET, 0x1000 + records + 1,
                  0x2000 + records + 1);
    write_sysreg(BRBFCR_EL1, PAUSED | BIT(28));
    isb();
    if (records == 64) {
        expect_record(0, CCU | INF_TYPE(8) | INF_EL(EL1) | SOURCE | TARGET, 0x1000 + 33,
                      0x2000 + 33);
    } else {
        expect_record(0, 0, 0, 0);
    }
    write_sysreg(BRBFCR_EL1, PAUSED);
    invalidate();
    expect_record(0, 0, 0, 0);
    stop();
}

static uint64_t get_brbidr0(uint64_t arg)
{
    (void)arg;
    return read_sysreg(BRBIDR0_EL1);
}

/* Fine-grained traps: bits of 0 trap. */
static void test_fine_grained(void)
{
    struct trap trap = run_expecting_exception(EL1, get_brbidr0, 0);

    expect_eq("exceptions", 0, 1, trap.count);
    expect_eq("class", 0, EC_SYSREG, ESR_EC(trap.esr));
    expect_eq("level", 0, EL2, trap.el);
    allow(EL0, 0);
    trap = run_expecting_exception(EL1, get_brbidr0, 0);
    expect_eq("exceptions that are not trapped", 0, 0, trap.count);
    stop();
}

static uint64_t get_brbcr_el2(uint64_t arg)
{
    (void)arg;
    return read_sysreg(BRBCR_EL2);
}

static uint64_t get_brbcr_el12(uint64_t arg)
{
    (void)arg;
    return read_sysreg(BRBCR_EL12);
}

/* FEAT_NV: EL1 runs as if it were EL2, and its accesses to registers of EL2 trap. */
static void test_nested(void)
{
    static const level_fn accesses[] = {get_brbcr_el2, get_brbcr_el12};
    uint64_t hcr = read_sysreg(hcr_el2);

    if (FIELD(read_sysreg(id_aa64mmfr2_el1), 24, 4) == 0) {
        skip_test("no NV");
        return;
    }
    write_sysreg(hcr_el2, hcr | HCR_EL2_NV);
    isb();
    for (unsigned i = 0; i < 2; i++) {
        struct trap trap = run_expecting_exception(EL1, accesses[i], 0);

        expect_eq("exceptions", i, 1, trap.count);
        expect_eq("class", i, EC_SYSREG, ESR_EC(trap.esr));
        expect_eq("level", i, EL2, trap.el);
    }
    write_sysreg(hcr_el2, hcr);
    isb();
}

static void test_el0_undefined(void)
{
    struct trap trap = run_expecting_exception(EL0, get_brbidr0, 0);

    expect_eq("exceptions", 0, 1, trap.count);
    expect_eq("class", 0, EC_UNKNOWN, ESR_EC(trap.esr));
}

const struct test test_table[] = {
    TEST("brbe.kinds", test_kinds),
    TEST("brbe.other-level", test_other_level),
    TEST("brbe.filters", test_filters),
    TEST("brbe.halves", test_halves),
    TEST("brbe.eret", test_eret),
    TEST("brbe.freeze", test_freeze, .counters = 1),
    TEST("brbe.freeze-at-overflow", test_freeze_at_overflow, .counters = 1),
    TEST("brbe.cycles", test_cycles),
    TEST("brbe.hostile", test_hostile),
    TEST("brbe.inject", test_inject),
    TEST("brbe.el0-undefined", test_el0_undefined),
    TEST("brbe.nested", test_nested, .home = HOME_EL2),
    TEST("brbe.fine-grained", test_fine_grained, .home = HOME_EL2),
    {0},
};
