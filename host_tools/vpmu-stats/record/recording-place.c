/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who ran. perf knows one kernel and its processes. The machine's own kernel is that kernel.
 * CONTEXTIDR or CR3 identifies a process whose threads are not known. Everything else is shown as a
 * process of its own: EL2 below a kernel at EL1, EL3, SMM, and each guest of the machine's
 * hypervisor whose threads are not known. Known threads of guests have numbers of their own, and
 * all their addresses are those of programs for perf. On x86-64 the guests that are not known are
 * one process. A sample's cgroup says which of these ran, so perf report --sort cgroup tells them
 * apart.
 *
 * perf's hypervisor mode is not used: perf shows no symbols in it, and perf report crashes if such
 * a sample has a cgroup (Linux 6.12, hists__calc_col_len()).
 */
#include "record/recording-parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "vpmu/arm/observer.h"

/* Returns true the first time that it is called for a bit. */
static bool is_new(uint64_t *mask, unsigned bit)
{
    bool is_new = !(mask[bit / 64] >> bit % 64 & 1);

    mask[bit / 64] |= 1ull << bit % 64;
    return is_new;
}

static void name(struct recording *r, uint64_t group, const char *path, const char *process)
{
    const struct perfdata_thread thread = {.pid = PID_OF(group), .tid = PID_OF(group)};

    perfdata_group(&r->file, group, path);
    if (process) {
        perfdata_comm(&r->file, &thread, process);
        recording_map_programs(r, &thread, process);
    }
}

/* The name of a guest as a process, which the user can give to --map. */
struct guest_name {
    char text[32];
};

static struct guest_name name_of_guest(unsigned vmid)
{
    struct guest_name name;

    snprintf(name.text, sizeof(name.text), "guest-%u", vmid);
    return name;
}

/* The number of the guest that a vCPU's last record was about. */
static unsigned number_of_guest(const struct recording *r, uint32_t cpu)
{
    const struct recording_cpu *runs = &r->cpus[cpu];

    return recording_is_x86(r) ? runs->svm : (unsigned)(runs->guest.vttbr >> 48);
}

/* @group: that of all guests of this kind. */
static void meet_guest(struct recording *r, uint64_t group, unsigned number, uint64_t *met)
{
    char path[32];

    if (is_new(met, number)) {
        snprintf(path, sizeof(path), "/guest/%s-%u", group == GROUP_SVM ? "svm" : "vmid", number);
        name(r, group + number, path, name_of_guest(number).text);
    }
}

void recording_meet(struct recording *r, uint64_t group)
{
    static const struct {
        const char *path;
        const char *process;
    } worlds[] = {
        [GROUP_HOST] = {"/host", NULL},       [GROUP_EL2] = {"/host/EL2", "EL2"},
        [GROUP_EL3] = {"/host/EL3", "EL3"},   [GROUP_SMM] = {"/host/SMM", "SMM"},
        [GROUP_GUESTS] = {"/guest", "guest"},
    };

    if (group >= GROUP_SVM) {
        meet_guest(r, GROUP_SVM, (unsigned)(group - GROUP_SVM), r->svm);
    } else if (group >= GROUP_GUEST) {
        meet_guest(r, GROUP_GUEST, (unsigned)(group - GROUP_GUEST), r->vmids);
    } else if (is_new(&r->worlds, (unsigned)group)) {
        name(r, group, worlds[group].path, worlds[group].process);
    }
}

static uint64_t group_of_x86(const struct recording *r, const struct vpmu_record_sample *from)
{
    unsigned number = number_of_guest(r, from->head.cpu);

    if (from->flags & VPMU_RECORD_SMM) {
        return GROUP_SMM;
    }
    if (from->world != VPMU_WORLD_GUEST) {
        return GROUP_HOST;
    }
    return number ? GROUP_SVM + number : GROUP_GUESTS;
}

static uint64_t group_of_arm(const struct vpmu_record_sample *from)
{
    if (from->el == 3) {
        return GROUP_EL3;
    }
    if (from->el == 2) {
        return from->world == VPMU_WORLD_VHE ? GROUP_HOST : GROUP_EL2;
    }
    return from->world == VPMU_WORLD_GUEST ? GROUP_GUEST + from->vmid : GROUP_HOST;
}

uint64_t recording_group(const struct recording *r, const struct vpmu_record_sample *from)
{
    return recording_is_x86(r) ? group_of_x86(r, from) : group_of_arm(from);
}

/* A thread that was read from the guest's memory takes precedence over CONTEXTIDR or CR3. */
static void place_own_thread(const struct recording *r, struct perfdata_sample *to,
                             const struct vpmu_record_sample *from)
{
    const struct recording_cpu *runs = &r->cpus[from->head.cpu];

    to->tid = runs->known ? runs->tid : from->contextidr & INT32_MAX;
    to->pid = runs->known ? runs->pid : to->tid;
}

