/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/event-names.h"

#include <elf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"

#define ALIASES_MAX 5
#define NAME_SIZE 64

/* perf's events: tools/perf/util/parse-events.c of Linux. */
static const struct {
    const char *name, *alias;
    unsigned type, config;
} known[] = {
    {"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"dummy", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"cgroup-switches", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

#define OPS(id) (1u << PERF_COUNT_HW_CACHE_OP_##id)

/* A cache event is CACHE[-OP][-RESULT]. @ops: those that the kernel knows for this cache. */
static const struct {
    const char *names[ALIASES_MAX];
    unsigned ops;
} caches[] = {
    [PERF_COUNT_HW_CACHE_L1D] = {{"L1-dcache", "l1-d", "l1d", "L1-data"},
                                 OPS(READ) | OPS(WRITE) | OPS(PREFETCH)},
    [PERF_COUNT_HW_CACHE_L1I] = {{"L1-icache", "l1-i", "l1i", "L1-instruction"},
                                 OPS(READ) | OPS(PREFETCH)},
    [PERF_COUNT_HW_CACHE_LL] = {{"LLC", "L2"}, OPS(READ) | OPS(WRITE) | OPS(PREFETCH)},
    [PERF_COUNT_HW_CACHE_DTLB] = {{"dTLB", "d-tlb", "Data-TLB"},
                                  OPS(READ) | OPS(WRITE) | OPS(PREFETCH)},
    [PERF_COUNT_HW_CACHE_ITLB] = {{"iTLB", "i-tlb", "Instruction-TLB"}, OPS(READ)},
    [PERF_COUNT_HW_CACHE_BPU] = {{"branch", "branches", "bpu", "btb", "bpc"}, OPS(READ)},
    [PERF_COUNT_HW_CACHE_NODE] = {{"node"}, OPS(READ) | OPS(WRITE) | OPS(PREFETCH)},
};

#define CACHES (sizeof(caches) / sizeof(caches[0]))

struct words {
    const char *names[ALIASES_MAX];
};

static const struct words cache_ops[] = {
    [PERF_COUNT_HW_CACHE_OP_READ] = {{"load", "loads", "read"}},
    [PERF_COUNT_HW_CACHE_OP_WRITE] = {{"store", "stores", "write"}},
    [PERF_COUNT_HW_CACHE_OP_PREFETCH] = {{"prefetch", "prefetches", "speculative-read",
                                          "speculative-load"}},
};

static const struct words cache_results[] = {
    [PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {{"refs", "Reference", "ops", "access"}},
    [PERF_COUNT_HW_CACHE_RESULT_MISS] = {{"misses", "miss"}},
};

#define OPERATIONS (sizeof(cache_ops) / sizeof(cache_ops[0]))
#define RESULTS (sizeof(cache_results) / sizeof(cache_results[0]))

/* match() - Return: the length of the longest name that @text begins with, up to its end or "-" */
static size_t match(const char *const *names, const char *text)
{
    size_t longest = 0;

    for (size_t i = 0; i < ALIASES_MAX && names[i]; i++) {
        size_t n = strlen(names[i]);

        if (n > longest && strncmp(text, names[i], n) == 0 && (!text[n] || text[n] == '-')) {
            longest = n;
        }
    }
    return longest;
}

/* take() - takes one of the words and the hyphen before it from @text. Return: its index, or 0 */
static size_t take(const struct words *words, size_t n, const char **text)
{
    for (size_t i = 0; **text == '-' && i < n; i++) {
        size_t length = match(words[i].names, *text + 1);

        if (length > 0) {
            *text += 1 + length;
            return i;
        }
    }
    return 0;
}

static bool find_cache(const char *name, struct event_code *code)
{
    for (size_t i = 0; i < CACHES; i++) {
        size_t n = match(caches[i].names, name), op, result;
        const char *at = name + n;

        if (n == 0) {
            continue;
        }
        op = take(cache_ops, OPERATIONS, &at);
        result = take(cache_results, RESULTS, &at);
        if (*at == '\0' && (caches[i].ops >> op & 1)) {
            *code = (struct event_code){.type = PERF_TYPE_HW_CACHE,
                                        .config = i | op << 8 | result << 16};
            return true;
        }
    }
    return false;
}

/* find_raw() - rNNN */
static bool find_raw(const char *name, struct event_code *code)
{
    size_t digits = name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;

    if (digits == 0 || digits > 16 || name[1 + digits]) {
        return false;
    }
    *code = (struct event_code){.type = PERF_TYPE_RAW, .config = strtoull(name + 1, NULL, 16)};
    return true;
}

bool event_find(const char *name, struct event_code *code)
{
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(name, known[i].name) == 0 ||
            (known[i].alias && strcmp(name, known[i].alias) == 0)) {
            *code = (struct event_code){.type = known[i].type, .config = known[i].config};
            return true;
        }
    }
    return find_cache(name, code) || find_raw(name, code);
}

/*
 * What Linux counts for perf's names of loads. The tables are amd_hw_cache_event_ids (up to family
 * 16h) in arch/x86/events/amd/core.c, skl_hw_cache_event_ids in arch/x86/events/intel/core.c, and
 * armv8_pmuv3_perf_cache_map in drivers/perf/arm_pmuv3.c. A number that counts loads only is not in
 * this table.
 */
static const struct {
    unsigned cache, result;
    bool amd, intel, arm;
    const char *includes;
} loads[] = {
    /* 0040H; L1D_CACHE */
    {PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_ACCESS, true, false, true,
     "loads and stores"},
    /* 0141H; L1D.REPLACEMENT; L1D_CACHE_REFILL */
    {PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_MISS, true, true, true,
     "loads and stores"},
    /* 0040H; L1D_TLB */
    {PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_RESULT_ACCESS, true, false, true,
     "loads and stores"},
    /* 0746H; L1D_TLB_REFILL */
    {PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_RESULT_MISS, true, false, true,
     "loads and stores"},
    /* 037DH and 037EH */
    {PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_RESULT_ACCESS, true, false, false,
     "loads, stores and fetches"},
    {PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_RESULT_MISS, true, false, false,
     "loads, stores and fetches"},
};

const char *event_includes(const char *name, unsigned machine, bool intel)
{
    struct event_code code;
    char base[NAME_SIZE];

    snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, ":"), name);
    if (!find_cache(base, &code) || (code.config >> 8 & 0xff) != PERF_COUNT_HW_CACHE_OP_READ) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        if ((code.config & 0xff) == loads[i].cache && code.config >> 16 == loads[i].result &&
            (machine != EM_X86_64 ? loads[i].arm
             : intel              ? loads[i].intel
                                  : loads[i].amd)) {
            return loads[i].includes;
        }
    }
    return NULL;
}

