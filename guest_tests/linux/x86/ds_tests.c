/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DS areas that no kernel would set up: PEBS loses its records there, and nothing else happens. And
 * what is in records, with all values of MSR_PEBS_DATA_CFG.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "suite.h"

#define PAGE 4096ull
#define PERIOD 1000
#define ROUNDS 100000ull
/* Fewer, for each value of MSR_PEBS_DATA_CFG. */
#define FEW_ROUNDS 10000ull

/*
 * Pages at a fixed address: the first is the area; the next four can be written, written, only
 * read, not accessed. The largest record has 1232 bytes.
 */
#define AREA 0x200000000ull
#define BUFFER (AREA + PAGE)
#define READ_ONLY (AREA + 3 * PAGE)
#define NOTHING (AREA + 4 * PAGE)

enum {
    PMC0 = 0xc1,
    PERFEVTSEL0 = 0x186,
    FIXED0 = 0x309,
    PERF_CAPABILITIES = 0x345,
    FIXED_CONTROL = 0x38d,
    GLOBAL_CONTROL = 0x38f,
    PEBS_ENABLE = 0x3f1,
    PEBS_DATA_CFG = 0x3f2,
    LOAD_LATENCY = 0x3f6,
    DS_AREA = 0x600,
};

/* 64-bit words of the area. */
enum {
    BASE = 4,
    INDEX,
    MAXIMUM,
    THRESHOLD,
    RESET,
    RESET_FIXED = RESET + 8,
};

/* The format of records from which on their size is chosen. */
#define ADAPTIVE 4
#define SELECT_ADAPTIVE (1ull << 34)
#define FIXED_ADAPTIVE (1ull << 32)
#define FIXED_USER 2ull
#define FIXED_FIELD (FIXED_ADAPTIVE | 0xf)

/* Words of a record of format 3, and of the basic and the memory group of an adaptive one. */
enum {
    WORDS_3 = 25,
    STATUS_3 = 18,
    ADDRESS_3 = 19,
    SIZE_4 = 0,
    IP_4 = 1,
    STATUS_4 = 2,
    BASIC_WORDS = 4,
    ADDRESS_4 = 4,
};

/* Groups, by their bit in MSR_PEBS_DATA_CFG, and the words of each. The last is of each entry. */
enum {
    MEMORY,
    GPRS,
    XMMS,
    LBRS,
    GROUPS,
};

static const unsigned group_words[GROUPS] = {4, 18, 32, 3};

/* An address, and a number of records after it. */
struct place {
    uint64_t at;
    int records;
};

