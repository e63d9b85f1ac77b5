/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Branch prediction. */
#include "modeled_cpu.h"

#define PC 0x400100ull
#define BACKWARD (PC - 0x40)
#define FORWARD (PC + 0x40)
#define DEPTH 16

static void start(struct modeled *m, enum vpmu_branch_model branch)
{
    struct vpmu_model_config config = config_tiny();

    config.branch = (uint8_t)branch;
    modeled_start(m, &config);
}

/* Executes a branch at @pc, four bytes long. Returns true if it was mispredicted. */
static bool go(struct modeled *m, enum vpmu_branch_kind kind, uint64_t pc, uint64_t target,
               bool taken)
{
    return vpmu_model_branch(m->model, MODELED_CTX, pc, target, pc + 4, kind, taken);
}

/*
 * Executes a conditional branch with the outcomes in @pattern, T or N, @times over. Returns the
 * mispredictions.
 */
static unsigned repeat(struct modeled *m, const char *pattern, unsigned times)
{
    unsigned missed = 0;

    for (; times > 0; times--) {
        for (const char *at = pattern; *at != '\0'; at++) {
            missed += go(m, VPMU_BRANCH_CONDITIONAL, PC, BACKWARD, *at == 'T');
        }
    }
    return missed;
}

/* The totals that a prediction tallies. */
START_TEST(tally)
{
    static const struct want none[MAX_WANTS] = {{0}};
    static const struct want missed[MAX_WANTS] = {{1, VPMU_SRC_BR_MIS_PRED}};
    static const struct want stalled[MAX_WANTS] = {{1, VPMU_SRC_BR_MIS_PRED},
                                                   {17, VPMU_SRC_STALL_FRONTEND},
                                                   {17 * 4, VPMU_SRC_STALL_SLOT_FRONTEND},
                                                   {17 * 4, VPMU_SRC_CPU_CYCLES}};
    static const struct want split[MAX_WANTS] = {{1, VPMU_SRC_BR_MIS_PRED},
                                                 {14, VPMU_SRC_STALL_FRONTEND},
                                                 {14 * 4, VPMU_SRC_STALL_SLOT_FRONTEND},
                                                 {3, VPMU_SRC_STALL_BACKEND},
                                                 {3 * 4, VPMU_SRC_STALL_SLOT_BACKEND},
                                                 {17 * 4, VPMU_SRC_CPU_CYCLES}};
    struct vpmu_model_config config = config_tiny();
    struct modeled m;

    config.branch = VPMU_BRANCH_STATIC;
    modeled_start(&m, &config);
    expect("backward, taken", false, go(&m, VPMU_BRANCH_CONDITIONAL, PC, BACKWARD, true));
    expect_totals("predicted", &m, none);
    expect("backward, not taken", true, go(&m, VPMU_BRANCH_CONDITIONAL, PC, BACKWARD, false));
    expect_totals("mispredicted", &m, missed);
    config.cycles = VPMU_CYCLES_MODEL;
    modeled_start(&m, &config);
    expect("forward, taken", true, go(&m, VPMU_BRANCH_CONDITIONAL, PC, FORWARD, true));
    expect("forward, not taken", false, go(&m, VPMU_BRANCH_CONDITIONAL, PC, FORWARD, false));
    expect_totals("17 cycles of 4 slots", &m, stalled);
    config.branch_backend = 3;
    modeled_start(&m, &config);
    expect("forward, taken", true, go(&m, VPMU_BRANCH_CONDITIONAL, PC, FORWARD, true));
    expect_totals("3 of these cycles are the backend's", &m, split);
}
END_TEST

/* A branch to itself counts as backward. */
START_TEST(static_self)
{
    struct modeled m;

    start(&m, VPMU_BRANCH_STATIC);
    expect("taken", false, go(&m, VPMU_BRANCH_CONDITIONAL, PC, PC, true));
}
END_TEST

