/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The table of x86 events against perf's lists, for every family of CPU models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "naive_x86.h"
#include "vpmu/x86/view.h"

/* What perf's lists call the architectural events. */
static const struct {
    int bit;
    const char *name;
} architectural[] = {
    {0, "CPU_CLK_UNHALTED.THREAD_P"},
    {0, "CPU_CLK_UNHALTED.CORE_P"},
    {1, "INST_RETIRED.ANY_P"},
    {1, "INST_RETIRED.ANY_PS"},
    {2, "CPU_CLK_UNHALTED.REF"},
    {2, "CPU_CLK_UNHALTED.REF_P"},
    {2, "CPU_CLK_UNHALTED.REF_TSC_P"},
    {2, "CPU_CLK_UNHALTED.REF_XCLK"},
    {2, "CPU_CLK_UNHALTED.BUS"},
    {2, "CPU_CLK_THREAD_UNHALTED.REF_XCLK"},
    {3, "LONGEST_LAT_CACHE.REFERENCE"},
    {3, "L2_REQUESTS.REFERENCE"},
    {3, "L2_RQSTS.SELF.DEMAND.MESI"},
    {4, "LONGEST_LAT_CACHE.MISS"},
    {4, "L2_REQUESTS.MISS"},
    {4, "L2_RQSTS.SELF.DEMAND.I_STATE"},
    {5, "BR_INST_RETIRED.ALL_BRANCHES"},
    {5, "BR_INST_RETIRED.ANY"},
    {6, "BR_MISP_RETIRED.ALL_BRANCHES"},
    {6, "BR_INST_RETIRED.MISPRED"},
    {7, "TOPDOWN.SLOTS_P"},
};

static bool is_name_of(const struct vpmu_x86_event *event, const char *name)
{
    for (size_t i = 0; event->bit >= 0 && i < COUNT_OF(architectural); i++) {
        if (architectural[i].bit == event->bit && strcmp(architectural[i].name, name) == 0) {
            return true;
        }
    }
    /* perf's lists have a name for each of some thresholds of load latencies. */
    if (event->sources == VPMU_SRC_BIT(VPMU_X86_SRC_LOAD_LATENCY)) {
        return strncmp(event->name, name, strlen(event->name)) == 0;
    }
    return strcmp(event->name, name) == 0;
}

#define S(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define FROM_TO(first, last) VPMU_SRC_FROM_TO(VPMU_X86_SRC_##first, VPMU_X86_SRC_##last)

static bool is_linux(const struct vpmu_x86_event *event)
{
    return strncmp(event->manual, "Linux", 5) == 0 || strstr(event->manual, "with CMASK");
}

static bool is_of_vendor(unsigned vendor, unsigned family)
{
    return family == VPMU_X86_GENERIC || (family >= VPMU_X86_ZEN1) == (vendor == VPMU_X86_AMD);
}

/* How many names a family's list has for a number, and whether one is the event's. */
static unsigned listed_as(const struct vpmu_x86_event *event, unsigned family, bool *same)
{
    size_t n;
    const struct naive_listed *rows = naive_lists(&n);
    unsigned names = 0;

    *same = false;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].select == event->select && (rows[i].families >> family & 1)) {
            names++;
            *same |= is_name_of(event, rows[i].name);
        }
    }
    return names;
}

/* A row's name is what the list of each of its families calls its number. */
START_TEST(names)
{
    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];

        for (unsigned family = 0; family < VPMU_X86_FAMILY_COUNT; family++) {
            bool same;
            unsigned listed;

            if (!(event->families >> family & 1) || !is_of_vendor(event->vendor, family)) {
                continue;
            }
            listed = listed_as(event, family, &same);
            ck_assert_msg(same || (listed == 0 && (event->bit >= 0 || is_linux(event))),
                          "%s (%#llx): expected perf's list of family %u to have it", event->name,
                          (unsigned long long)event->select, family);
        }
    }
}
END_TEST

static struct vpmu_x86_config family_config(unsigned vendor, unsigned family)
{
    return (struct vpmu_x86_config){
        .vendor = (uint8_t)vendor, .family = (uint8_t)family, .sources = VPMU_X86_SRC_ALL};
}

/* Tells whether a name of a list means all of an event, not certain cycles of it. */
static bool is_whole(const struct naive_listed *row, const struct vpmu_x86_event *event)
{
    return !(row->select & NAIVE_CONDITIONS) || (event && event->select == row->select);
}