static const struct area {
    const char *what;
    uint64_t area;
    struct place base;
    struct place index;
    struct place maximum;
    struct place threshold;
    uint64_t records; /* that are written; 0: none */
} areas[] = {
    {"5 records", AREA, {BUFFER, 0}, {BUFFER, 0}, {BUFFER, 5}, {UINT64_MAX, 0}, 5},
    {"room for 5 and a bit", AREA, {BUFFER, 0}, {BUFFER, 0}, {BUFFER - 1, 6}, {UINT64_MAX, 0}, 5},
    {"threshold behind it", AREA, {BUFFER, 0}, {BUFFER, 0}, {BUFFER, 2}, {READ_ONLY, 0}, 2},
    {"up to a page's end", AREA, {BUFFER, 0}, {READ_ONLY, -1}, {NOTHING, 0}, {UINT64_MAX, 0}, 1},
    {"a record across", AREA, {BUFFER, 0}, {READ_ONLY - 8, 0}, {NOTHING, 0}, {UINT64_MAX, 0}, 0},
    {"no room", AREA, {BUFFER, 0}, {BUFFER, 0}, {BUFFER - 1, 1}, {UINT64_MAX, 0}, 0},
    {"the index below", AREA, {BUFFER, 0}, {BUFFER - 8, 0}, {BUFFER, 2}, {UINT64_MAX, 0}, 0},
    {"the index above", AREA, {BUFFER, 0}, {READ_ONLY, 0}, {READ_ONLY, 0}, {UINT64_MAX, 0}, 0},
    {"at the top", AREA, {BUFFER, 0}, {UINT64_MAX - 7, 0}, {UINT64_MAX, 0}, {UINT64_MAX, 0}, 0},
    {"an end at 0", AREA, {0, 0}, {0, 0}, {0, 0}, {UINT64_MAX, 0}, 0},
    {"read-only", AREA, {READ_ONLY, 0}, {READ_ONLY, 0}, {NOTHING, 0}, {UINT64_MAX, 0}, 0},
    {"not mapped", AREA, {NOTHING, 0}, {NOTHING, 0}, {NOTHING, 9}, {UINT64_MAX, 0}, 0},
    {"not canonical", AREA, {1ull << 60, 0}, {1ull << 60, 0}, {UINT64_MAX, 0}, {UINT64_MAX, 0}, 0},
    {"a threshold of 0", AREA, {NOTHING, 0}, {NOTHING, 0}, {NOTHING, 9}, {0, 0}, 0},
    {"no area", 0, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0},
    {"an area that is read-only", READ_ONLY, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0},
    {"an area that ends nowhere", NOTHING - 64, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0},
    {"an area at the top", UINT64_MAX - 7, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0},
    {"the page of vsyscall", 0xffffffffff600000, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0},
};

static int msr = -1;

static void wrmsr(off_t address, uint64_t value)
{
    if (pwrite(msr, &value, sizeof(value), address) != (ssize_t)sizeof(value)) {
        test_fail("MSR %#lx cannot be written", (unsigned long)address);
    }
}

static uint64_t rdmsr(off_t address)
{
    uint64_t value = 0;

    if (pread(msr, &value, sizeof(value), address) != (ssize_t)sizeof(value)) {
        test_fail("MSR %#lx cannot be read", (unsigned long)address);
    }
    return value;
}

static bool open_msrs(void)
{
    int module = open("/msr.ko", O_RDONLY | O_CLOEXEC);

    if (module >= 0) {
        syscall(SYS_finit_module, module, "allow_writes=on", 0);
        close(module);
    }
    msr = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
    return msr >= 0;
}

static bool map_pages(void)
{
    static const int rights[] = {PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE,
                                 PROT_READ | PROT_WRITE, PROT_READ};

    for (unsigned i = 0; i < ARRAY_SIZE(rights); i++) {
        void *want = (void *)(AREA + i * PAGE);
        void *page = mmap(want, PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);

        if (page != want || mprotect(page, PAGE, rights[i]) != 0) {
            return false;
        }
    }
    return true;
}

static bool begin(void)
{
    if (msr < 0 && (!open_msrs() || !map_pages())) {
        test_fail("there is no /dev/cpu/0/msr, or no memory");
        return false;
    }
    keep_to_first_cpu(true);
    return true;
}

static bool is_adaptive(void)
{
    return (rdmsr(PERF_CAPABILITIES) >> 8 & 0xf) >= ADAPTIVE;
}

/* What makes records: a counter, and what is in its records. */
struct counted {
    uint64_t select; /* 0: fixed counter 0 */
    uint64_t enable;
    uint64_t data_cfg;
    bool loads;
};

/* Instructions, and loads above no latency, whose records have a data address. */
static const struct counted formats_1_to_3[] = {
    {0x4100c0, 1, 0, false},
    {0x4101cd, 1 | 1ull << 32, 0, true},
};

/* The same, and the fixed counter, with and without groups. */
#define ALL_GROUPS (0xf | 31 << 24)
static const struct counted adaptive[] = {
    {0x4100c0, 1, ALL_GROUPS, false},
    {0x4100c0 | SELECT_ADAPTIVE, 1, ALL_GROUPS, false},
    {0x4101cd | SELECT_ADAPTIVE, 1, 1, true},
    {0, 1ull << 32, ALL_GROUPS, false},
};

