/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells how the host's KVM gives counters to guests, from parameters of the host's kernel. */
#include "kvm_glue/design.h"

#include <stdbool.h>
#include <string.h>

#include "internal.h"

#define RESERVED "arm_pmuv3.reserved_host_counters="
#define MAX_CMDLINE 4096

/* Sources: Linux, arch/x86/kvm/vmx/vmx.c and svm/svm.c, enable_mediated_pmu. */
static const char *const mediated[] = {
    "/sys/module/kvm_intel/parameters/enable_mediated_pmu",
    "/sys/module/kvm_amd/parameters/enable_mediated_pmu",
};

static bool is_on(const struct kvm_glue_os *os, const char *path)
{
    char text[8];

    return kvm_glue_read_text_(os, path, text, sizeof(text)) == 0 && text[0] == 'Y';
}

/* The last value counts. A negative one, the default, means that nothing is partitioned. */
static bool reserves_counters(const struct kvm_glue_os *os)
{
    char cmdline[MAX_CMDLINE];
    bool reserves = false;

    if (kvm_glue_read_text_(os, "/proc/cmdline", cmdline, sizeof(cmdline)) < 0) {
        return false;
    }
    for (const char *at = strstr(cmdline, RESERVED); at != NULL; at = strstr(at, RESERVED)) {
        at += sizeof(RESERVED) - 1;
        reserves = *at >= '0' && *at <= '9';
    }
    return reserves;
}

enum kvm_glue_design kvm_glue_design(const struct kvm_glue_os *os)
{
    for (size_t i = 0; i < KVM_GLUE_COUNT_OF(mediated); i++) {
        if (is_on(os, mediated[i])) {
            return KVM_GLUE_DESIGN_MEDIATED;
        }
    }
    return reserves_counters(os) ? KVM_GLUE_DESIGN_PARTITIONED : KVM_GLUE_DESIGN_EVENTS;
}

const char *kvm_glue_design_name(enum kvm_glue_design design)
{
    static const char *const names[] = {
        [KVM_GLUE_DESIGN_EVENTS] = "events",
        [KVM_GLUE_DESIGN_MEDIATED] = "mediated",
        [KVM_GLUE_DESIGN_PARTITIONED] = "partitioned",
    };

    return (unsigned)design < KVM_GLUE_COUNT_OF(names) ? names[design] : "unknown";
}
