/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RECORDING_PARTS_H
#define VPMU_STATS_RECORDING_PARTS_H

#include "record/recording.h"

/*
 * Between the files of a recording: recording-place.c knows who ran, recording-kernel.c the
 * kernel's functions, recording-maps.c writes mappings, and recording-samples.c writes samples.
 */

/* Numbers of cgroups in the file. */
enum {
    GROUP_HOST = 1,
    GROUP_EL2,
    GROUP_EL3,
    GROUP_SMM,
    GROUP_GUESTS,          /* of SVM, whose numbers are not known */
    GROUP_GUEST = 0x10000, /* plus the VMID */
    GROUP_SVM = 0x20000,   /* plus the number of a guest of SVM, from 1 */
};

/* Process number for a cgroup. Linux does not use numbers as large for its own processes. */
#define PID_OF(group) (0x40000000u + (uint32_t)(group))

static inline bool recording_is_x86(const struct recording *r)
{
    return r->stream.start.flags & VPMU_RECORD_X86;
}

/** recording_group() - get the number of the cgroup that a sample was taken in */
uint64_t recording_group(const struct recording *r, const struct vpmu_record_sample *from);

/** recording_knows_guest() - test whether the vCPU's last record of a guest is that of a sample */
bool recording_knows_guest(const struct recording *r, const struct vpmu_record_sample *from);

/** recording_place() - set a sample's mode, process and cgroup */
void recording_place(const struct recording *r, struct perfdata_sample *to,
                     const struct vpmu_record_sample *from);

/** recording_meet() - name the process and the path of a cgroup, once in each file */
void recording_meet(struct recording *r, uint64_t group);

/** recording_thread() - take the thread of a vCPU's following samples */
void recording_thread(struct recording *r, const struct vpmu_record_thread *from);

/* The same for a guest of the machine's own hypervisor, and for its thread. */
void recording_guest(struct recording *r, const struct vpmu_record_guest *from);
void recording_guest_thread(struct recording *r, const struct vpmu_record_thread *from);

/** recording_repeat() - write what is known of a vCPU's threads to the next file */
void recording_repeat(struct recording *r, uint32_t cpu);

/** recording_map_kernel() - write the mappings of the machine's kernel and its modules */
void recording_map_kernel(struct recording *r);

/**
 * recording_find_code() - look for functions that the kernel has got since the recording began
 * @time: that of the sample that needs one, in nanoseconds.
 *
 * If there was nothing new, this does nothing for a while. Functions may get other places.
 */
void recording_find_code(struct recording *r, uint64_t time);

/** recording_map_programs() - write the mappings of the program if the user has named it */
bool recording_map_programs(struct recording *r, const struct perfdata_thread *thread,
                            const char *comm);

/** recording_map() - take a mapping of the process that runs. Return: 0, or -1 without memory. */
int recording_map(struct recording *r, const struct vpmu_record_map *from, const char *path,
                  struct error *t);

/** recording_remap() - write the mappings of a vCPU's process to the next file */
void recording_remap(struct recording *r, uint32_t cpu);

/** recording_sample() - write a sample, or a call */
void recording_sample(struct recording *r, const union stream_record *from);

#endif
