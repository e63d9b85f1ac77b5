/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains by ORC tables, from stacks that Linux's arch/x86/entry/ and
 * arch/x86/kernel/unwind_orc.c describe. This test has the memory of the guest.
 */
#include <check.h>

#include "target/i386/pmu/sample/orc.h"
#include "test_qemu.h"

#define TEXT 0xffffffff81000000ull
#define TABLE 0xffffffff82000000ull
#define STACK 0xffffc90000000000ull
#define TSS 0xfffffe0000003000ull
#define PROGRAM 0x401000ull
#define USER_STACK 0x7ffc00001000ull
#define SAVED_STACK 0x7ffc00002000ull

/* Functions, of which the comments say what is above the stack pointer. */
enum {
    BEFORE = 0,      /* the entry, too, but not of SYSCALL */
    ENTRY = 0x20,    /* of SYSCALL: nothing is known */
    MOVED = 0x30,    /* after it has saved the stack pointer */
    SAVED = 0x60,    /* all registers */
    LEAF = 0x100,    /* a return address */
    FRAMED = 0x200,  /* RBP and a return address */
    PUSHED = 0x300,  /* what an interrupt pushes */
    BPF = 0x2000000, /* in no table */
    END = 0x400,     /* nothing: it is the first function */
};

/* The bytes of struct orc_entry, whose type has three bits since Linux 6.4. */
#define ENTRY_OF(sp, bp, sp_reg, bp_reg, type)                                                     \
    {                                                                                              \
        sp, 0, bp, 0xff * ((bp) > 127), (bp_reg) << 4 | (sp_reg), type                             \
    }
static const struct {
    int32_t start;
    uint8_t entry[6];
} functions[] = {
    {BEFORE, ENTRY_OF(0, 0, 0, 0, 0)}, {SAVED, ENTRY_OF(0, 0, 5, 0, 3)},
    {LEAF, ENTRY_OF(8, 0, 5, 0, 2)},   {FRAMED, ENTRY_OF(16, 0xf0, 5, 1, 2)},
    {PUSHED, ENTRY_OF(0, 0, 5, 0, 4)}, {END, ENTRY_OF(0, 0, 0, 0, 1)},
    {0x500, ENTRY_OF(0, 0, 0, 0, 0)},
};

/* ENDBR64, SWAPGS and MOV, at ENTRY. */
static const uint8_t saves[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x01, 0xf8, 0x65,
                                  0x48, 0x89, 0x24, 0x25, 0x14, 0x60, 0x00, 0x00};
static const uint8_t nothing[16];
static const uint8_t saves_relative[16] = {0x0f, 0x01, 0xf8, 0x65, 0x48, 0x89, 0x25, 0x11, 0x22};

#define WORDS 24
static struct {
    uint8_t code[16];
    int32_t addresses[COUNT_OF(functions)];
    uint8_t entries[COUNT_OF(functions)][6];
    uint64_t stack[WORDS];
    uint8_t tss[0x68];
} memory;

bool vpmu_read_virtual(VPMUReader *reader, uint64_t addr, void *buf, size_t len)
{
    const struct {
        uint64_t at;
        const void *bytes;
        size_t size;
    } parts[] = {
        {TEXT + ENTRY, memory.code, sizeof(memory.code)},
        {TABLE, memory.addresses, sizeof(memory.addresses)},
        {TABLE + 0x1000, memory.entries, sizeof(memory.entries)},
        {STACK, memory.stack, sizeof(memory.stack)},
        {TSS, memory.tss, sizeof(memory.tss)},
    };

    (void)reader;
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (addr >= parts[i].at && addr - parts[i].at <= parts[i].size &&
            len <= parts[i].size - (addr - parts[i].at)) {
            memcpy(buf, (const uint8_t *)parts[i].bytes + (addr - parts[i].at), len);
            return true;
        }
    }
    return false;
}

bool vpmu_read_number(VPMUReader *reader, uint64_t addr, size_t len, uint64_t *value)
{
    *value = 0;
    return vpmu_read_virtual(reader, addr, value, len);
}