static bool has_groups(const struct counted *of)
{
    return (of->select & SELECT_ADAPTIVE) || !of->select;
}

static unsigned words_of(const struct counted *of, bool is_format_4)
{
    unsigned words = is_format_4 ? BASIC_WORDS : WORDS_3;

    for (unsigned i = 0; i < GROUPS && has_groups(of); i++) {
        unsigned times = i == LBRS ? (unsigned)(of->data_cfg >> 24 & 0xff) + 1 : 1;

        words += of->data_cfg >> i & 1 ? times * group_words[i] : 0;
    }
    return words;
}

static void start(const struct counted *of, bool is_format_4)
{
    if (is_format_4) {
        wrmsr(PEBS_DATA_CFG, of->data_cfg);
    }
    wrmsr(PEBS_ENABLE, of->enable);
    if (of->select) {
        wrmsr(PMC0, (uint32_t)-PERIOD);
        wrmsr(PERFEVTSEL0, of->select);
    } else {
        wrmsr(FIXED0, (uint64_t)-PERIOD & 0xffffffffffff);
        wrmsr(GLOBAL_CONTROL, rdmsr(GLOBAL_CONTROL) | 1ull << 32);
        wrmsr(FIXED_CONTROL, (rdmsr(FIXED_CONTROL) & ~FIXED_FIELD) | FIXED_ADAPTIVE | FIXED_USER);
    }
}

static void stop(void)
{
    wrmsr(PERFEVTSEL0, 0);
    wrmsr(FIXED_CONTROL, rdmsr(FIXED_CONTROL) & ~FIXED_FIELD);
    wrmsr(PEBS_ENABLE, 0);
}

static uint64_t loaded;
extern const char ds_load[], ds_dec[], ds_jump[], ds_end[];

#define PATTERN 0x0123456789abcdefull

/* Three instructions a round, at CPL 3, and the registers that records have meanwhile. */
__attribute__((noinline)) static void execute(uint64_t rounds)
{
    __asm__ volatile("mov %2, %%r15\n\t"
                     "movq %%r15, %%xmm0\n\t"
                     "movq %%r15, %%xmm15\n\t"
                     "pslldq $8, %%xmm15\n"
                     "ds_load: mov %1, %%rax\n"
                     "ds_dec: dec %0\n"
                     "ds_jump: jnz ds_load\n"
                     "ds_end:"
                     : "+c"(rounds)
                     : "m"(loaded), "i"(PATTERN)
                     : "rax", "r15", "xmm0", "xmm15", "memory");
}

static uint64_t address_of(const struct place *place, unsigned words)
{
    return place->at + (uint64_t)place->records * words * 8;
}

static void check_record(const uint64_t *record, const struct counted *of, bool is_format_4)
{
    unsigned words = words_of(of, is_format_4);

    if (!is_format_4) {
        expect_eq("of counter 0", 1, record[STATUS_3]);
        expect_eq("data address", of->loads ? (uint64_t)&loaded : 0, record[ADDRESS_3]);
        return;
    }
    expect_eq("the size and groups",
              (uint64_t)words * 8 << 48 | (has_groups(of) ? of->data_cfg : 0),
              record[SIZE_4] & ~(0xffffull << 32));
    expect_eq("of the counter", of->select ? 1 : 1ull << 32, record[STATUS_4]);
    if (of->data_cfg & 1 << MEMORY && has_groups(of)) {
        expect_eq("data address", of->loads ? (uint64_t)&loaded : 0, record[ADDRESS_4]);
    }
}

