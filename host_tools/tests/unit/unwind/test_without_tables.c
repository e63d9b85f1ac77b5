/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains through code that has no unwind table, or one that is not exact: code of a compiler
 * at run time, the return from a signal handler, and lazy binding. Stacks and tables are made up
 * here; the layout of struct ucontext is that of this machine's headers.
 */
#include <link.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "unit/tests.h"
#include "unwind/unwind.h"
#include "vpmu/record.h"

#ifdef __x86_64__
#define SP "rsp"
#define FP "rbp"
#define RETURN "rip"
#define RESTORER "__restore_rt"
enum {
    IS_X86 = 1,
    NOP = 1,
    SP_AT = 7,
    FP_AT = 6,
    PC_AT = 8
};
#else
#define SP "sp"
#define FP "x29"
#define RETURN "x30"
#define RESTORER "__kernel_rt_sigreturn"
enum {
    IS_X86 = 0,
    NOP = 4,
    SP_AT = 31,
    FP_AT = 29,
    PC_AT = 32
};
#endif

/*
 * Functions whose frames have 16 bytes above the stack pointer, or 32 above the frame pointer. The
 * return address is the last word of the frame; but that of odd_frame is above it, as in glibc's
 * function for lazy binding on arm64.
 */
#define FUNCTION(name, base, size, at)                                                             \
    ".globl " name "\n.type " name ", %function\n" name ":\n"                                      \
    ".cfi_startproc\n.cfi_def_cfa " base ", " size "\n.cfi_offset " RETURN ", " at "\n"            \
    "nop\nnop\n.cfi_endproc\n"
__asm__(".text\n" FUNCTION("odd_frame", SP, "16", "8") FUNCTION("usual_frame", SP, "16", "-8")
            FUNCTION("pointer_frame", FP, "32", "-8"));
void odd_frame(void);
void usual_frame(void);
void pointer_frame(void);

/* Code without a file, and where its functions are. */
enum {
    CODE = 0x100000,
    RESTORER_AT = 0x100,
    MADE_AT = 0x200,
    CODE_SIZE = 0x1000
};
enum {
    STACK = 0x7ffff000,
    WORDS = 256,
    MAX = 8
};

static struct guest_files files;
static struct unwinder unwinder;
static uint32_t own, made;
static uint64_t reg[VPMU_RECORD_REGS];
static uint64_t word[WORDS];

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    uint64_t *address = data;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD && *address >= start && *address < start + part->p_memsz) {
            *address += part->p_offset - start;
            return 1;
        }
    }
    /* Only the first one is this program. */
    return -1;
}

static bool find_place(void *opaque, uint64_t address, uint32_t *number, uint64_t *offset)
{
    (void)opaque;
    *offset = address - CODE;
    *number = made;
    if (*offset < CODE_SIZE) {
        return true;
    }
    *offset = address;
    *number = own;
    return dl_iterate_phdr(look, offset) == 1;
}

static uint64_t at(void (*function)(void))
{
    return (uintptr_t)function;
}

static uint64_t behind(void (*function)(void))
{
    return at(function) + NOP;
}

