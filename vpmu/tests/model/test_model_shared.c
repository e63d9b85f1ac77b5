/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* A last-level cache that CPUs share: the CPUs that have or lose a line, and their totals. */
#include <string.h>

#include "modeled_cpu.h"
#include "vpmu/shared_cache.h"

#define CPUS 3
#define MODEL_SIZE (1 << 18)
#define SHARED_SIZE (1 << 14)

/* Each CPU has another context. CPU n tallies what it loses in LOSING_CTX(n). */
#define CTX(cpu) (cpu)
#define LOSING_CTX(cpu) (3u + (cpu))

/* Lines as in test_model_cache.c: those that differ by 4 share a set of L2, by 8 of the last level.
 */
#define LINE(n) (0x1000ull + (n)*64u)

struct cpu {
    unsigned number;
    struct vpmu_model *model;
    struct vpmu_arm_totals totals;
};

struct sharers {
    unsigned locks;
    bool locked;
    struct vpmu_shared *shared;
    struct cpu cpus[CPUS];
};

static void lock(void *opaque)
{
    struct sharers *m = opaque;

    ck_assert_msg(!m->locked, "expected one lock got a second one");
    m->locked = true;
    m->locks++;
}

static void unlock(void *opaque)
{
    struct sharers *m = opaque;

    ck_assert_msg(m->locked, "expected a lock to be held got none");
    m->locked = false;
}

static unsigned context(void *cpu)
{
    return LOSING_CTX(((struct cpu *)cpu)->number);
}

static const struct vpmu_shared_ops ops = {.lock = lock, .unlock = unlock, .context = context};

static struct vpmu_model_config config_shared(void)
{
    struct vpmu_model_config config = config_tiny();

    config.llc_shared = true;
    return config;
}

static void sharers_start(struct sharers *m)
{
    static _Alignas(VPMU_MODEL_ALIGN) unsigned char memory[CPUS][MODEL_SIZE];
    static _Alignas(VPMU_MODEL_ALIGN) unsigned char shared[SHARED_SIZE];
    struct vpmu_model_config config = config_shared();

    ck_assert_uint_le(vpmu_shared_size(&config), sizeof(shared));
    ck_assert_uint_le(vpmu_model_size(&config), MODEL_SIZE);
    memset(m, 0, sizeof(*m));
    memset(shared, 0xa5, sizeof(shared));
    m->shared = vpmu_shared_init(shared, &config, &ops, m);
    for (unsigned i = 0; i < CPUS; i++) {
        memset(memory[i], 0xa5, MODEL_SIZE);
        m->cpus[i].number = i;
        m->cpus[i].model = vpmu_model_init(memory[i], &config, vpmu_arm_table(&m->cpus[i].totals));
        expect("join", 0, (uint64_t)vpmu_shared_join(m->shared, m->cpus[i].model, &m->cpus[i]));
    }
}

enum do_what {
    NOTHING,
    READ,
    WRITE,
    EXECUTE
};

struct shared_step {
    unsigned cpu;
    enum do_what what;
    unsigned line;
    unsigned peers; /* what vpmu_missed must say of other CPUs */
};

/* The totals that a CPU must have, by levels. */
struct shared_want {
    unsigned l1_refills;
    unsigned l2_refills;
    unsigned ll_accesses;
    unsigned ll_misses;
    unsigned l1_lost;
    unsigned l2_lost;
    unsigned memory_writes;
};

#define HAS VPMU_PEER_HAS
#define MODIFIED (VPMU_PEER_HAS | VPMU_PEER_MODIFIED)
#define FORWARDED (VPMU_PEER_HAS | VPMU_PEER_FORWARDED)
#define INVALIDATED VPMU_PEER_INVALIDATED
#define ALL_PEERS (MODIFIED | FORWARDED | INVALIDATED)

/*
 * L1D: 2 sets of 2 ways. L2: 4 sets of 2 ways. Last level: 8 sets of 2 ways. The last column is the
 * number of lines written to memory.
 */
