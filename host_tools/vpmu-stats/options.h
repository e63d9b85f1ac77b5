/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_OPTIONS_H
#define VPMU_STATS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "out.h"

#define OPTIONS_MAX_SOCKETS 64u

/**
 * struct options - what every command understands
 * @sockets: as given.
 * @patience: how long an answer may take, in milliseconds.
 */
struct options {
    const char *sockets[OPTIONS_MAX_SOCKETS];
    size_t n;
    enum out_kind kind;
    const char *separator;
    const char *output;
    enum out_color color;
    int patience;
};

/* What these are if nothing is said. */
extern const struct options options_default;

/* Parses them, and sockets as arguments, into a struct options: a child of each command's argp. */
extern const struct argp options_argp;

/** options_ms() - a number of milliseconds, @min to a day. Ends the program with usage if not. */
int options_ms(struct argp_state *state, const char *text, int min);

/** options_number() - an integer from @min to @max. Return: false if @text is something else. */
bool options_number(const char *text, long min, long max, long *value);

/**
 * struct sockets - paths
 * @path: @n of them, all allocated.
 */
struct sockets {
    char *path[OPTIONS_MAX_SOCKETS];
    size_t n;
};

/**
 * options_sockets() - the sockets to look at: those given, or $VPMU_QMP, or those that are in
 * $XDG_RUNTIME_DIR/vpmu, in the order of their names
 *
 * Return: 0 with at least one, or -1 with TROUBLE_NO_MACHINE. sockets_free() is needed either way.
 */
int options_sockets(const struct options *o, struct sockets *sockets, struct trouble *t);

/** options_socket() - the same, but there is exactly one, or it is TROUBLE_USAGE */
int options_socket(const struct options *o, struct sockets *sockets, struct trouble *t);

void sockets_free(struct sockets *sockets);

#endif
