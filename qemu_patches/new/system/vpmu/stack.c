/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of a program at a sample
 *
 * The call chain of code without frame pointers is found with the unwind tables
 * of its files, which QEMU does not have.  The reader of the samples does that.
 * The stack belongs to the guest and is not trusted.
 */

#include "qemu/osdep.h"
#include "system/vpmu_compat.h"
#include "system/vpmu_target.h"

/* A copy of guest memory that has begun. */
typedef struct VPMUCopy {
    uint64_t from;
    uint8_t *to;
    size_t size;
    size_t copied;
} VPMUCopy;

/*
 * Memory may end earlier: the page may be the last one of the stack.  A page
 * that the program has not used yet may come first, and consists of zeroes.
 */
static void stack_copy(CPUState *cs, void *opaque)
{
    VPMUCopy *copy = opaque;
    VPMUReader reader = { .cpu = cs };
    size_t page = qemu_target_page_size();

    RCU_READ_LOCK_GUARD();
    for (size_t done = 0, some; done < copy->size; done += some) {
        uint64_t at = copy->from + done;

        some = MIN(copy->size - done, page - at % page);
        if (at < copy->from) {
            break;
        }
        if (vpmu_read_virtual(&reader, at, copy->to + done, some)) {
            copy->copied = done + some;
        } else {
            memset(copy->to + done, 0, some);
        }
    }
}

unsigned int vpmu_record_stack(VPMUObservedCPU *on,
                               const struct vpmu_record_sample *sample,
                               bool *room)
{
    VPMURecord *r = on->base.record;
    CPUState *cs = on->base.cpu;
    VPMUStack *stack = on->stack;
    VPMUCopy copy = { .size = r->stack };
    size_t size;

    if (sample->world == VPMU_WORLD_GUEST || !vpmu_target->samples->registers) {
        return 0;
    }
    copy.from = vpmu_target->samples->registers(cs, sample, r, stack);
    if (!copy.from || copy.from % 8) {
        return 0;
    }
    copy.to = (uint8_t *)(stack->reg + stack->record.registers);
    if (sample->el && vpmu_target->threads) {
        vpmu_target->threads->as_program(cs, stack_copy, &copy);
    } else {
        stack_copy(cs, &copy);
    }
    stack->record.size = copy.copied;
    stack->record.time = sample->time;
    size = sizeof(stack->record) +
           stack->record.registers * sizeof(stack->reg[0]) + copy.copied;
    stack->record.head = vpmu_record_head_of(&on->base, VPMU_RECORD_STACK,
                                             size);
    *room = *room && vpmu_ring_put(on, stack, size);
    return copy.copied / 8;
}
