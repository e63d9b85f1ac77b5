/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_STATE_H
#define KVM_GLUE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "kvm_glue/os.h"
#include "vpmu/arm/config.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

enum {
    /*
     * The number of PMU registers in the table, which each KVM has for a guest. PMMIR_EL1, which
     * Linux has from 7.3 on, is not one of them.
     */
    KVM_GLUE_REGISTERS = 74,
    KVM_GLUE_COUNTERS = VPMU_MAX_EVENT_COUNTERS,
};

/* How a register is restored. */
enum kvm_glue_restore {
    KVM_GLUE_PMCR,    /* written first because of N; never with C and P */
    KVM_GLUE_PLAIN,   /* written unchanged */
    KVM_GLUE_COUNTER, /* unchanged, if the guest has this counter; its event must not count
                         meanwhile */
    KVM_GLUE_TYPE,    /* unchanged, if the guest has this counter */
    KVM_GLUE_SET,     /* unchanged, after its CLR alias */
    KVM_GLUE_CLR,     /* all ones, before its SET alias */
    KVM_GLUE_NEVER,   /* has no state */
};

/**
 * struct kvm_glue_register - one row of the table of registers
 * @name: the architecture's name.
 * @id: the id for KVM_GET_ONE_REG.
 * @restore: enum kvm_glue_restore.
 * @counter: the counter that the register belongs to; 31: the cycle counter; 255: none.
 */
struct kvm_glue_register {
    char name[16];
    uint64_t id;
    uint8_t restore;
    uint8_t counter;
};

/**
 * kvm_glue_register() - copy a row of the table
 * @index: the row, any value. Row 0 is PMCR_EL0.
 * @reg: is filled in if there is such a row.
 *
 * Return: true if @index is below KVM_GLUE_REGISTERS.
 */
bool kvm_glue_register(unsigned index, struct kvm_glue_register *reg);

enum {
    KVM_GLUE_STATE_MAGIC = 0x554d506b, /* "kPMU" */
    /*
     * The magic of older versions, "vPMU", which is that of vpmu_arm_state_save(). Such states can
     * still be restored.
     */
    KVM_GLUE_STATE_MAGIC_BEFORE = 0x554d5076,
    /* Version 1 has no @pmmir and ends before it: 600 bytes. It can still be restored. */
    KVM_GLUE_STATE_VERSION = 2,
};

/**
 * struct kvm_glue_state - the saved PMU of a guest
 * @magic: KVM_GLUE_STATE_MAGIC.
 * @version: KVM_GLUE_STATE_VERSION.
 * @counters: PMCR_EL0.N.
 * @value: the registers, in the order of the table.
 * @pmmir: PMMIR_EL1 as the guest sees it: SLOTS if the vCPU has the feature
 *     KVM_ARM_VCPU_PMU_V3_STRICT, otherwise 0. Ignored in version 1, where it is 0.
 *
 * The byte order is the host's, which is little-endian on all arm64 hosts that run KVM.
 */
struct kvm_glue_state {
    uint32_t magic;
    uint16_t version;
    uint16_t counters;
    uint64_t value[KVM_GLUE_REGISTERS];
    uint64_t pmmir;
};
VPMU_STATIC_ASSERT(sizeof(struct kvm_glue_state) == 608, "the layout is saved");

/*
 * What kvm_glue_state_restore() may do if the host has another number of counters than the saved
 * state.
 */
enum {
    /* The host has fewer: drop the other counters. */
    KVM_GLUE_TRUNCATE = 1 << 0,
    /* The host has more and cannot hide them: the guest sees them, stopped. */
    KVM_GLUE_WIDEN = 1 << 1,
};

/**
 * struct kvm_glue_loss - what happened to the counters
 * @counters: the number of counters that the guest has now.
 * @dropped: a mask of counters that it no longer has.
 * @in_use: a mask of the dropped counters that it had enabled; these stop counting.
 */
struct kvm_glue_loss {
    uint32_t counters;
    uint32_t dropped;
    uint32_t in_use;
};

/**
 * kvm_glue_state_save() - read all registers of a vCPU's PMU
 * @os: the kernel.
 * @vcpu_fd: the vCPU.
 * @state: is filled in on success.
 * @err: is filled in on an error, with the register's name; may be NULL.
 *
 * The vCPU's PMU is not changed: its counters continue when the vCPU runs again.
 *
 * Context: while the vCPU does not run.
 * Return: 0, or a negative errno.
 */
int kvm_glue_state_save(const struct kvm_glue_os *os, int vcpu_fd, struct kvm_glue_state *state,
                        struct kvm_glue_error *err);

/**
 * kvm_glue_state_restore() - write a saved state to a vCPU's PMU
 * @os: the kernel.
 * @vcpu_fd: the vCPU, set up like the saved one. If the state has fewer counters than this host,
 *     the vCPU must not have run yet, because the kernel fixes the number of counters at the first
 *     run.
 * @state: the saved state. It is not trusted.
 * @flags: KVM_GLUE_TRUNCATE, KVM_GLUE_WIDEN, both or 0.
 * @loss: is filled in on success; may be NULL.
 * @err: is filled in on an error; may be NULL.
 *
 * Writes PMCR_EL0 first, because the kernel masks other registers by its N. PMCR_EL0.C and P are
 * not written, because they would reset what was restored. All values are read back and compared.
 *
 * PMMIR_EL1 must be that of the saved guest. If that was 0, which is so on Linux before 7.3 and
 * without KVM_ARM_VCPU_PMU_V3_STRICT, the library hides the value of this vCPU. A kernel without
 * PMMIR_EL1 accepts only 0.
 *
 * Context: while the vCPU does not run.
 * Return: 0; -EINVAL for a damaged state or another version, and -ERANGE for another number of
 * counters or another PMMIR_EL1, both with the vCPU unchanged; -EIO if a register did not keep its
 * value; or the kernel's error. After -EIO and after the kernel's errors, the vCPU's PMU is partly
 * written, and the vCPU must not run.
 */
int kvm_glue_state_restore(const struct kvm_glue_os *os, int vcpu_fd,
                           const struct kvm_glue_state *state, unsigned flags,
                           struct kvm_glue_loss *loss, struct kvm_glue_error *err);

VPMU_DECLS_END

#endif
