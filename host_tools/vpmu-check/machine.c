/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this PMU seems to be: from what the CPU, the firmware and the kernel say. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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
 * @text: what a text contains.
 */
struct sign {
    const char *text;
    const char *who;
};

static const struct sign signatures[] = {
    {"KVMKVMKVM", "a guest of KVM"},        {"TCGTCGTCGTCG", "QEMU's emulation (TCG)"},
    {"Microsoft Hv", "a guest of Hyper-V"}, {"VMwareVMware", "a guest of VMware"},
    {"XenVMMXenVMM", "a guest of Xen"},     {"bhyve bhyve ", "a guest of bhyve"},
};

/* These run on a hypervisor that gives itself another's name, or hides behind it. */
static const struct sign clouds[] = {
    {"Amazon EC2", "a machine of Amazon EC2"},
    {"Google Compute Engine", "a machine of Google Compute Engine"},
    {"innotek GmbH", "a guest of VirtualBox"},
};

static const struct sign products[] = {
    {"QEMU", "a machine of QEMU"},
    {"KVM", "a guest of KVM"},
    {"VMware", "a guest of VMware"},
    {"Xen", "a guest of Xen"},
    {"xen", "a guest of Xen"},
    {"linux,dummy-virt", "the virt machine of QEMU or of another VMM"},
};

/* Of Microsoft's own computers only the vendor is the same. */
static const struct sign virtual_products[] = {
    {"Virtual Machine", "a guest of Hyper-V"},
};

/* QEMU's CPU "max" has this MIDR, which is no vendor's. */
static const struct sign processors[] = {
    {"000f05", "QEMU's emulation (TCG), CPU max"},
};

/* In this order: whose firmware it is, what the CPU says, and then what else the firmware says. */
#define SIGNATURE "CPUID 4000_0000H"
#define MODEL "MIDR_EL1"

static const struct {
    const char *file; /* or which instruction of the CPU */
    const struct sign *signs;
    size_t count;
} sources[] = {
    {"/sys/class/dmi/id/sys_vendor", clouds, ARRAY_SIZE(clouds)},
    {"/sys/class/dmi/id/product_name", clouds, ARRAY_SIZE(clouds)},
    {SIGNATURE, signatures, ARRAY_SIZE(signatures)},
    {MODEL, processors, ARRAY_SIZE(processors)},
    {"/sys/class/dmi/id/sys_vendor", products, ARRAY_SIZE(products)},
    {"/sys/class/dmi/id/product_name", products, ARRAY_SIZE(products)},
    {"/sys/class/dmi/id/product_name", virtual_products, ARRAY_SIZE(virtual_products)},
    {"/sys/firmware/devicetree/base/hypervisor/compatible", products, ARRAY_SIZE(products)},
    {"/sys/firmware/devicetree/base/compatible", products, ARRAY_SIZE(products)},
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

const char *machine_who(const char **by)
{
    char text[256];

    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        const char *who;

        if (strcmp(sources[i].file, SIGNATURE) == 0) {
            cpu_signature(text);
        } else if (strcmp(sources[i].file, MODEL) == 0) {
            cpu_model(text);
        } else {
            read_text(sources[i].file, text, sizeof(text));
        }
        who = find(sources[i].signs, sources[i].count, text);
        if (who != NULL) {
            *by = sources[i].file;
            return who;
        }
    }
    return NULL;
}

bool machine_is_virtual(void)
{
    const char *by;
    char text[13];

    cpu_signature(text);
    return text[0] != '\0' || machine_who(&by) != NULL;
}

/* A kernel that has no perf may be an imitation of one, which hides what runs below it. */
static bool has_perf(void)
{
    struct perf_event_attr attr = counter_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0);
    int fd = counter_open(&attr, -1);

    if (fd >= 0) {
        close(fd);
    }
    return fd != -ENOSYS;
}

static bool has_sys(void)
{
    return access("/sys/devices", F_OK) == 0;
}

static const char *unknown(void)
{
    char text[13];

    cpu_signature(text);
    if (text[0] != '\0') {
        return "a guest of a hypervisor that is not known here";
    }
    if (!has_perf()) {
        return "a kernel without perf, a sandbox, or an emulator of programs";
    }
    return has_sys() ? "no sign of a hypervisor: probably hardware"
                     : "unknown, because there is no /sys";
}

static void list_pmus(char *text, size_t size)
{
    const struct pmu *pmus;
    unsigned count = pmus_all(&pmus);
    size_t length = 0;

    snprintf(text, size, "%s", has_sys() ? "none" : "unknown");
    for (unsigned i = 0; i < count && length < size; i++) {
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? " and " : "",
                                   pmus[i].name);
    }
}

const char *machine_describe(void)
{
    static char description[480];
    const char *by = "", *who = machine_who(&by);
    char pmu[160];
    struct utsname name;

    uname(&name);
    list_pmus(pmu, sizeof(pmu));
    snprintf(description, sizeof(description), "%s%s%s%s; PMU %s; Linux %.60s, %.20s",
             who != NULL ? who : unknown(), who != NULL ? " (by " : "", by, who != NULL ? ")" : "",
             pmu, name.release, name.machine);
    return description;
}
