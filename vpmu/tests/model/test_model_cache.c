/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Caches: which accesses miss, what is written back, and the penalties. */
#include "modeled_cpu.h"

/*
 * Lines of one page, by number. In the tiny caches, even lines are in set 0 of L1D and L1I, odd
 * lines in set 1. Lines that differ by 4 share a set of the L2 cache; by 8, of the last level.
 */
#define LINE(n) (0x1000ull + (n)*64u)

/* The first access to a page. */
#define WALK                                                                                       \
    {1, DTLB_REFILLS},                                                                             \
    {                                                                                              \
        1, DTLB_WALKS                                                                              \
    }
/* The first access by a fetch. */
#define FETCH_WALK                                                                                 \
    {1, ITLB_REFILLS},                                                                             \
    {                                                                                              \
        1, ITLB_WALKS                                                                              \
    }
/* The first access by a fetch, after data. */
#define FETCH_REFILL                                                                               \
    {                                                                                              \
        1, ITLB_REFILLS                                                                            \
    }
/* Reads that miss all caches behind L1. */
#define OUTER_READS(n)                                                                             \
    {n, L2_READS}, {n, VPMU_SRC_L2D_CACHE_REFILL_RD}, {n, LL_READS},                               \
        {n, VPMU_SRC_LL_CACHE_MISS_RD},                                                            \
    {                                                                                              \
        n, VPMU_SRC_BUS_ACCESS_RD                                                                  \
    }
#define OUTER_WRITES(n)                                                                            \
    {n, L2_WRITES}, {n, VPMU_SRC_L2D_CACHE_REFILL_WR}, {n, LL_WRITES},                             \
        {n, VPMU_SRC_LL_CACHE_MISS_WR},                                                            \
    {                                                                                              \
        n, VPMU_SRC_BUS_ACCESS_RD                                                                  \
    }

START_TEST(refills)
{
    static const struct trace traces[] = {
        {"nothing happens", {{0}}, {{0}}},
        {"a load misses everywhere",
         {{LOAD, LINE(0), 8}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1), WALK}},
        {"a store is a write at each level",
         {{STORE, LINE(0), 8}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_WR}, OUTER_WRITES(1), WALK}},
        {"a fetch",
         {{FETCH, LINE(0), 0}},
         {{1, VPMU_SRC_L1I_CACHE}, {1, VPMU_SRC_L1I_CACHE_REFILL}, OUTER_READS(1), FETCH_WALK}},
        {"what was loaded can be loaded and stored to",
         {{LOAD, LINE(0), 8}, {LOAD, LINE(0) + 56, 8}, {STORE, LINE(0) + 63, 1}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1), WALK}},
        {"a fetch finds in L2 what a load brought there",
         {{LOAD, LINE(0), 8}, {FETCH, LINE(0), 0}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_RD},
          OUTER_READS(1),
          WALK,
          {1, VPMU_SRC_L1I_CACHE},
          {1, VPMU_SRC_L1I_CACHE_REFILL},
          {1, L2_READS},
          FETCH_REFILL}},
        {"fetches hit L1I too",
         {{FETCH, LINE(0), 0}, {FETCH, LINE(1), 0}, {FETCH, LINE(0), 0}},
         {{3, VPMU_SRC_L1I_CACHE}, {2, VPMU_SRC_L1I_CACHE_REFILL}, OUTER_READS(2), FETCH_WALK}},
        /* Lines 0 and 2 replace each other in the only way; L2 has both. */
        {"fetches that share a set",
         {{FETCH, LINE(0), 0}, {FETCH, LINE(2), 0}, {FETCH, LINE(0), 0}},
         {{3, VPMU_SRC_L1I_CACHE},
          {3, VPMU_SRC_L1I_CACHE_REFILL},
          OUTER_READS(2),
          {1, L2_READS},
          FETCH_WALK}},
        /* Lines 4 and 8 evict 0 from L2; the last level has 2 ways for 0 and 8. L1I has line 8. */
        {"the last level has what L2 lost",
         {{FETCH, LINE(0), 0}, {FETCH, LINE(4), 0}, {FETCH, LINE(8), 0}, {LOAD, LINE(0), 8}},
         {{3, VPMU_SRC_L1I_CACHE},
          {3, VPMU_SRC_L1I_CACHE_REFILL},
          OUTER_READS(3),
          FETCH_WALK,
          {1, DTLB_REFILLS},
          {1, VPMU_SRC_L1D_CACHE_REFILL_RD},
          {1, L2_READS},
          {1, VPMU_SRC_L2D_CACHE_REFILL_RD},
          {1, LL_READS}}},
    };
    struct vpmu_model_config config = config_tiny();

    run_traces(&config, traces, COUNT_OF(traces));
}
END_TEST