/* Fields of the numbers of events: /sys/bus/event_source/devices/PMU/format of Linux. */
static const struct term {
    unsigned machine;
    const char *name;
    unsigned low, bits, high, high_bits;
} terms[] = {
    {EM_X86_64, "event", 0, 8, 32, 4},  {EM_X86_64, "umask", 8, 8, 0, 0},
    {EM_X86_64, "edge", 18, 1, 0, 0},   {EM_X86_64, "inv", 23, 1, 0, 0},
    {EM_X86_64, "cmask", 24, 8, 0, 0},  {EM_X86_64, "config", 0, 64, 0, 0},
    {EM_AARCH64, "event", 0, 16, 0, 0}, {EM_AARCH64, "config", 0, 64, 0, 0},
};

/* set_term() - "umask=1" or "edge". Return: false if there is no such term, or it is too large. */
static bool set_term(const char *text, struct event_code *code)
{
    size_t n = strcspn(text, "=");
    unsigned long long value = 1;
    char *end;

    if (text[n] == '=') {
        errno = 0;
        value = strtoull(text + n + 1, &end, 0);
        if (errno || *end || end == text + n + 1 || text[n + 1] == '-') {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
        const struct term *t = &terms[i];
        unsigned bits = t->bits + t->high_bits;

        if (t->machine == code->machine && strlen(t->name) == n && strncmp(t->name, text, n) == 0 &&
            (bits == 64 || value >> bits == 0)) {
            unsigned long long low = t->bits == 64 ? value : value & ((1ull << t->bits) - 1);

            code->config |= low << t->low | (t->high ? value >> t->bits << t->high : 0);
            return true;
        }
    }
    return false;
}

static bool is_arm(const char *pmu, size_t n)
{
    return (n > 5 && strncmp(pmu, "armv8", 5) == 0) || (n > 5 && strncmp(pmu, "armv9", 5) == 0);
}

int event_parse_pmu(const char *text, struct event_code *code, struct failure *f)
{
    size_t n = strcspn(text, "/");
    char all[256], *saved = NULL;

    *code = (struct event_code){.type = PERF_TYPE_RAW};
    if (n == 3 && strncmp(text, "cpu", 3) == 0) {
        code->machine = EM_X86_64;
    } else if (is_arm(text, n)) {
        code->machine = EM_AARCH64;
    } else {
        return failure_set(f, FAILURE_USAGE,
                           "'%s': the machine has no such PMU; known: cpu (x86-64), armv8_pmuv3_0 "
                           "(arm64)",
                           text);
    }
    snprintf(all, sizeof(all), "%.*s", (int)strcspn(text + n + 1, "/"), text + n + 1);
    if (!strchr(all, '=') && !strchr(all, ',')) {
        /* A name of an event that the kernel lists in sysfs. */
        unsigned machine = code->machine;
        bool found = event_find(all, code) && code->type == PERF_TYPE_HARDWARE;

        code->machine = machine;
        return found
                   ? 0
                   : failure_set(f, FAILURE_USAGE, "no event '%s': give its number, event=N", text);
    }
    for (char *at = strtok_r(all, ",", &saved); at; at = strtok_r(NULL, ",", &saved)) {
        if (strncmp(at, "name=", 5) == 0) {
            return failure_set(f, FAILURE_USAGE,
                               "'%s': events have the names that -e gives them: leave %s out", text,
                               at);
        }
        if (!set_term(at, code)) {
            return failure_set(f, FAILURE_USAGE,
                               "'%s': no term %s, or its value is too large; known: %s", text, at,
                               code->machine == EM_X86_64 ? "event, umask, edge, inv, cmask, config"
                                                          : "event, config");
        }
    }
    return 0;
}

/* nearer() - keeps the nearest name */
static void nearer(const char *wanted, const char *name, char *best, unsigned *distance)
{
    unsigned d = text_distance(wanted, name);

    if (d < *distance) {
        *distance = d;
        snprintf(best, NAME_SIZE, "%s", name);
    }
}

const char *event_suggest(const char *name)
{
    static const char *const ops[] = {"load", "store", "prefetch"};
    static const char *const all[] = {"loads", "stores", "prefetches"};
    static char best[NAME_SIZE];
    unsigned distance = (unsigned)strlen(name) / 3 + 1;

    nearer(name, "syscalls", best, &distance);
    for (size_t i = 0; i < KNOWN; i++) {
        nearer(name, known[i].name, best, &distance);
        if (known[i].alias) {
            nearer(name, known[i].alias, best, &distance);
        }
    }
    for (size_t i = 0; i < CACHES; i++) {
        for (size_t op = 0; op < OPERATIONS; op++) {
            char text[NAME_SIZE];

            if (caches[i].ops >> op & 1) {
                snprintf(text, sizeof(text), "%s-%s", caches[i].names[0], all[op]);
                nearer(name, text, best, &distance);
                snprintf(text, sizeof(text), "%s-%s-misses", caches[i].names[0], ops[op]);
                nearer(name, text, best, &distance);
            }
        }
    }
    return distance <= strlen(name) / 3 ? best : NULL;
}