static bool as_kernel(CPUState *cs, const struct vpmu_record_sample *sample, int64_t hidden,
                      bool (*look)(VPMUReader *reader, void *opaque), void *opaque)
{
    VPMUReader reader = {.cpu = cs};

    (void)sample, (void)hidden;
    return look(&reader, opaque);
}

static const VPMUThreads threads = {.as_kernel = as_kernel};
static const VPMUTarget target = {.threads = &threads};
const VPMUTarget *vpmu_target = &target;

/* Writes the tables to the memory, and reads them as a recording does. */
static const X86Orc *read_tables(CPUState *cs, VPMURecord *r)
{
    static VPMURecordOrcTable table = {TABLE, TABLE + 0x1000, COUNT_OF(functions)};
    static VPMURecordOrcTableList list = {.value = &table};
    static VPMURecordOrc orc = {.type_bits = 3, .tables = &list};
    const struct vpmu_record_sample sample = {.el = 1};

    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        memory.addresses[i] =
            (int32_t)(TEXT + (uint64_t)functions[i].start - (TABLE + i * sizeof(int32_t)));
        memcpy(memory.entries[i], functions[i].entry, sizeof(memory.entries[i]));
    }
    r->threads.orc = &orc;
    return x86_orc(cs, &sample, r);
}

struct row {
    const char *row;
    uint64_t pc;           /* from TEXT on */
    uint64_t stack[WORDS]; /* above the stack pointer */
    uint64_t chain[4];     /* that is found, ended by 0 */
    uint64_t program;      /* the address in the program that is found; 0: none */
    uint64_t bp;
};

static void check_row(const struct row *row)
{
    CPUState cs = {.env = {.eip = TEXT + row->pc, .regs = {[R_ESP] = STACK, [R_EBP] = row->bp}}};
    VPMURecord r = {0};
    const X86Orc *orc = read_tables(&cs, &r);
    uint64_t chain[8] = {0};
    X86Entered program;
    unsigned int n, wanted = 0;

    memcpy(memory.stack, row->stack, sizeof(memory.stack));
    n = x86_orc_unwind(&cs, orc, chain, COUNT_OF(chain), &program);
    while (wanted < COUNT_OF(row->chain) && row->chain[wanted]) {
        wanted++;
    }
    ck_assert_msg(n == wanted && memcmp(chain, row->chain, n * sizeof(*chain)) == 0,
                  "%s: expected %u callers got %u, the first is %#llx", row->row, wanted, n,
                  (unsigned long long)chain[0]);
    ck_assert_msg(program.known == (row->program != 0) && program.pc == row->program,
                  "%s: program at %#llx", row->row, (unsigned long long)program.pc);
    free(r.orc);
}

/* The stack pointer after a frame of @n words. */
#define ABOVE(n) (STACK + 8 * (n))