/* The caller tallies the access. Each further line is tallied here. */
START_TEST(spans)
{
    static const struct trace traces[] = {
        {"no bytes are one",
         {{LOAD, LINE(0) + 63, 0}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1), WALK}},
        {"the last bytes of a line",
         {{LOAD, LINE(0) + 56, 8}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1), WALK}},
        {"one byte further",
         {{LOAD, LINE(0) + 57, 8}},
         {{1, VPMU_SRC_L1D_CACHE_RD}, {2, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(2), WALK}},
        {"a store that spans three lines",
         {{STORE, LINE(0) + 63, 66}},
         {{2, VPMU_SRC_L1D_CACHE_WR}, {3, VPMU_SRC_L1D_CACHE_REFILL_WR}, OUTER_WRITES(3), WALK}},
        {"the second line is there already",
         {{LOAD, LINE(1), 1}, {STORE, LINE(0) + 60, 8}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_RD},
          OUTER_READS(1),
          WALK,
          {1, VPMU_SRC_L1D_CACHE_WR},
          {1, VPMU_SRC_L1D_CACHE_REFILL_WR},
          OUTER_WRITES(1)}},
        {"into the next page",
         {{LOAD, 0x1ffc, 8}},
         {{1, VPMU_SRC_L1D_CACHE_RD},
          {2, VPMU_SRC_L1D_CACHE_REFILL_RD},
          OUTER_READS(2),
          WALK,
          WALK}},
        {"from the end of the address space to its beginning",
         {{LOAD, UINT64_MAX - 3, 8}, {LOAD, 0, 1}, {LOAD, UINT64_MAX, 1}},
         {{1, VPMU_SRC_L1D_CACHE_RD},
          {2, VPMU_SRC_L1D_CACHE_REFILL_RD},
          OUTER_READS(2),
          WALK,
          WALK}},
    };
    struct vpmu_model_config config = config_tiny();

    run_traces(&config, traces, COUNT_OF(traces));
}
END_TEST

/* 1 MiB is 16384 lines on 256 pages. All but the 4 lines of L1D and 8 of L2 are written back. */
START_TEST(long_span)
{
    static const struct want wants[MAX_WANTS] = {
        {16383, VPMU_SRC_L1D_CACHE_WR},
        {16384, VPMU_SRC_L1D_CACHE_REFILL_WR},
        {16380, VPMU_SRC_L1D_CACHE_WB_VICTIM},
        {16384 + 16380, L2_WRITES},
        {16384, VPMU_SRC_L2D_CACHE_REFILL_WR},
        {256, DTLB_REFILLS},
        {256, DTLB_WALKS},
        /* Line n is written back when n + 4 comes; 4 later it leaves L2. */
        {16384 - 8, VPMU_SRC_L2D_CACHE_WB_VICTIM},
        {16384, LL_WRITES},
        {16384, VPMU_SRC_LL_CACHE_MISS_WR},
        {16384 - 8, LL_WRITES},
        /* The last level keeps the 8 lines that were written back to it last. */
        {16384, VPMU_SRC_BUS_ACCESS_RD},
        {16384 - 8 - 8, VPMU_SRC_BUS_ACCESS_WR},
    };
    struct vpmu_model_config config = config_tiny();
    struct modeled m;

    modeled_start(&m, &config);
    vpmu_model_data(m.model, MODELED_CTX, 0x100000, 1 << 20, true, VPMU_PAGE_SHIFT);
    expect_totals("1 MiB", &m, wants);
}
END_TEST