/* Each number of each list counts what its name says, or nothing. */
START_TEST(meanings)
{
    size_t n;
    const struct naive_listed *rows = naive_lists(&n);

    ck_assert_uint_gt(n, 2000);
    for (size_t i = 0; i < n; i++) {
        for (unsigned family = 1; family < VPMU_X86_FAMILY_COUNT; family++) {
            struct vpmu_x86_config config =
                family_config(family >= VPMU_X86_ZEN1 ? VPMU_X86_AMD : VPMU_X86_INTEL, family);
            const struct vpmu_x86_event *event = vpmu_x86_event_find(&config, rows[i].select);
            vpmu_sources want = naive_event(&config, rows[i].select);

            if ((rows[i].families >> family & 1) && is_whole(&rows[i], event)) {
                expect_sources(rows[i].name, want, vpmu_x86_event_sources(&config, rows[i].select));
            }
        }
    }
}
END_TEST

/* So does each number of the table, on families that have it and on those that do not. */
START_TEST(no_others)
{
    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *row = &vpmu_x86_events[i];

        for (unsigned family = 0; family < VPMU_X86_FAMILY_COUNT; family++) {
            struct vpmu_x86_config config = family_config(row->vendor, family);

            if (is_of_vendor(row->vendor, family)) {
                const struct vpmu_x86_event *event = vpmu_x86_event_find(&config, row->select);

                /* On another family, its condition may be one on another event. */
                expect_sources(row->name, naive_event(&config, event ? event->select : row->select),
                               vpmu_x86_event_sources(&config, row->select));
            }
        }
    }
}
END_TEST

/* QEMU's CPU models: the family is the list that perf uses. check-x86 compares the file with QEMU.
 */
#define MODELS "vpmu/tests/x86/x86_models.tsv"

static unsigned vendor_of(const char *name)
{
    return strcmp(name, "GenuineIntel") == 0 ? VPMU_X86_INTEL : VPMU_X86_AMD;
}

START_TEST(models)
{
    char line[256], name[64], vendor[32], list[32];
    unsigned family, model, stepping, n = 0;
    FILE *file = fopen(MODELS, "r");

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file)) {
        const char *got;

        if (sscanf(line, "%63s %31s %u %u %u %31s", name, vendor, &family, &model, &stepping,
                   list) != 6) {
            continue;
        }
        got = naive_family(vpmu_x86_family(vendor_of(vendor), family, model, stepping));
        ck_assert_msg(strcmp(got[0] ? got : "-", list) == 0, "%s: expected %s got %s", name, list,
                      got);
        n++;
    }
    fclose(file);
    ck_assert_uint_gt(n, 40);
}
END_TEST

/* Models without a list: Core 2 has events of its own, the others have the architectural ones. */
START_TEST(models_without_list)
{
    static const struct {
        const char *name;
        unsigned vendor, family, model, stepping, want;
    } rows[] = {
        {"kvm64", VPMU_X86_INTEL, 15, 6, 1, VPMU_X86_GENERIC},
        {"coreduo", VPMU_X86_INTEL, 6, 14, 8, VPMU_X86_GENERIC},
        {"core2duo", VPMU_X86_INTEL, 6, 15, 11, VPMU_X86_CORE2},
        {"Penryn", VPMU_X86_INTEL, 6, 23, 3, VPMU_X86_CORE2},
        {"qemu64, max", VPMU_X86_AMD, 15, 107, 1, VPMU_X86_GENERIC},
        {"Opteron_G5", VPMU_X86_AMD, 21, 2, 0, VPMU_X86_GENERIC},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].name, "family", rows[i].want,
                  vpmu_x86_family(rows[i].vendor, rows[i].family, rows[i].model, rows[i].stepping));
    }
}
END_TEST

