/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instruction-based sampling of AMD's CPUs: its registers, without Linux's driver. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"
#include "event.h"
#include "suite.h"
#include "x86.h"

enum {
    LINE = 64,
    MEMORY_LATENCY = 150,
};

#define FETCH_CTL 0xc0011030
#define FETCH_LINEAR 0xc0011031
#define OP_CTL 0xc0011033
#define OP_RIP 0xc0011034
#define OP_DATA 0xc0011035
#define OP_DATA2 0xc0011036
#define OP_DATA3 0xc0011037
#define DC_LINEAR 0xc0011038
#define BRANCH_TARGET 0xc001103b
#define IBS_CTL 0xc001103a
#define FETCH_EXT 0xc001103c
#define FETCH_EN (1ull << 48)
#define FETCH_VAL (1ull << 49)
#define RAND_EN (1ull << 57)
#define L3_MISS_ONLY (1ull << 16)
#define OP_EN (1ull << 17)
#define OP_VAL (1ull << 18)
#define CNT_CTL (1ull << 19)
#define LATENCY_SHIFT 59
#define LATENCY_EN (1ull << 63)
#define MAX_COUNT 0xffffull
#define BRANCH (1ull << 37)
#define TAKEN (1ull << 35)
#define MISPREDICTED (1ull << 36)
#define CACHE_MISS (1ull << 7)
#define CROSSES (1ull << 8)
#define L2_MISS (1ull << 20)
#define SOURCE 7u
#define SOURCE_L3 1u
#define MISS_LATENCY(cycles) ((uint64_t)(cycles) << 32)

#define APIC 0xfee00000
enum {
    APIC_BYTES = 4096,
    APIC_VERSION = 0x30,
    APIC_FEATURE = 0x400,
    APIC_ENTRY = 0x500,
    APIC_ENTRIES = 4,
    APIC_STEP = 0x10,
};
#define MASKED 0x10000u
#define NMI 0x400u
#define ENTRY_BITS 0x107ffu

static int msrs = -1;
static volatile uint32_t *apic;

static bool begin(void)
{
    int module, memory;

    if (apic != NULL) {
        return true;
    }
    module = open("/msr.ko", O_RDONLY | O_CLOEXEC);
    syscall(SYS_finit_module, module, "allow_writes=on", 0);
    close(module);
    msrs = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
    memory = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    apic = mmap(NULL, APIC_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, APIC);
    if (msrs < 0 || apic == MAP_FAILED) {
        test_fail("there is no /dev/cpu/0/msr, or no APIC in /dev/mem");
        apic = NULL;
    }
    return apic != NULL;
}

static uint64_t rdmsr(uint32_t msr)
{
    uint64_t value = 0;

    if (pread(msrs, &value, sizeof(value), msr) != (ssize_t)sizeof(value)) {
        test_fail("MSR %#x cannot be read", msr);
    }
    return value;
}

static bool wrmsr(uint32_t msr, uint64_t value)
{
    return pwrite(msrs, &value, sizeof(value), msr) == (ssize_t)sizeof(value);
}

static uint32_t apic_read(unsigned offset)
{
    return apic[offset / sizeof(*apic)];
}

static void apic_write(unsigned offset, uint32_t value)
{
    apic[offset / sizeof(*apic)] = value;
}

