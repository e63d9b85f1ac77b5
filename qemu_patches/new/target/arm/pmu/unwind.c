/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of AArch64 code, by the frame records of the procedure call
 * standard: the frame pointer leads to a pair, the caller's frame pointer and
 * the address that is returned to.
 *
 * All of that is the guest's, and may be anything.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "compat.h"
#include "private.h"
#include "record.h"

/*
 * A caller's frame lies above; but kernels have stacks for interrupts and
 * overflows, which they come to from another one.
 */
#define STACKS 3

/* The page that was read last is likely to have the next frame as well. */
typedef struct VPMUStack {
    ARMCPU *cpu;
    uint64_t page;
    const uint8_t *host;
} VPMUStack;

/* The host's address of a page of the guest's RAM; NULL if it is none. */
static const uint8_t *stack_page(ARMCPU *cpu, uint64_t page)
{
    CPUState *cs = CPU(cpu);
    MemTxAttrs attrs = {};
    hwaddr at = cpu_get_phys_page_attrs_debug(cs, page, &attrs);
    hwaddr len = TARGET_PAGE_SIZE;
    MemoryRegion *mr;
    hwaddr offset;

    if (at == -1) {
        return NULL;
    }
    mr = address_space_translate(cpu_get_address_space(cs,
                                     cpu_asidx_from_attrs(cs, attrs)),
                                 at, &offset, &len, false, attrs);
    if (!memory_region_is_ram(mr) || memory_region_is_ram_device(mr) ||
        len < TARGET_PAGE_SIZE) {
        return NULL;
    }
    return (const uint8_t *)memory_region_get_ram_ptr(mr) + offset;
}

static bool stack_read(VPMUStack *stack, uint64_t addr, uint64_t *value)
{
    uint64_t page = addr & TARGET_PAGE_MASK;

    if (!stack->host || page != stack->page) {
        stack->host = stack_page(stack->cpu, page);
        stack->page = page;
    }
    if (!stack->host) {
        return false;
    }
    *value = arm_cpu_data_is_big_endian(&stack->cpu->env)
             ? ldq_be_p(stack->host + (addr & ~TARGET_PAGE_MASK))
             : ldq_le_p(stack->host + (addr & ~TARGET_PAGE_MASK));
    return true;
}

/* Without an authentication code, or a tag. */
static uint64_t unwind_plain(CPUARMState *env, uint64_t addr)
{
    ARMVAParameters param = aa64_va_parameters(env, addr,
                                               arm_stage1_mmu_idx(env), false,
                                               false);
    uint64_t in = MAKE_64BIT_MASK(0, 64 - param.tsz);

    return extract64(addr, 55, 1) ? addr | ~in : addr & in;
}

unsigned int arm_vpmu_unwind(ARMCPU *cpu, uint64_t *chain, unsigned int frames)
{
    CPUARMState *env = &cpu->env;
    VPMUStack stack = { .cpu = cpu };
    unsigned int stacks = 1;
    unsigned int n = 0;
    uint64_t fp = env->xregs[29];
    uint64_t last = 0;
    uint64_t next, from;

    if (!is_a64(env)) {
        return 0;
    }
    RCU_READ_LOCK_GUARD();
    chain[n++] = unwind_plain(env, env->xregs[30]);
    while (n <= frames && fp && !(fp & 7)) {
        if (fp <= last && ++stacks > STACKS) {
            break;
        }
        if (!stack_read(&stack, fp, &next) ||
            !stack_read(&stack, fp + 8, &from) || !from) {
            break;
        }
        chain[n++] = unwind_plain(env, from);
        last = fp;
        fp = next;
    }
    return n;
}
