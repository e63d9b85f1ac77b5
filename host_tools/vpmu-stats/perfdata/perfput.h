/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFPUT_H
#define VPMU_STATS_PERFPUT_H

#include "perfdata/perfdata.h"

/*
 * Values, records and descriptions of events, for perfdata.c and perffeatures.c only. Values go
 * into the file, or into the record that has begun.
 */

/* Events have the format of Linux 5.13. Later versions treat the missing fields as 0. */
#define PERFPUT_ATTR_SIZE PERF_ATTR_SIZE_VER7
/* Strings of features are padded to a multiple of this, those of records to one of 8. */
#define PERFPUT_STRING_ALIGN 64

void put(struct perfdata *p, const void *data, size_t size);
void put_u32(struct perfdata *p, uint32_t value);
void put_u64(struct perfdata *p, uint64_t value);

/** put_zeroes() - write up to PERFPUT_STRING_ALIGN zeroes */
void put_zeroes(struct perfdata *p, size_t size);

/** put_text() - write a string, cut if it is long, and one to @align zeroes, to a multiple of it */
void put_text(struct perfdata *p, const char *text, size_t align);

/** put_begin() - begin a record; put_end() follows. */
void put_begin(struct perfdata *p, uint32_t type, unsigned misc);

/** put_align() - write zeroes into the record, to a multiple of 8 bytes */
void put_align(struct perfdata *p);

/** put_end() - write the record; one of more than 65,535 bytes is left out */
void put_end(struct perfdata *p);

/** put_id_of() - the number of an event on a vCPU in the file */
uint64_t put_id_of(const struct perfdata *p, size_t event, uint32_t cpu);

/** put_ids() - write the numbers of an event on all vCPUs */
void put_ids(struct perfdata *p, size_t event);

/** put_attr() - write the description of an event */
void put_attr(struct perfdata *p, size_t event);

#endif
