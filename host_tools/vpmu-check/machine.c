/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this PMU seems to be: from what the CPU, the firmware and the kernel say. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "check.h"
#include "pmus.h"

/* Reads a file up to its first newline or null byte; the text is empty if there is none. */
static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t got = file != NULL ? fread(text, 1, size - 1, file) : 0;

    if (file != NULL) {
        fclose(file);
    }
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

/**
 * struct sign - who is recognised by what
 * @where: the text that was read.
 */
struct sign {
    const char *text;
    const char *who;
};

static const struct sign signatures[] = {
    {"KVMKVMKVM", "a guest of KVM: the host's kernel counts"},
    {"TCGTCGTCGTCG", "QEMU's emulation (TCG): the emulator counts"},
    {"Microsoft Hv", "a guest of Hyper-V"},
    {"VMwareVMware", "a guest of VMware"},
    {"XenVMMXenVMM", "a guest of Xen"},
    {"bhyve bhyve ", "a guest of bhyve"},
};

static const struct sign products[] = {
    {"QEMU", "a machine of QEMU"},
    {"KVM", "a guest of KVM"},
    {"Amazon", "a machine of Amazon EC2"},
    {"Google", "a machine of Google Compute Engine"},
    {"Microsoft", "a guest of Hyper-V"},
    {"VMware", "a guest of VMware"},
    {"Xen", "a guest of Xen"},
    {"linux,dummy-virt", "the virt machine of QEMU or of another VMM"},
};

static const char *find(const struct sign *signs, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(text, signs[i].text) != NULL) {
            return signs[i].who;
        }
    }
    return NULL;
}

static const char *by_cpu(void)
{
    char text[13];

    cpu_signature(text);
    return find(signatures, ARRAY_SIZE(signatures), text);
}

static const char *by_firmware(void)
{
    static const char *const files[] = {"/sys/class/dmi/id/sys_vendor",
                                        "/sys/class/dmi/id/product_name",
                                        "/sys/firmware/devicetree/base/hypervisor/compatible",
                                        "/sys/firmware/devicetree/base/compatible"};
    char text[256];

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        const char *who;

        read_text(files[i], text, sizeof(text));
        who = find(products, ARRAY_SIZE(products), text);
        if (who != NULL) {
            return who;
        }
    }
    return NULL;
}

/* MIDR 0x000f0510 is QEMU's CPU "max", which no vendor makes. */
static const char *by_midr(void)
{
    char text[32];

    read_text("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", text, sizeof(text));
    return strstr(text, "000f05") != NULL ? "QEMU's emulation (TCG), CPU max" : NULL;
}

const char *machine_describe(void)
{
    static char description[256];
    const char *who = by_cpu(), *pmu = pmus_first();
    struct utsname name;

    who = who != NULL ? who : by_midr();
    who = who != NULL ? who : by_firmware();
    uname(&name);
    snprintf(description, sizeof(description), "%s; PMU %s; Linux %.60s, %.20s",
             who != NULL ? who : "no sign of a hypervisor: probably hardware",
             pmu != NULL ? pmu : "none", name.release, name.machine);
    return description;
}
