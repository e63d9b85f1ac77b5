/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86 guests of KVM, which the host's PMU samples
 */

#include "qemu/osdep.h"
#include "system/kvm_vpmu.h"
#include "system/vpmu_target.h"
#include "kvm_glue/sampler.h"

static const VPMUHost x86_host = {
    .machine = VPMU_RECORD_X86,
    .parse = kvm_glue_sampled_parse_x86,
    .recorder = &kvm_vpmu_recorder,
};

static void register_host(void)
{
    vpmu_register_host(&x86_host);
}

type_init(register_host);
