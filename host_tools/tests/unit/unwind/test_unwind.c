/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains by unwind tables: those of this program equal what the unwinder of GCC's library
 * finds. Stacks, registers, files and expressions that somebody has made up end the chain.
 */
#include "unwind/unwind.h"

#include <dwarf.h>
#include <execinfo.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "unit/tests.h"
#include "unwind/frame-expression.h"
#include "unwind/program-stacks.h"
#include "vpmu/record.h"

#define STACK 16384u
#define MAX 64
/* An address of a kernel. */
#define KERNEL_AT 0xffffffff81000000ull

/*
 * Expressions
 */

#define OP(...) ((struct frame_op){__VA_ARGS__})

static const struct {
    const char *reason;
    struct frame_op op[6];
    size_t n;
    bool known;
    uint64_t value;
} expressions[] = {
    {"a register and an offset", {OP(-8ull, 0, DW_OP_breg7)}, 1, true, 0x1000 - 8},
    {"the same as DWARF numbers it", {OP(7, 16, DW_OP_bregx)}, 1, true, 0x1010},
    {"the address of the frame", {OP(0, 0, DW_OP_call_frame_cfa)}, 1, true, 0x2000},
    {"memory", {OP(8, 0, DW_OP_breg7), OP(0, 0, DW_OP_deref)}, 2, true, 0x42},
    {"the end of memory", {OP(16, 0, DW_OP_breg7), OP(0, 0, DW_OP_deref)}, 2, false, 0},
    {"memory that is not the stack",
     {OP(0, 0, DW_OP_lit0 + 9), OP(0, 0, DW_OP_deref)},
     2,
     false,
     0},
    {"a register that is not known", {OP(0, 0, DW_OP_breg0 + 3)}, 1, false, 0},
    {"a register that does not exist", {OP(99, 0, DW_OP_bregx)}, 1, false, 0},
    /* An entry of the procedure linkage table: 8 or, if RIP & 15 >= 11, 16. */
    {"a comparison that is true",
     {OP(0, 0, DW_OP_lit0 + 15), OP(0, 0, DW_OP_lit0 + 11), OP(0, 0, DW_OP_ge),
      OP(0, 0, DW_OP_lit0 + 3), OP(0, 0, DW_OP_shl)},
     5,
     true,
     8},
    {"a comparison that is false",
     {OP(0, 0, DW_OP_lit0 + 1), OP(0, 0, DW_OP_lit0 + 11), OP(0, 0, DW_OP_ge)},
     3,
     true,
     0},
    {"too many bits",
     {OP(1, 0, DW_OP_constu), OP(64, 0, DW_OP_constu), OP(0, 0, DW_OP_shl)},
     3,
     true,
     0},
    {"nothing to add to", {OP(0, 0, DW_OP_lit0), OP(0, 0, DW_OP_plus)}, 2, false, 0},
    {"nothing to add a constant to", {OP(5, 0, DW_OP_plus_uconst)}, 1, false, 0},
    {"a branch, which could be a loop", {OP(-3ull, 0, DW_OP_skip)}, 1, false, 0},
    {"nothing at all", {OP(0, 0, DW_OP_nop)}, 0, false, 0},
};

START_TEST(expressions_of_tables)
{
    static const uint64_t stack[] = {0x41, 0x42};
    const struct frame frame = {.reg = {[7] = 0x1000},
                                .known = 1u << 7,
                                .cfa = 0x2000,
                                .stack = (const unsigned char *)stack,
                                .stack_at = 0x1000,
                                .stack_size = sizeof(stack)};

    for (size_t i = 0; i < COUNT_OF(expressions); i++) {
        uint64_t value = 0;
        bool known = frame_expression(&frame, expressions[i].op, expressions[i].n, &value);

        ck_assert_msg(known == expressions[i].known, "%s", expressions[i].reason);
        ck_assert_msg(!known || value == expressions[i].value, "%s", expressions[i].reason);
    }
}
END_TEST

START_TEST(expression_too_deep)
{
    struct frame_op op[64];
    const struct frame frame = {0};
    uint64_t value;

    for (size_t i = 0; i < COUNT_OF(op); i++) {
        op[i] = OP(1, 0, DW_OP_constu);
    }
    ck_assert(!frame_expression(&frame, op, COUNT_OF(op), &value));
}
END_TEST

/*
 * This program
 */

/* struct seen - the registers and the stack of a function, and its callers by backtrace() */
struct seen {
    uint64_t reg[VPMU_RECORD_REGS];
    unsigned char stack[STACK];
    size_t size;
    void *caller[MAX];
    int n;
};

static struct seen seen;
/* The end of this stack's memory. */
static uintptr_t stack_end;

struct mapping {
    uint64_t start, end, offset;
    uint32_t number;
};

static struct mapping mapping[256];
static size_t mappings;