/* The number of NMIs of the first CPU. */
static uint64_t nmis(void)
{
    FILE *file = fopen("/proc/interrupts", "re");
    uint64_t count = UINT64_MAX;
    char line[512];

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        sscanf(line, " NMI: %" SCNu64, &count);
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

/* APM 2, 16.3.5 and 16.4.3: the registers of the extended APIC space. */
static void test_apic(const struct test *test)
{
    (void)test;
    if (!begin()) {
        return;
    }
    expect_eq("the extended space exists", 1, apic_read(APIC_VERSION) >> 31);
    expect_eq("entries of the extended LVT", APIC_ENTRIES, apic_read(APIC_FEATURE) >> 16);
    apic_write(APIC_FEATURE, 0);
    expect_eq("read-only", APIC_ENTRIES, apic_read(APIC_FEATURE) >> 16);
    for (unsigned i = 1; i < APIC_ENTRIES; i++) {
        expect_eq("after reset", MASKED, apic_read(APIC_ENTRY + i * APIC_STEP));
        apic_write(APIC_ENTRY + i * APIC_STEP, UINT32_MAX);
        expect_eq("all bits", ENTRY_BITS, apic_read(APIC_ENTRY + i * APIC_STEP));
        apic_write(APIC_ENTRY + i * APIC_STEP, MASKED);
    }
    expect_eq("Linux's entry", NMI, apic_read(APIC_ENTRY));
}

/*
 * The second one has a branch at ibs_choice that depends on a random bit. The third one loads from
 * a new line, and then from the stack. The fourth one loads from a new line, and then from this and
 * another new one.
 */
__asm__("	.text\n"
        "ibs_spin:\n"
        "1:	dec %rdi\n"
        "	nop\n"
        "	jnz 1b\n"
        "	ret\n"
        "ibs_random:\n"
        "1:	imul $1103515245, %esi, %esi\n"
        "	add $12345, %esi\n"
        "	test $0x10000, %esi\n"
        "ibs_choice:\n"
        "	jz 2f\n"
        "2:	nop\n"
        "	dec %rdi\n"
        "	jnz 1b\n"
        "	ret\n"
        "ibs_loads:\n"
        "1:	mov (%rsi), %eax\n"
        "	mov (%rsp), %eax\n"
        "	add $64, %rsi\n"
        "	dec %rdi\n"
        "	jnz 1b\n"
        "	ret\n"
        "ibs_split:\n"
        "1:	mov (%rsi), %eax\n"
        "	mov 60(%rsi), %rax\n"
        "	add $128, %rsi\n"
        "	dec %rdi\n"
        "	jnz 1b\n"
        "	ret\n");
void ibs_spin(uint64_t rounds, uint64_t seed), ibs_random(uint64_t rounds, uint64_t seed),
    ibs_loads(uint64_t rounds, uint64_t address), ibs_split(uint64_t rounds, uint64_t address);
extern const char ibs_choice[];

/* Executes a loop of our own while ops are sampled and the interrupt is masked; returns IbsOpCtl.
 */
static uint64_t run_masked(uint64_t start, void (*loop)(uint64_t rounds, uint64_t seed),
                           uint64_t rounds, uint64_t seed)
{
    uint64_t before, control;

    apic_write(APIC_ENTRY, MASKED | NMI);
    before = nmis();
    expect_eq("WRMSR", true, wrmsr(OP_CTL, start));
    loop(rounds, seed);
    control = rdmsr(OP_CTL);
    if (control & OP_VAL) {
        expect_eq("the count stands still", control, rdmsr(OP_CTL));
    }
    expect_eq("NMIs while the entry is masked", before, nmis());
    expect_eq("clear", true, wrmsr(OP_CTL, 0));
    expect_eq("cleared", 0, rdmsr(OP_CTL));
    apic_write(APIC_ENTRY, NMI);
    return control;
}

/* Samples one op; returns IbsOpRip. */
static uint64_t sample(void (*loop)(uint64_t rounds, uint64_t seed), uint64_t interval)
{
    uint64_t start = OP_EN | CNT_CTL | interval >> 4;

    expect_eq("valid", start | OP_VAL, run_masked(start, loop, interval, interval) & UINT32_MAX);
    return rdmsr(OP_RIP);
}

static bool is_kernel(uint64_t address)
{
    return address >> 63;
}

/*
 * An interval that is longer by 16 ends 16 instructions later. The loop has three, and 16 is 1
 * modulo 3, so each is sampled in a third of the intervals, unless Linux is interrupted in one.
 */
static void exact_interval(void)
{
    enum {
        SAMPLES = 30,
        THIRD = SAMPLES / 3,
        INTERRUPTED = 2
    };
    static const uint8_t offsets[] = {0, 3, 4};
    uint64_t first = (uintptr_t)ibs_spin, seen[ARRAY_SIZE(offsets)] = {0};

    for (unsigned i = 0; i < SAMPLES && !test_failed(); i++) {
        uint64_t offset = sample(ibs_spin, 0x8000 + 16 * i) - first;
        uint64_t data = rdmsr(OP_DATA) & (BRANCH | TAKEN);
        unsigned n = 0;

        while (n < ARRAY_SIZE(offsets) && offset != offsets[n]) {
            n++;
        }
        if (n == ARRAY_SIZE(offsets)) {
            if (!is_kernel(first + offset)) {
                test_fail("no instruction of the loop is at its start + %" PRIu64, offset);
            }
            continue;
        }
        seen[n]++;
        expect_eq("a taken branch", n == 2 ? BRANCH | TAKEN : 0, data);
        expect_eq("its target", n == 2 ? first : 0, rdmsr(BRANCH_TARGET));
    }
    for (unsigned n = 0; n < ARRAY_SIZE(offsets); n++) {
        expect_between("samples of an instruction", THIRD - INTERRUPTED, THIRD + INTERRUPTED,
                       seen[n]);
    }
}

/* The loop has seven instructions, and 16 is 2 modulo 7: the branch is a seventh of the samples. */
static void random_branch(void)
{
    enum {
        SAMPLES = 280,
        BRANCHES = SAMPLES / 7,
        INTERRUPTED = 10
    };
    uint64_t at_branch = 0, wrong = 0;

    for (unsigned i = 0; i < SAMPLES && !test_failed(); i++) {
        bool is_branch = sample(ibs_random, 0x2000 + 16 * i) == (uintptr_t)ibs_choice;

        /* Taken or not, the next instruction is the same. */
        if (is_branch) {
            expect_eq("the target", (uintptr_t)ibs_choice + 2, rdmsr(BRANCH_TARGET));
        }
        at_branch += is_branch;
        wrong += is_branch && (rdmsr(OP_DATA) & MISPREDICTED);
    }
    expect_between("samples of the branch", BRANCHES - INTERRUPTED, BRANCHES + INTERRUPTED,
                   at_branch);
    /* Half of them, but that depends on the bits that the samples meet. */
    expect_between("mispredicted", at_branch / 4, at_branch * 3 / 4, wrong);
}

/* Only loads of new lines take more than 128 cycles, and no load takes 256. */
static void load_latency(void)
{
    enum {
        BYTES = 4 << 20, /* more than L3 has */
        SAMPLES = 20,
    };
    void *lines = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    uint64_t start = OP_EN | CNT_CTL | LATENCY_EN | 0x100;

    if (lines == MAP_FAILED) {
        test_fail("there are no 4 MiB");
        return;
    }
    for (unsigned i = 0; i < SAMPLES && !test_failed(); i++) {
        expect_eq("valid", start | OP_VAL,
                  run_masked(start, ibs_loads, BYTES / LINE, (uintptr_t)lines) &
                      ~(UINT64_C(0x7ffffff) << 32));
        expect_eq("the load of a new line", (uintptr_t)ibs_loads, rdmsr(OP_RIP));
        expect_eq("IbsDcMissLat", MEMORY_LATENCY, rdmsr(OP_DATA3) >> 32 & 0xffff);
    }
    start |= UINT64_C(1) << LATENCY_SHIFT;
    expect_eq("loads of 256 cycles", 0,
              run_masked(start, ibs_loads, BYTES / LINE, (uintptr_t)lines) & OP_VAL);
    munmap(lines, BYTES);
}

/* APM 2, 13.3.4: of a load that lies in two lines, IbsOpData3 describes the first one. */
static void split_load(void)
{
    enum {
        BYTES = 4 << 20, /* more than L3 has */
        SAMPLES = 20,
        SECOND = 2, /* the offset of the second load */
    };
    const uint64_t bits = CACHE_MISS | CROSSES | MISS_LATENCY(0xffff);
    void *lines = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    unsigned splits = 0;

    if (lines == MAP_FAILED) {
        test_fail("there are no 4 MiB");
        return;
    }
    for (unsigned i = 0; i < SAMPLES && !test_failed(); i++) {
        uint64_t start = OP_EN | CNT_CTL | (0x8000 + 16 * i) >> 4;

        run_masked(start, ibs_split, BYTES / LINE / 2, (uintptr_t)lines);
        if (rdmsr(OP_RIP) == (uintptr_t)ibs_split) {
            expect_eq("the first load", CACHE_MISS | MISS_LATENCY(MEMORY_LATENCY),
                      rdmsr(OP_DATA3) & bits);
        } else if (rdmsr(OP_RIP) == (uintptr_t)ibs_split + SECOND) {
            expect_eq("the second load", CROSSES, rdmsr(OP_DATA3) & bits);
            splits++;
        }
    }
    expect_between("samples of the second load", 1, SAMPLES / 2, splits);
    munmap(lines, BYTES);
}

/*
 * Code that jumps from line to line, so each instruction is a fetch. Intervals begin when Linux
 * writes the control registers and end in it.
 */
enum {
    JUMPS = 0x3000,
    OPS = 0x3000,
    FETCHES = 0x1800,
    MOST_OPS = 0x20000,
    TRIES = 6, /* interrupts of Linux prolong the way */
};

static uint8_t *jumps;

/* The lines in which the next op and the next fetch are sampled. */
struct ends {
    int64_t op, fetch;
};

static bool make_jumps(void)
{
    size_t bytes = (JUMPS + 1) * LINE;
    uint8_t *code = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (code == MAP_FAILED) {
        test_fail("there is no memory for code");
        return false;
    }
    for (size_t i = 0; i < JUMPS; i++) {
        code[i * LINE] = 0xeb;
        code[i * LINE + 1] = LINE - 2;
    }
    code[JUMPS * LINE] = 0xc3;
    jumps = code;
    return true;
}

static int64_t line_of(uint64_t address)
{
    return (int64_t)(address - (uintptr_t)jumps) / LINE;
}

/* Executes the jumps once while both units are enabled; the interval of ops is shorter by @less. */
static struct ends run_jumps(int64_t less, uint64_t address)
{
    void (*run)(uint64_t rounds, uint64_t address) = (void (*)(uint64_t, uint64_t))(uintptr_t)jumps;
    uint64_t count = (uint64_t)(MOST_OPS - OPS + less);
    struct ends ends;

    expect_eq("WRMSR", true, wrmsr(FETCH_CTL, FETCH_EN | FETCHES >> 4));
    expect_eq("WRMSR", true, wrmsr(OP_CTL, OP_EN | CNT_CTL | MOST_OPS >> 4 | count << 32));
    run(0, address);
    ends.op = line_of(rdmsr(OP_RIP));
    ends.fetch = line_of(rdmsr(FETCH_LINEAR));
    return ends;
}

static void stop_both(void)
{
    expect_eq("WRMSR", true, wrmsr(OP_CTL, 0));
    expect_eq("WRMSR", true, wrmsr(FETCH_CTL, 0));
}

/* Returns where both intervals end. Without an interrupt, they do so twice at the same places. */
static struct ends find_ends(void)
{
    struct ends ends = {-1, -1}, last;
    unsigned tries = TRIES;

    do {
        last = ends;
        ends = run_jumps(0, 0);
        stop_both();
    } while ((ends.op != last.op || ends.fetch != last.fetch) && --tries > 0);
    if (ends.op < ends.fetch || ends.op >= JUMPS || ends.fetch < 0) {
        test_fail("the intervals end in the lines %" PRId64 " and %" PRId64, ends.op, ends.fetch);
    }
    return ends;
}

/* Neither unit disturbs the other, however close to each other their intervals end. */
static void both_units(void)
{
    enum {
        CLOSE = 3
    };
    struct ends ends, got = {0, 0};

    if (!make_jumps()) {
        return;
    }
    apic_write(APIC_ENTRY, MASKED | NMI);
    ends = find_ends();
    for (int64_t i = -CLOSE; i <= CLOSE && !test_failed(); i++) {
        unsigned tries = TRIES;

        do {
            got = run_jumps(ends.op - ends.fetch - i, 0);
            stop_both();
        } while ((got.op != ends.fetch + i || got.fetch != ends.fetch) && --tries > 0);
        if (tries == 0) {
            test_fail("the op is sampled %" PRId64 " lines behind the fetch, expected %" PRId64
                      "; the fetch %" PRId64 " lines late",
                      got.op - got.fetch, i, got.fetch - ends.fetch);
        }
    }
    apic_write(APIC_ENTRY, NMI);
}

/* APM 2, 13.3.3: a load that is to be sampled but faults is no sample; the count begins again. */
static void faulting_op(void)
{
    enum {
        BEFORE = 100, /* the load is so many lines before the end of the interval */
        PAGE = 4096,
    };
    const uint8_t load[] = {0x8a, 0x06, 0xeb, LINE - 4}; /* mov (%rsi), %al; jmp */
    uint64_t control = 0;
    struct ends ends, got = {0, 0};
    uint8_t *pages;
    unsigned tries = TRIES;

    pages =
        mmap(NULL, (TRIES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!make_jumps() || pages == MAP_FAILED) {
        return;
    }
    apic_write(APIC_ENTRY, MASKED | NMI);
    ends = find_ends();
    memcpy(jumps + (ends.op - BEFORE) * LINE, load, sizeof(load));
    do {
        pages[0] = 1;
        got = run_jumps(BEFORE, (uintptr_t)pages);
        expect_eq("a sample", OP_VAL, rdmsr(OP_CTL) & OP_VAL);
        stop_both();
    } while (got.op != ends.op - BEFORE && --tries > 0);
    expect_eq("the load is sampled", true, got.op == ends.op - BEFORE);
    expect_eq("its address", (uintptr_t)pages, rdmsr(DC_LINEAR));
    for (tries = 1; tries <= TRIES; tries++) {
        run_jumps(BEFORE, (uintptr_t)(pages + tries * PAGE));
        control = rdmsr(OP_CTL);
        stop_both();
        if (!(control & OP_VAL)) {
            break;
        }
    }
    expect_eq("no sample", 0, control & OP_VAL);
    expect_between("the count has begun again", 1, MOST_OPS - OPS, control >> 32);
    apic_write(APIC_ENTRY, NMI);
}

/* Loads that a run of the jumps makes instead, the first of them in line LOADS_FIRST. */
enum {
    LOADS = 500, /* half of the sets of L1 have more lines than ways */
    LOADS_FIRST = 10,
    LOADS_RANGE = 1 << 20,
    DISTURBED = 20, /* loads of a run whose lines Linux has replaced */
};

/* mov OFFSET(%rsi), %al, with any offset in the range; jmp */
static void make_loads(void)
{
    uint32_t random = 1;

    for (unsigned i = 0; i < LOADS; i++) {
        uint8_t *code = jumps + (LOADS_FIRST + i) * LINE;
        uint32_t offset;

        random = random * 1103515245 + 12345;
        offset = (random >> 8) % LOADS_RANGE & ~(LINE - 1u);
        code[0] = 0x8a;
        code[1] = 0x86;
        memcpy(code + 2, &offset, sizeof(offset));
        code[6] = 0xeb;
        code[7] = LINE - 8;
    }
    jumps[(LOADS_FIRST + LOADS) * LINE] = 0xc3;
}

/* Returns the level of the data by IbsOpData3 and IbsOpData2: 0 L1, 1 L2, 2 L3, 3 memory. */
static unsigned level_of_sample(void)
{
    uint64_t data3 = rdmsr(OP_DATA3);

    if (!(data3 & CACHE_MISS)) {
        return 0;
    }
    return !(data3 & L2_MISS) ? 1 : (rdmsr(OP_DATA2) & SOURCE) == SOURCE_L3 ? 2 : 3;
}

/*
 * Each load of a run is sampled in one of as many runs. So the levels of the samples are the mean
 * of what the counters count in a run, but for what Linux does in between with the caches.
 */
static void sampled_levels(void)
{
    static const uint64_t numbers[] = {0, 0x0143, 0x0243, 0x0843}; /* LS_DMND_FILLS_FROM_SYS */
    static const char *const names[] = {"L1", "L2", "L3", "memory"};
    uint64_t sampled[ARRAY_SIZE(numbers)] = {0};
    int counters[ARRAY_SIZE(numbers)];
    struct ends ends;
    uint8_t *data = mmap(NULL, LOADS_RANGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (!make_jumps() || data == MAP_FAILED) {
        return;
    }
    apic_write(APIC_ENTRY, MASKED | NMI);
    ends = find_ends();
    make_loads();
    for (unsigned level = 1; level < ARRAY_SIZE(numbers); level++) {
        struct perf_event_attr attr = event_user(numbers[level]);

        counters[level] = event_must_open(&attr, 0, -1, -1);
    }
    for (unsigned i = 0; i < LOADS && !test_failed(); i++) {
        /* A line with a load has two instructions. */
        int64_t less = ends.op - LOADS_FIRST - 2 * i;
        int64_t line;

        for (unsigned level = 1; level < ARRAY_SIZE(numbers); level++) {
            ioctl(counters[level], PERF_EVENT_IOC_ENABLE, 0);
        }
        line = run_jumps(less, (uintptr_t)data).op;
        for (unsigned level = 1; level < ARRAY_SIZE(numbers); level++) {
            ioctl(counters[level], PERF_EVENT_IOC_DISABLE, 0);
        }
        if (line == LOADS_FIRST + i) {
            sampled[level_of_sample()]++;
        }
        stop_both();
    }
    for (unsigned level = 1; level < ARRAY_SIZE(numbers); level++) {
        uint64_t mean = event_read(counters[level]) / LOADS;

        expect_between(names[level], mean - (mean < DISTURBED ? mean : DISTURBED), mean + DISTURBED,
                       sampled[level]);
        close(counters[level]);
    }
    expect_between("L2", LOADS / 10, LOADS, sampled[1]);
    apic_write(APIC_ENTRY, NMI);
}

static void on_first_cpu(void (*body)(void))
{
    if (begin()) {
        keep_to_first_cpu(true);
        body();
        keep_to_first_cpu(false);
    }
}

static void test_masked(const struct test *test)
{
    (void)test;
    on_first_cpu(exact_interval);
}

static void test_both(const struct test *test)
{
    (void)test;
    on_first_cpu(both_units);
}

static void test_fault(const struct test *test)
{
    (void)test;
    on_first_cpu(faulting_op);
}

static void test_split(const struct test *test)
{
    (void)test;
    on_first_cpu(split_load);
}

static void test_levels(const struct test *test)
{
    (void)test;
    on_first_cpu(sampled_levels);
}

static void test_mispredicted(const struct test *test)
{
    (void)test;
    on_first_cpu(random_branch);
}

static void test_latency(const struct test *test)
{
    (void)test;
    if (x86_is_model("Turin")) {
        on_first_cpu(load_latency);
    } else {
        test_skip("only EPYC-Turin filters loads by their latency");
    }
}

/* APM 2, 13.3: which registers exist, what is read-only, bits that must be 0 and that are ignored.
 */
static void test_registers(const struct test *test)
{
    uint64_t op = x86_is_model("Turin")   ? 0xffffffff07ffffff
                  : x86_is_model("Genoa") ? 0x07ffffff07ffffff
                                          : 0x07ffffff07feffff;
    uint64_t fetch = op & L3_MISS_ONLY ? 0x3fffffffffffffff : 0x07ffffffffffffff;

    (void)test;
    if (!begin()) {
        return;
    }
    expect_eq("IBS_CTL", 0x100, rdmsr(IBS_CTL));
    expect_eq("a write of IBS_CTL", false, wrmsr(IBS_CTL, 0x101));
    expect_eq("a write of IC_IBS_EXTD_CTL", false, wrmsr(FETCH_EXT, 0));
    expect_eq("WRMSR", true, wrmsr(OP_CTL, op & ~OP_EN));
    expect_eq("IbsOpCtl", op & ~OP_EN, rdmsr(OP_CTL));
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t value = UINT64_C(1) << bit;

        if (value != OP_EN && !expect_eq("accepted", (op & value) != 0, wrmsr(OP_CTL, value))) {
            test_fail("bit %u of IbsOpCtl", bit);
        }
    }
    expect_eq("WRMSR", true, wrmsr(OP_CTL, 0));
    expect_eq("WRMSR", true, wrmsr(FETCH_CTL, ~(FETCH_EN | RAND_EN)));
    expect_eq("IbsFetchCtl", fetch & ~(FETCH_EN | RAND_EN), rdmsr(FETCH_CTL));
    expect_eq("WRMSR", true, wrmsr(FETCH_CTL, 0));
    expect_eq("IbsFetchCtl", 0, rdmsr(FETCH_CTL));
}

const struct test ibs_register_tests[] = {
    {"ibs/apic", test_apic, NULL, 0, 1, 1},
    {"ibs/registers", test_registers, NULL, 0, 1, 1},
    {"ibs/masked", test_masked, NULL, 0, 1, 1},
    {"ibs/both", test_both, NULL, 0, 1, 1},
    {"ibs/fault", test_fault, NULL, 0, 1, 1},
    {"ibs/split", test_split, NULL, 0, 1, 1},
    {"ibs/levels", test_levels, NULL, 0, 1, 1},
    {"ibs/mispredicted", test_mispredicted, NULL, 0, 1, 1},
    {"ibs/latency", test_latency, NULL, 0, 1, 1},
};
const size_t ibs_register_tests_count = ARRAY_SIZE(ibs_register_tests);