START_TEST(frames)
{
    static const struct row rows[] = {
        {"a caller", LEAF + 4, {TEXT + END + 8}, {TEXT + END + 8}, 0, 0},
        {"two callers",
         LEAF + 4,
         {TEXT + FRAMED + 8, 0x77, TEXT + END + 8},
         {TEXT + FRAMED + 8, TEXT + END + 8},
         0,
         0},
        {"a call that ends a function",
         LEAF,
         {TEXT + PUSHED, 0x77, TEXT + END + 8},
         {TEXT + PUSHED, TEXT + END + 8},
         0,
         0},
        {"not code", LEAF, {0x1234}, {0}, 0, 0},
        {"random bytes", LEAF, {0xe1d0cdff94b867d1}, {0}, 0, 0},
        {"data of the kernel", LEAF, {0xffff888000001000}, {0}, 0, 0},
        /* Only what no table has, such as BPF programs, has frame pointers. */
        {"a frame pointer", BPF, {0, ABOVE(3), TEXT + END + 8}, {TEXT + END + 8}, 0, ABOVE(1)},
        {"no table, below the stack", BPF, {0, ABOVE(3), TEXT + END + 8}, {0}, 0, ABOVE(-1)},
        {"no caller", END + 4, {0, ABOVE(3), TEXT + END + 8}, {0}, 0, ABOVE(1)},
        {"nothing is known", BEFORE + 4, {0, ABOVE(3), TEXT + END + 8}, {0}, 0, ABOVE(1)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_row(&rows[i]);
    }
}
END_TEST

/*
 * A frame of an interrupt has IP, CS, FLAGS, SP and SS. The chain ends where there is no selector
 * of code: it is then not such a frame.
 */
START_TEST(interrupts)
{
    static const uint64_t kernel = TEXT + END + 8;
    static const struct {
        const char *row;
        uint64_t ip, cs;
        bool follows; /* the address is in the chain, and is no return address */
        bool program; /* it is the program that was interrupted */
    } rows[] = {
        {"kernel", kernel, 0x10, true, false},
        {"program", PROGRAM, 0x33, false, true},
        {"32-bit program", PROGRAM, 0x23, false, true},
        {"largest selector", kernel, 0xffff, true, false},
        {"no selector", kernel, 0, false, false},
        {"larger than a selector", kernel, 0x10000, false, false},
        {"a pointer", kernel, kernel, false, false},
        {"program without a selector", PROGRAM, 0, false, false},
        {"program with the kernel's selector", PROGRAM, 0x10, false, false},
        {"kernel with a program's selector", kernel, 0x33, true, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct row pushed = {rows[i].row,
                             PUSHED + 4,
                             {rows[i].ip, rows[i].cs, 0x202, ABOVE(5), 0x18},
                             {rows[i].follows ? VPMU_RECORD_INTERRUPTED : 0, rows[i].ip},
                             rows[i].program ? rows[i].ip : 0,
                             0x55};
        struct row saved = pushed;

        check_row(&pushed);
        /* Below them are the other registers. */
        saved.pc = SAVED + 4;
        memset(saved.stack, 0, sizeof(saved.stack));
        memcpy(&saved.stack[X86_REGS_IP / 8], pushed.stack, 5 * sizeof(pushed.stack[0]));
        saved.stack[X86_REGS_SP / 8] = ABOVE(21);
        check_row(&saved);
    }
}
END_TEST

/* The first instructions after SYSCALL, until the registers are saved. */
START_TEST(syscalls)
{
    static const struct {
        const char *row;
        uint64_t pc; /* from TEXT on */
        const uint8_t *code;
        uint64_t rcx;
        uint64_t sp; /* of the program; 0: it is not known */
    } rows[] = {
        {"first instruction", ENTRY, saves, PROGRAM, USER_STACK},
        {"before MOV", ENTRY + 7, saves, PROGRAM, USER_STACK},
        {"after MOV", ENTRY + 16, saves, PROGRAM, SAVED_STACK},
        {"last instruction", SAVED - 1, saves, PROGRAM, SAVED_STACK},
        {"relative, before MOV", ENTRY + 3, saves_relative, PROGRAM, USER_STACK},
        {"relative, after MOV", MOVED, saves_relative, PROGRAM, SAVED_STACK},
        {"another entry", BEFORE, saves, PROGRAM, 0},
        {"behind it", END, saves, PROGRAM, 0},
        {"no address of a program", ENTRY, saves, TEXT, 0},
        {"no MOV", ENTRY, nothing, PROGRAM, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CPUState cs = {
            .env = {.eip = TEXT + rows[i].pc,
                    .lstar = TEXT + ENTRY,
                    .tr.base = TSS,
                    .regs = {[R_ESP] = USER_STACK, [R_EBP] = 0x55, [R_ECX] = rows[i].rcx}}};
        const uint64_t saved = SAVED_STACK;
        VPMURecord r = {0};
        X86Entered program;

        memcpy(memory.code, rows[i].code, sizeof(memory.code));
        /* The field sp2 of struct x86_hw_tss. */
        memcpy(memory.tss + 20, &saved, sizeof(saved));
        ck_assert_uint_eq(x86_orc_unwind(&cs, read_tables(&cs, &r), NULL, 0, &program), 0);
        ck_assert_msg(program.known == (rows[i].sp != 0) && program.sp == rows[i].sp,
                      "%s: got %#llx", rows[i].row, (unsigned long long)program.sp);
        ck_assert_msg(!program.known || (program.pc == rows[i].rcx && program.bp == 0x55 &&
                                         program.wide && !program.regs),
                      "%s", rows[i].row);
        free(r.orc);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {frames, interrupts, syscalls};

    return run_suite("orc", tests, COUNT_OF(tests));
}