static void read_mappings(struct guest_files *files)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long start, end, offset;
    char line[512], use[8], path[256];
    struct error t = {0};

    mappings = 0;
    while (maps && fgets(line, sizeof(line), maps) && mappings < COUNT_OF(mapping)) {
        int n = sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, use, &offset, path);

        if (n == 5 && strcmp(path, "[stack]") == 0) {
            stack_end = end;
        }
        if (n == 5 && use[2] == 'x' && path[0] == '/') {
            struct mapping *m = &mapping[mappings++];

            *m = (struct mapping){.start = start, .end = end, .offset = offset};
            ck_assert_int_eq(guest_files_number(files, path, NULL, 0, &m->number, &t), 0);
        }
    }
    ck_assert(maps && stack_end);
    fclose(maps);
}

static bool find_place(void *opaque, uint64_t address, uint32_t *number, uint64_t *offset)
{
    (void)opaque;
    for (size_t i = 0; i < mappings; i++) {
        if (address >= mapping[i].start && address < mapping[i].end) {
            *number = mapping[i].number;
            *offset = address - mapping[i].start + mapping[i].offset;
            return true;
        }
    }
    return false;
}

#ifdef __x86_64__
static const bool x86 = true;

static uint64_t take_registers(const ucontext_t *c)
{
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
                                REG_RSP, REG_RIP, REG_EFL, REG_EFL, REG_EFL, REG_R8,  REG_R9,
                                REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

    for (size_t i = 0; i < COUNT_OF(order); i++) {
        seen.reg[i] = (uint64_t)c->uc_mcontext.gregs[order[i]];
    }
    return seen.reg[7];
}
#else
static const bool x86 = false;

static uint64_t take_registers(const ucontext_t *c)
{
    memcpy(seen.reg, c->uc_mcontext.regs, 31 * sizeof(seen.reg[0]));
    seen.reg[31] = c->uc_mcontext.sp;
    seen.reg[32] = c->uc_mcontext.pc;
    return c->uc_mcontext.sp;
}
#endif

/* This runs without sanitizers, which would not like the reads of other functions' variables. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static void look(void)
{
    ucontext_t context;
    uintptr_t sp;

    seen.n = backtrace(seen.caller, MAX);
    getcontext(&context);
    sp = take_registers(&context);
    seen.size = stack_end - sp < STACK ? stack_end - sp : STACK;
    for (size_t i = 0; i < seen.size; i++) {
        seen.stack[i] = ((volatile unsigned char *)sp)[i];
    }
}

__attribute__((noinline)) static void recurse(volatile unsigned *depth)
{
    unsigned char some[100];

    memset(some, (int)*depth, sizeof(some));
    if (*depth) {
        --*depth;
        recurse(depth);
    } else {
        look();
    }
    *depth += some[3];
}

static int compare(const void *a, const void *b)
{
    volatile unsigned depth = 3;

    recurse(&depth);
    return memcmp(a, b, 1);
}

static struct unwind_top top_of_seen(void)
{
    return (struct unwind_top){.reg = (const unsigned char *)seen.reg,
                               .stack = seen.stack,
                               .size = seen.size,
                               .code_mask = UINT64_MAX};
}

START_TEST(chain_of_this_program)
{
    struct guest_files files = {.symfs = "/"};
    struct unwinder u = {.x86 = x86, .files = &files};
    struct unwind_top top;
    uint64_t chain[MAX];
    char two[] = "ba";
    int own = 0;
    int n;

    read_mappings(&files);
    /* A function of the C library is among the callers. */
    qsort(two, 2, 1, compare);
    top = top_of_seen();
    n = unwind_chain(&u, &top, find_place, NULL, chain, MAX);
    ck_assert_int_gt(seen.n, 8);
    /* look() itself comes first, and before it a sanitizer's backtrace(). */
    while (own < seen.n && chain[0] != (uintptr_t)seen.caller[own]) {
        own++;
    }
    ck_assert_int_le(own, 2);
    ck_assert_int_eq(n, seen.n - own);
    for (int i = 0; i < n; i++) {
        ck_assert_uint_eq(chain[i], (uintptr_t)seen.caller[i + own]);
    }
    /* The limit is kept, and a short copy of the stack ends the chain. */
    ck_assert_int_eq(unwind_chain(&u, &top, find_place, NULL, chain, 3), 3);
    top.size = 64;
    ck_assert_int_lt(unwind_chain(&u, &top, find_place, NULL, chain, MAX), 3);
    unwind_free(&u);
    guest_files_free(&files);
}
END_TEST

/* Each value may be a return address, the address of a frame, or nonsense. */
static uint64_t made_up(void)
{
    const struct mapping *m = &mapping[(size_t)random() % mappings];

    switch (random() % 4) {
    case 0:
        return m->start + (uint64_t)random() % (m->end - m->start);
    case 1:
        return seen.reg[x86 ? 7 : 31] + (uint64_t)random() % STACK;
    case 2:
        return seen.reg[x86 ? 7 : 31] + ((uint64_t)random() % STACK & ~15ull);
    default:
        return (uint64_t)random() << 33 | (uint64_t)random();
    }
}

