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
 * Call chains of 64-bit code by frame pointers: RBP points to the caller's RBP
 * and the return address.  Code without frame pointers has other values in RBP,
 * so a word is accepted as a return address only if a CALL lies before it.
 *
 * The guest controls all of this memory.
 */

static bool is_call(VPMUReader *code, uint64_t from)
{
    uint8_t buf[CALL_MAX];

    if (!vpmu_read_virtual(code, from - CALL_MAX, buf, sizeof(buf))) {
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

static unsigned int sample_unwind(CPUState *cs,
                                  const struct vpmu_record_sample *sample,
                                  const VPMURecordEntry *entry,
                                  uint64_t *chain, unsigned int frames)
{
    CPUX86State *env = &X86_CPU(cs)->env;
    VPMUReader stack = { .cpu = cs };
    VPMUReader code = { .cpu = cs };
    uint64_t fp = env->regs[R_EBP];
    unsigned int stacks = 1;
    unsigned int n = 0;
    uint64_t last = 0;
    uint64_t frame[2];

    /* This uses the debugger's translation, which lacks nested paging. */
    if (!(env->hflags & HF_CS64_MASK) || (env->hflags2 & HF2_NPT_MASK)) {
        return 0;
    }
    RCU_READ_LOCK_GUARD();
    while (n < frames && fp && !(fp & 7)) {
        if (fp <= last && ++stacks > STACKS) {
            break;
        }
        if (!vpmu_read_virtual(&stack, fp, frame, sizeof(frame)) ||
            !is_call(&code, le64_to_cpu(frame[1]))) {
            break;
        }
        chain[n++] = le64_to_cpu(frame[1]);
        last = fp;
        fp = le64_to_cpu(frame[0]);
    }
    return n;
}

const VPMUSamples x86_samples = {
    .set_record = sample_set_record,
    .describe = sample_describe,
    .branches = x86_branches_copy,
    .access = x86_accesses_describe,
    .unwind = sample_unwind,
};
