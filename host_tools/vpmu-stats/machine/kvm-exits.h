/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KVM_EXITS_H
#define VPMU_STATS_KVM_EXITS_H

#include "machine/machine.h"

#define KVM_EXITS_MAX 64u

/**
 * struct kvm_exits - the exit statistics of the host's KVM, which need no PMU
 * @name: the names of the statistics in the kernel.
 * @n: the number of statistics.
 * @all: the index of the statistic that counts all exits; @n if there is none.
 */
struct kvm_exits {
    char *name[KVM_EXITS_MAX];
    size_t n;
    size_t all;
};

/**
 * kvm_exits_find() - find the exit statistics that the host's kernel has
 * @e: is filled in; kvm_exits_free() is needed in any case.
 * @q: the monitor of the machine.
 *
 * Return: 0; or -1: ERROR_NO_VPMU if there are none.
 */
int kvm_exits_find(struct kvm_exits *e, struct qmp *q, struct error *t);

/**
 * kvm_exits_read() - read the exit statistics
 * @e: the statistics.
 * @value: receives @e->n values, which are sums over all vCPUs. With @per_vcpu it receives @e->n
 *     values for each of @pmus.
 * @per_vcpu: read each vCPU separately.
 * @q: the monitor of the machine.
 * @pmus: the vCPUs of the machine.
 */
int kvm_exits_read(const struct kvm_exits *e, uint64_t *value, bool per_vcpu, struct qmp *q,
                   const struct pmus *pmus, struct error *t);

void kvm_exits_free(struct kvm_exits *e);

#endif
