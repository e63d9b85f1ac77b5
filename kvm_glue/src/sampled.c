/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a guest that are sampled, as users write them. */
#include <errno.h>

#include "internal.h"
#include "kvm_glue/sampler.h"
#include "vpmu/arm/observer.h"
#include "vpmu/perf_event.h"

static int take_modifiers(unsigned modifiers, struct kvm_glue_sampled *event,
                          struct kvm_glue_error *err)
{
    if (modifiers & ~(unsigned)(VPMU_MODIFIER_U | VPMU_MODIFIER_K)) {
        return kvm_glue_fail_(err, -EINVAL,
                              "a KVM guest has programs and a kernel: modifiers are u and k");
    }
    event->exclude_user = modifiers == VPMU_MODIFIER_K;
    event->exclude_kernel = modifiers == VPMU_MODIFIER_U;
    return 0;
}

int kvm_glue_sampled_parse(const char *text, uint32_t type, struct kvm_glue_sampled *event,
                           struct kvm_glue_error *err)
{
    const char *why;
    unsigned modifiers;
    uint16_t number;

    if (vpmu_arm_event_parse(text, &number, &modifiers, &why)) {
        return kvm_glue_fail_(err, -EINVAL, "%s", why);
    }
    event->type = type;
    event->config = number;
    return take_modifiers(modifiers, event, err);
}

int kvm_glue_sampled_parse_x86(const char *text, struct kvm_glue_sampled *event,
                               struct kvm_glue_error *err)
{
    const char *why;
    unsigned modifiers;

    if (vpmu_perf_event_parse(text, &event->type, &event->config, &modifiers, &why)) {
        return kvm_glue_fail_(err, -EINVAL, "%s", why);
    }
    return take_modifiers(modifiers, event, err);
}
