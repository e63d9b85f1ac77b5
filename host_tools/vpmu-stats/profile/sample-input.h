/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SAMPLE_INPUT_H
#define VPMU_STATS_SAMPLE_INPUT_H

#include "base/progress.h"
#include "profile/code-maps.h"
#include "symbols/guest-files.h"
#include "symbols/functions.h"
#include "perfdata/perfsample.h"
#include "profile/profile.h"
#include "symbols/programs.h"
#include "symbols/source-lines.h"
#include "profile/threads.h"

/**
 * struct input_branch - a branch of a sample
 * @mispredicted, @predicted: none of them is set if it is not known.
 * @cycles: since the branch before; 0 if it is not known.
 */
struct input_branch {
    uint64_t from;
    uint64_t to;
    bool mispredicted;
    bool predicted;
    unsigned cycles;
};

/**
 * struct input_sample - a sample, and the name of its thread
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, _HYPERVISOR, ...
 * @comm: number of a text.
 * @branch: with sample_input.branches, the branch that is summed up; otherwise NULL.
 */
struct input_sample {
    const struct perfsample *s;
    unsigned event;
    unsigned mode;
    uint32_t comm;
    const struct input_branch *branch;
};

struct sample_input;

/**
 * sample_input_key - what a sample is summed up by
 * @key: up to SAMPLE_INPUT_MAX_KEY numbers of texts of g->profile->texts, *@n of them. A sample
 *     with an empty key only counts as part of its event.
 */
typedef int (*sample_input_key)(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                                uint32_t *n, struct error *t);

/** sample_input_each - what becomes of a sample that is not summed up */
typedef int (*sample_input_each)(struct sample_input *g, const struct input_sample *s,
                                 struct error *t);

/* More addresses than a record of perf's can have. */
#define SAMPLE_INPUT_MAX_KEY 8192u

/**
 * struct sample_input - samples of a file on their way into a profile
 * @input: path of perf's file; "-" is the standard input.
 * @kallsyms: path of the kernel's functions, or NULL.
 * @vmlinux: in place of that, path of the kernel's ELF file, or firmware's; or NULL.
 * @programs: those of programs.
 * @symfs: a directory with copies of the guest's files, or NULL.
 * @key, @opaque: what to sum up by; or if @key is NULL:
 * @each, @sink: who takes samples, one by one.
 * @branches: with @key, sum up each branch of each sample, with a period of 1, and not the samples.
 * @no_inline: inlined functions are not shown.
 * @progress: shows how much of the file has been read; NULL for none.
 * @profile: what comes of it; profile_free() is needed in any case.
 *
 * @cut: the file ends in the middle, at byte @end.
 * @strangers: samples of no event.
 * @chains: samples with a call chain.
 * @branched: samples with branches.
 * @has_kernel: functions of the kernel are known.
 *
 * What is above these is set by the caller; all else is 0 at first, and private.
 */
struct sample_input {
    const char *input;
    const char *kallsyms;
    const char *vmlinux;
    const struct programs *programs;
    const char *symfs;
    sample_input_key key;
    const void *opaque;
    sample_input_each each;
    void *sink;
    bool branches;
    bool no_inline;
    struct progress *progress;
    struct profile *profile;
    bool cut;
    uint64_t end;
    uint64_t strangers;
    uint64_t chains;
    uint64_t branched;
    bool has_kernel;
    struct threads threads;
    struct code_maps maps;
    struct guest_files *files;
    void *worlds;
    struct functions kernel;
    char *reference; /* a function of the kernel's, which was at: */
    uint64_t reference_at;
    struct source_lines lines;
    uint64_t slide; /* what its addresses are above those in the file */
};

/** sample_input_read() - reads the file. Return: 0, also if it is cut, or -1 with an error. */
int sample_input_read(struct sample_input *g, int stop_fd, struct error *t);

/** sample_input_warn() - says on standard error what was wrong with a file that could be read */
void sample_input_warn(const struct sample_input *g);

/** sample_input_cgroup() - number of the text for who ran: of the sample's cgroup */
int sample_input_cgroup(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                        struct error *t);

/**
 * struct input_place - what is at an address
 * @function: NULL if there is nothing, or it is not known.
 * @file: name of the guest's file that is mapped there, as the recording has it, or what perf calls
 *     a kernel; NULL if neither is known.
 * @mapped: the recording says so, and that it is at @offset there.
 * @image: path of the ELF file that this is in; NULL if that is not known.
 * @address: there.
 */
struct input_place {
    const struct function *function;
    const char *file;
    bool mapped;
    uint64_t offset;
    const char *image;
    uint64_t address;
};

/** sample_input_place() - what is at an address as seen in @mode */
struct input_place sample_input_place(const struct sample_input *g, const struct input_sample *s,
                                      unsigned mode, uint64_t address);

/**
 * sample_input_lines() - find the source lines of a place, and the functions inlined there
 *
 * See source_lines_find(). Without no_inline, each line but the last one belongs to an inlined
 * function. With it, there is at most one line: that of the instruction.
 */
size_t sample_input_lines(struct sample_input *g, const struct input_place *place,
                          struct dwarf_line *line);

/** sample_input_function() - what is at an address as seen in @mode, or NULL */
const struct function *sample_input_function(const struct sample_input *g,
                                             const struct input_sample *s, unsigned mode,
                                             uint64_t address);

#endif