/* Counters start at 1, predict taken from 2 up, and saturate at 0 and 3. */
START_TEST(bimodal)
{
    static const struct {
        const char *pattern;
        unsigned times;
        unsigned missed;
    } rows[] = {
        {"N", 5, 0},      {"T", 5, 1},            /* 1 2 3 3 3 */
        {"NT", 5, 5},                             /* 1 0 1 0: each T */
        {"TN", 5, 10},                            /* 1 2 1 2: each */
        {"TTTN", 5, 6},                           /* the first, and each N: 1 2 3 3 2 3 3 3 2 */
        {"TTTNN", 4, 12},                         /* the first T and both N: 1 2 3 3 2 1 */
        {"NNNNT", 3, 3},  {"NNNNTTTTNNNN", 1, 4}, /* T at 0 and 1, N at 3 and 2 */
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct modeled m;

        start(&m, VPMU_BRANCH_BIMODAL);
        expect_in(rows[i].pattern, "mispredictions", rows[i].missed,
                  repeat(&m, rows[i].pattern, rows[i].times));
    }
}
END_TEST

/* Branches at different addresses have different counters, also a T32 branch at a halfword. */
START_TEST(apart)
{
    static const uint64_t others[] = {PC + 4, PC - 4, PC + 2, PC + 0x400};

    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct modeled m;

        start(&m, VPMU_BRANCH_BIMODAL);
        repeat(&m, "T", 4);
        expect("another branch", false,
               go(&m, VPMU_BRANCH_CONDITIONAL, others[i], BACKWARD, false));
    }
}
END_TEST

/* With a history, a repeating pattern is no longer mispredicted after a while. */
START_TEST(patterns)
{
    static const struct {
        enum vpmu_branch_model branch;
        const char *pattern;
        unsigned missed; /* of 100 times the pattern, after 100 more to learn */
    } rows[] = {
        {VPMU_BRANCH_BIMODAL, "NT", 100},
        {VPMU_BRANCH_GSHARE, "NT", 0},
        {VPMU_BRANCH_TAGE, "NT", 0},
        {VPMU_BRANCH_BIMODAL, "TTTTTTTTTN", 100},
        {VPMU_BRANCH_GSHARE, "TTTTTTTTTN", 0},
        {VPMU_BRANCH_TAGE, "TTTTTTTTTN", 0},
        /* 19 equal outcomes are more than the 13 bits of history that 8192 counters distinguish. */
        {VPMU_BRANCH_GSHARE, "TTTTTTTTTTTTTTTTTTTN", 100},
        {VPMU_BRANCH_TAGE, "TTTTTTTTTTTTTTTTTTTN", 0},
        {VPMU_BRANCH_TAGE, "TNNTNTTTNNNNTNTNNTTNTTNTNNNTTTTNTNT", 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct modeled m;

        start(&m, rows[i].branch);
        repeat(&m, rows[i].pattern, 100);
        expect_in(rows[i].pattern, "mispredictions", rows[i].missed,
                  repeat(&m, rows[i].pattern, 100));
    }
}
END_TEST

/* About half of the outcomes of a random branch are mispredicted. The tables fill and age. */
START_TEST(unforeseeable)
{
    enum {
        BRANCHES = 600000
    };
    struct modeled m;
    uint64_t random = 1;
    unsigned missed = 0;

    start(&m, VPMU_BRANCH_TAGE);
    for (unsigned i = 0; i < BRANCHES; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        missed +=
            go(&m, VPMU_BRANCH_CONDITIONAL, PC + (random >> 40 & 0x3c), FORWARD, random >> 63);
    }
    ck_assert_msg(missed > BRANCHES * 48 / 100 && missed < BRANCHES * 52 / 100,
                  "expected about half of %d got %u", BRANCHES, missed);
}
END_TEST

/* The target of a direct branch is never mispredicted, and does not affect predictions. */
START_TEST(direct)
{
    static const enum vpmu_branch_kind kinds[] = {VPMU_BRANCH_DIRECT, VPMU_BRANCH_CALL};

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct modeled m;

        start(&m, VPMU_BRANCH_TAGE);
        expect("first", false, go(&m, kinds[i], PC, FORWARD, true));
        expect("elsewhere", false, go(&m, kinds[i], PC, BACKWARD, true));
    }
}
END_TEST