static void test_area(const struct area *a, const struct counted *of, bool is_format_4,
                      uint64_t rounds)
{
    volatile uint64_t *words = (volatile uint64_t *)AREA;
    unsigned size = words_of(of, is_format_4);
    uint64_t index = address_of(&a->index, size);

    memset((void *)AREA, 0, 3 * PAGE);
    words[BASE] = address_of(&a->base, size);
    words[INDEX] = index;
    words[MAXIMUM] = address_of(&a->maximum, size);
    words[THRESHOLD] = address_of(&a->threshold, size);
    words[of->select ? RESET : RESET_FIXED] = (uint64_t)-PERIOD;
    wrmsr(DS_AREA, a->area);
    start(of, is_format_4);
    execute(rounds);
    stop();
    expect_eq(a->what, index + a->records * size * 8, words[INDEX]);
    for (uint64_t i = 0; i < a->records; i++) {
        check_record((const uint64_t *)index + i * size, of, is_format_4);
    }
    expect_eq("the base", address_of(&a->base, size), words[BASE]);
    expect_eq("the reset value", (uint64_t)-PERIOD, words[of->select ? RESET : RESET_FIXED]);
}

/* Linux gets its area back. */
static void test_areas(const struct test *test)
{
    bool is_format_4;
    uint64_t before;

    (void)test;
    if (!begin()) {
        return;
    }
    before = rdmsr(DS_AREA);
    is_format_4 = is_adaptive();
    wrmsr(LOAD_LATENCY, 0);
    for (size_t i = 0; i < ARRAY_SIZE(areas); i++) {
        const struct counted *of = is_format_4 ? adaptive : formats_1_to_3;
        size_t n = is_format_4 ? ARRAY_SIZE(adaptive) : ARRAY_SIZE(formats_1_to_3);

        for (size_t k = 0; k < n && !test_failed(); k++) {
            test_area(&areas[i], &of[k], is_format_4, ROUNDS);
        }
    }
    wrmsr(DS_AREA, before);
    keep_to_first_cpu(false);
}

/* Words of the group of registers. */
enum {
    GPR_IP = 1,
    GPR_CX = 3,
    GPR_R15 = 17,
};

static void check_gprs(const uint64_t *gprs, const uint64_t *record)
{
    uint64_t at = record[IP_4];
    const char *next = NULL;

    if (at == (uint64_t)ds_load) {
        next = ds_dec;
    } else if (at == (uint64_t)ds_dec) {
        next = ds_jump;
    } else if (at == (uint64_t)ds_jump) {
        next = gprs[GPR_CX] ? ds_load : ds_end;
    }
    if (!next) {
        test_fail("a record is of an instruction at %#" PRIx64 ", outside of the loop", at);
    }
    expect_eq("IP", (uint64_t)next, gprs[GPR_IP]);
    expect_between("RCX", 0, FEW_ROUNDS, gprs[GPR_CX]);
    expect_eq("R15", PATTERN, gprs[GPR_R15]);
}

static void check_zeros(const char *what, const uint64_t *words, unsigned count)
{
    for (unsigned i = 0; i < count && !test_failed(); i++) {
        expect_eq(what, 0, words[i]);
    }
}

/* The groups follow each other. Instructions have no access, and nothing records branches. */
static void check_groups(const uint64_t *record, uint64_t data_cfg)
{
    const uint64_t *at = record + BASIC_WORDS;

    if (data_cfg & 1 << MEMORY) {
        check_zeros("memory", at, group_words[MEMORY]);
        at += group_words[MEMORY];
    }
    if (data_cfg & 1 << GPRS) {
        check_gprs(at, record);
        at += group_words[GPRS];
    }
    if (data_cfg & 1 << XMMS) {
        expect_eq("XMM0", PATTERN, at[0]);
        expect_eq("XMM0, high", 0, at[1]);
        expect_eq("XMM15", 0, at[30]);
        expect_eq("XMM15, high", PATTERN, at[31]);
        at += group_words[XMMS];
    }
    if (data_cfg & 1 << LBRS) {
        check_zeros("LBR", at, (unsigned)((data_cfg >> 24) + 1) * group_words[LBRS]);
    }
}