static const struct {
    const char *name;
    struct shared_step steps[10];
    struct shared_want want[CPUS];
} rows[] = {
    {"the first load misses, the next CPU's finds it in the last level",
     {{0, READ, 0, 0}, {1, READ, 0, HAS}},
     {{1, 1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0, 0}}},
    {"a load makes a Modified line Shared, so a second store asks again",
     {{0, WRITE, 0, 0}, {1, READ, 0, MODIFIED}, {0, WRITE, 0, INVALIDATED}, {1, READ, 0, MODIFIED}},
     {{1, 1, 1, 1, 0, 0, 0}, {2, 2, 2, 0, 1, 1, 0}}},
    {"two CPUs that store to one line take it from each other",
     {{0, WRITE, 0, 0}, {1, WRITE, 0, MODIFIED}, {0, WRITE, 0, MODIFIED}, {1, WRITE, 0, MODIFIED}},
     {{2, 2, 2, 1, 2, 2, 0}, {2, 2, 2, 0, 1, 1, 0}}},
    {"a Modified line needs no request",
     {{0, WRITE, 0, 0}, {0, WRITE, 0, 0}, {0, READ, 0, 0}, {0, WRITE, 0, 0}},
     {{1, 1, 1, 1, 0, 0, 0}}},
    {"a store takes a Shared line from all other CPUs",
     {{0, READ, 0, 0}, {1, READ, 0, HAS}, {2, READ, 0, HAS}, {1, WRITE, 0, INVALIDATED}},
     {{1, 1, 1, 1, 1, 1, 0}, {1, 1, 1, 0, 0, 0, 0}, {1, 1, 1, 0, 1, 1, 0}}},
    {"other lines stay",
     {{0, READ, 0, 0}, {0, READ, 1, 0}, {1, WRITE, 0, HAS}, {0, READ, 1, 0}},
     {{2, 2, 2, 2, 1, 1, 0}, {1, 1, 1, 0, 0, 0, 0}}},
    /* Lines 2 and 4 replace 0 in L1D of CPU 0. Its L2 keeps 0 and 4, which share a set. */
    {"a line in L2 alone is lost there",
     {{0, WRITE, 0, 0}, {0, READ, 2, 0}, {0, READ, 4, 0}, {1, WRITE, 0, MODIFIED}},
     {{3, 3, 3, 3, 0, 1, 0}, {1, 1, 1, 0, 0, 0, 0}}},
    {"a store that finds its line in L2 takes it from others",
     {{0, READ, 0, 0},
      {1, READ, 0, HAS},
      {0, READ, 2, 0},
      {0, READ, 4, 0},
      {0, WRITE, 0, INVALIDATED}},
     {{4, 3, 3, 3, 0, 0, 0}, {1, 1, 1, 0, 1, 1, 0}}},
    {"fetches find lines that other CPUs modified, and L1I loses none",
     {{0, WRITE, 0, 0},
      {1, EXECUTE, 0, MODIFIED},
      {0, WRITE, 0, INVALIDATED},
      {1, READ, 0, MODIFIED}},
     {{1, 1, 1, 1, 0, 0, 0}, {1, 2, 2, 0, 0, 1, 0}}},
    /* Lines 0, 8 and 16 share a set of the last level. CPU 1 keeps line 0 in its caches. */
    {"a line that left the last level comes from the CPU that has it",
     {{1, READ, 0, 0}, {0, READ, 8, 0}, {0, READ, 16, 0}, {2, READ, 0, FORWARDED}},
     {{2, 2, 2, 2, 0, 0, 0}, {1, 1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0, 0}}},
    {"so does one that a store needs",
     {{1, READ, 0, 0}, {0, READ, 8, 0}, {0, READ, 16, 0}, {2, WRITE, 0, FORWARDED}},
     {{2, 2, 2, 2, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 0}, {1, 1, 1, 0, 0, 0, 0}}},
    {"so does a Modified one",
     {{1, WRITE, 0, 0}, {0, READ, 8, 0}, {0, READ, 16, 0}, {2, READ, 0, MODIFIED}},
     {{2, 2, 2, 2, 0, 0, 0}, {1, 1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0, 0}}},
    {"a Modified line that is shared is dirty in the last level, and written when it leaves",
     {{0, WRITE, 0, 0}, {1, READ, 0, MODIFIED}, {2, READ, 8, 0}, {2, READ, 16, 0}},
     {{1, 1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0, 0}, {2, 2, 2, 2, 0, 0, 1}}},
};

