/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of an x86 CPU; see VPMUSamples in system/vpmu_target.h
 *
 * A sample is taken before the next instruction, without a lock.
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "target/i386/pmu/compat.h"
#include "target/i386/pmu/private.h"
#include "system/vpmu_target.h"
#include "tcg/vpmu-profile.h"
#include "nested.h"
#include "orc.h"

/*
 * A caller's frame lies above its callee's, except where a kernel switches to
 * an interrupt stack.
 */
#define STACKS 3
/* The length of the longest CALL with a memory operand, without prefixes. */
#define CALL_MAX 7

static void sample_set_record(CPUState *cs, VPMUObservedCPU *on)
{
    x86_branches_set(X86_CPU(cs), on && on->base.record->has_branches
                                  ? &on->base.record->branches : NULL);
    x86_accesses_set(X86_CPU(cs), on && on->base.record->has_accesses ? on
                                                                      : NULL);
}

/*
 * Where it is
 */

static void sample_place(CPUState *cs, unsigned int ctx,
                         struct vpmu_record_sample *sample)
{
    CPUX86State *env = cpu_env(cs);

    sample->contextidr = env->cr[3] >> TARGET_PAGE_BITS;
    sample->el = ctx != X86_PMU_USER && ctx != X86_PMU_GUEST_USER;
    sample->world = ctx == X86_PMU_GUEST_USER || ctx == X86_PMU_GUEST_KERNEL
        ? VPMU_WORLD_GUEST : VPMU_WORLD_NVHE;
    sample->flags = ctx == X86_PMU_SMM ? VPMU_RECORD_SMM : 0;
}

static void **sample_profile(CPUState *cs)
{
    return &cpu_env(cs)->pmu.profile;
}

static const uint64_t *sample_totals(CPUState *cs, unsigned int ctx)
{
    return ctx < X86_PMU_CONTEXTS ? cpu_env(cs)->pmu.totals[ctx] : NULL;
}

static void sample_describe(CPUState *cs, struct vpmu_record_sample *sample,
                            bool in_insn)
{
    X86CPU *cpu = X86_CPU(cs);
    CPUX86State *env = &cpu->env;
    bool is_syscall = x86_vpmu_sampled_syscall(cpu);
    bool smm = env->hflags & HF_SMM_MASK;

    sample->time = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    sample->pc = is_syscall ? env->regs[R_ECX]
                            : env->segs[R_CS].base + env->eip;
    sample->contextidr = env->cr[3] >> TARGET_PAGE_BITS;
    sample->el = smm || !(is_syscall || (env->hflags & HF_CPL_MASK));
    sample->world = env->hflags & HF_GUEST_MASK
        ? VPMU_WORLD_GUEST : VPMU_WORLD_NVHE;
    sample->flags = smm ? VPMU_RECORD_SMM : 0;
}

/*
 * Call chains by frame pointers: RBP points to the caller's RBP and the return
 * address.  Code without frame pointers has other values in RBP, so a word is
 * accepted as a return address only if a CALL lies before it.
 *
 * The guest controls all of this memory.
 */
typedef struct X86Unwind {
    VPMUReader stack;
    VPMUReader code;
    /* The size of an address in bytes. */
    unsigned int word;
    /* Of 32-bit code. */
    uint32_t code_base;
    uint32_t stack_base;
} X86Unwind;

static bool read_word(X86Unwind *u, uint64_t addr, uint64_t *value)
{
    return vpmu_read_number(&u->stack, addr + u->stack_base, u->word, value);
}

static bool read_code(X86Unwind *u, uint64_t addr, uint8_t *buf, size_t len)
{
    return vpmu_read_virtual(&u->code, addr + u->code_base, buf, len);
}

static bool is_call(X86Unwind *u, uint64_t from)
{
    uint8_t buf[CALL_MAX];

    if (!read_code(u, from - CALL_MAX, buf, sizeof(buf))) {
        return false;
    }
    if (buf[CALL_MAX - 5] == 0xe8) {
        return true;
    }
    /* FF /2, and the number of bytes after the ModR/M byte. */
    for (unsigned int more = 0; more <= CALL_MAX - 2; more++) {
        const uint8_t *insn = &buf[CALL_MAX - 2 - more];

        if (insn[0] == 0xff && extract32(insn[1], 3, 3) == 2) {
            return true;
        }
    }
    return false;
}

/* The bytes of code at the start of a function, without its ENDBR. */
#define START 8