/* Threads of guests of the machine's own hypervisor. */
static void place_guest_thread(const struct recording *r, struct perfdata_sample *to,
                               const struct vpmu_record_sample *from)
{
    const struct recording_cpu *runs = &r->cpus[from->head.cpu];

    if (runs->in_guest.known && recording_knows_guest(r, from)) {
        to->tid = runs->in_guest.tid;
        to->pid = runs->in_guest.pid;
    }
}

/* On x86-64 a sample without a number is of the guest of the last record. */
bool recording_knows_guest(const struct recording *r, const struct vpmu_record_sample *from)
{
    const struct recording_cpu *runs = &r->cpus[from->head.cpu];

    return recording_is_x86(r) ? runs->svm != 0 : runs->guest.vttbr >> 48 == from->vmid;
}

/* Sets the sample's mode, process and cgroup. The kernel of a VHE host, at EL2, is a kernel too. */
void recording_place(const struct recording *r, struct perfdata_sample *to,
                     const struct vpmu_record_sample *from)
{
    uint64_t group = recording_group(r, from);
    bool hosts = group == GROUP_HOST;

    to->group = group;
    to->tid = to->pid = PID_OF(group);
    to->mode = hosts && from->el ? PERFDATA_KERNEL : PERFDATA_USER;
    if (hosts) {
        place_own_thread(r, to, from);
    } else if (group >= GROUP_GUEST) {
        place_guest_thread(r, to, from);
    }
}

/*
 * The name is written each time, because records of other vCPUs that arrive later may be older and
 * have another name. Idle threads are one thread for perf, which has its name already. Numbers in
 * the range of PID_OF() are ignored, since Linux has no such threads.
 */
void recording_thread(struct recording *r, const struct vpmu_record_thread *from)
{
    struct recording_cpu *runs = &r->cpus[from->head.cpu];
    const struct perfdata_thread of_perf = {
        .pid = from->pid, .tid = from->tid, .time = from->time, .cpu = from->head.cpu};
    char comm[VPMU_RECORD_COMM + 1] = {0};

    runs->known = from->known && from->tid < PID_OF(0) && from->pid < PID_OF(0);
    runs->tid = from->tid;
    runs->pid = from->pid;
    if (runs->known && runs->tid) {
        memcpy(comm, from->comm, sizeof(from->comm));
        format_tame(comm);
        memcpy(runs->comm, comm, sizeof(runs->comm));
        perfdata_comm(&r->file, &of_perf, comm);
        runs->mapped = recording_map_programs(r, &of_perf, comm);
    }
}

/* The thread of another guest is not known. */
void recording_guest(struct recording *r, const struct vpmu_record_guest *from)
{
    struct recording_cpu *runs = &r->cpus[from->head.cpu];

    if (!nested_guests_same(runs->guest.vttbr, from->vttbr)) {
        runs->in_guest = (struct guest_thread){0};
    }
    runs->guest = *from;
    if (recording_is_x86(r)) {
        size_t index = nested_guests_index(&r->nested, from->vttbr);

        runs->svm = index < NESTED_GUESTS ? r->nested.guest[index].vmid : 0;
    }
}

/* If the user has named the guest, its mappings are those of each of its processes. */
static void name_guest_thread(struct recording *r, uint32_t cpu, uint64_t time)
{
    const struct recording_cpu *runs = &r->cpus[cpu];
    const struct perfdata_thread thread = {
        .pid = runs->in_guest.pid, .tid = runs->in_guest.tid, .time = time, .cpu = cpu};

    perfdata_comm(&r->file, &thread, runs->in_guest.comm);
    recording_map_programs(r, &thread, name_of_guest(number_of_guest(r, cpu)).text);
}

void recording_guest_thread(struct recording *r, const struct vpmu_record_thread *from)
{
    struct recording_cpu *runs = &r->cpus[from->head.cpu];

    guest_thread_take(&runs->in_guest, nested_guests_index(&r->nested, runs->guest.vttbr), from);
    if (runs->in_guest.known) {
        name_guest_thread(r, from->head.cpu, from->time);
    }
}

/*
 * Repeats what the machine does not send again: the names and mappings of the threads that run. The
 * samples that follow may be older than their thread's last record here, so the names have no time.
 */
void recording_repeat(struct recording *r, uint32_t cpu)
{
    const struct recording_cpu *runs = &r->cpus[cpu];
    const struct perfdata_thread thread = {.pid = runs->pid, .tid = runs->tid, .cpu = cpu};

    if (runs->known && runs->tid) {
        perfdata_comm(&r->file, &thread, runs->comm);
        recording_map_programs(r, &thread, runs->comm);
    }
    recording_remap(r, cpu);
    if (runs->in_guest.known) {
        name_guest_thread(r, cpu, 0);
    }
}