static unsigned do_step(struct sharers *m, const struct shared_step *step)
{
    struct vpmu_model *model = m->cpus[step->cpu].model;
    unsigned ctx = CTX(step->cpu);

    switch (step->what) {
    case READ:
        return vpmu_model_data(model, ctx, LINE(step->line), 8, false, VPMU_PAGE_SHIFT);
    case WRITE:
        return vpmu_model_data(model, ctx, LINE(step->line), 8, true, VPMU_PAGE_SHIFT);
    case EXECUTE:
        return vpmu_model_fetch(model, ctx, LINE(step->line), VPMU_PAGE_SHIFT);
    default:
        return 0;
    }
}

static uint64_t sum(const struct cpu *cpu, enum vpmu_source rd, enum vpmu_source wr)
{
    return cpu->totals.n[CTX(cpu->number)][rd] + cpu->totals.n[CTX(cpu->number)][wr];
}

static void expect_want(const char *row, const struct cpu *cpu, const struct shared_want *want)
{
    const uint64_t *lost = cpu->totals.n[LOSING_CTX(cpu->number)];

    expect_in(row, "L1D refills", want->l1_refills,
              sum(cpu, VPMU_SRC_L1D_CACHE_REFILL_RD, VPMU_SRC_L1D_CACHE_REFILL_WR));
    expect_in(row, "L2 refills", want->l2_refills,
              sum(cpu, VPMU_SRC_L2D_CACHE_REFILL_RD, VPMU_SRC_L2D_CACHE_REFILL_WR));
    expect_in(row, "last-level accesses", want->ll_accesses,
              sum(cpu, VPMU_SRC_L2D_CACHE_REFILL_RD, VPMU_SRC_L2D_CACHE_REFILL_WR) +
                  sum(cpu, VPMU_SRC_L2D_CACHE_WB_VICTIM, VPMU_SRC_L2D_CACHE_WB_CLEAN));
    expect_in(row, "last-level misses", want->ll_misses,
              sum(cpu, VPMU_SRC_LL_CACHE_MISS_RD, VPMU_SRC_LL_CACHE_MISS_WR));
    expect_in(row, "lines read from memory", want->ll_misses,
              cpu->totals.n[CTX(cpu->number)][VPMU_SRC_BUS_ACCESS_RD]);
    expect_in(row, "lines written to memory", want->memory_writes,
              cpu->totals.n[CTX(cpu->number)][VPMU_SRC_BUS_ACCESS_WR]);
    expect_in(row, "lines that L1D lost", want->l1_lost, lost[VPMU_SRC_L1D_CACHE_INVAL]);
    expect_in(row, "lines that L2 lost", want->l2_lost, lost[VPMU_SRC_L2D_CACHE_INVAL]);
}

START_TEST(traces)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sharers m;

        sharers_start(&m);
        for (size_t n = 0; n < COUNT_OF(rows[i].steps); n++) {
            const struct shared_step *step = &rows[i].steps[n];

            expect_in(rows[i].name, "what other CPUs have", step->peers,
                      do_step(&m, step) & ALL_PEERS);
        }
        for (unsigned cpu = 0; cpu < CPUS; cpu++) {
            expect_want(rows[i].name, &m.cpus[cpu], &rows[i].want[cpu]);
        }
        ck_assert_msg(!m.locked, "%s: expected the lock to be free got it held", rows[i].name);
    }
}
END_TEST

/* A line leaves the line filter of another CPU with the state that it had there. */
START_TEST(line_filter)
{
    static const struct {
        const char *name;
        enum do_what what;
        bool loads;
        bool stores;
    } filter_rows[] = {
        {"nothing", NOTHING, true, true},
        {"a load of another CPU", READ, true, false},
        {"a store of another CPU", WRITE, false, false},
    };

    for (size_t i = 0; i < COUNT_OF(filter_rows); i++) {
        struct shared_step store = {.cpu = 0, .what = WRITE};
        struct shared_step other = {.cpu = 1, .what = filter_rows[i].what};
        const struct vpmu_filter *filter;
        struct sharers m;

        sharers_start(&m);
        filter = &((struct vpmu_model_head *)(void *)m.cpus[0].model)->filter;
        do_step(&m, &store);
        do_step(&m, &other);
        expect_in(filter_rows[i].name, "loads", filter_rows[i].loads,
                  vpmu_filter_hit(filter->load, 6, LINE(0), 8));
        expect_in(filter_rows[i].name, "stores", filter_rows[i].stores,
                  vpmu_filter_hit(filter->store, 6, LINE(0), 8));
    }
}
END_TEST

