/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_FILTER_H
#define KVM_GLUE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"

#define KVM_GLUE_MAX_RULES 64u

/* Numbers are the kernel's. */
enum kvm_glue_action {
    KVM_GLUE_ALLOW = 0,
    KVM_GLUE_DENY = 1,
};

/* Events @first to @last, both included. */
struct kvm_glue_rule {
    uint16_t first;
    uint16_t last;
    uint8_t action;
};

/**
 * struct kvm_glue_filter - an event filter: which events a guest may count
 * @count: how many rules there are; 0 is no event filter: all are allowed.
 * @rules: in the order in which they are applied. Of those that hold for an event the last wins.
 * The first also decides what no rule mentions: if it allows, that is denied; if it denies,
 * allowed.
 */
struct kvm_glue_filter {
    unsigned count;
    struct kvm_glue_rule rules[KVM_GLUE_MAX_RULES];
};

/**
 * kvm_glue_filter_add() - append a rule
 * @f: the event filter.
 * @action: KVM_GLUE_ALLOW or KVM_GLUE_DENY.
 * @first: first event, 0 to 0xffff.
 * @last: last event, @first to 0xffff.
 *
 * Return: 0, -EINVAL for what is no rule, -E2BIG for one too many; @f is then as it was.
 */
int kvm_glue_filter_add(struct kvm_glue_filter *f, unsigned action, uint64_t first, uint64_t last,
                        struct kvm_glue_error *err);

/**
 * kvm_glue_filter_parse() - read an event filter from text
 * @text: rules as "A:0x11-0x11;D:0x23-0x3a": A allows, D denies, numbers are decimal, or
 *     hexadecimal after 0x. Between rules stands ";", as in what was proposed for QEMU, or ",", as
 *     in kvmtool.
 * @f: is filled in; left as it was on failure.
 *
 * Return: 0, -EINVAL, -E2BIG for more than KVM_GLUE_MAX_RULES.
 */
int kvm_glue_filter_parse(const char *text, struct kvm_glue_filter *f, struct kvm_glue_error *err);

/**
 * kvm_glue_filter_event_bits() - how wide event numbers are
 * @pmuver: ID_AA64DFR0_EL1.PMUVer.
 *
 * Return: 10 for PMUv3, 16 from PMUv3p1. Source: Arm ARM D24.5, PMEVTYPER<n>_EL0.evtCount.
 */
unsigned kvm_glue_filter_event_bits(unsigned pmuver);

/**
 * kvm_glue_filter_check() - do all rules lie within the events of a PMU?
 * @f: the event filter.
 * @pmuver: ID_AA64DFR0_EL1.PMUVer of the guest.
 *
 * Return: 0, -EINVAL.
 */
int kvm_glue_filter_check(const struct kvm_glue_filter *f, unsigned pmuver,
                          struct kvm_glue_error *err);

/**
 * kvm_glue_filter_allows() - will the guest be able to count an event?
 * @f: the event filter.
 * @event: its number. The cycle counter is event 0x11.
 *
 * SW_INCR and CHAIN always are, whatever the event filter says.
 * Source: Documentation/virt/kvm/devices/vcpu.rst, KVM_ARM_VCPU_PMU_V3_FILTER.
 */
bool kvm_glue_filter_allows(const struct kvm_glue_filter *f, unsigned event);

#endif