/* Reads @buf, and returns where it was read; 0 if there is no code. */
static uint64_t read_start(X86Unwind *u, uint64_t at, uint8_t buf[START])
{
    static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e };

    if (!read_code(u, at, buf, START)) {
        return 0;
    }
    if (memcmp(buf, endbr, sizeof(endbr)) == 0) {
        at += 4;
    }
    return read_code(u, at, buf, START) ? at : 0;
}

/*
 * Returns the function that the direct CALL in front of @from calls; 0 if there
 * is no such CALL.  An entry of the procedure linkage table is a jump to the
 * function in a table.
 */
static uint64_t called(X86Unwind *u, uint64_t from)
{
    uint64_t mask = MAKE_64BIT_MASK(0, u->word * 8);
    uint8_t buf[START];
    const uint8_t *jump = buf;
    uint64_t target, at, slot;

    if (!read_code(u, from - 5, buf, 5) || buf[0] != 0xe8) {
        return 0;
    }
    target = (from + (int32_t)ldl_le_p(buf + 1)) & mask;
    at = read_start(u, target, buf);
    if (at && buf[0] == 0xf2) {
        jump++;
    }
    if (at && jump[0] == 0xff && jump[1] == 0x25) {
        slot = (int32_t)ldl_le_p(jump + 2);
        slot += u->word == 8 ? at + (jump - buf) + 6 : 0;
        return read_word(u, slot & mask, &target) ? target : 0;
    }
    return target;
}

static bool is_push(const uint8_t *insn)
{
    return (insn[0] & 0xf8) == 0x50 || (insn[0] == 0x41 && is_push(insn + 1));
}

/* SUB of an immediate value from RSP or ESP. */
static bool is_sub(const uint8_t *insn)
{
    insn += insn[0] == 0x48;
    return (insn[0] == 0x83 || insn[0] == 0x81) && insn[1] == 0xec;
}

/* The most code of a function without a frame that is looked at. */
#define LEAF_MAX 512

/* Does the code from @start to @pc leave the stack pointer as it is? */
static bool keeps_stack(X86Unwind *u, uint64_t start, uint64_t pc)
{
    uint8_t code[LEAF_MAX + 4] = {};

    if (pc < start || pc - start > LEAF_MAX ||
        !read_code(u, start, code, pc - start)) {
        return false;
    }
    for (uint64_t i = 0; i < pc - start; i++) {
        if (is_sub(code + i)) {
            return false;
        }
    }
    return !is_push(code);
}

/*
 * Was the function at @pc called by the direct CALL in front of @from, and has
 * it not moved the stack pointer?
 */
static bool is_caller(X86Unwind *u, uint64_t from, uint64_t pc)
{
    uint64_t start = called(u, from);
    uint8_t first[START];

    if (!start || pc == start) {
        return start;
    }
    start = read_start(u, start, first);
    return start && keeps_stack(u, start, pc);
}

/* The same, if it has only pushed RBP. */
static bool is_caller_before_push(X86Unwind *u, uint64_t from, uint64_t pc)
{
    uint64_t start = called(u, from);
    uint8_t first[START];

    if (start) {
        start = read_start(u, start, first);
    }
    return start && first[0] == 0x55 && pc == start + 1;
}

static bool is_ret(const uint8_t *insn)
{
    return insn[0] == 0xc3 || insn[0] == 0xc2 ||
           (insn[0] == 0xf3 && insn[1] == 0xc3);
}

/*
 * Returns the return address of a function that has no frame: not yet, no
 * longer, or none at all; 0 if it has one, or if that is not known.
 */
static uint64_t find_caller(X86Unwind *u, uint64_t pc, uint64_t sp)
{
    uint64_t from;
    uint8_t here[2];

    if (!read_word(u, sp, &from) || !read_code(u, pc, here, sizeof(here))) {
        return 0;
    }
    if ((is_ret(here) && is_call(u, from)) || is_caller(u, from, pc)) {
        return from;
    }
    return read_word(u, sp + u->word, &from) &&
           is_caller_before_push(u, from, pc) ? from : 0;
}

/* Returns false if nothing is known about the code that runs. */
static bool unwind_init(X86Unwind *u, CPUState *cs)
{
    CPUX86State *env = cpu_env(cs);
    bool wide = env->hflags & HF_CS64_MASK;

    *u = (X86Unwind) {
        .stack.cpu = cs,
        .code.cpu = cs,
        .word = wide ? 8 : 4,
        .code_base = wide ? 0 : env->segs[R_CS].base,
        .stack_base = wide ? 0 : env->segs[R_SS].base,
    };
    return x86_reads_guest(env) && (wide || (env->hflags & HF_CS32_MASK));
}

