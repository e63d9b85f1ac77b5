/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KVM_EXITS_H
#define VPMU_STATS_KVM_EXITS_H

#include "machine/machine.h"

#define KVM_EXITS_MAX 64u

/**
 * struct kvm_exits - the numbers of exits that the host's KVM keeps, which need no PMU
 * @name: of @n statistics, as the kernel calls them; to be freed with kvm_exits_free().
 * @all: which of them is all exits; @n if none is.
 */
struct kvm_exits {
    char *name[KVM_EXITS_MAX];
    size_t n;
    size_t all;
};

/**
 * kvm_exits_find() - asks which numbers of exits this kernel has
 * Return: 0, or -1: ERROR_NO_VPMU if there is none.
 */
int kvm_exits_find(struct kvm_exits *e, struct qmp *q, struct error *t);

/**
 * kvm_exits_read() - reads them
 * @value: @e->n for all vCPUs together; with @per_vcpu for each of @pmus.
 */
int kvm_exits_read(const struct kvm_exits *e, uint64_t *value, bool per_vcpu, struct qmp *q,
                   const struct pmus *pmus, struct error *t);

void kvm_exits_free(struct kvm_exits *e);

#endif