/* An indirect branch is predicted to go where it last went. */
START_TEST(indirect)
{
    static const enum vpmu_branch_kind kinds[] = {VPMU_BRANCH_INDIRECT, VPMU_BRANCH_INDIRECT_CALL};
    /* Another branch, 512 words on, has the same entry. */
    const uint64_t rival = PC + 512 * 4;

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct modeled m;

        start(&m, VPMU_BRANCH_TAGE);
        expect("first", true, go(&m, kinds[i], PC, FORWARD, true));
        expect("again", false, go(&m, kinds[i], PC, FORWARD, true));
        expect("elsewhere", true, go(&m, kinds[i], PC, BACKWARD, true));
        expect("elsewhere again", false, go(&m, kinds[i], PC, BACKWARD, true));
        expect("not taken", false, go(&m, kinds[i], PC, FORWARD, false));
        expect("which changed nothing", false, go(&m, kinds[i], PC, BACKWARD, true));
        expect("a neighbour", true, go(&m, kinds[i], PC + 4, BACKWARD, true));
        expect("is apart", false, go(&m, kinds[i], PC, BACKWARD, true));
        expect("a rival", true, go(&m, kinds[i], rival, BACKWARD, true));
        expect("took the entry", true, go(&m, kinds[i], PC, BACKWARD, true));
        expect("address 0, which an empty entry is not of", true, go(&m, kinds[i], 0, 0, true));
    }
}
END_TEST

/* Nested calls: the return stack holds 16. */
START_TEST(returns)
{
    static const enum vpmu_branch_kind kinds[] = {VPMU_BRANCH_CALL, VPMU_BRANCH_INDIRECT_CALL};

    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        for (unsigned depth = 1; depth <= 2 * DEPTH; depth++) {
            unsigned missed = 0;
            struct modeled m;

            start(&m, VPMU_BRANCH_TAGE);
            for (unsigned i = 0; i < depth; i++) {
                go(&m, kinds[kind], PC + i * 8, FORWARD, true);
            }
            for (unsigned i = depth; i-- > 0;) {
                missed += go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + i * 8 + 4, true);
            }
            expect("mispredicted returns", depth > DEPTH ? depth - DEPTH : 0, missed);
        }
    }
}
END_TEST

/* All calls of a recursion return to the same address, but the return stack holds only 16. */
START_TEST(recursion)
{
    unsigned missed = 0;
    struct modeled m;

    start(&m, VPMU_BRANCH_TAGE);
    for (unsigned i = 0; i < DEPTH + 4; i++) {
        go(&m, VPMU_BRANCH_CALL, PC, BACKWARD, true);
    }
    for (unsigned i = 0; i < DEPTH + 4; i++) {
        missed += go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 4, true);
    }
    expect("mispredicted returns", 4, missed);
}
END_TEST

START_TEST(odd_returns)
{
    struct modeled m;

    start(&m, VPMU_BRANCH_TAGE);
    expect("without a call", true, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 4, true));
    go(&m, VPMU_BRANCH_CALL, PC, FORWARD, true);
    expect("to elsewhere", true, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 8, true));
    expect("the call has been used", true, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 4, true));
    go(&m, VPMU_BRANCH_CALL, PC, FORWARD, true);
    expect("not taken", false, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 8, false));
    expect("uses no call", false, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 4, true));
    go(&m, VPMU_BRANCH_CALL, PC, FORWARD, true);
    go(&m, VPMU_BRANCH_CALL, PC + 8, FORWARD, false);
    expect("a call that is not taken", false, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 4, true));
    vpmu_model_branch(m.model, MODELED_CTX, PC, FORWARD, PC + 2, VPMU_BRANCH_CALL, true);
    expect("T32: a call of 2 bytes", false, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 2, true));
}
END_TEST

#define HIGH (1ull << 55)

