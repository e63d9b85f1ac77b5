/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_FILTER_H
#define KVM_GLUE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_glue/error.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

enum {
    KVM_GLUE_MAX_RULES = 64
};

/* The numbers are those of the kernel, struct kvm_pmu_event_filter. */
enum kvm_glue_action {
    KVM_GLUE_ALLOW = 0,
    KVM_GLUE_DENY = 1,
};

/**
 * struct kvm_glue_rule - one rule of an event filter
 * @first: the first event.
 * @last: the last event, included.
 * @action: enum kvm_glue_action.
 */
struct kvm_glue_rule {
    uint16_t first;
    uint16_t last;
    uint8_t action;
};

/**
 * struct kvm_glue_filter - an event filter: which events a guest may count
 * @count: the number of rules; 0: there is no event filter, and all events are allowed.
 * @rules: the rules, in the order in which they are applied. The last rule that contains an event
 *     decides. The first rule also decides about events that no rule contains: if it allows, these
 *     are denied; if it denies, these are allowed.
 */
struct kvm_glue_filter {
    uint32_t count;
    struct kvm_glue_rule rules[KVM_GLUE_MAX_RULES];
};

/**
 * kvm_glue_filter_add() - append a rule
 * @f: the event filter.
 * @action: KVM_GLUE_ALLOW or KVM_GLUE_DENY.
 * @first: the first event, 0 to 0xffff.
 * @last: the last event, @first to 0xffff.
 * @err: is filled in on an error; may be NULL.
 *
 * Return: 0; -EINVAL if an argument is out of range; -E2BIG if there are KVM_GLUE_MAX_RULES rules
 * already. @f is unchanged on an error.
 */
int kvm_glue_filter_add(struct kvm_glue_filter *f, unsigned action, uint64_t first, uint64_t last,
                        struct kvm_glue_error *err);

/**
 * kvm_glue_filter_parse() - parse an event filter
 * @text: rules such as "A:0x11-0x11;D:0x23-0x3a". A allows, D denies. Numbers are decimal, or
 *     hexadecimal after 0x. Rules are separated by ";", as proposed for QEMU, or ",", as in
 *     kvmtool.
 * @f: is filled in on success; unchanged otherwise.
 * @err: is filled in on an error; may be NULL.
 *
 * Return: 0; -EINVAL if @text is not an event filter; -E2BIG for more than KVM_GLUE_MAX_RULES
 * rules.
 */
int kvm_glue_filter_parse(const char *text, struct kvm_glue_filter *f, struct kvm_glue_error *err);

/**
 * kvm_glue_filter_event_bits() - the number of bits of an event number
 * @pmuver: ID_AA64DFR0_EL1.PMUVer.
 *
 * Return: 10 for PMUv3, 16 from PMUv3p1 on.
 * Source: Arm ARM D24.5, PMEVTYPER<n>_EL0.evtCount.
 */
unsigned kvm_glue_filter_event_bits(unsigned pmuver);

/**
 * kvm_glue_filter_check() - check that a PMU has the event numbers of all rules
 * @f: the event filter.
 * @pmuver: ID_AA64DFR0_EL1.PMUVer of the guest.
 * @err: is filled in on an error; may be NULL.
 *
 * Return: 0, or -EINVAL.
 */
int kvm_glue_filter_check(const struct kvm_glue_filter *f, unsigned pmuver,
                          struct kvm_glue_error *err);

/**
 * kvm_glue_filter_allows() - tell whether an event filter lets the guest count an event
 * @f: the event filter.
 * @event: the number of the event. The cycle counter is event 0x11.
 *
 * SW_INCR and CHAIN are always allowed.
 *
 * Return: true if the guest can count the event.
 * Source: Documentation/virt/kvm/devices/vcpu.rst, KVM_ARM_VCPU_PMU_V3_FILTER.
 */
bool kvm_glue_filter_allows(const struct kvm_glue_filter *f, unsigned event);

VPMU_DECLS_END

#endif
