/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows from the rows: what this PMU counts like, what not to use, and what to change. */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "pmus.h"

/* Linux 5.8 has it; older headers do not name it. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

enum {
    MAX_NOTES = 16
};

static struct note notes[MAX_NOTES];
static unsigned count;

__attribute__((format(printf, 2, 3))) static void add(const char *kind, const char *text, ...)
{
    struct note *note = &notes[count < MAX_NOTES ? count++ : MAX_NOTES - 1];
    va_list args;

    note->kind = kind;
    va_start(args, text);
    vsnprintf(note->text, sizeof(note->text), text, args);
    va_end(args);
}

static const struct finding *row(const char *name)
{
    for (unsigned i = 0; i < findings_count(); i++) {
        if (strcmp(finding_at(i)->name, name) == 0) {
            return finding_at(i);
        }
    }
    return NULL;
}

static bool is(const char *name, enum verdict verdict)
{
    const struct finding *f = row(name);

    return f != NULL && f->verdict == verdict;
}

/* How many rows of the part have this verdict. */
static unsigned total(const char *part, enum verdict verdict)
{
    unsigned rows = 0;

    for (unsigned i = 0; i < findings_count(); i++) {
        rows += finding_at(i)->verdict == verdict && strcmp(finding_at(i)->part, part) == 0;
    }
    return rows;
}

static bool says(const char *who)
{
    const char *by, *said = machine_who(&by);

    return said != NULL && strstr(said, who) != NULL;
}

/* No hardware's samples are all at the instruction that overflowed. */
static void note_likeness(void)
{
    const struct finding *cycles = row("cycles"), *skid = row("skid of instructions:u");

    if (cycles != NULL && cycles->clock_ghz > 0.98 && cycles->clock_ghz < 1.02) {
        add("is", "an emulator that has no cycles: it shows the nanoseconds of a clock instead, as "
                  "QEMU's TCG does without -icount");
    }
    if (skid != NULL && skid->verdict == EXACT) {
        add("is", "an emulator that counts instructions itself: each sample is at the instruction "
                  "that overflowed");
    } else if (skid != NULL && skid->verdict == IN_RANGE && strstr(skid->why, "average") != NULL) {
        add("is", "%s: samples are up to %llu instructions late",
            says("TCG") ? "an emulator whose overflow interrupts come late"
                        : "hardware, or a guest that hardware counts for",
            (unsigned long long)skid->counted);
    }
}

static const char *fake(const struct finding *f)
{
    switch (f->verdict) {
    case ZERO:
        return "zero";
    case CONSTANT:
        return "constant";
    case OFF:
        return "wrong";
    case BY_TIME:
        return f->clock_ghz != 0 ? "a clock" : "another number each time";
    default:
        return NULL;
    }
}

static const char *never(const struct finding *f)
{
    return f->never ? "" : NULL;
}

/* Adds the names of the rows that have a reason. */
static void note_rows(const char *kind, const char *(*why)(const struct finding *f))
{
    char text[300] = "";
    size_t length = 0;
    unsigned left_out = 0;

    for (unsigned i = 0; i < findings_count(); i++) {
        const struct finding *f = finding_at(i);
        const char *reason = why(f);
        char title[128];
        size_t more;

        finding_title(f, title, sizeof(title));
        more = reason == NULL ? 0 : strlen(title) + strlen(reason) + 5;

        if (reason != NULL && length + more < sizeof(text)) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s%s%s%s",
                                       length > 0 ? ", " : "", title, *reason != '\0' ? " (" : "",
                                       reason, *reason != '\0' ? ")" : "");
        } else if (reason != NULL) {
            left_out++;
        }
    }
    if (left_out > 0) {
        add(kind, "%s, and %u more rows", text, left_out);
    } else if (length > 0) {
        add(kind, "%s", text);
    }
}

static void note_unknown(void)
{
    const struct finding *cycles = row("cycles");

    if (is("cycles", IN_RANGE)) {
        add("unknown",
            "whether hardware would take as many cycles: only that the same loop has the same "
            "number each time%s",
            cycles->may_be_clock ? ". They are as fast as the CPU's clock (TSC, CNTVCT), so they "
                                   "may be that clock"
                                 : ", and that it is neither nanoseconds nor the CPU's clock");
    }
    if (is("cache-misses", IN_RANGE) || is("branch-misses", IN_RANGE)) {
        add("unknown",
            "how many misses are right: caches prefetch, emulators model, and each rests "
            "on a history");
    }
    if (total("events", COUNTS) > 0) {
        add("unknown", "what %u of the events should count: their vendor defines them",
            total("events", COUNTS));
    }
}

static bool setting(const char *path, long *value)
{
    FILE *file = fopen(path, "re");
    char text[32] = "";
    bool read = file != NULL && fgets(text, sizeof(text), file) != NULL;

    if (file != NULL) {
        fclose(file);
    }
    *value = strtol(text, NULL, 10);
    return read;
}