/* Records of one selection of groups, until the buffer is full. */
static void test_groups(uint64_t data_cfg)
{
    const struct area all = {"records of these groups", AREA, {BUFFER, 0}, {BUFFER, 0}, {BUFFER, 5},
                             {UINT64_MAX, 0},           5};
    const struct counted of = {0x4100c0 | SELECT_ADAPTIVE, 1, data_cfg, false};
    unsigned size = words_of(&of, true);

    test_area(&all, &of, true, FEW_ROUNDS);
    for (uint64_t i = 0; i < all.records && !test_failed(); i++) {
        check_groups((const uint64_t *)BUFFER + i * size, data_cfg);
    }
}

static void test_all_groups(const struct test *test)
{
    static const uint64_t entries[] = {0, 1, 7, 31};
    uint64_t before;

    (void)test;
    if (!begin()) {
        return;
    }
    if (!is_adaptive()) {
        test_fail("records have no groups: the PEBS format is below 4");
    }
    before = rdmsr(DS_AREA);
    for (uint64_t groups = 0; groups < 1 << GROUPS; groups++) {
        for (size_t i = 0; i < ARRAY_SIZE(entries) && !test_failed(); i++) {
            test_groups(groups | entries[i] << 24);
        }
    }
    wrmsr(DS_AREA, before);
    keep_to_first_cpu(false);
}

/* MSR_PEBS_DATA_CFG has reserved bits. */
static void test_reserved(const struct test *test)
{
    (void)test;
    if (!begin()) {
        return;
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t value = 1ull << bit;
        bool exists = bit < GROUPS || (bit >= 24 && bit < 32);
        bool written = pwrite(msr, &value, sizeof(value), PEBS_DATA_CFG) == sizeof(value);

        if (written != exists) {
            test_fail("bit %u of MSR_PEBS_DATA_CFG %s", bit,
                      written ? "can be written" : "cannot be written");
        }
    }
    wrmsr(PEBS_DATA_CFG, 0);
    keep_to_first_cpu(false);
}

/* A page with one instruction, RET, that is not mapped until it is executed. */
static void *code_page(void)
{
    static const uint8_t ret = 0xc3;
    int file = memfd_create("code", MFD_CLOEXEC);
    void *page = MAP_FAILED;

    if (file >= 0 && ftruncate(file, PAGE) == 0 && write(file, &ret, 1) == 1) {
        page = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    }
    close(file);
    return page;
}

/*
 * An instruction ends a period and the next one faults: the record is lost, and the fault is what
 * it would be without PEBS. One of the periods ends at the call of the page.
 */
static void test_faults(const struct test *test)
{
    void *page = code_page();
    int status = -1;
    uint64_t before;
    pid_t child;

    if (page == MAP_FAILED || !begin()) {
        test_fail("there is no page to execute");
        return;
    }
    before = rdmsr(DS_AREA);
    wrmsr(DS_AREA, 0);
    wrmsr(PEBS_ENABLE, 1);
    wrmsr(PERFEVTSEL0, 0x4100c0);
    child = fork();
    for (uint64_t n = 1; child == 0 && n <= test->n; n++) {
        madvise(page, PAGE, MADV_DONTNEED);
        wrmsr(PMC0, (uint32_t)-n);
        ((void (*)(void))page)();
    }
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, &status, 0);
    expect_eq("how the calls end", 0, (uint64_t)status);
    stop();
    wrmsr(DS_AREA, before);
    munmap(page, PAGE);
    keep_to_first_cpu(false);
}

const struct test ds_tests[] = {
    {"ds/areas", test_areas, NULL, 0, 1, 1},
    {"ds/faults", test_faults, NULL, 400, 1, 1},
    {"ds/groups", test_all_groups, NULL, 0, 1, 1},
    {"ds/reserved", test_reserved, NULL, 0, 1, 1},
};
const size_t ds_tests_count = ARRAY_SIZE(ds_tests);
