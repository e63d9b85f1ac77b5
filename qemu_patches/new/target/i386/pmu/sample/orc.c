/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of an x86-64 Linux kernel, which has no frame pointers
 *
 * For each address of its code, the kernel's ORC tables say where the caller's
 * stack pointer, frame pointer and return address are: see Linux's
 * Documentation/arch/x86/orc-unwinder.rst and arch/x86/include/asm/orc_types.h.
 * The tables do not change while a kernel runs, so they are read once.  The
 * guest controls the tables and the stack; each walk is bounded.
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "cpu.h"
#include "target/i386/pmu/private.h"
#include "system/vpmu_target.h"
#include "orc.h"

/* Limits of all tables together.  Kernels have under a million entries. */
#define TABLES_MAX 512
#define ENTRIES_MAX (8 * MiB)
/* How often reading them is tried: an entry of the kernel may not map them. */
#define TRIES_MAX 16
/* The most frames, and the most switches to a stack at a lower address. */
#define FRAMES_MAX 512
#define STACKS 4
/*
 * The kernel, its modules and BPF programs are in the last 2 GiB: see Linux's
 * Documentation/arch/x86/x86_64/mm.rst.
 */
#define KERNEL_CODE 0xffffffff80000000ull

/* Registers that the caller's stack pointer and frame pointer depend on. */
enum {
    ORC_NONE, ORC_PREV_SP, ORC_DX, ORC_DI, ORC_BP, ORC_SP, ORC_R10, ORC_R13,
    ORC_BP_INDIRECT, ORC_SP_INDIRECT,
};

/* The kind of frame that the caller's stack pointer leads to. */
enum {
    ORC_UNDEFINED, ORC_END, ORC_CALL, ORC_REGS, ORC_REGS_PARTIAL,
};

/* An entry of a table: the fields of struct orc_entry, of 6 bytes. */
#define ENTRY_SIZE 6
typedef struct X86OrcEntry {
    int16_t sp_offset;
    int16_t bp_offset;
    unsigned int sp_reg;
    unsigned int bp_reg;
    unsigned int type;
} X86OrcEntry;

/* The addresses are relative to where they are in the guest. */
typedef struct X86OrcTable {
    uint64_t at;
    uint32_t n;
    const uint8_t *addresses;
    const uint8_t *entries;
} X86OrcTable;

/* Tables are in the order of their addresses. */
struct X86Orc {
    unsigned int type_bits;
    unsigned int n;
    X86OrcTable table[];
};

/*
 * Tables
 */

static uint64_t orc_address(const X86OrcTable *t, uint32_t i)
{
    return t->at + i * 4ull + (int64_t)(int32_t)ldl_le_p(t->addresses + i * 4);
}

static int orc_compare(const void *a, const void *b)
{
    uint64_t left = orc_address(a, 0);
    uint64_t right = orc_address(b, 0);

    return left < right ? -1 : left > right;
}

static X86Orc *orc_new(const VPMURecordOrc *where)
{
    const VPMURecordOrcTableList *from;
    uint64_t entries = 0;
    unsigned int n = 0;
    uint8_t *at;
    X86Orc *orc;

    for (from = where->tables; from; from = from->next) {
        entries += from->value->number;
        n++;
    }
    if (n > TABLES_MAX || entries > ENTRIES_MAX || where->type_bits < 2 ||
        where->type_bits > 3) {
        return NULL;
    }
    orc = g_try_malloc(sizeof(*orc) + n * sizeof(orc->table[0]) +
                       entries * (4 + ENTRY_SIZE));
    if (!orc) {
        return NULL;
    }
    at = (uint8_t *)&orc->table[n];
    orc->type_bits = where->type_bits;
    orc->n = 0;
    for (from = where->tables; from; from = from->next) {
        uint32_t number = from->value->number;

        if (number) {
            orc->table[orc->n++] = (X86OrcTable) {
                .at = from->value->addresses, .n = number, .addresses = at,
                .entries = at + number * 4ull,
            };
            at += number * (4ull + ENTRY_SIZE);
        }
    }
    return orc;
}

/* The arguments of reading the tables. */
typedef struct X86OrcRead {
    const VPMURecordOrc *where;
    X86Orc *orc;
} X86OrcRead;

