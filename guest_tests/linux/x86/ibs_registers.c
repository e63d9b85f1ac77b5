/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instruction-based sampling of AMD's CPUs: its registers, without Linux's driver. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "ibs.h"
#include "suite.h"
#include "x86.h"

enum {
    MEMORY_LATENCY = 150,
};

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
    if (!ibs_begin()) {
        return;
    }
    expect_eq("the extended space exists", 1, ibs_apic_read(APIC_VERSION) >> 31);
    expect_eq("entries of the extended LVT", APIC_ENTRIES, ibs_apic_read(APIC_FEATURE) >> 16);
    ibs_apic_write(APIC_FEATURE, 0);
    expect_eq("read-only", APIC_ENTRIES, ibs_apic_read(APIC_FEATURE) >> 16);
    for (unsigned i = 1; i < APIC_ENTRIES; i++) {
        expect_eq("after reset", MASKED, ibs_apic_read(APIC_ENTRY + i * APIC_STEP));
        ibs_apic_write(APIC_ENTRY + i * APIC_STEP, UINT32_MAX);
        expect_eq("all bits", ENTRY_BITS, ibs_apic_read(APIC_ENTRY + i * APIC_STEP));
        ibs_apic_write(APIC_ENTRY + i * APIC_STEP, MASKED);
    }
    expect_eq("Linux's entry", NMI, ibs_apic_read(APIC_ENTRY));
}

/* APM 2, 16.3.1: while the APIC is disabled, all entries are masked, and stay so. */
static void disabled_apic(void)
{
    uint32_t enabled = ibs_apic_read(APIC_SVR), at_once, later;

    ibs_apic_write(APIC_SVR, enabled & ~SVR_ENABLED);
    at_once = ibs_apic_read(APIC_ENTRY);
    ibs_apic_write(APIC_ENTRY, NMI);
    later = ibs_apic_read(APIC_ENTRY);
    ibs_apic_write(APIC_SVR, enabled);
    expect_eq("when it is disabled", MASKED | NMI, at_once);
    expect_eq("after a write", MASKED | NMI, later);
    expect_eq("when it is enabled again", MASKED | NMI, ibs_apic_read(APIC_ENTRY));
    ibs_apic_write(APIC_ENTRY, NMI);
    expect_eq("Linux's entry", NMI, ibs_apic_read(APIC_ENTRY));
}

static void test_disabled(const struct test *test)
{
    (void)test;
    ibs_on_first_cpu(disabled_apic);
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

    ibs_apic_write(APIC_ENTRY, MASKED | NMI);
    before = nmis();
    expect_eq("WRMSR", true, ibs_wrmsr(OP_CTL, start));
    loop(rounds, seed);
    control = ibs_rdmsr(OP_CTL);
    if (control & OP_VAL) {
        expect_eq("the count stands still", control, ibs_rdmsr(OP_CTL));
    }
    expect_eq("NMIs while the entry is masked", before, nmis());
    expect_eq("clear", true, ibs_wrmsr(OP_CTL, 0));
    expect_eq("cleared", 0, ibs_rdmsr(OP_CTL));
    ibs_apic_write(APIC_ENTRY, NMI);
    return control;
}

/* Samples one op; returns IbsOpRip. */
static uint64_t sample(void (*loop)(uint64_t rounds, uint64_t seed), uint64_t interval)
{
    uint64_t start = OP_EN | CNT_CTL | interval >> 4;

    expect_eq("valid", start | OP_VAL, run_masked(start, loop, interval, interval) & UINT32_MAX);
    return ibs_rdmsr(OP_RIP);
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
        uint64_t data = ibs_rdmsr(OP_DATA) & (BRANCH | TAKEN);
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
        expect_eq("its target", n == 2 ? first : 0, ibs_rdmsr(BRANCH_TARGET));
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
            expect_eq("the target", (uintptr_t)ibs_choice + 2, ibs_rdmsr(BRANCH_TARGET));
        }
        at_branch += is_branch;
        wrong += is_branch && (ibs_rdmsr(OP_DATA) & MISPREDICTED);
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
        expect_eq("the load of a new line", (uintptr_t)ibs_loads, ibs_rdmsr(OP_RIP));
        expect_eq("IbsDcMissLat", MEMORY_LATENCY, ibs_rdmsr(OP_DATA3) >> 32 & 0xffff);
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
        if (ibs_rdmsr(OP_RIP) == (uintptr_t)ibs_split) {
            expect_eq("the first load", CACHE_MISS | MISS_LATENCY(MEMORY_LATENCY),
                      ibs_rdmsr(OP_DATA3) & bits);
        } else if (ibs_rdmsr(OP_RIP) == (uintptr_t)ibs_split + SECOND) {
            expect_eq("the second load", CROSSES, ibs_rdmsr(OP_DATA3) & bits);
            splits++;
        }
    }
    expect_between("samples of the second load", 1, SAMPLES / 2, splits);
    munmap(lines, BYTES);
}