/* Calls that change the line filter take the lock. */
START_TEST(locks)
{
    struct sharers m;

    sharers_start(&m);
    m.locks = 0;
    vpmu_model_set_space(m.cpus[0].model, 1, 1);
    vpmu_model_flush_tlb(m.cpus[0].model);
    vpmu_model_flush_page(m.cpus[0].model, LINE(0));
    vpmu_model_line(m.cpus[0].model, CTX(0), LINE(0), false, VPMU_PAGE_SHIFT);
    vpmu_model_fetch(m.cpus[0].model, CTX(0), LINE(0), VPMU_PAGE_SHIFT);
    expect("locks", 5, m.locks);
}
END_TEST

/* A CPU that leaves has no lines, and empties the last level. Other CPUs keep theirs. */
START_TEST(leaves)
{
    static const struct shared_step steps[] = {
        {0, WRITE, 0, 0}, {1, READ, 1, 0}, {2, READ, 0, 0}, {2, READ, 1, HAS}};
    struct vpmu_model_config config = config_shared();
    struct sharers m;

    sharers_start(&m);
    do_step(&m, &steps[0]);
    do_step(&m, &steps[1]);
    vpmu_shared_leave(m.cpus[0].model);
    vpmu_shared_leave(m.cpus[0].model);
    expect("Modified, of a CPU that has left", 0, do_step(&m, &steps[2]) & MODIFIED);
    expect("of a CPU that has not left", HAS, do_step(&m, &steps[3]) & MODIFIED);
    expect("a miss of the last level", 1, m.cpus[2].totals.n[2][VPMU_SRC_LL_CACHE_MISS_RD]);
    vpmu_shared_leave(m.cpus[2].model);
    m.cpus[2].model = vpmu_model_init(m.cpus[2].model, &config, vpmu_arm_table(&m.cpus[2].totals));
    expect("join again", 0, (uint64_t)vpmu_shared_join(m.shared, m.cpus[2].model, &m.cpus[2]));
    do_step(&m, &steps[2]);
    expect("another miss", 2, m.cpus[2].totals.n[2][VPMU_SRC_LL_CACHE_MISS_RD]);
}
END_TEST

START_TEST(refusals)
{
    static _Alignas(VPMU_MODEL_ALIGN) unsigned char memory[VPMU_SHARED_MAX_MODELS][MODEL_SIZE];
    struct vpmu_model_config config = config_shared();
    struct vpmu_model_config none = config;
    struct vpmu_model_config other = config;
    struct vpmu_model_config private = config;
    struct vpmu_arm_totals totals = {0};
    struct vpmu_model *model;
    const char *why = "nothing";
    struct sharers m;

    sharers_start(&m);
    none.llc.size = 0;
    expect("no last level", (uint64_t)-VPMU_ERR_CONFIG, (uint64_t)vpmu_model_check(&none, &why));
    ck_assert_str_eq(why, "there is no last-level cache that could be shared");
    expect("its size", 0, vpmu_shared_size(&none));
    private.llc_shared = false;
    expect("of a private one", 0, vpmu_shared_size(&private));
    ck_assert_ptr_null(vpmu_shared_init(memory[0], &private, &ops, &m));
    expect("the same", true, vpmu_shared_fits(m.shared, &config));
    expect("private", false, vpmu_shared_fits(m.shared, &private));
    other.llc.size *= 2;
    expect("another size", false, vpmu_shared_fits(m.shared, &other));
    model = vpmu_model_init(memory[0], &other, vpmu_arm_table(&totals));
    expect("join with another size", (uint64_t)-VPMU_ERR_CONFIG,
           (uint64_t)vpmu_shared_join(m.shared, model, NULL));
    for (unsigned i = CPUS; i <= VPMU_SHARED_MAX_MODELS; i++) {
        model = vpmu_model_init(memory[i - CPUS], &config, vpmu_arm_table(&totals));
        expect("join", i < VPMU_SHARED_MAX_MODELS ? 0 : (uint64_t)-VPMU_ERR_CONFIG,
               (uint64_t)vpmu_shared_join(m.shared, model, NULL));
    }
}
END_TEST

Suite *model_shared_suite(void)
{
    const TTest *const tests[] = {traces, line_filter, locks, leaves, refusals};

    return suite_of("model_shared", tests, COUNT_OF(tests));
}
