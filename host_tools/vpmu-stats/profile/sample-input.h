/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SAMPLE_INPUT_H
#define VPMU_STATS_SAMPLE_INPUT_H

#include "base/progress.h"
#include "kernel/module-files.h"
#include "profile/code-maps.h"
#include "symbols/guest-files.h"
#include "symbols/functions.h"
#include "perfdata/perfsample.h"
#include "profile/profile.h"
#include "symbols/programs.h"
#include "lines/source-lines.h"
#include "profile/threads.h"
#include "lines/valgrind-lines.h"

/**
 * struct input_branch - a branch of a sample
 * @mispredicted, @predicted: neither is set if the prediction is not known.
 * @cycles: since the branch before; 0 if unknown.
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
 * @comm: number of the name's text.
 * @branch: with sample_input.branches, the branch to sum up; otherwise NULL.
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
 * sample_input_key - make the key to sum up a sample by
 * @key: receives up to SAMPLE_INPUT_MAX_KEY numbers of texts in g->profile->texts, and *@n their
 *     number. A sample with an empty key is only part of the sums of its event.
 */
typedef int (*sample_input_key)(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                                uint32_t *n, struct error *t);

/**
 * sample_input_line - the same for a line of a file of callgrind or cachegrind. Each event has a
 * sample for it.
 */
typedef int (*sample_input_line)(struct sample_input *g, const struct valgrind_line *line,
                                 uint32_t *key, uint32_t *n, struct error *t);

/**
 * sample_input_call - the same for a line of callgrind that calls a function; what the calls cost
 * must not be added to the sums of the events
 */
typedef int (*sample_input_call)(struct sample_input *g, const struct valgrind_call *call,
                                 struct error *t);

/** sample_input_each - process a sample that is not summed up */
typedef int (*sample_input_each)(struct sample_input *g, const struct input_sample *s,
                                 struct error *t);

/* More addresses than a record of perf can have. */
#define SAMPLE_INPUT_MAX_KEY 8192u

/**
 * struct sample_input - reads samples of a file into a profile
 * @input: path of perf's file; "-" is the standard input.
 * @kallsyms: path of the kernel's functions, or NULL.
 * @vmlinux: instead of @kallsyms, path of the ELF file of the kernel or firmware; or NULL.
 * @programs: the functions of programs that the user named.
 * @symfs: a directory with copies of the guest's files, or NULL.
 * @debug_dir: a directory with what was stripped from them; see struct debug_dirs.
 * @key, @opaque: makes keys, by which samples are summed up. If @key is NULL, @each is called for
 *     each sample instead.
 * @line_key: makes keys from lines of callgrind and cachegrind; NULL refuses their files.
 * @call_line: with @line_key, processes calls; or NULL.
 * @each, @sink: processes single samples.
 * @branches: with @key, sum up each branch of each sample, with a period of 1, instead of samples.
 * @no_inline: do not show inlined functions.
 * @accesses: symbols of data are wanted.
 * @progress: shows how much of the file has been read; NULL for none.
 * @profile: the result; call profile_free() in any case.
 *
 * @cut: the file is truncated at byte @end.
 * @strangers: number of samples that belong to no event.
 * @chains: number of samples with a call chain.
 * @branched: number of samples with branches.
 * @accessed: number of samples that tell where data was.
 * @has_kernel: functions of the kernel are known.
 * @has_lines: the file is one of callgrind or cachegrind.
 *
 * The caller sets the fields above @cut. All others are 0 at first, and those below @has_lines are
 * private.
 */
struct sample_input {
    const char *input;
    const char *kallsyms;
    const char *vmlinux;
    const struct programs *programs;
    const char *symfs;
    const char *debug_dir;
    sample_input_key key;
    sample_input_line line_key;
    sample_input_call call_line;
    const void *opaque;
    sample_input_each each;
    void *sink;
    bool branches;
    bool no_inline;
    bool accesses;
    struct progress *progress;
    struct profile *profile;
    bool cut;
    uint64_t end;
    uint64_t strangers;
    uint64_t chains;
    uint64_t branched;
    uint64_t accessed;
    bool has_kernel;
    bool has_lines;
    struct threads threads;
    struct code_maps maps;
    struct guest_files *files;
    void *worlds;
    struct functions kernel;
    struct module_files module_files;
    char *reference; /* a function of the kernel, and its address in the file: */
    uint64_t reference_at;
    struct source_lines lines;
    uint64_t slide; /* difference between its addresses and those in the file */
};

/**
 * sample_input_read() - read the file. Return: 0, even if the file is truncated; or -1 with an
 * error.
 */
int sample_input_read(struct sample_input *g, int stop_fd, struct error *t);

/** sample_input_warn() - print warnings about a file that could be read */
void sample_input_warn(const struct sample_input *g);

/** sample_input_jumps() - is this sample of PERFDATA_CALLS one of a jump? */
bool sample_input_jumps(const struct perfsample *s);

/** sample_input_cgroup() - get the number of the text of the sample's cgroup, which says who ran */
int sample_input_cgroup(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                        struct error *t);

/**
 * struct input_place - what is at an address
 * @function: NULL if there is none, or it is not known.
 * @file: name of the guest's file that is mapped there, as in the recording, or perf's name of a
 *     kernel; NULL if neither is known.
 * @mapped: the recording has a mapping there, and @offset is the offset in the file.
 * @image: path of the ELF file; NULL if it is not known.
 * @address: the address in @image.
 */
struct input_place {
    const struct function *function;
    const char *file;
    bool mapped;
    uint64_t offset;
    const char *image;
    uint64_t address;
};

/** sample_input_place() - find what is at an address, as seen in @mode */
struct input_place sample_input_place(const struct sample_input *g, const struct input_sample *s,
                                      unsigned mode, uint64_t address);

/**
 * sample_input_data() - find the data that the sample's instruction has accessed
 * @mode: receives the mode of the address: PERF_RECORD_MISC_KERNEL, _USER, ...
 *
 * Data of a program have a name if they belong to the file of the instruction.
 */
struct input_place sample_input_data(const struct sample_input *g, const struct input_sample *s,
                                     unsigned *mode);

/**
 * sample_input_lines() - find the source lines of a place, and the functions inlined there
 *
 * See source_lines_find(). Without no_inline, each line but the last one belongs to an inlined
 * function. With it, there is at most one line: that of the instruction.
 */
size_t sample_input_lines(struct sample_input *g, const struct input_place *place,
                          struct dwarf_line *line);

/**
 * sample_input_function() - find the function at an address, as seen in @mode; NULL if there is
 * none
 */
const struct function *sample_input_function(const struct sample_input *g,
                                             const struct input_sample *s, unsigned mode,
                                             uint64_t address);

/* The size of a text for place_name(). */
#define PLACE_NAME 512u

/**
 * place_name() - name the code at a place
 * @place: the place.
 * @back: how many bytes the code is behind @place: 1 for a return address, or 0.
 * @buf: PLACE_NAME bytes for the name.
 *
 * Return: the name of the function; "FILE+0xADDRESS" if only the file is known, with the address
 * that nm and addr2line use, or the offset in the file if there is no copy of it; NULL if nothing
 * is known.
 */
const char *place_name(const struct input_place *place, uint64_t back, char buf[PLACE_NAME]);

/** place_name_lacks() - check whether a name in a report is not that of a function */
bool place_name_lacks(const char *name);

#endif
