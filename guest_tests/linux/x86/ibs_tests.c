/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instruction-based sampling of AMD's CPUs: samples of ops and of fetches by Linux's driver, and
 * the registers. The program "levels" says where the data of each of its loops is; RDX has the
 * address.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"
#include "suite.h"
#include "x86.h"

#define DATA "/tmp/perf.data"
#define SCRIPT "/tmp/script"

enum {
    IBS_TIMEOUT = 300,
    PERIOD = 4000, /* a multiple of 16, as Linux demands */
    /*
     * An interval begins in Linux's handler, whose last instructions are part of it, with a random
     * number of up to 127.
     */
    IN_LINUX = 700,
    LEAST_PERCENT = 90, /* of the samples: other interrupts take some */
    LINE = 64,
    MEMORY_LATENCY = 150,
    FLUSHES = 6, /* interrupts flush TLBs, and the kernel uses the caches */
};

/* The first instruction of each loop makes its access; the others follow at these offsets. */
#define OFFSETS 4

struct loop {
    const char *name;
    const char *level;  /* as perf writes it */
    unsigned latency;   /* of a miss of L1 by a load; otherwise 0 */
    uint64_t rounds;    /* of a pass */
    bool once;          /* there is one pass, not N */
    bool faults;        /* page faults, which are ops as well, decide how many samples it has */
    bool loads, stores; /* what perf writes of the operation */
    unsigned insns;
    uint8_t offsets[OFFSETS];
};

static const struct loop loops[] = {
    {"cold", "RAM hit", 150, (4 << 20) / LINE, true, true, true, false, 4, {0, 2, 6, 8}},
    {"beyond_l3", "RAM hit", 150, (4 << 20) / LINE, true, false, true, false, 4, {0, 2, 6, 8}},
    {"beyond_l2", "L3 hit", 40, (1 << 20) / LINE, false, false, true, false, 4, {0, 2, 6, 8}},
    {"beyond_l1", "L2 hit", 12, (64 << 10) / LINE, false, false, true, false, 4, {0, 2, 6, 8}},
    {"hot", "L1 hit", 0, 1024, false, false, true, false, 3, {0, 2, 5}},
    {"store_beyond_l1", "L2 hit", 0, (64 << 10) / LINE, false, false, false, true, 4, {0, 2, 6, 8}},
    {"store_hot", "L1 hit", 0, 1024, false, false, false, true, 3, {0, 2, 5}},
    {"lock_hot", "L1 hit", 0, 1024, false, false, true, true, 3, {0, 4, 7}},
};

struct sums {
    uint64_t samples;
    uint64_t accesses;
    uint64_t other_level;
};

/* The loop that a line of perf script is in, and the offset of its instruction. */
static const struct loop *loop_of(const char *line, unsigned *offset)
{
    for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
        char text[64];
        const char *at;

        snprintf(text, sizeof(text), " %s+0x", loops[i].name);
        at = strstr(line, text);
        if (at != NULL && sscanf(at + strlen(text), "%x", offset) == 1) {
            return &loops[i];
        }
    }
    return NULL;
}

static uint64_t register_in(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    uint64_t value = UINT64_MAX;

    if (at != NULL) {
        sscanf(at + strlen(name), "%" SCNx64, &value);
    }
    return value;
}

/* The access of the first instruction of a loop: its address, level, latency and kind. */
static void check_access(const char *line, const struct loop *loop, struct sums *sums)
{
    const char *operation = loop->loads ? "|OP LOAD" : "|OP STORE";
    const char *behind = strstr(line, "|BLK ");
    uint64_t address = UINT64_MAX;
    unsigned latency = 0;

    sums->accesses++;
    if (sscanf(line, " %" SCNx64, &address) != 1 || address != register_in(line, "DX:")) {
        test_fail("the data address is not RDX: %s", line);
    }
    if (strstr(line, operation) == NULL ||
        (loop->loads && loop->stores) != (strstr(line, "LCK Yes") != NULL)) {
        test_fail("the operation is not what the instruction does: %s", line);
    }
    if (strstr(line, loop->level) == NULL) {
        sums->other_level++;
    } else if (behind == NULL || sscanf(behind, "|BLK %*s %u", &latency) != 1 ||
               latency != loop->latency) {
        test_fail("the latency is %u, expected %u: %s", latency, loop->latency, line);
    }
}

/* Each sample of a loop names one of its instructions; the first of them makes the access. */
static void check_sample(const char *line, const struct loop *loop, unsigned offset,
                         struct sums *sums)
{
    unsigned i = 0;