/* Follows frame pointers from @at on.  Returns the new length of the chain. */
static unsigned int unwind_frames(X86Unwind *u, const X86Entered *at,
                                  uint64_t *chain, unsigned int n,
                                  unsigned int frames)
{
    uint64_t fp = at->bp;
    unsigned int stacks = 1;
    uint64_t last = 0;
    uint64_t next, from;

    from = at->pc && n < frames ? find_caller(u, at->pc, at->sp) : 0;
    if (from) {
        chain[n++] = from + u->code_base;
    }
    while (n < frames && fp && !(fp & (u->word - 1))) {
        if (fp <= last && ++stacks > STACKS) {
            break;
        }
        if (!read_word(u, fp, &next) || !read_word(u, fp + u->word, &from) ||
            !is_call(u, from)) {
            break;
        }
        chain[n++] = from + u->code_base;
        last = fp;
        fp = next;
    }
    return n;
}

static unsigned int sample_unwind(CPUState *cs,
                                  const struct vpmu_record_sample *sample,
                                  VPMURecord *r, uint64_t *chain,
                                  unsigned int frames)
{
    CPUX86State *env = cpu_env(cs);
    const X86Orc *orc = sample->el ? x86_orc(cs, sample, r) : NULL;
    X86Entered at = {
        .pc = x86_vpmu_sampled_syscall(X86_CPU(cs)) ? env->regs[R_ECX]
                                                    : env->eip,
        .sp = env->regs[R_ESP],
        .bp = env->regs[R_EBP],
    };
    unsigned int n = 0;
    X86Unwind u;

    if (!unwind_init(&u, cs)) {
        return 0;
    }
    RCU_READ_LOCK_GUARD();
    if (orc) {
        n = x86_orc_unwind(cs, orc, chain, frames, &at);
        if (!at.known || n == frames) {
            return n;
        }
        chain[n++] = at.pc;
        u.word = at.wide ? 8 : 4;
    }
    return unwind_frames(&u, &at, chain, n, frames);
}

/* The general registers, in the order of VPMU_RECORD_REGS_X86. */
static const struct {
    uint8_t number;
    uint8_t saved;
} registers[] = {
    { R_EAX, X86_REGS_AX }, { R_EBX, X86_REGS_BX }, { R_ECX, X86_REGS_CX },
    { R_EDX, X86_REGS_DX }, { R_ESI, X86_REGS_SI }, { R_EDI, X86_REGS_DI },
    { R_EBP, X86_REGS_BP }, { R_ESP, X86_REGS_SP },
};

/* Reads what the kernel has saved.  SYSCALL itself saves nothing. */
static bool sample_saved(CPUState *cs, const X86Entered *at, uint64_t *saved,
                         size_t size)
{
    VPMUReader reader = { .cpu = cs };

#ifdef TARGET_X86_64
    if (!at->regs) {
        saved[X86_REGS_FLAGS / 8] = cpu_to_le64(cpu_env(cs)->regs[R_R11]);
        saved[X86_REGS_CS / 8] = cpu_to_le64(X86_LINUX_USER_CS);
        saved[X86_REGS_SS / 8] = cpu_to_le64(X86_LINUX_USER_SS);
        return true;
    }
#endif
    return vpmu_read_virtual(&reader, at->regs, saved, size);
}

/* The registers of the program that has entered the kernel. */
static bool sample_entered(CPUState *cs,
                           const struct vpmu_record_sample *sample,
                           VPMURecord *r, uint64_t *reg)
{
    const X86Orc *orc = x86_orc(cs, sample, r);
    uint64_t saved[X86_REGS_SS / 8 + 1];
    X86Entered at;

    if (!orc) {
        return false;
    }
    x86_orc_unwind(cs, orc, NULL, 0, &at);
    RCU_READ_LOCK_GUARD();
    if (!at.known || !at.wide ||
        !sample_saved(cs, &at, saved, sizeof(saved))) {
        return false;
    }
    for (unsigned int i = 0; i < ARRAY_SIZE(registers); i++) {
        reg[i] = at.full ? le64_to_cpu(saved[registers[i].saved / 8])
                         : cpu_env(cs)->regs[registers[i].number];
    }
    reg += ARRAY_SIZE(registers);
    reg[-1] = at.sp;
    *reg++ = at.pc;
    *reg++ = le64_to_cpu(saved[X86_REGS_FLAGS / 8]);
    *reg++ = le64_to_cpu(saved[X86_REGS_CS / 8]);
    *reg++ = le64_to_cpu(saved[X86_REGS_SS / 8]);
    /* R15 is saved at the lowest address, R12 to R15 below RBP. */
#ifdef TARGET_X86_64
    for (unsigned int i = 8; i < 16; i++) {
        unsigned int word = i < 12 ? X86_REGS_R8 / 8 - (i - 8) : 15 - i;

        *reg++ = at.full ? le64_to_cpu(saved[word]) : cpu_env(cs)->regs[i];
    }
#endif
    return true;
}