/* Executes some branches of each kind, in the low space @low or in the high one. */
static unsigned run(struct modeled *m, uint32_t low, uint64_t half)
{
    unsigned missed = 0;

    vpmu_model_set_space(m->model, low, 0);
    for (unsigned i = 0; i < 200; i++) {
        uint64_t pc = (PC + i % 7 * 4) | half;

        missed += go(m, VPMU_BRANCH_CONDITIONAL, pc, pc - 8, i % 3 == 0);
        missed += go(m, VPMU_BRANCH_INDIRECT, pc + 0x100, pc - 8, true);
        go(m, VPMU_BRANCH_CALL, pc, pc + 0x200, true);
        missed += go(m, VPMU_BRANCH_RETURN, pc + 0x200, pc + 4, true);
    }
    return missed;
}

/*
 * The same program is predicted identically in each new space, and better in a space where it ran
 * before.
 */
START_TEST(spaces)
{
    for (unsigned branch = VPMU_BRANCH_TAGE; branch <= VPMU_BRANCH_STATIC; branch++) {
        unsigned cold;
        unsigned warm;
        struct modeled m;

        start(&m, (enum vpmu_branch_model)branch);
        cold = run(&m, 0, 0);
        expect("all 32 bits make a space", cold, run(&m, 0x80000000, 0));
        expect("a third space", cold, run(&m, 7, 0));
        expect("the high one, of a number that is low too", cold, run(&m, 7, HIGH));
        warm = run(&m, 0, 0);
        ck_assert_msg(warm < cold, "expected less than %u got %u", cold, warm);
        expect("a fifth space", cold, run(&m, 8, 0));
        expect("it replaced the one left longest ago", cold, run(&m, 0x80000000, 0));
        expect("which replaced the next", cold, run(&m, 7, 0));
        warm = run(&m, 7, HIGH);
        ck_assert_msg(warm < cold, "expected less than %u got %u, in the high space", cold, warm);
        expect("the first has been replaced, too", cold, run(&m, 0, 0));
    }
}
END_TEST

/*
 * A space that executes no branch replaces no predictor. A space that keeps executing branches is
 * not replaced.
 */
START_TEST(many_spaces)
{
    struct modeled m;

    start(&m, VPMU_BRANCH_TAGE);
    expect("low, cold", true, go(&m, VPMU_BRANCH_INDIRECT, PC, FORWARD, true));
    for (uint32_t low = 1; low < 20; low++) {
        vpmu_model_set_space(m.model, low, 0);
    }
    vpmu_model_set_space(m.model, 0, 0);
    expect("low, warm", false, go(&m, VPMU_BRANCH_INDIRECT, PC, FORWARD, true));
    expect("high, cold", true, go(&m, VPMU_BRANCH_INDIRECT, PC | HIGH, FORWARD, true));
    for (uint32_t low = 1; low < 20; low++) {
        vpmu_model_set_space(m.model, low, 0);
        expect("another low one", true, go(&m, VPMU_BRANCH_INDIRECT, PC, FORWARD, true));
        expect("the high one", false, go(&m, VPMU_BRANCH_INDIRECT, PC | HIGH, FORWARD, true));
    }
    vpmu_model_set_space(m.model, 0, 0);
    expect("the first, cold again", true, go(&m, VPMU_BRANCH_INDIRECT, PC, FORWARD, true));
}
END_TEST

/* A return uses the calls of its own space. */
START_TEST(returns_elsewhere)
{
    struct modeled m;

    start(&m, VPMU_BRANCH_TAGE);
    go(&m, VPMU_BRANCH_CALL, PC, FORWARD, true);
    vpmu_model_set_space(m.model, 1, 0);
    expect("in another space", true, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 4, true));
    expect("once more", true, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 4, true));
    expect("in the high one", true, go(&m, VPMU_BRANCH_RETURN, FORWARD | HIGH, PC + 4, true));
    vpmu_model_set_space(m.model, 0, 0);
    expect("where it was called", false, go(&m, VPMU_BRANCH_RETURN, FORWARD, PC + 4, true));
}
END_TEST

Suite *model_branch_suite(void)
{
    const TTest *const tests[] = {
        tally,    static_self, bimodal,   apart,       patterns, unforeseeable,     direct,
        indirect, returns,     recursion, odd_returns, spaces,   returns_elsewhere, many_spaces};

    return suite_of("model_branch", tests, COUNT_OF(tests));
}