static bool orc_read(VPMUReader *reader, void *opaque)
{
    const X86OrcRead *read = opaque;
    const VPMURecordOrcTableList *from = read->where->tables;

    for (unsigned int i = 0; i < read->orc->n; from = from->next) {
        const X86OrcTable *t = &read->orc->table[i];

        if (from->value->number) {
            if (!vpmu_read_virtual(reader, from->value->addresses,
                                   (uint8_t *)t->addresses, t->n * 4ull) ||
                !vpmu_read_virtual(reader, from->value->entries,
                                   (uint8_t *)t->entries,
                                   t->n * (uint64_t)ENTRY_SIZE)) {
                return false;
            }
            i++;
        }
    }
    return true;
}

const X86Orc *x86_orc(CPUState *cs, const struct vpmu_record_sample *sample,
                      VPMURecord *r)
{
    X86Orc *orc = qatomic_load_acquire(&r->orc);
    X86OrcRead read = { .where = r->threads.orc };
    void *other;

    if (sample->world == VPMU_WORLD_GUEST) {
        return NULL;
    }
    if (orc || !read.where || (sample->flags & VPMU_RECORD_SMM) ||
        qatomic_fetch_inc(&r->orc_tries) >= TRIES_MAX) {
        return orc;
    }
    read.orc = orc = orc_new(read.where);
    if (!orc ||
        !vpmu_target->threads->as_kernel(cs, sample, 0, orc_read, &read)) {
        g_free(orc);
        return NULL;
    }
    qsort(orc->table, orc->n, sizeof(orc->table[0]), orc_compare);
    other = qatomic_cmpxchg(&r->orc, NULL, orc);
    if (other) {
        g_free(orc);
        orc = other;
    }
    return orc;
}