/* Copies the registers of a program, in the order of VPMU_RECORD_REGS_X86. */
static uint64_t sample_registers(CPUState *cs,
                                 const struct vpmu_record_sample *sample,
                                 VPMURecord *r, VPMUStack *stack)
{
    CPUX86State *env = cpu_env(cs);
    uint64_t *reg = stack->reg;

    if (!(env->hflags & HF_CS64_MASK) || (env->hflags2 & HF2_NPT_MASK)) {
        return 0;
    }
    stack->record.registers = ctpop64(VPMU_RECORD_REGS_X86);
    stack->record.code_mask = UINT64_MAX;
    if (sample->el) {
        return sample_entered(cs, sample, r, reg)
               ? reg[ARRAY_SIZE(registers) - 1] : 0;
    }
    for (unsigned int i = 0; i < ARRAY_SIZE(registers); i++) {
        *reg++ = env->regs[registers[i].number];
    }
    *reg++ = sample->pc;
    *reg++ = cpu_compute_eflags(env);
    *reg++ = env->segs[R_CS].selector;
    *reg++ = env->segs[R_SS].selector;
#ifdef TARGET_X86_64
    memcpy(reg, &env->regs[8], 8 * sizeof(*reg));
#endif
    return env->regs[R_ESP];
}

#define MISPREDICTED VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS)
#define LAST_READ_MISS VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_RD)

static const vpmu_sources costs[VPMU_COST_COUNT] = {
    [VPMU_COST_READ] = VPMU_SRC_BIT(VPMU_X86_SRC_L1D_RD),
    [VPMU_COST_WRITE] = VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WR),
    [VPMU_COST_FETCH_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_L1I_MISS),
    [VPMU_COST_READ_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_RD),
    [VPMU_COST_WRITE_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_WR),
    [VPMU_COST_FETCH_LAST_MISS] = LAST_READ_MISS,
    [VPMU_COST_READ_LAST_MISS] = LAST_READ_MISS,
    [VPMU_COST_WRITE_LAST_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_WR),
    [VPMU_COST_CONDITIONAL] = VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND),
    [VPMU_COST_CONDITIONAL_MISS] = MISPREDICTED,
    [VPMU_COST_INDIRECT] = VPMU_SRC_BIT(VPMU_X86_SRC_BR_INDIRECT),
    [VPMU_COST_INDIRECT_MISS] = MISPREDICTED,
    [VPMU_COST_RETURN] = VPMU_SRC_BIT(VPMU_X86_SRC_BR_RETURN),
    [VPMU_COST_RETURN_MISS] = MISPREDICTED,
};

/* The same, of one cost each. */
static const vpmu_sources costs_alone[VPMU_COST_COUNT] = {
    [VPMU_COST_READ] = VPMU_SRC_BIT(VPMU_X86_SRC_L1D_RD),
    [VPMU_COST_WRITE] = VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WR),
    [VPMU_COST_FETCH_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_L1I_MISS),
    [VPMU_COST_READ_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_RD),
    [VPMU_COST_WRITE_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_WR),
    [VPMU_COST_WRITE_LAST_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_WR),
    [VPMU_COST_CONDITIONAL] = VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND),
    [VPMU_COST_CONDITIONAL_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_MISS_TAKEN) |
                                   VPMU_SRC_BIT(VPMU_X86_SRC_MISS_NOT_TAKEN),
    [VPMU_COST_INDIRECT] = VPMU_SRC_BIT(VPMU_X86_SRC_BR_INDIRECT),
    [VPMU_COST_INDIRECT_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_MISS_INDIRECT),
    [VPMU_COST_RETURN] = VPMU_SRC_BIT(VPMU_X86_SRC_BR_RETURN),
    [VPMU_COST_RETURN_MISS] = VPMU_SRC_BIT(VPMU_X86_SRC_MISS_RETURN),
};

const VPMUSamples x86_samples = {
    .set_record = sample_set_record,
    .describe = sample_describe,
    .place = sample_place,
    .profile = sample_profile,
    .costs = costs,
    .cost_alone = costs_alone,
    .insns = X86_PMU_INSNS,
    .totals = sample_totals,
    .guest = x86_guest_describe,
    .translate = x86_translate,
    .branches = x86_branches_copy,
    .access = x86_accesses_describe,
    .unwind = sample_unwind,
    .registers = sample_registers,
};
