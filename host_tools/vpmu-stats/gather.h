/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GATHER_H
#define VPMU_STATS_GATHER_H

#include "codes.h"
#include "copies.h"
#include "functions.h"
#include "perfsample.h"
#include "profile.h"
#include "programs.h"
#include "threads.h"

/**
 * struct gather_sample - a sample, and the name of its thread
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, _HYPERVISOR, ...
 * @comm: number of a text.
 */
struct gather_sample {
    const struct perfsample *s;
    unsigned event;
    unsigned mode;
    uint32_t comm;
};

struct gather;

/**
 * gather_key - what a sample is summed up by
 * @key: up to GATHER_MAX_KEY numbers of texts of g->profile->texts, *@n of them.
 */
typedef int (*gather_key)(struct gather *g, const struct gather_sample *s, uint32_t *key,
                          uint32_t *n, struct trouble *t);

/** gather_each - what becomes of a sample that is not summed up */
typedef int (*gather_each)(struct gather *g, const struct gather_sample *s, struct trouble *t);

/* More addresses than a record of perf's can have. */
#define GATHER_MAX_KEY 8192u

/**
 * struct gather - samples of a file on their way into a profile
 * @input: path of perf's file; "-" is the standard input.
 * @kallsyms: path of the kernel's functions, or NULL.
 * @vmlinux: in place of that, path of the kernel's ELF file, or firmware's; or NULL.
 * @programs: those of programs.
 * @symfs: a directory with copies of the guest's files, or NULL.
 * @key, @opaque: what to sum up by; or if @key is NULL:
 * @each, @sink: who takes samples, one by one.
 * @profile: what comes of it; profile_free() is needed in any case.
 *
 * @cut: the file ends in the middle, at byte @end.
 * @strangers: samples of no event.
 *
 * What is above these is set by the caller; all else is 0 at first, and private.
 */
struct gather {
    const char *input;
    const char *kallsyms;
    const char *vmlinux;
    const struct programs *programs;
    const char *symfs;
    gather_key key;
    const void *opaque;
    gather_each each;
    void *sink;
    struct profile *profile;
    bool cut;
    uint64_t end;
    uint64_t strangers;
    struct threads threads;
    struct codes codes;
    struct copies *copies;
    void *worlds;
    struct functions kernel;
    char *reference; /* a function of the kernel's, which was at: */
    uint64_t reference_at;
    uint64_t slide; /* what its addresses are above those in the file */
};

/** gather() - reads the file. Return: 0, also if it is cut, or -1 with trouble. */
int gather(struct gather *g, int stop_fd, struct trouble *t);

/** gather_warn() - says on standard error what was wrong with a file that could be read */
void gather_warn(const struct gather *g);

/** gather_world() - number of the text for who ran: of the sample's cgroup */
int gather_world(struct gather *g, const struct gather_sample *s, uint32_t *number,
                 struct trouble *t);

/**
 * struct gather_place - what is at an address
 * @function: NULL if there is nothing, or it is not known.
 * @image: path of the ELF file that this is in; NULL if that is not known.
 * @address: there.
 */
struct gather_place {
    const struct function *function;
    const char *image;
    uint64_t address;
};

/** gather_place() - what is at an address as seen in @mode */
struct gather_place gather_place(const struct gather *g, const struct gather_sample *s,
                                 unsigned mode, uint64_t address);

/** gather_function() - what is at an address as seen in @mode, or NULL */
const struct function *gather_function(const struct gather *g, const struct gather_sample *s,
                                       unsigned mode, uint64_t address);

#endif