/* The last of @n, whose address by @address() is at most @pc; @n: none. */
static uint32_t orc_index(const X86OrcTable *t, uint64_t pc)
{
    uint32_t low = 0;
    uint32_t high = t->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (orc_address(t, middle) <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

/* Returns the last table that begins at or below @pc, or NULL. */
static const X86OrcTable *orc_table(const X86Orc *orc, uint64_t pc)
{
    const X86OrcTable *t = NULL;

    for (unsigned int i = 0; i < orc->n; i++) {
        if (orc_address(&orc->table[i], 0) > pc) {
            break;
        }
        t = &orc->table[i];
    }
    return t;
}

/* Returns the six bytes for the code at @pc; NULL if no table has it. */
static const uint8_t *orc_entry(const X86Orc *orc, uint64_t pc)
{
    const X86OrcTable *t = orc_table(orc, pc);

    return t ? t->entries + orc_index(t, pc) * (uint64_t)ENTRY_SIZE : NULL;
}

/*
 * Does a table have the code?  The last entry of a table is the end of its
 * code.
 */
static bool orc_covers(const X86Orc *orc, uint64_t pc)
{
    const X86OrcTable *t = orc_table(orc, pc);

    return t && pc < orc_address(t, t->n - 1);
}

/* Returns false if no table says how to find the caller. */
static bool orc_find(const X86Orc *orc, uint64_t pc, X86OrcEntry *entry)
{
    const uint8_t *at = orc_entry(orc, pc);
    unsigned int flags;

    if (!at) {
        return false;
    }
    flags = lduw_le_p(at + 4);
    *entry = (X86OrcEntry) {
        .sp_offset = lduw_le_p(at),
        .bp_offset = lduw_le_p(at + 2),
        .sp_reg = extract32(flags, 0, 4),
        .bp_reg = extract32(flags, 4, 4),
        .type = extract32(flags, 8, orc->type_bits),
    };
    if (orc->type_bits == 2) {
        entry->type += ORC_CALL;
    }
    return entry->sp_reg != ORC_NONE &&
           entry->type >= ORC_CALL && entry->type <= ORC_REGS_PARTIAL;
}

/*
 * Frames
 */

/*
 * @regs: where its registers are saved; 0 if it has called the one before it.
 * @full: all of them are saved, not only what an interrupt pushes.
 */
typedef struct X86OrcFrame {
    VPMUReader stack;
    CPUX86State *env;
    uint64_t pc;
    uint64_t sp;
    uint64_t bp;
    uint64_t regs;
    bool full;
    bool innermost;
} X86OrcFrame;

static bool orc_u64(X86OrcFrame *f, uint64_t at, uint64_t *value)
{
    return vpmu_read_number(&f->stack, at, 8, value);
}

/* A register that only some code in assembly keeps the stack pointer in. */
static bool orc_register(X86OrcFrame *f, unsigned int reg, unsigned int saved,
                         uint64_t *value)
{
    if (f->innermost) {
        *value = f->env->regs[reg];
        return true;
    }
    return f->regs && f->full && orc_u64(f, f->regs + saved, value);
}

static bool orc_caller_sp(X86OrcFrame *f, const X86OrcEntry *e, uint64_t *sp)
{
    switch (e->sp_reg) {
    case ORC_SP:
        *sp = f->sp + e->sp_offset;
        return true;
    case ORC_BP:
        *sp = f->bp + e->sp_offset;
        return true;
    case ORC_SP_INDIRECT:
        if (!orc_u64(f, f->sp, sp)) {
            return false;
        }
        *sp += e->sp_offset;
        return true;
    case ORC_BP_INDIRECT:
        return orc_u64(f, f->bp + e->sp_offset, sp);
    case ORC_DX:
        return orc_register(f, R_EDX, X86_REGS_DX, sp);
    case ORC_DI:
        return orc_register(f, R_EDI, X86_REGS_DI, sp);
#ifdef TARGET_X86_64
    case ORC_R10:
        return orc_register(f, R_R10, X86_REGS_R10, sp);
    case ORC_R13:
        return orc_register(f, R_R13, X86_REGS_R13, sp);
#endif
    default:
        return false;
    }
}

static bool orc_caller_bp(X86OrcFrame *f, const X86OrcEntry *e, uint64_t sp)
{
    switch (e->bp_reg) {
    case ORC_NONE:
        return !f->regs || !f->full ||
               orc_u64(f, f->regs + X86_REGS_BP, &f->bp);
    case ORC_PREV_SP:
        return orc_u64(f, sp + e->bp_offset, &f->bp);
    case ORC_BP:
        return orc_u64(f, f->bp + e->bp_offset, &f->bp);
    default:
        return false;
    }
}

/* Code that the kernel has made at run time has frame pointers. */
static const X86OrcEntry orc_pointer = {
    .sp_reg = ORC_BP, .sp_offset = 16, .bp_reg = ORC_PREV_SP, .bp_offset = -16,
    .type = ORC_CALL,
};

/* Goes to the caller, or to the code that was interrupted. */
static bool orc_next(X86OrcFrame *f, const X86OrcEntry *e)
{
    uint64_t sp;
    bool ok;

    if (!orc_caller_sp(f, e, &sp)) {
        return false;
    }
    if (e->type == ORC_CALL) {
        f->regs = 0;
        ok = orc_u64(f, sp - 8, &f->pc);
        f->sp = sp;
    } else {
        f->full = e->type == ORC_REGS;
        f->regs = f->full ? sp : sp - X86_REGS_IP;
        ok = orc_u64(f, f->regs + X86_REGS_IP, &f->pc) &&
             orc_u64(f, f->regs + X86_REGS_SP, &f->sp);
    }
    return ok && orc_caller_bp(f, e, sp);
}

/*
 * Is what the table leads to no frame of an interrupt?  Entries of the kernel
 * have instructions, such as the switch to the thread's stack, for which the
 * table describes the stack as it was before all registers were saved.
 */
static bool orc_lacks_regs(X86OrcFrame *f, uint64_t *cs)
{
    *cs = 0;
    return f->regs &&
           (!orc_u64(f, f->regs + X86_REGS_CS, cs) || !*cs || *cs > UINT16_MAX);
}

/* Has the program entered the kernel here? */
static bool orc_is_program(X86OrcFrame *f, uint64_t cs)
{
    return f->regs && (cs & 3) == 3 && !(f->pc >> 63);
}

/*
 * Until the kernel has saved all registers of the program, the others are still
 * in the CPU.
 */
static void orc_take_program(X86OrcFrame *f, uint64_t cs, X86Entered *program)
{
    if (f->full || f->innermost) {
        *program = (X86Entered) {
            .known = true, .pc = f->pc, .sp = f->sp, .bp = f->bp,
            .regs = f->regs, .full = f->full, .wide = cs == X86_LINUX_USER_CS,
        };
    }
}

#ifdef TARGET_X86_64
/* The bytes of the kernel's entry that are searched for a MOV. */
#define ENTRY_CODE 16
/* The offset of the stack pointer for privilege level 2 in a 64-bit TSS. */
#define TSS_SP2 20

/*
 * Finds the stack pointer of the program that has executed SYSCALL.  The kernel
 * saves it with MOV %rsp, %gs:... where a TSS has that of level 2, which nobody
 * uses, and may then have another value in RSP.
 */
static bool orc_syscall_sp(X86OrcFrame *f, uint64_t *sp)
{
    static const uint8_t mov[] = { 0x65, 0x48, 0x89 };
    uint64_t start = f->env->lstar;
    uint8_t code[ENTRY_CODE];

    if (!vpmu_read_virtual(&f->stack, start, code, sizeof(code))) {
        return false;
    }
    for (unsigned int i = 0; i + sizeof(mov) + 2 <= ENTRY_CODE; i++) {
        const uint8_t *modrm = &code[i + sizeof(mov)];

        /* The address is absolute, or relative to the instruction. */
        if (memcmp(code + i, mov, sizeof(mov)) == 0 &&
            (modrm[0] == 0x25 || (modrm[0] == 0x24 && modrm[1] == 0x25))) {
            *sp = f->env->regs[R_ESP];
            return f->pc <= start + i ||
                   orc_u64(f, f->env->tr.base + TSS_SP2, sp);
        }
    }
    return false;
}

/*
 * Until the kernel has saved the program's registers after SYSCALL, its tables
 * have one entry that says nothing.  RCX has the address of the program.
 */
static bool orc_take_syscall(const X86Orc *orc, X86OrcFrame *f,
                             X86Entered *program)
{
    uint64_t pc = f->env->regs[R_ECX];
    const uint8_t *entry = orc_entry(orc, f->pc);
    uint64_t sp;

    if (!entry || entry != orc_entry(orc, f->env->lstar) ||
        f->pc < f->env->lstar || pc >> 63 || !orc_syscall_sp(f, &sp)) {
        return false;
    }
    *program = (X86Entered) {
        .known = true, .wide = true, .pc = pc, .sp = sp, .bp = f->bp,
    };
    return true;
}
#else
static bool orc_take_syscall(const X86Orc *orc, X86OrcFrame *f,
                             X86Entered *program)
{
    return false;
}
#endif

unsigned int x86_orc_unwind(CPUState *cs, const X86Orc *orc, uint64_t *chain,
                            unsigned int frames, X86Entered *program)
{
    CPUX86State *env = cpu_env(cs);
    X86OrcFrame f = {
        .stack.cpu = cs, .env = env, .pc = env->eip, .sp = env->regs[R_ESP],
        .bp = env->regs[R_EBP], .innermost = true,
    };
    unsigned int stacks = 0;
    unsigned int n = 0;

    *program = (X86Entered) {};
    RCU_READ_LOCK_GUARD();
    for (unsigned int i = 0; i < FRAMES_MAX; i++) {
        bool is_return = !f.innermost && !f.regs;
        uint64_t was = f.sp;
        X86OrcEntry e;
        uint64_t code;

        if (!orc_find(orc, f.pc - is_return, &e)) {
            if ((f.innermost && orc_take_syscall(orc, &f, program)) ||
                orc_covers(orc, f.pc - is_return) || f.bp < f.sp) {
                break;
            }
            e = orc_pointer;
        }
        if (!orc_next(&f, &e) || orc_lacks_regs(&f, &code)) {
            break;
        }
        if (orc_is_program(&f, code)) {
            orc_take_program(&f, code, program);
            break;
        }
        if (f.pc < KERNEL_CODE || (f.sp <= was && ++stacks > STACKS)) {
            break;
        }
        f.innermost = false;
        if (f.regs && n < frames) {
            chain[n++] = VPMU_RECORD_INTERRUPTED;
        }
        if (n < frames) {
            chain[n++] = f.pc;
        }
    }
    return n;
}
