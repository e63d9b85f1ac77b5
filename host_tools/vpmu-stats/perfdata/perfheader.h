/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFHEADER_H
#define VPMU_STATS_PERFHEADER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perfdata/perfevents.h"

/**
 * struct perfheader - what a file of perf's begins with
 * @pipe: it is in the format for pipes: events come as records.
 * @data, @end: where records begin and end; UINT64_MAX if the file does not say that.
 * @symbols: where the feature FILESYMBOLS_FEATURE is, and its size; 0 if there is none.
 */
struct perfheader {
    bool pipe;
    uint64_t data;
    uint64_t end;
    uint64_t symbols;
    uint64_t symbols_size;
};

/**
 * perfheader_read() - reads it, and of a file that is not for pipes its events and their names
 * @name: what a person calls the file.
 *
 * Return: 0, or -1: ERROR_USAGE and what is wrong with it.
 */
int perfheader_read(struct perfheader *h, FILE *file, const char *name, struct perfevents *events,
                    struct error *t);

/**
 * perfheader_names() - reads the feature EVENT_DESC, from where @file is: names of events
 * Return: 0, also if it is cut off, so that they keep others, or -1 with an error.
 */
int perfheader_names(struct perfevents *events, FILE *file, struct error *t);

/** perfheader_wrong() - a file cannot be read. Return: -1. */
int perfheader_wrong(const char *name, struct error *t, const char *what);

/** perfheader_prefix() - adds "cannot read FILE" to an error. Return: -1. */
int perfheader_prefix(const char *name, struct error *t);

#endif
