/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EXAMPLES_MACHINE_H
#define EXAMPLES_MACHINE_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A virtual machine on /dev/kvm with one vCPU and one page of memory, which contains the program of
 * guest.S. The functions that return bool print why they return false.
 */
struct machine {
    int kvm, vm, vcpu;
    struct kvm_vcpu_init init;
    struct kvm_run *run;
};

/* The general registers of the vCPU, as they are saved. */
struct registers {
    uint64_t x[31], pc, pstate;
};

/* Prints what failed, and errno. Returns false. */
bool complain(const char *what);

/* Creates everything but does not call KVM_ARM_VCPU_INIT. @init: the host's preferred target. */
bool machine_create(struct machine *m);

/* The registers with which the program starts; it runs @rounds rounds in each half. */
struct registers machine_start(uint64_t rounds);

/* Call KVM_GET_ONE_REG or KVM_SET_ONE_REG for each register. */
bool machine_get(const struct machine *m, struct registers *r);
bool machine_set(const struct machine *m, struct registers *r);

/*
 * Runs the program until its middle, where the VMM may save it. machine_finish() runs it to its end
 * and returns the values that it stores there.
 */
bool machine_run(const struct machine *m);
bool machine_finish(const struct machine *m, uint64_t *values, unsigned count);

#endif