/* Walks that complete are those of all page sizes. */
START_TEST(sums)
{
    static const struct {
        unsigned family;
        uint64_t all, parts[3];
    } rows[] = {
        {VPMU_X86_HASWELL, 0xe08, {0x208, 0x408, 0x808}},
        {VPMU_X86_HASWELL, 0xe49, {0x249, 0x449, 0x849}},
        {VPMU_X86_SKYLAKEX, 0xe08, {0x208, 0x408, 0x808}},
        {VPMU_X86_SKYLAKEX, 0xe85, {0x285, 0x485, 0x885}},
        {VPMU_X86_SAPPHIRERAPIDS, 0xe12, {0x212, 0x412, 0x812}},
        {VPMU_X86_SAPPHIRERAPIDS, 0xe13, {0x213, 0x413, 0x813}},
        {VPMU_X86_SAPPHIRERAPIDS, 0xe11, {0x211, 0x411, 0x411}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = family_config(VPMU_X86_INTEL, rows[i].family);
        vpmu_sources parts = 0;

        for (unsigned p = 0; p < 3; p++) {
            const struct vpmu_x86_event *part = vpmu_x86_event_find(&config, rows[i].parts[p]);

            ck_assert_ptr_nonnull(part);
            parts |= part->sources;
        }
        expect_sources("walks", vpmu_x86_event_find(&config, rows[i].all)->sources, parts);
    }
}
END_TEST

/*
 * A unit mask of AMD is a set of bits: two rows without a common bit count nothing twice. Of
 * LS_DISPATCH, whose bits exclude each other, each sum is a row. A cycle of a stall counts once.
 */
static void check_pair(const struct vpmu_x86_event *a, const struct vpmu_x86_event *b)
{
    uint64_t masks[2] = {a->select & 0xff00, b->select & 0xff00};
    uint32_t listed = ~VPMU_X86_FAMILY_BIT(VPMU_X86_GENERIC);

    if ((a->select & 0xff) != 0x29 && ((a->select ^ b->select) & ~0xff00ull) == 0 &&
        (a->families & b->families & listed) && !(masks[0] & masks[1]) && masks[0] && masks[1]) {
        expect_sources(a->name, 0, a->sources & b->sources & ~VPMU_X86_STALLS);
    }
}

START_TEST(bits_of_amd)
{
    for (size_t a = 0; a < vpmu_x86_events_count; a++) {
        for (size_t b = 0; b < vpmu_x86_events_count; b++) {
            if (vpmu_x86_events[a].vendor == VPMU_X86_AMD &&
                vpmu_x86_events[b].vendor == VPMU_X86_AMD) {
                check_pair(&vpmu_x86_events[a], &vpmu_x86_events[b]);
            }
        }
    }
}
END_TEST

/* Unit masks that no list has. */
START_TEST(sums_of_bits)
{
    static const struct {
        unsigned family;
        uint64_t select;
        vpmu_sources want;
        const char *what;
    } rows[] = {
        {VPMU_X86_ZEN4, 0x0303, FROM_TO(FLOPS_ADD_SINGLE, FLOPS_MUL_DOUBLE),
         "additions and multiplications"},
        {VPMU_X86_ZEN4, 0x440a, S(OPS_SCALAR_MAC) | S(OPS_128_MAC) | S(OPS_256_MAC),
         "both halves are 4"},
        {VPMU_X86_ZEN4, 0x130a, S(OPS_SCALAR_MUL) | S(OPS_128_ADD) | S(OPS_256_ADD),
         "halves are numbers, not bits"},
        {VPMU_X86_ZEN4, 0x0a0a, 0, "AH is no type"},
        {VPMU_X86_ZEN4, 0x1a0a, 0, "nor is it in a sum"},
        {VPMU_X86_ZEN5, 0x120c, S(OPS_128_SUB) | S(OPS_256_ADD), "two widths"},
        {VPMU_X86_ZEN4, 0x1808, FROM_TO(OPS_128_ADD, OPS_256_LOGICAL), "two widths, of all types"},
        {VPMU_X86_ZEN1, 0x8103, S(FLOPS_ADD_SINGLE) | S(FLOPS_MAC_DOUBLE), "two precisions"},
        {VPMU_X86_ZEN3, 0x03cb, S(X87) | S(MMX), "two kinds"},
        {VPMU_X86_ZEN3, 0x09cb, 0, "a bit that nothing is known of"},
        {VPMU_X86_ZEN3, 0x0f64, S(L2_FETCH_MISS) | S(L2_FETCH_HIT) | S(LL_LOAD) | S(L2_MISS_WR),
         "L2_CACHE_REQ_STAT of fetches, and LS_RD_BLK_C"},
        {VPMU_X86_ZEN3, 0xc060, S(L1D_MISS_RD) | S(L1D_MISS_WR), "loads and stores"},
        {VPMU_X86_ZEN5, 0x0303, FROM_TO(FLOPS_ADD_SINGLE, FLOPS_MUL_DOUBLE), "two kinds"},
        {VPMU_X86_ZEN5, 0x2f03, 0, "the upper three bits are a number"},
        /* Intel's lists give each bit of C7H a BitIndex. */
        {VPMU_X86_SKYLAKEX, 0x15c7, S(FP_SCALAR_DOUBLE) | S(FP_128_DOUBLE) | S(FP_256_DOUBLE),
         "double precision"},
        {VPMU_X86_SKYLAKEX, 0x60c7, S(FP_256_SINGLE), "8 FLOPs, before Icelake had the name"},
        {VPMU_X86_BROADWELL, 0xffc7, FROM_TO(FP_SCALAR_DOUBLE, FP_256_SINGLE), "all bits"},
        {VPMU_X86_HASWELL, 0x15c7, 0, "Haswell has no C7H"},
        {VPMU_X86_SKYLAKEX, 0x03d1, 0, "no other event of Intel is a sum"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = family_config(
            rows[i].family < VPMU_X86_ZEN1 ? VPMU_X86_INTEL : VPMU_X86_AMD, rows[i].family);

        expect_sources(rows[i].what, rows[i].want, vpmu_x86_event_sources(&config, rows[i].select));
        expect_sources(rows[i].what, rows[i].want, naive_event(&config, rows[i].select));
    }
}
END_TEST

/* What query-vpmu names: one event, the rows of a sum, or nothing. */
START_TEST(parts)
{
    static const struct {
        unsigned vendor, family;
        uint64_t select;
        const char *want[3];
    } rows[] = {
        {VPMU_X86_AMD, VPMU_X86_ZEN2, 0x00c0, {"EX_RET_INSTR"}},
        {VPMU_X86_AMD,
         VPMU_X86_ZEN3,
         0x03cb,
         {"EX_RET_MMX_FP_INSTR.X87_INSTR", "EX_RET_MMX_FP_INSTR.MMX_INSTR"}},
        {VPMU_X86_AMD, VPMU_X86_ZEN3, 0x09cb, {NULL}},
        {VPMU_X86_INTEL, VPMU_X86_SKYLAKEX, 0xff00, {NULL}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = family_config(rows[i].vendor, rows[i].family);
        const struct vpmu_x86_event *got[VPMU_X86_EVENT_PARTS];
        size_t n = vpmu_x86_event_parts(&config, rows[i].select, got);

        for (size_t p = 0; p < n; p++) {
            ck_assert_str_eq(rows[i].want[p], got[p]->name);
        }
        ck_assert_ptr_null(rows[i].want[n]);
    }
}
END_TEST

/* Where counts come from. */
START_TEST(origins)
{
    static const struct {
        vpmu_sources sources;
        const char *model;
    } rows[] = {
        {VPMU_X86_BRANCHES, NULL},
        {0, "always-0"},
        {VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES), "pipeline"},
        {VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES), "clock"},
        {VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS), "branch-prediction"},
        {VPMU_SRC_BIT(VPMU_X86_SRC_ITLB_L2_HIT), "tlbs"},
        {VPMU_X86_LL_MISSES, "caches"},
        {VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD), "caches"},
        {VPMU_X86_SNOOPED, "caches"},
        {VPMU_SRC_BIT(VPMU_X86_SRC_RFO), "caches"},
    };
    const struct vpmu_x86_config config = {.timed = VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct vpmu_x86_event event = {.sources = rows[i].sources};
        const char *model = vpmu_x86_event_model(&config, &event);

        ck_assert_msg(model == rows[i].model || strcmp(model, rows[i].model) == 0,
                      "row %zu: expected %s got %s", i, rows[i].model, model);
    }
}
END_TEST

