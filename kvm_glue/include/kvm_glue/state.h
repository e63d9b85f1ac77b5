/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_STATE_H
#define KVM_GLUE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"
#include "vpmu/config.h"

/* Registers of a guest's PMU that KVM shows. */
#define KVM_GLUE_REGISTERS 74u
#define KVM_GLUE_COUNTERS ((unsigned)VPMU_MAX_EVENT_COUNTERS)

/* How a register is restored. */
enum kvm_glue_restore {
    KVM_GLUE_PMCR,    /* first, for N; never with C and P */
    KVM_GLUE_PLAIN,   /* as it was */
    KVM_GLUE_COUNTER, /* as it was, if the guest has this counter, without what its event adds */
    KVM_GLUE_TYPE,    /* as it was, if the guest has this counter */
    KVM_GLUE_SET,     /* as it was, after its CLR alias */
    KVM_GLUE_CLR,     /* all ones, before its SET alias */
    KVM_GLUE_NEVER,   /* has no state */
};

/**
 * struct kvm_glue_register - a row of the table of registers
 * @name: the architecture's.
 * @id: of KVM_GET_ONE_REG.
 * @restore: enum kvm_glue_restore.
 * @counter: which counter it belongs to; 31 the cycle counter; 255 none.
 */
struct kvm_glue_register {
    char name[16];
    uint64_t id;
    uint8_t restore;
    uint8_t counter;
};

/**
 * kvm_glue_register() - a row of the table
 * @index: 0 to KVM_GLUE_REGISTERS - 1.
 * @reg: is filled in. PMCR_EL0 is row 0.
 *
 * Return: whether there is such a row.
 */
bool kvm_glue_register(unsigned index, struct kvm_glue_register *reg);

#define KVM_GLUE_STATE_MAGIC 0x554d506bu /* "kPMU" */
/* Until it had one of its own: that of vpmu_state_save(). States that begin so are still read. */
#define KVM_GLUE_STATE_MAGIC_BEFORE 0x554d5076u /* "vPMU" */
#define KVM_GLUE_STATE_VERSION 1u

/**
 * struct kvm_glue_state - a guest's PMU, saved
 * @magic: KVM_GLUE_STATE_MAGIC.
 * @version: KVM_GLUE_STATE_VERSION.
 * @counters: PMCR_EL0.N.
 * @value: in the order of the table. In the host's byte order, which is little-endian on all that
 *     run KVM today.
 */
struct kvm_glue_state {
    uint32_t magic;
    uint16_t version;
    uint16_t counters;
    uint64_t value[KVM_GLUE_REGISTERS];
};
_Static_assert(sizeof(struct kvm_glue_state) == 600, "the layout is saved");

/* What may be done if the host that a state is restored on has another number of counters. */
enum {
    /* It has fewer: the others are dropped. */
    KVM_GLUE_TRUNCATE = 1 << 0,
    /* It has more, and cannot hide them: the guest may see them, stopped. */
    KVM_GLUE_WIDEN = 1 << 1,
};

/**
 * struct kvm_glue_loss - what became of the counters
 * @counters: how many the guest has now.
 * @dropped: mask of counters that it has no more.
 * @in_use: mask of those of them that it had enabled: their figures stop.
 */
struct kvm_glue_loss {
    unsigned counters;
    uint32_t dropped;
    uint32_t in_use;
};

/**
 * kvm_glue_state_save() - read all registers of a vCPU's PMU
 * @os: the kernel.
 * @vcpu_fd: a vCPU that does not run.
 * @state: is filled in.
 *
 * The state does not change: what the guest counts goes on if the vCPU runs on.
 *
 * Return: 0, or a negative errno; @err names the register.
 */
int kvm_glue_state_save(const struct kvm_glue_os *os, int vcpu_fd, struct kvm_glue_state *state,
                        struct kvm_glue_error *err);

/**
 * kvm_glue_state_restore() - write a saved state to a vCPU's PMU
 * @os: the kernel.
 * @vcpu_fd: a vCPU that does not run, set up as the saved one was. If the state has fewer counters
 *     than this host, it must not have run yet: the kernel fixes their number then.
 * @state: from whomever: nothing in it is trusted.
 * @flags: KVM_GLUE_TRUNCATE, KVM_GLUE_WIDEN, or 0.
 * @loss: if not NULL, is filled in on success.
 *
 * PMCR_EL0 is written first, since the kernel masks others by its N, and its C and P never, which
 * would reset what was just restored. What was written is read again and compared.
 *
 * Return: 0; -EINVAL for a damaged state, or one of another version, and -ERANGE for another number
 * of counters, with the vCPU as it was; -EIO if a register did not keep its value; or what the
 * kernel says. After -EIO and the kernel's errors the vCPU's PMU is partly written and must not be
 * run.
 */
int kvm_glue_state_restore(const struct kvm_glue_os *os, int vcpu_fd,
                           const struct kvm_glue_state *state, unsigned flags,
                           struct kvm_glue_loss *loss, struct kvm_glue_error *err);

#endif
