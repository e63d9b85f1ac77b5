/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Determines whether the host's kernel runs at EL2, or at EL1 below KVM's switch. */
#include "kvm_glue/mode.h"

#include <linux/kvm.h>
#include <stddef.h>
#include <string.h>

#include "internal.h"
#include "kvm_arm64.h"

#define CMDLINE "/proc/cmdline"
#define MAX_CMDLINE 4096

const char *kvm_glue_mode_name(enum kvm_glue_mode mode)
{
    static const char *const names[] = {
        [KVM_GLUE_MODE_UNKNOWN] = "unknown",
        [KVM_GLUE_MODE_VHE] = "VHE",
        [KVM_GLUE_MODE_NVHE] = "nVHE",
        [KVM_GLUE_MODE_PROTECTED] = "protected nVHE",
    };

    return (unsigned)mode < KVM_GLUE_COUNT_OF(names) ? names[mode] : names[KVM_GLUE_MODE_UNKNOWN];
}

static bool has_extension(const struct kvm_glue_os *os, int fd, unsigned long cap)
{
    return os->ioctl(fd, KVM_CHECK_EXTENSION, (void *)cap) > 0;
}

static bool word_is(const char *at, const char *word)
{
    size_t length = strlen(word);

    return strncmp(at, word, length) == 0 && (at[length] == '\0' || strchr(" \n\t", at[length]));
}

/*
 * kvm-arm.mode=nested and =none do not tell where the kernel runs: nested needs VHE, but is refused
 * without it. If the option is given several times, the last one counts.
 */
static enum kvm_glue_mode mode_of_cmdline(const char *text)
{
    static const char key[] = "kvm-arm.mode=";
    enum kvm_glue_mode mode = KVM_GLUE_MODE_UNKNOWN;

    for (const char *at = strstr(text, key); at != NULL; at = strstr(at, key)) {
        at += sizeof(key) - 1;
        mode = word_is(at, "nvhe")        ? KVM_GLUE_MODE_NVHE
               : word_is(at, "protected") ? KVM_GLUE_MODE_PROTECTED
                                          : KVM_GLUE_MODE_UNKNOWN;
    }
    return mode;
}

enum kvm_glue_mode kvm_glue_mode_hint(const struct kvm_glue_os *os, int kvm_fd)
{
    char cmdline[MAX_CMDLINE];

    /* All arm64 kernels since 4.20 have the first capability. The second needs VHE. */
    if (!has_extension(os, kvm_fd, GLUE_CAP_ARM_VM_IPA_SIZE) ||
        has_extension(os, kvm_fd, GLUE_CAP_ARM_EL2)) {
        return KVM_GLUE_MODE_VHE;
    }
    if (kvm_glue_read_text_(os, CMDLINE, cmdline, sizeof(cmdline)) < 0) {
        return KVM_GLUE_MODE_UNKNOWN;
    }
    return mode_of_cmdline(cmdline);
}

/*
 * The event has neither exclude_host nor exclude_guest, so KVM's switch does not touch the counter.
 * On nVHE it counts all of EL2, which runs at each entry and exit.
 */
int kvm_glue_mode_probe_open(struct kvm_glue_group *g, const struct kvm_glue_os *os, uint32_t type,
                             uint64_t config, pid_t tid, struct kvm_glue_error *err)
{
    const struct kvm_glue_event event = {
        type, config, {.exclude_user = true, .exclude_kernel = true}};

    return kvm_glue_group_open(g, os, &event, 1, tid, err);
}

enum kvm_glue_mode kvm_glue_mode_probe_result(struct kvm_glue_group *g)
{
    struct kvm_glue_reading reading;

    if (kvm_glue_group_read(g, &reading) < 0 || (!reading.by_user && reading.running == 0)) {
        return KVM_GLUE_MODE_UNKNOWN;
    }
    return reading.value[0] != 0 ? KVM_GLUE_MODE_NVHE : KVM_GLUE_MODE_VHE;
}