/* Lines 0, 2 and 4 are in set 0 of L1D, which has 2 ways. */
#define USED_AGAIN                                                                                 \
    {                                                                                              \
        {LOAD, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(0), 8}, {LOAD, LINE(4), 8},            \
        {                                                                                          \
            LOAD, LINE(0), 8                                                                       \
        }                                                                                          \
    }

START_TEST(policies)
{
    static const struct trace fifo[] = {
        {"line 4 replaces 0, which came first, though it was used again; L2 still has it",
         USED_AGAIN,
         {{4, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(3), {1, L2_READS}, WALK}},
    };
    static const struct trace lru[] = {
        {"line 4 replaces 2, which was used longest ago",
         USED_AGAIN,
         {{3, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(3), WALK}},
    };
    /*
     * Lines 0, 4 and 8 share a set of L2, of 2 ways. The fetch of 0 uses it in L2 again, so 8
     * replaces 4. L1I has one way for them all.
     */
    static const struct trace l2_is_lru[] = {
        {"L2 replaces what was used longest ago",
         {{FETCH, LINE(0), 0},
          {FETCH, LINE(4), 0},
          {FETCH, LINE(0), 0},
          {FETCH, LINE(8), 0},
          {FETCH, LINE(0), 0}},
         {{5, VPMU_SRC_L1I_CACHE},
          {5, VPMU_SRC_L1I_CACHE_REFILL},
          OUTER_READS(3),
          {2, L2_READS},
          FETCH_WALK}},
    };
    struct vpmu_model_config config = config_tiny();

    run_traces(&config, fifo, COUNT_OF(fifo));
    run_traces(&config, l2_is_lru, COUNT_OF(l2_is_lru));
    config.l1_policy = VPMU_POLICY_LRU;
    run_traces(&config, lru, COUNT_OF(lru));
}
END_TEST

static const struct trace write_backs_traces[] = {
    {"a clean line is not written back",
     {{LOAD, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}},
     {{3, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(3), WALK}},
    {"a dirty one is, to L2, which has it",
     {{STORE, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}},
     {{1, VPMU_SRC_L1D_CACHE_REFILL_WR},
      OUTER_WRITES(1),
      {2, VPMU_SRC_L1D_CACHE_REFILL_RD},
      OUTER_READS(2),
      WALK,
      {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
      {1, L2_WRITES}}},
    {"a load first, then a store",
     {{LOAD, LINE(0), 8}, {STORE, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}},
     {{3, VPMU_SRC_L1D_CACHE_REFILL_RD},
      OUTER_READS(3),
      WALK,
      {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
      {1, L2_WRITES}}},
    /* L2 gets line 0 again when 4 replaces it in L1D, so 8 finds 0 the older in L2's set. */
    {"L2 writes it on to the last level, which has it",
     {{STORE, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}, {LOAD, LINE(8), 8}},
     {{1, VPMU_SRC_L1D_CACHE_REFILL_WR},
      OUTER_WRITES(1),
      {3, VPMU_SRC_L1D_CACHE_REFILL_RD},
      OUTER_READS(3),
      WALK,
      {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
      {1, L2_WRITES},
      {1, VPMU_SRC_L2D_CACHE_WB_VICTIM},
      {1, LL_WRITES}}},
    /*
     * Fetches of lines 4 and 8 evict 0, which is clean there, from L2. It is written back as a
     * whole line.
     */
    {"a write-back is no refill",
     {{STORE, LINE(0), 8},
      {FETCH, LINE(4), 0},
      {FETCH, LINE(8), 0},
      {LOAD, LINE(2), 8},
      {LOAD, LINE(6), 8}},
     {{1, VPMU_SRC_L1D_CACHE_REFILL_WR},
      OUTER_WRITES(1),
      WALK,
      {2, VPMU_SRC_L1I_CACHE},
      {2, VPMU_SRC_L1I_CACHE_REFILL},
      FETCH_REFILL,
      {2, VPMU_SRC_L1D_CACHE_REFILL_RD},
      OUTER_READS(4),
      {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
      {1, L2_WRITES}}},
    /*
     * As before, and lines 8 and 16 also evict 0 from the last level. Lines 2 and 6 replace 0 in
     * L1D, 12 replaces 8 in L2, and then 20 replaces 0, which is dirty. The last level must not
     * count that as a miss.
     */
    {"nor a miss",
     {{STORE, LINE(0), 8},
      {FETCH, LINE(8), 0},
      {FETCH, LINE(16), 0},
      {LOAD, LINE(2), 8},
      {LOAD, LINE(6), 8},
      {FETCH, LINE(12), 0},
      {FETCH, LINE(20), 0}},
     {{1, VPMU_SRC_L1D_CACHE_REFILL_WR},
      OUTER_WRITES(1),
      WALK,
      {4, VPMU_SRC_L1I_CACHE},
      {4, VPMU_SRC_L1I_CACHE_REFILL},
      FETCH_REFILL,
      {2, VPMU_SRC_L1D_CACHE_REFILL_RD},
      OUTER_READS(6),
      {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
      {1, L2_WRITES},
      {1, VPMU_SRC_L2D_CACHE_WB_VICTIM},
      {1, LL_WRITES}}},
};

START_TEST(write_backs)
{
    struct vpmu_model_config config = config_tiny();

    run_traces(&config, write_backs_traces, COUNT_OF(write_backs_traces));
}
END_TEST

/* The totals of a cache that does not exist stay 0. */
START_TEST(absent_caches)
{
    static const struct trace no_llc[] = {
        {"no last level",
         {{STORE, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}, {LOAD, LINE(8), 8}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_WR},
          {1, VPMU_SRC_L2D_CACHE_REFILL_WR},
          {3, VPMU_SRC_L1D_CACHE_REFILL_RD},
          {3, L2_READS},
          {3, VPMU_SRC_L2D_CACHE_REFILL_RD},
          WALK,
          {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
          {2, L2_WRITES},
          {1, VPMU_SRC_L2D_CACHE_WB_VICTIM},
          {4, VPMU_SRC_BUS_ACCESS_RD},
          {1, VPMU_SRC_BUS_ACCESS_WR}}},
    };
    static const struct trace no_l2[] = {
        {"no L2",
         {{STORE, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}, {FETCH, LINE(8), 0}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_WR},
          {2, VPMU_SRC_L1D_CACHE_REFILL_RD},
          {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
          WALK,
          {1, VPMU_SRC_L1I_CACHE},
          {1, VPMU_SRC_L1I_CACHE_REFILL},
          FETCH_REFILL,
          {4, VPMU_SRC_BUS_ACCESS_RD},
          {1, VPMU_SRC_BUS_ACCESS_WR}}},
    };
    struct vpmu_model_config config = config_tiny();

    config.llc = (struct vpmu_cache_config){0};
    run_traces(&config, no_llc, COUNT_OF(no_llc));
    config.l2 = (struct vpmu_cache_config){0};
    run_traces(&config, no_l2, COUNT_OF(no_l2));
}
END_TEST

/* Bit 55 selects the space of the upper or the lower half. */
START_TEST(spaces)
{
    static const struct trace traces[] = {
        {"the same address in another space is another line",
         {{LOAD, LINE(0), 8}, {SPACE, 1, 0}, {LOAD, LINE(0), 8}},
         {{2, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(2), WALK, WALK}},
        {"which is found again",
         {{LOAD, LINE(0), 8}, {SPACE, 1, 0}, {LOAD, LINE(0), 8}, {SPACE, 0, 0}, {LOAD, LINE(0), 8}},
         {{2, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(2), WALK, WALK}},
        {"the lower half has not changed",
         {{LOAD, LINE(0), 8}, {SPACE, 0, 1}, {LOAD, LINE(0), 8}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1), WALK}},
        {"the upper half has",
         {{LOAD, 0x80000000001000, 8}, {SPACE, 0, 1}, {LOAD, 0x80000000001000, 8}},
         {{2, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(2), WALK, WALK}},
        {"all 32 bits of it count",
         {{LOAD, LINE(0), 8}, {SPACE, 0x80000000, 0}, {LOAD, LINE(0), 8}},
         {{2, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(2), WALK, WALK}},
        /* Line 0 of space 0 is written back while space 1 is current, and hits again later. */
        {"a line is written back to its own space",
         {{STORE, LINE(0), 8},
          {SPACE, 1, 0},
          {LOAD, LINE(0), 8},
          {LOAD, LINE(2), 8},
          {SPACE, 0, 0},
          {LOAD, LINE(0), 8}},
         {{1, VPMU_SRC_L1D_CACHE_REFILL_WR},
          OUTER_WRITES(1),
          {3, VPMU_SRC_L1D_CACHE_REFILL_RD},
          OUTER_READS(2),
          {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
          {1, L2_WRITES},
          {1, L2_READS},
          WALK,
          WALK}},
    };
    struct vpmu_model_config config = config_tiny();

    run_traces(&config, traces, COUNT_OF(traces));
}
END_TEST

/* A cycle has 4 slots, and stalls add up. Write-backs take no time. */
static const struct trace penalties_traces[] = {
    {"a load from memory: 7 cycles, and 13 for the walk",
     {{LOAD, LINE(0), 8}, {LOAD, LINE(0), 8}},
     {{1, VPMU_SRC_L1D_CACHE_REFILL_RD},
      OUTER_READS(1),
      WALK,
      {20, VPMU_SRC_STALL_BACKEND},
      {80, VPMU_SRC_STALL_SLOT_BACKEND},
      {80, VPMU_SRC_CPU_CYCLES}}},
    {"a fetch from memory, of the other end of the pipeline",
     {{FETCH, LINE(0), 0}},
     {{1, VPMU_SRC_L1I_CACHE},
      {1, VPMU_SRC_L1I_CACHE_REFILL},
      OUTER_READS(1),
      FETCH_WALK,
      {20, VPMU_SRC_STALL_FRONTEND},
      {80, VPMU_SRC_STALL_SLOT_FRONTEND},
      {80, VPMU_SRC_CPU_CYCLES}}},
    {"from L2: 3 cycles, and 11 for a translation from the L2 TLB",
     {{LOAD, LINE(0), 8}, {FETCH, LINE(0), 0}},
     {{1, VPMU_SRC_L1D_CACHE_REFILL_RD},
      OUTER_READS(1),
      WALK,
      {1, VPMU_SRC_L1I_CACHE},
      {1, VPMU_SRC_L1I_CACHE_REFILL},
      {1, L2_READS},
      FETCH_REFILL,
      {20, VPMU_SRC_STALL_BACKEND},
      {14, VPMU_SRC_STALL_FRONTEND},
      {80, VPMU_SRC_STALL_SLOT_BACKEND},
      {56, VPMU_SRC_STALL_SLOT_FRONTEND},
      {136, VPMU_SRC_CPU_CYCLES}}},
    /* Fetches: 7 each and one walk, 34; then 5 and 11. */
    {"from the last level: 5 cycles",
     {{FETCH, LINE(0), 0}, {FETCH, LINE(4), 0}, {FETCH, LINE(8), 0}, {LOAD, LINE(0), 8}},
     {{3, VPMU_SRC_L1I_CACHE},
      {3, VPMU_SRC_L1I_CACHE_REFILL},
      OUTER_READS(3),
      FETCH_WALK,
      {1, DTLB_REFILLS},
      {1, VPMU_SRC_L1D_CACHE_REFILL_RD},
      {1, L2_READS},
      {1, VPMU_SRC_L2D_CACHE_REFILL_RD},
      {1, LL_READS},
      {34, VPMU_SRC_STALL_FRONTEND},
      {16, VPMU_SRC_STALL_BACKEND},
      {136, VPMU_SRC_STALL_SLOT_FRONTEND},
      {64, VPMU_SRC_STALL_SLOT_BACKEND},
      {200, VPMU_SRC_CPU_CYCLES}}},
    /* Three lines from memory and one walk. Writing back line 0 takes no time. */
    {"a write-back takes no time",
     {{STORE, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}},
     {{1, VPMU_SRC_L1D_CACHE_REFILL_WR},
      OUTER_WRITES(1),
      {2, VPMU_SRC_L1D_CACHE_REFILL_RD},
      OUTER_READS(2),
      WALK,
      {1, VPMU_SRC_L1D_CACHE_WB_VICTIM},
      {1, L2_WRITES},
      {34, VPMU_SRC_STALL_BACKEND},
      {136, VPMU_SRC_STALL_SLOT_BACKEND},
      {136, VPMU_SRC_CPU_CYCLES}}},
};

START_TEST(penalties)
{
    struct vpmu_model_config config = config_tiny();

    config.cycles = VPMU_CYCLES_MODEL;
    run_traces(&config, penalties_traces, COUNT_OF(penalties_traces));
}
END_TEST

/* What one load and one store of the same line miss if they begin with empty caches. */
#define ONE_LOAD {1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1), WALK
#define ONE_STORE {1, VPMU_SRC_L1D_CACHE_REFILL_WR}, OUTER_WRITES(1), WALK
/* A modified line goes to memory. */
#define WRITTEN_BACK                                                                               \
    {1, VPMU_SRC_L1D_CACHE_WB_CLEAN}, {1, L2_WRITES}, {1, VPMU_SRC_L2D_CACHE_WB_CLEAN},            \
        {1, LL_WRITES},                                                                            \
    {                                                                                              \
        1, VPMU_SRC_BUS_ACCESS_WR                                                                  \
    }
#define DO(what, n)                                                                                \
    {                                                                                              \
        MAINTAIN, LINE(n) + 63, VPMU_MAINTAIN_##what                                               \
    }

/* Arm ARM, D7.5.9: what is cleaned is written to the point, what is invalidated must be read anew.
 */
static const struct trace maintenance_traces[] = {
    {"a line that no cache has", {DO(FLUSH, 0), DO(CLEAN, 0), DO(FETCH, 0)}, {{0}}},
    {"a flushed line is read again",
     {{LOAD, LINE(0), 8}, DO(FLUSH, 0), {LOAD, LINE(0), 8}},
     {{2, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(2), WALK}},
    {"other lines of its sets stay",
     {{LOAD, LINE(0), 8}, {LOAD, LINE(2), 8}, DO(FLUSH, 0), {LOAD, LINE(2), 8}},
     {{2, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(2), WALK}},
    {"a modified line is written to memory",
     {{STORE, LINE(0), 8}, DO(FLUSH, 0), {LOAD, LINE(0), 8}},
     {ONE_STORE, WRITTEN_BACK, {1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1)}},
    {"and one of another set",
     {{STORE, LINE(1), 8}, DO(FLUSH, 1), {LOAD, LINE(1), 8}},
     {ONE_STORE, WRITTEN_BACK, {1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1)}},
    {"a cleaned line stays",
     {{STORE, LINE(0), 8}, DO(CLEAN, 0), {LOAD, LINE(0), 8}},
     {ONE_STORE, WRITTEN_BACK}},
    {"it is clean, and a store modifies it again",
     {{STORE, LINE(0), 8}, DO(CLEAN, 0), DO(CLEAN, 0), {STORE, LINE(0), 8}, DO(CLEAN, 0)},
     {ONE_STORE, WRITTEN_BACK, WRITTEN_BACK}},
    {"a clean line is not written",
     {{LOAD, LINE(0), 8}, DO(CLEAN, 0), {LOAD, LINE(0), 8}},
     {ONE_LOAD}},
    {"L1D writes it to L2 only",
     {{STORE, LINE(0), 8}, DO(CLEAN_L1, 0), DO(CLEAN_L1, 0), {LOAD, LINE(0), 8}},
     {ONE_STORE, {1, VPMU_SRC_L1D_CACHE_WB_CLEAN}, {1, L2_WRITES}}},
    {"a discarded line is not written",
     {{STORE, LINE(0), 8}, DO(DISCARD, 0), {LOAD, LINE(0), 8}},
     {ONE_STORE, {1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1)}},
    {"a fetch from L2",
     {{FETCH, LINE(0), 0}, DO(FETCH, 0), {FETCH, LINE(0), 0}},
     {{2, VPMU_SRC_L1I_CACHE},
      {2, VPMU_SRC_L1I_CACHE_REFILL},
      OUTER_READS(1),
      {1, L2_READS},
      FETCH_WALK}},
    {"data stays in L1I",
     {{FETCH, LINE(0), 0}, DO(FLUSH, 0), {FETCH, LINE(0), 0}},
     {{2, VPMU_SRC_L1I_CACHE}, {1, VPMU_SRC_L1I_CACHE_REFILL}, OUTER_READS(1), FETCH_WALK}},
    {"another address space",
     {{LOAD, LINE(0), 8}, {SPACE, 1, 0}, DO(FLUSH, 0), {SPACE, 0, 0}, {LOAD, LINE(0), 8}},
     {ONE_LOAD}},
    {"all caches are emptied",
     {{STORE, LINE(0), 8}, {EMPTY, 0, 1}, {LOAD, LINE(0), 8}},
     {ONE_STORE, {1, VPMU_SRC_L1D_CACHE_REFILL_RD}, OUTER_READS(1)}},
    {"L1I is emptied",
     {{LOAD, LINE(0), 8},
      {FETCH, LINE(8), 0},
      {EMPTY, 0, 0},
      {LOAD, LINE(0), 8},
      {FETCH, LINE(8), 0}},
     {{1, VPMU_SRC_L1D_CACHE_REFILL_RD},
      {2, VPMU_SRC_L1I_CACHE},
      {2, VPMU_SRC_L1I_CACHE_REFILL},
      OUTER_READS(2),
      {1, L2_READS},
      FETCH_REFILL,
      WALK}},
};

START_TEST(maintenance)
{
    struct vpmu_model_config config = config_tiny();

    run_traces(&config, maintenance_traces, COUNT_OF(maintenance_traces));
}
END_TEST

/* The same with the ways of L1D and L2 for which accesses have code of their own. */
START_TEST(maintenance_of_usual)
{
    static const uint16_t ways[][2] = {{2, 16}, {4, 8}, {4, 16}, {8, 8}, {8, 16}, {12, 16}};

    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct vpmu_model_config config = config_tiny();

        config.l1d.ways = ways[i][0];
        config.l1d.size = 2u * config.l1d.ways * config.l1d.line;
        config.l2.ways = ways[i][1];
        config.l2.size = 4u * config.l2.ways * config.l2.line;
        run_traces(&config, maintenance_traces, COUNT_OF(maintenance_traces));
    }
}
END_TEST

Suite *model_cache_suite(void)
{
    const TTest *const tests[] = {
        refills,       spans,  long_span, policies,    write_backs,
        absent_caches, spaces, penalties, maintenance, maintenance_of_usual};

    return suite_of("model_cache", tests, COUNT_OF(tests));
}
