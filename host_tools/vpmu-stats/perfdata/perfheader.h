/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFHEADER_H
#define VPMU_STATS_PERFHEADER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perfdata/perfevents.h"

/**
 * struct perfheader - the header of a perf file
 * @pipe: the file is in the format for pipes: events come as records.
 * @data: offset of the first record.
 * @end: offset of the end of the records, or UINT64_MAX if the file does not say.
 * @symbols: offset of the feature FILESYMBOLS_FEATURE, or 0 if there is none.
 * @symbols_size: size of that feature, or 0.
 */
struct perfheader {
    bool pipe;
    uint64_t data;
    uint64_t end;
    uint64_t symbols;
    uint64_t symbols_size;
};

/**
 * perfheader_read() - read the header, and unless the file is for pipes, its events and their names
 * @name: the file's name for messages.
 *
 * Return: 0, or -1 with an error: ERROR_USAGE if the file is damaged.
 */
int perfheader_read(struct perfheader *h, FILE *file, const char *name, struct perfevents *events,
                    struct error *t);

/**
 * perfheader_names() - read event names from the feature EVENT_DESC at the current position of a
 * file
 *
 * If the feature is truncated, the remaining events keep their names.
 *
 * Return: 0, or -1 with an error.
 */
int perfheader_names(struct perfevents *events, FILE *file, struct error *t);

/** perfheader_wrong() - set the error "cannot read NAME: WHAT". Return: -1. */
int perfheader_wrong(const char *name, struct error *t, const char *what);

/** perfheader_prefix() - add "cannot read NAME" to an error of ERROR_USAGE. Return: -1. */
int perfheader_prefix(const char *name, struct error *t);

#endif