    sums->samples++;
    while (i < loop->insns && loop->offsets[i] != offset) {
        i++;
    }
    if (i == loop->insns) {
        test_fail("no instruction is at this address: %s", line);
    } else if (i == 0) {
        check_access(line, loop, sums);
    } else if (strstr(line, "|OP N/A") == NULL && strstr(line, "|OP ") != NULL) {
        test_fail("this instruction makes no access: %s", line);
    }
}

static uint64_t ops_of(const struct loop *loop, uint64_t passes)
{
    return loop->rounds * loop->insns * (loop->once ? 1 : passes);
}

static void check_sums(const struct loop *loop, const struct sums *sums, uint64_t passes)
{
    uint64_t ops = ops_of(loop, passes);
    uint64_t known = ops / PERIOD;
    uint64_t few = known / loop->insns / 4;

    if (!loop->faults) {
        expect_between(loop->name, known * LEAST_PERCENT / 100, ops / (PERIOD - IN_LINUX) + 1,
                       sums->samples);
    }
    expect_between("samples of the access", few, UINT32_MAX, sums->accesses);
    expect_between("of another level", 0, FLUSHES, sums->other_level);
}

static bool record(const char *event, const char *options, const struct test *test)
{
    char line[300];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread %s -o " DATA " -e %s -c %d -- " PROGRAMS
             "%s %" PRIu64,
             options, event, PERIOD, test->program, test->n);
    return command_run(NULL, IBS_TIMEOUT, line);
}