/*
 * The page of the manual that lists what is not counted is written from the table, and compared
 * with the one in docs.
 */
#define PAGE "docs/x86-events.md"
#define WRITTEN "build/x86-events.md"

/* On which of its families this number is an event that never happens. */
static uint32_t always_0(const struct naive_listed *row)
{
    uint32_t families = 0;

    for (unsigned family = 1; family < VPMU_X86_FAMILY_COUNT; family++) {
        struct vpmu_x86_config config =
            family_config(family >= VPMU_X86_ZEN1 ? VPMU_X86_AMD : VPMU_X86_INTEL, family);
        const struct vpmu_x86_event *event = vpmu_x86_event_find(&config, row->select);

        if ((row->families >> family & 1) && event && !event->sources) {
            families |= 1u << family;
        }
    }
    return families;
}

/* Of which of its families nothing is counted by this number. */
static uint32_t not_counted(const struct naive_listed *row)
{
    uint32_t families = 0;

    for (unsigned family = 1; family < VPMU_X86_FAMILY_COUNT; family++) {
        if ((row->families >> family & 1) && !x86_is_counted(family, row->select)) {
            families |= 1u << family;
        }
    }
    return families;
}

/* How long the part of a name before its first point is. */
static int group_length(const char *name)
{
    return (int)strcspn(name, ".");
}