START_TEST(chains_of_nonsense)
{
    struct guest_files files = {.symfs = "/"};
    struct unwinder u = {.x86 = x86, .files = &files};
    uint64_t sp = 0x7ffff000;

    read_mappings(&files);
    srandom(1);
    for (int round = 0; round < 3000; round++) {
        struct unwind_top top;
        uint64_t chain[MAX];

        seen.reg[x86 ? 7 : 31] = sp;
        for (size_t i = 0; i < COUNT_OF(seen.reg); i++) {
            seen.reg[i] = i == (x86 ? 7 : 31) ? sp : made_up();
        }
        for (size_t i = 0; i < STACK; i += 8) {
            uint64_t word = made_up();

            memcpy(seen.stack + i, &word, sizeof(word));
        }
        seen.size = (size_t)random() % (STACK / 8) * 8;
        top = top_of_seen();
        ck_assert_int_le(unwind_chain(&u, &top, find_place, NULL, chain, MAX), MAX);
    }
    unwind_free(&u);
    guest_files_free(&files);
}
END_TEST

/* The next address after a frame, and how many addresses of the chain stay. */
static const struct {
    const char *reason;
    bool kernel;
    uint64_t chain[4];
    size_t n;
    size_t stay;
} cuts[] = {
    {"all are in code", true, {KERNEL_AT, 0x401000, 0x402000}, 3, 3},
    {"the last byte of a mapping", false, {0x401fff, 0x402fff}, 2, 2},
    {"behind a mapping", false, {0x401000, 0x403000, 0x402000}, 3, 1},
    {"before a mapping", false, {0x400fff}, 1, 0},
    {"a kernel only", true, {KERNEL_AT, KERNEL_AT + 4}, 2, 2},
    {"a program that is gone", true, {KERNEL_AT, 0x7fea0f095b57}, 2, 1},
    {"an interrupted kernel",
     true,
     {KERNEL_AT, (uint64_t)PERF_CONTEXT_KERNEL, KERNEL_AT, 0x401000},
     4,
     4},
    {"an interrupted program",
     false,
     {0x401000, (uint64_t)PERF_CONTEXT_USER, 0x402000, 0x401000},
     4,
     4},
    {"an interrupted program and a kernel",
     false,
     {0x401000, (uint64_t)PERF_CONTEXT_USER, KERNEL_AT},
     3,
     2},
    {"nothing", false, {0}, 0, 0},
    {"a program that is not in the kernel", false, {0x401000, KERNEL_AT, 0x402000}, 3, 1},
    {"a program that has called the kernel", true, {KERNEL_AT, 0x401000, KERNEL_AT}, 3, 2},
    {"a word that looks like a kernel's address", false, {KERNEL_AT, 0x401000}, 2, 0},
};

START_TEST(chain_outside_of_code)
{
    struct kept_map map[] = {{.map = {.start = 0x401000, .end = 0x402000}},
                             {.map = {.start = 0x402000, .end = 0x403000}}};
    const struct kept_maps maps = {.map = map, .n = COUNT_OF(map)};

    for (size_t i = 0; i < COUNT_OF(cuts); i++) {
        ck_assert_msg(program_stacks_cut(&maps, cuts[i].kernel, cuts[i].chain, cuts[i].n) ==
                          cuts[i].stay,
                      "%s", cuts[i].reason);
    }
    ck_assert(program_stacks_mapped(&maps, 0x401000) && program_stacks_mapped(&maps, 0x402fff));
    ck_assert(!program_stacks_mapped(&maps, 0x400fff) && !program_stacks_mapped(&maps, 0x403000));
    ck_assert(!program_stacks_mapped(&maps, KERNEL_AT));
}
END_TEST

/* A file that is not an ELF file has no rules, and neither has one that does not exist. */
START_TEST(file_without_rules)
{
    char path[sizeof(TEMPORARY_PATH)];
    struct frame_rules rules = {0};
    struct frame_row row = {.found = true};
    FILE *file;

    make_temporary(path, "nothing", 7);
    file = fopen(path, "r");
    ck_assert(file && frame_rules_open(&rules, fileno(file)));
    frame_rules_find(&rules, 0x1000, &row);
    ck_assert(!row.found);
    frame_rules_close(&rules);
    row.found = true;
    frame_rules_find(&rules, 0x1000, &row);
    ck_assert(!row.found);
    fclose(file);
    unlink(path);
}
END_TEST

Suite *unwind_suite(void)
{
    const TTest *const tests[] = {expressions_of_tables, expression_too_deep,
                                  chain_of_this_program, chains_of_nonsense,
                                  chain_outside_of_code, file_without_rules};

    return suite_of("unwind", tests, COUNT_OF(tests));
}