/* Checks all samples of the loops of a recording with RDX. */
static void check_recording(struct sums sums[ARRAY_SIZE(loops)])
{
    char line[512];
    unsigned offset;
    FILE *file;

    if (!command_run(SCRIPT, IBS_TIMEOUT,
                     "perf script -i " DATA " -F addr,weight,ip,sym,symoff,data_src,iregs")) {
        return;
    }
    file = fopen(SCRIPT, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL && !test_failed()) {
        const struct loop *loop = loop_of(line, &offset);

        /* Behind the loop, the next one is prepared. */
        if (loop != NULL && offset <= loop->offsets[loop->insns - 1]) {
            check_sample(line, loop, offset, &sums[loop - loops]);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* All ops of the loops, with what they access. */
static void test_ops(const struct test *test)
{
    struct sums sums[ARRAY_SIZE(loops)] = {{0, 0, 0}};

    if (record("ibs_op/cnt_ctl=1/", "-d -W --intr-regs=dx", test)) {
        check_recording(sums);
    }
    for (size_t i = 0; i < ARRAY_SIZE(loops) && !test_failed(); i++) {
        check_sums(&loops[i], &sums[i], test->n);
    }
}

/* A recording that is not finished yet, with fewer samples. */
#define HELD_PERIOD 40000
#define HELD_PASSES 1000

bool ibs_hold_start(struct command *command)
{
    char line[256];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread -d -W --intr-regs=dx -o " DATA
             " -e ibs_op/cnt_ctl=1/ -c %d -- " PROGRAMS "levels %d",
             HELD_PERIOD, HELD_PASSES);
    return command_start(command, INPUT_NULL, NULL, line);
}

/*
 * Levels are not compared: caches are cold after a migration. How many samples a loop has depends
 * on what Linux does meanwhile, which depends on time.
 */
void ibs_hold_finish(struct command *command)
{
    struct sums sums[ARRAY_SIZE(loops)] = {{0, 0, 0}};

    if (command_wait(command, IBS_TIMEOUT)) {
        check_recording(sums);
    }
    for (size_t i = 0; i < ARRAY_SIZE(loops) && !test_failed(); i++) {
        uint64_t known = ops_of(&loops[i], HELD_PASSES) / HELD_PERIOD;

        if (!loops[i].faults) {
            expect_between(loops[i].name, known / 2, known * 2 + 8, sums[i].samples);
        }
    }
}

/* Each of @texts is in a line of what @command writes to @output: SCRIPT or COMMAND_ERRORS. */
static void expect_lines(const char *output, const char *command, const char *const texts[],
                         size_t n)
{
    bool errors = strcmp(output, COMMAND_ERRORS) == 0;
    unsigned found[8] = {0};
    char line[512];
    FILE *file;

    if (!command_run(errors ? NULL : output, IBS_TIMEOUT, command)) {
        return;
    }
    file = fopen(output, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        for (size_t i = 0; i < n; i++) {
            found[i] += strstr(line, texts[i]) != NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    for (size_t i = 0; i < n; i++) {
        expect_between(texts[i], 1, UINT32_MAX, found[i]);
    }
}

/* Fetches of lines, most of which are the kernel's; and those that miss L3. */
static void test_fetches(const struct test *test)
{
    static const char *const texts[] = {"MaxCnt    4000 ", "Val 1 Comp 1",  "IcMiss 0",
                                        "PhyAddrValid 1",  "IbsFetchLinAd", "IbsFetchPhysAd"};
    static const char *const misses[] = {"IcMiss 1"};
    char line[200];

    if (record("ibs_fetch/rand_en=1/", "-R", test)) {
        expect_lines(SCRIPT, "perf script -D -i " DATA, texts, ARRAY_SIZE(texts));
    }
    snprintf(line, sizeof(line),
             "perf record -q -N -B -R -o " DATA " -e ibs_fetch/l3missonly=1/ -c 16 -- " PROGRAMS
             "%s %" PRIu64,
             test->program, test->n);
    if (!test_failed() && command_run(NULL, IBS_TIMEOUT, line)) {
        expect_lines(SCRIPT, "perf script -D -i " DATA, misses, ARRAY_SIZE(misses));
    }
}

/* Linux samples precise cycles by IBS. perf's own test is of that, too. */
static void test_precise(const struct test *test)
{
    static const char *const texts[] = {"cold+0x", "beyond_l2+0x"};
    static const char *const ok[] = {": Ok"};

    if (record("cycles:p", "", test)) {
        expect_lines(SCRIPT, "perf script -i " DATA " -F ip,sym,symoff", texts, ARRAY_SIZE(texts));
        expect_lines(COMMAND_ERRORS, "perf test -v AMD", ok, ARRAY_SIZE(ok));
    }
}

static void test_mem(const struct test *test)
{
    static const char *const texts[] = {"RAM hit", "L3 hit", "L2 hit",
                                        "L1 hit",  "cold",   "beyond_l2"};
    char line[256];

    snprintf(line, sizeof(line), "perf mem record -q -c %d -o " DATA " -- " PROGRAMS "%s %" PRIu64,
             PERIOD / 10, test->program, test->n);
    if (command_run(NULL, IBS_TIMEOUT, line)) {
        expect_lines(SCRIPT, "perf mem report -q -i " DATA " --stdio --sort=mem,symbol", texts,
                     ARRAY_SIZE(texts));
    }
}

/* Branches, with the target of those that are taken; some are returns. */
static void test_branches(const struct test *test)
{
    static const char *const texts[] = {"OpReturn 1", "OpBrnTaken 1", "OpBrnTaken 0",
                                        "IbsBrTarget"};

    if (record("ibs_op/cnt_ctl=1/", "-R", test)) {
        expect_lines(SCRIPT, "perf script -D -i " DATA, texts, ARRAY_SIZE(texts));
    }
}

/*
 * Registers, without Linux's driver
 */

#define FETCH_CTL 0xc0011030
#define OP_CTL 0xc0011033
#define OP_RIP 0xc0011034
#define OP_DATA 0xc0011035
#define OP_DATA3 0xc0011037
#define BRANCH_TARGET 0xc001103b
#define IBS_CTL 0xc001103a
#define FETCH_EXT 0xc001103c
#define FETCH_EN (1ull << 48)
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
 * a new line, and then from the stack.
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
        "	ret\n");
void ibs_spin(uint64_t rounds, uint64_t seed), ibs_random(uint64_t rounds, uint64_t seed),
    ibs_loads(uint64_t rounds, uint64_t address);
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
            test_fail("no instruction of the loop is at its start + %" PRIu64, offset);
            return;
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

const struct test ibs_tests[] = {
    {"ibs/ops", test_ops, "levels", 64, 1, 1},
    {"ibs/mem", test_mem, "levels", 32, 1, 1},
    {"ibs/precise", test_precise, "levels", 32, 1, 1},
    {"ibs/fetches", test_fetches, "forks", 40, 1, 1},
    {"ibs/branches", test_branches, "branches", 20000, 1, 1},
    {"ibs/apic", test_apic, NULL, 0, 1, 1},
    {"ibs/registers", test_registers, NULL, 0, 1, 1},
    {"ibs/masked", test_masked, NULL, 0, 1, 1},
    {"ibs/mispredicted", test_mispredicted, NULL, 0, 1, 1},
    {"ibs/latency", test_latency, NULL, 0, 1, 1},
};
const size_t ibs_tests_count = ARRAY_SIZE(ibs_tests);