static bool same_group(const char *a, const char *b)
{
    return group_length(a) == group_length(b) && strncmp(a, b, (size_t)group_length(a)) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct naive_listed *)a)->name, ((const struct naive_listed *)b)->name);
}

static void write_families(FILE *page, uint32_t families)
{
    const char *comma = "";

    for (unsigned family = 1; family < VPMU_X86_FAMILY_COUNT; family++) {
        if (families >> family & 1) {
            fprintf(page, "%s%s", comma, naive_family(family));
            comma = ", ";
        }
    }
    fputs(" |\n", page);
}

/* One group of names: as a whole, or each name of it that is not counted somewhere. */
static void write_group(FILE *page, const struct naive_listed *rows, size_t n)
{
    uint32_t missing = 0, all = 0;

    for (size_t i = 0; i < n; i++) {
        missing |= not_counted(&rows[i]);
        all |= rows[i].families & ~not_counted(&rows[i]);
    }
    if (!all && n > 1) {
        fprintf(page, "| `%.*s.*` | ", group_length(rows->name), rows->name);
        write_families(page, missing);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t families = not_counted(&rows[i]), never = always_0(&rows[i]);

        while (i + 1 < n && strcmp(rows[i].name, rows[i + 1].name) == 0) {
            families |= not_counted(&rows[++i]);
            never |= always_0(&rows[i]);
        }
        if (families) {
            fprintf(page, "| `%s` | ", rows[i].name);
            write_families(page, families | never);
        }
    }
}

static void write_page(FILE *page)
{
    static struct naive_listed rows[4096];
    size_t n, group;
    const struct naive_listed *listed = naive_lists(&n);

    memcpy(rows, listed, n * sizeof(*rows));
    qsort(rows, n, sizeof(*rows), by_name);
    fputs("<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n"
          "# x86 events that are not counted\n\n"
          "perf lists events for each CPU model. This page lists the events that perf has and vpmu "
          "does not\n"
          "count. Their counters stay 0. Those that need AnyThread, or a second MSR (`OCR.*`,\n"
          "`OFFCORE_RESPONSE.*`, `FRONTEND_RETIRED.*` from skylake on, and others of the same "
          "MSR), are\n"
          "`<not supported>`.\n\n"
          "vpmu counts all other events of the core that perf lists and does not call deprecated. "
          "Some of\n"
          "these stay 0 as well, because nothing in the machine causes them: it has no "
          "prefetchers, fill\n"
          "buffers or TSX, and walks of large pages count as those of 4 KiB. Stalls need\n"
          "`pmu-cycles=issue` or `model`.\n"
          "Loads of lines that another vCPU has need `pmu-llc-shared=on`.\n\n"
          "A `*` stands for all events of a group. CPU models have the names of perf's lists;\n"
          "[x86.md](x86.md#what-is-counted) says which models of QEMU these are.\n\n"
          "`make check-unit` compares this page with the table of events.\n\n"
          "| event | not counted on |\n| --- | --- |\n",
          page);
    for (size_t i = 0; i < n; i += group) {
        for (group = 1; i + group < n && same_group(rows[i].name, rows[i + group].name); group++) {
        }
        write_group(page, &rows[i], group);
    }
}

START_TEST(listed_in_docs)
{
    expect_page(PAGE, WRITTEN, write_page);
}
END_TEST

Suite *x86_events_suite(void)
{
    const TTest *const tests[] = {
        names, meanings,    no_others,    models, models_without_list, origins,
        sums,  bits_of_amd, sums_of_bits, parts,  listed_in_docs};

    return suite_of("x86_events", tests, COUNT_OF(tests));
}
