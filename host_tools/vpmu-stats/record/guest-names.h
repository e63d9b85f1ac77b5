/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GUEST_NAMES_H
#define VPMU_STATS_GUEST_NAMES_H

#include "kernel/kernel.h"
#include "qmp/qmp.h"

/**
 * struct guest_names - functions of a guest's kernel, and where its threads are; all 0 at first
 * @kernel: addresses of the kernel; kernel.text is 0 if they are unknown.
 * @functions: functions of the kernel, sorted; may be empty.
 * @info: what the kernel says about itself; valid if @is_found is set.
 * @layout: the places of fields in the kernel's structures; valid if @has_threads or @is_found is
 * set.
 * @orc: x86-64: the kernel's tables for call chains.
 * @vdso: the file that the kernel maps into programs, @vdso_size bytes; NULL if it is not known.
 * @files: reads files from the guest's memory; NULL if that is not possible.
 * @is_found: the names were read from the guest's memory, and more can be.
 * @has_threads: the machine can find the guest's threads.
 * @release: version of the kernel; empty if it is unknown.
 * @build_id: build ID of the kernel, valid if @has_build_id is set.
 * @nameless: why names are not available, if they were searched for.
 */
struct guest_names {
    struct symbols kernel;
    struct functions functions;
    struct vmcoreinfo info;
    struct task_layout layout;
    struct orc_tables orc;
    unsigned char *vdso;
    size_t vdso_size;
    struct page_cache *files;
    bool is_found;
    bool has_threads;
    char release[sizeof(((struct kernel *)0)->release)];
    unsigned char build_id[VMCOREINFO_BUILD_ID];
    bool has_build_id;
    struct error nameless;
};

/**
 * guest_names_read() - read names from files
 * @kallsyms: a copy of the guest's /proc/kallsyms or its System.map, or NULL.
 * @vmlinux: a file with the types of the guest's kernel, for names of threads, or NULL. It needs
 *     @kallsyms.
 *
 * Return: 0, or -1 with ERROR_USAGE. Call guest_names_free() in any case.
 */
int guest_names_read(struct guest_names *n, const char *kallsyms, const char *vmlinux,
                     struct error *t);

/**
 * guest_names_find() - find names in the guest's memory, and show the progress
 * @with_kvm: the host takes the samples. They have no threads.
 *
 * A machine that does not run Linux has no names. This is not an error: see @nameless.
 *
 * Return: 0, or -1 with an error.
 */
int guest_names_find(struct guest_names *n, struct qmp *q, bool with_kvm, struct error *t);

/**
 * guest_names_again() - add the names of code that the kernel has got since
 * @n: @n->is_found must be set. Functions get other places in @n->functions.
 * @memory: the machine's memory.
 *
 * Return: 0, or -1 without memory; @n is then as before.
 */
int guest_names_again(struct guest_names *n, struct memory *memory, struct error *t);

/** guest_names_why() - say why names are not available. Return: NULL if nothing has to be said. */
const char *guest_names_why(const struct guest_names *n);

void guest_names_free(struct guest_names *n);

#endif
