/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_CHECK_GUEST_H
#define VPMU_CHECK_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kvm_run;

/**
 * struct guest - a guest of KVM with one CPU, whose code is @guest_code
 */
struct guest {
    int kvm;
    int vm;
    int vcpu;
    struct kvm_run *run;
    size_t run_size;
    void *memory;
};

/** guest_make() - Return: false if this computer is no KVM host, or the user may not use it. */
bool guest_make(struct guest *guest);
/**
 * guest_run() - executes @turns turns of the guest's loop
 *
 * Return: false if the guest did not end its loop.
 */
bool guest_run(struct guest *guest, unsigned long turns);
void guest_end(struct guest *guest);

/* ---- what differs between architectures: arch/ARCH.c ---- */

enum {
    GUEST_ADDRESS = 0x10000,
    GUEST_PER_TURN = 2
};

/* A loop that subtracts and branches, and then exits for this reason; then the next one begins. */
extern const unsigned char guest_code[];
extern const size_t guest_code_size;
extern const uint32_t guest_exit_reason;

/** guest_vcpu_begin() - sets a new CPU to the begin of the code */
bool guest_vcpu_begin(int vm, int vcpu);
/** guest_vcpu_turns() - sets how many turns the next loop has */
bool guest_vcpu_turns(int vcpu, unsigned long turns);

#endif