/* Whether it may count whatever perf_event_paranoid says. */
static bool is_privileged(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}};

    return syscall(SYS_capget, &header, sets) == 0 &&
           ((sets[0].effective & 1U << CAP_SYS_ADMIN) != 0 ||
            (sets[1].effective & 1U << (CAP_PERFMON - 32)) != 0);
}

/* With 1 every row can be counted; with 2 those without the kernel. */
static void note_refused(void)
{
    long value;

    if (!finding_any_error(EACCES) && !finding_any_error(EPERM)) {
        return;
    }
    if (!setting("/proc/sys/kernel/perf_event_paranoid", &value)) {
        value = LONG_MAX;
    }
    if (is_privileged() || value <= 1) {
        add("do", "perf_event_open is refused though the program may count: a seccomp profile or a "
                  "security module does it, or these rights are those of a user namespace only");
    } else if (value == LONG_MAX) {
        add("do", "perf_event_open is refused: by kernel.perf_event_paranoid, which is not visible "
                  "here and need not be lower than 1, or by a seccomp profile");
    } else {
        add("do",
            "kernel.perf_event_paranoid is %ld: set it to 1, or give the program CAP_PERFMON. "
            "In a container, --cap-add=PERFMON, and a seccomp profile that permits "
            "perf_event_open",
            value);
    }
}

/* If the kernel refuses the event itself, these settings are not the reason. */
static void note_user_read(void)
{
    const struct finding *f = row("instructions:u, read by the program");
    uint64_t permits;
    long value;

    if (f == NULL || f->verdict != DENIED || f->error != 0) {
        return;
    }
    if (setting("/proc/sys/kernel/perf_user_access", &value) && value == 0) {
        add("do", "kernel.perf_user_access is 0: 1 permits MRS of counters");
    } else if (pmus_number("cpu", "rdpmc", &permits) && permits == 0) {
        add("do", "/sys/bus/event_source/devices/cpu/rdpmc is 0: 1 permits RDPMC");
    }
}

static void note_watchdog(void)
{
    long value;

    if (finding_total(BUSY) > 0 && setting("/proc/sys/kernel/nmi_watchdog", &value) && value != 0) {
        add("do", "the NMI watchdog may hold a counter: sysctl kernel.nmi_watchdog=0");
    }
}

/* Where the PMU of a guest is switched on. */
static const struct {
    const char *who;
    const char *how;
} switches[] = {
    {"TCG", "QEMU's TCG has no PMU for this CPU: use KVM, or an emulator that has one"},
    {"KVM",
     "QEMU: -accel kvm -cpu host,pmu=on; libvirt: <features><pmu state='on'/></features>, and "
     "<cpu mode='host-passthrough'/>; Firecracker has none"},
    {"QEMU", "QEMU: -accel kvm -cpu host,pmu=on; QEMU's TCG has one for arm64 only"},
    {"VMware", "virtualize CPU performance counters (vpmc.enable = TRUE)"},
    {"Hyper-V", "Set-VMProcessor NAME -Perfmon @(\"pmu\")"},
    {"Xen", "Xen's own command line: vpmu=1"},
    {"Google", "performanceMonitoringUnit of the VM's advancedMachineFeatures"},
    {"Amazon", "take a metal instance, or one that has a whole socket"},
};

/* Stock QEMU without -icount announces cycles, and no instructions. */
static void note_icount(void)
{
    const struct finding *cycles = row("cycles");

    if (cycles != NULL && cycles->clock_ghz != 0 && is("instructions", ABSENT)) {
        add("do", "QEMU's TCG counts instructions only with -icount shift=0");
    }
}

/* Linux says so of an event for which it has no PMU. Other errors say nothing of the PMU. */
static bool has_no_pmu(const char *name)
{
    const struct finding *f = row(name);

    return f != NULL && (f->error == ENOENT || f->error == EOPNOTSUPP || f->error == ENODEV);
}

static void note_switch(void)
{
    const struct pmu *pmus;

    if (finding_any_error(ENOSYS)) {
        add("do", "there is no perf_event_open: the kernel has no CONFIG_PERF_EVENTS, or a sandbox "
                  "(a seccomp profile, gVisor) or an emulator of programs (qemu-user) hides it");
        return;
    }
    if (!has_no_pmu("instructions") || !has_no_pmu("cycles") || pmus_all(&pmus) > 0) {
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
        if (says(switches[i].who)) {
            add("do", "this guest has no PMU: %s", switches[i].how);
            return;
        }
    }
    add("do", "there is no PMU that Linux knows: look at dmesg, the firmware's setup or the "
              "hypervisor's");
}

unsigned notes_make(const struct note **made)
{
    count = 0;
    note_likeness();
    note_rows("fake", fake);
    note_rows("zero", never);
    note_unknown();
    note_refused();
    note_user_read();
    note_watchdog();
    note_icount();
    note_switch();
    *made = notes;
    return count;
}