static void start(void)
{
    struct functions functions = {0};
    struct error t = {0};
    char path[256] = "";

    files = (struct guest_files){.symfs = "/"};
    unwinder = (struct unwinder){.x86 = IS_X86, .files = &files};
    memset(reg, 0, sizeof(reg));
    memset(word, 0, sizeof(word));
    ck_assert(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
    ck_assert_int_eq(guest_files_number(&files, path, NULL, 0, &own, &t), 0);
    ck_assert_int_eq(guest_files_number(&files, "[code]", NULL, 0, &made, &t), 0);
    functions_add(&functions,
                  &(struct function){.start = RESTORER_AT, .end = MADE_AT, .name = RESTORER}, &t);
    functions_add(&functions,
                  &(struct function){.start = MADE_AT, .end = CODE_SIZE, .name = "made"}, &t);
    functions_sort(&functions, &t);
    ck_assert_int_eq(guest_files_record(&files, "[code]", &functions, 0, 0, &t), 0);
    functions_free(&functions);
}

/* Expects a chain of @n addresses; -1: none. */
static void expect(uint64_t pc, const uint64_t by_pointers[2], const uint64_t *want, int n)
{
    struct unwind_top top = {.reg = (const unsigned char *)reg,
                             .stack = (const unsigned char *)word,
                             .size = sizeof(word),
                             .code_mask = UINT64_MAX};
    uint64_t chain[MAX];
    int got;

    reg[PC_AT] = pc;
    reg[SP_AT] = STACK;
    if (by_pointers) {
        memcpy(top.by_pointers, by_pointers, sizeof(top.by_pointers));
    }
    got = unwind_chain(&unwinder, &top, find_place, NULL, chain, MAX);
    ck_assert_int_eq(got, n);
    for (int i = 0; i < n; i++) {
        ck_assert_msg(chain[i] == want[i], "address %d: expected %#lx got %#lx", i,
                      (unsigned long)want[i], (unsigned long)chain[i]);
    }
    unwind_free(&unwinder);
    guest_files_free(&files);
}

/* The caller's stack is above the return address, although the table says something else. */
START_TEST(lazy_binding)
{
    const uint64_t want[] = {behind(usual_frame), behind(pointer_frame)};

    start();
    reg[FP_AT] = STACK + 64;
    word[3] = want[0];
    word[5] = want[1];
    expect(at(odd_frame), NULL, want, 2);
}
END_TEST

/* Code of a compiler at run time has frame pointers. Its callers have tables again. */
static void make_frames(void)
{
    start();
    reg[FP_AT] = STACK + 16;
    word[2] = STACK + 64;
    word[3] = behind(pointer_frame);
    word[11] = behind(usual_frame);
}

START_TEST(made_code)
{
    const uint64_t want[] = {CODE + MADE_AT + 0x50, behind(pointer_frame), behind(usual_frame)};
    const uint64_t same[] = {behind(pointer_frame), behind(usual_frame)};
    const uint64_t other[] = {CODE + MADE_AT + 0x50, behind(usual_frame)};

    make_frames();
    expect(CODE + MADE_AT + 0x10, NULL, same, IS_X86 ? 2 : -1);
    make_frames();
    expect(CODE + MADE_AT + 0x10, same, same, IS_X86 ? 2 : -1);
    /* Without a frame of its own, the function has one caller more. */
    make_frames();
    expect(CODE + MADE_AT + 0x10, want, want, IS_X86 ? 3 : -1);
    /* That one is not of these frames. */
    make_frames();
    expect(CODE + MADE_AT + 0x10, other, same, IS_X86 ? 2 : -1);
    make_frames();
    reg[FP_AT] = 0;
    expect(CODE + MADE_AT + 0x10, same, NULL, -1);
}
END_TEST

/* Registers of the interrupted function are where the kernel has saved them. */
START_TEST(interrupted)
{
    static ucontext_t context;
    const uint64_t mark = (uint64_t)PERF_CONTEXT_USER;
    const uint64_t want[] = {mark, CODE + RESTORER_AT, mark, at(pointer_frame),
                             behind(usual_frame)};
    /* Behind the handler's frame. On arm64, struct siginfo comes first. */
    size_t from = 2 + (IS_X86 ? 0 : sizeof(siginfo_t) / sizeof(word[0]));

    start();
#ifdef __x86_64__
    context.uc_mcontext.gregs[REG_RIP] = (greg_t)at(pointer_frame);
    context.uc_mcontext.gregs[REG_RSP] = STACK + 1600;
    context.uc_mcontext.gregs[REG_RBP] = STACK + 1608;
#else
    context.uc_mcontext.pc = at(pointer_frame);
    context.uc_mcontext.sp = STACK + 1600;
    context.uc_mcontext.regs[29] = STACK + 1608;
#endif
    word[1] = want[1];
    memcpy(word + from, &context, 600);
    word[(1608 + 24) / 8] = want[4];
    expect(at(usual_frame), NULL, want, 5);
}
END_TEST

Suite *without_tables_suite(void)
{
    const TTest *const tests[] = {lazy_binding, made_code, interrupted};

    return suite_of("without-tables", tests, COUNT_OF(tests));
}
