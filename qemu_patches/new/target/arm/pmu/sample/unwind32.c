/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of AArch32 code, by frame pointers: r11 in A32 code, r7 in T32
 *
 * Compilers have different layouts of a frame.  A word is therefore taken as a
 * return address only if a call precedes the place that it points to.
 *
 * Functions return by loading the PC, so the link register still has what the
 * last call put there.  It is used only in a function whose frame has no return
 * address: such a function makes no calls.
 *
 * All of this belongs to the guest and is not trusted.
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/private.h"
#include "sample.h"

/* A caller's frame is at a higher address, at most this far away. */
#define FRAME_MAX (1 * MiB)

/* Offsets of the caller's frame pointer and of the return address. */
typedef struct Frame32 {
    int next;
    int from;
} Frame32;

static const Frame32 frames32[] = {
    { 0, 4 },    /* AAPCS, and LLVM */
    { -4, 0 },   /* GCC, A32 */
    { -12, -4 }, /* GCC, A32 with -mapcs-frame, as old kernels have it */
};

static bool is_call(VPMUReader *code, uint32_t from)
{
    uint8_t buf[4];
    uint32_t a32;
    uint16_t first, second;

    if (!vpmu_read_virtual(code, (from & ~1u) - 4, buf, sizeof(buf))) {
        return false;
    }
    a32 = ldl_le_p(buf);
    first = lduw_le_p(buf);
    second = lduw_le_p(buf + 2);
    if (from & 1) {
        return ((first & 0xf800) == 0xf000 && (second & 0xc000) == 0xc000) ||
               (second & 0xff87) == 0x4780;
    }
    return !(from & 2) &&
           ((a32 & 0x0f000000) == 0x0b000000 ||
            (a32 & 0xfe000000) == 0xfa000000 ||
            (a32 & 0x0ffffff0) == 0x012fff30);
}

/* Is this a caller's frame?  The outermost frame has 0. */
static bool is_next(uint32_t fp, uint32_t next)
{
    return !next || (next > fp && next - fp <= FRAME_MAX && !(next & 3));
}

/* Reads both words of a frame. */
static bool read_frame(VPMUReader *stack, uint32_t fp, const Frame32 *at,
                       uint32_t *next, uint32_t *from)
{
    uint64_t words[2];

    if (!vpmu_read_number(stack, fp + (uint32_t)at->next, 4, &words[0]) ||
        !vpmu_read_number(stack, fp + (uint32_t)at->from, 4, &words[1])) {
        return false;
    }
    *next = words[0];
    *from = words[1];
    return is_next(fp, *next);
}

static bool find_frame(VPMUReader *stack, VPMUReader *code, uint32_t fp,
                       uint32_t *next, uint32_t *from)
{
    for (unsigned int i = 0; i < ARRAY_SIZE(frames32); i++) {
        if (read_frame(stack, fp, &frames32[i], next, from) &&
            is_call(code, *from)) {
            return true;
        }
    }
    return false;
}

unsigned int arm_vpmu_unwind32(ARMCPU *cpu, uint64_t *chain,
                               unsigned int frames)
{
    CPUARMState *env = &cpu->env;
    VPMUReader stack = {
        .cpu = CPU(cpu), .big_endian = arm_cpu_data_is_big_endian(env),
    };
    VPMUReader code = { .cpu = CPU(cpu) };
    unsigned int n = 0;
    uint32_t fp = env->regs[env->thumb ? 7 : 11];
    bool leaf = false;
    uint32_t from, next;

    RCU_READ_LOCK_GUARD();
    chain[n++] = env->regs[14];
    while (n <= frames && fp && !(fp & 3)) {
        if (find_frame(&stack, &code, fp, &next, &from)) {
            chain[n++] = from & ~1u;
        } else if (n > 1 || leaf || !is_call(&code, chain[0]) ||
                   !read_frame(&stack, fp, &frames32[0], &next, &from)) {
            /* In GCC's leaf functions a frame has only the frame pointer. */
            break;
        } else {
            leaf = true;
        }
        fp = next;
    }
    if (!leaf) {
        /* The reader ignores a link register that equals the first frame's. */
        chain[0] = n > 1 ? chain[1] : 0;
    } else {
        chain[0] &= ~1u;
    }
    return n > 1 || leaf ? n : 0;
}