static void test_masked(const struct test *test)
{
    (void)test;
    ibs_on_first_cpu(exact_interval);
}

static void test_split(const struct test *test)
{
    (void)test;
    ibs_on_first_cpu(split_load);
}

static void test_mispredicted(const struct test *test)
{
    (void)test;
    ibs_on_first_cpu(random_branch);
}

static void test_latency(const struct test *test)
{
    (void)test;
    if (x86_is_model("Turin")) {
        ibs_on_first_cpu(load_latency);
    } else {
        test_skip("only EPYC-Turin filters loads by their latency");
    }
}

/*
 * APM 2, 13.3: which registers exist, bits that must be 0 and that are ignored; PPR of family 17h:
 * what is read-only.
 */
static void test_registers(const struct test *test)
{
    uint64_t op = x86_is_model("Turin")   ? 0xffffffff07ffffff
                  : x86_is_model("Genoa") ? 0x07ffffff07ffffff
                                          : 0x07ffffff07feffff;
    uint64_t fetch = x86_is_model("Turin")   ? 0x3fffffffffffffff
                     : x86_is_model("Genoa") ? 0x3affffffffffffff
                                             : 0x02ffffffffffffff;

    (void)test;
    if (!ibs_begin()) {
        return;
    }
    expect_eq("IBS_CTL", 0x100, ibs_rdmsr(IBS_CTL));
    expect_eq("a write of IBS_CTL", false, ibs_wrmsr(IBS_CTL, 0x101));
    expect_eq("a write of IC_IBS_EXTD_CTL", true, ibs_wrmsr(FETCH_EXT, UINT64_MAX));
    expect_eq("is ignored", 0, ibs_rdmsr(FETCH_EXT) >> 16);
    expect_eq("WRMSR", true, ibs_wrmsr(OP_CTL, op & ~OP_EN));
    expect_eq("IbsOpCtl", op & ~OP_EN, ibs_rdmsr(OP_CTL));
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t value = UINT64_C(1) << bit;

        if (value != OP_EN && !expect_eq("accepted", (op & value) != 0, ibs_wrmsr(OP_CTL, value))) {
            test_fail("bit %u of IbsOpCtl", bit);
        }
    }
    expect_eq("WRMSR", true, ibs_wrmsr(OP_CTL, 0));
    expect_eq("WRMSR", true, ibs_wrmsr(FETCH_CTL, ~(FETCH_EN | RAND_EN)));
    expect_eq("IbsFetchCtl", fetch & ~(FETCH_EN | RAND_EN), ibs_rdmsr(FETCH_CTL));
    expect_eq("WRMSR", true, ibs_wrmsr(FETCH_CTL, 0));
    expect_eq("IbsFetchCtl", 0, ibs_rdmsr(FETCH_CTL));
}

const struct test ibs_register_tests[] = {
    {"ibs/apic", test_apic, NULL, 0, 1, 1},
    {"ibs/disabled", test_disabled, NULL, 0, 1, 1},
    {"ibs/registers", test_registers, NULL, 0, 1, 1},
    {"ibs/masked", test_masked, NULL, 0, 1, 1},
    {"ibs/split", test_split, NULL, 0, 1, 1},
    {"ibs/mispredicted", test_mispredicted, NULL, 0, 1, 1},
    {"ibs/latency", test_latency, NULL, 0, 1, 1},
};
const size_t ibs_register_tests_count = ARRAY_SIZE(ibs_register_tests);
