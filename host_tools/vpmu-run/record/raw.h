/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records that init wrote to RUN_PORT_RECORD. */
#ifndef VPMU_RUN_RAW_H
#define VPMU_RUN_RAW_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/bytes.h"
#include "failure.h"
#include "perfdata/perfsample.h"

/**
 * struct raw_record - a record of the kernel
 * @type, @misc: of its header.
 * @body: what follows the header.
 * @at: the decoded sample. Of another record, who caused it, when, and the event's number.
 */
struct raw_record {
    uint32_t type;
    unsigned misc;
    struct bytes body;
    struct perfsample at;
    size_t order;
};

/**
 * struct raw - all records
 * @record: @n of them, in the order of time.
 * @symbols: the text of /proc/kallsyms, @symbols_size bytes.
 * @chain: memory of call chains that were replaced.
 * @vdso: the file that the kernel maps into programs, @vdso_size bytes.
 * @notes: the kernel's ELF notes, @notes_size bytes.
 * @lists: the text of lists of functions made at run time, @lists_size bytes.
 */
struct raw {
    struct raw_record *record;
    size_t n;
    char *symbols;
    size_t symbols_size;
    uint64_t *chain;
    char *lists;
    size_t lists_size;
    char *vdso;
    size_t vdso_size;
    char *notes;
    size_t notes_size;
    unsigned char *map;
    size_t map_size;
};

/**
 * struct raw_contents - what samples have
 * @stack: they have the stack, and the registers of the mask @registers.
 */
struct raw_contents {
    bool chains, branches, stack;
    uint64_t registers;
};

/**
 * raw_open() - reads all records
 * @fd: the file that init wrote. Its content is not trusted.
 *
 * Return: 0, or -1 with an error. raw_close() is needed either way.
 */
int raw_open(struct raw *r, int fd, const struct raw_contents *contents, struct failure *f);
/** raw_build_id() - the kernel's build ID, if it has @size bytes; or NULL */
const unsigned char *raw_build_id(const struct raw *r, size_t size);
/** raw_sort() - restores the order after records were added at the end */
void raw_sort(struct raw *r);
void raw_close(struct raw *r);

#endif
