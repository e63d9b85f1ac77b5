/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_OPTIONS_H
#define VPMU_STATS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "qmp/target.h"

#define OPTIONS_MAX_ARGUMENTS 64u

/**
 * struct options - what every command understands
 * @arguments: machines as given, @n of them.
 * @uri: of the libvirt that they are domains of; NULL if none was given.
 * @patience: how long an answer may take, in milliseconds.
 */
struct options {
    struct {
        const char *text;
        bool is_socket; /* --qmp says so; otherwise it is a socket or a domain */
    } arguments[OPTIONS_MAX_ARGUMENTS];
    size_t n;
    const char *uri;
    enum out_kind kind;
    const char *separator;
    const char *output;
    enum out_color color;
    int patience;
};

/* What these are if nothing is said. */
extern const struct options options_default;

/* Parses them, and machines as arguments, into a struct options: a child of each command's argp. */
extern const struct argp options_argp;

/**
 * options_take_kind() - takes -j or -x, which say how to report
 * @separator: set with -x.
 *
 * Return: 0, or ARGP_ERR_UNKNOWN if @key is neither.
 */
error_t options_take_kind(int key, const char *arg, struct argp_state *state, enum out_kind *kind,
                          const char **separator);

/** options_ms() - a number of milliseconds, @min to a day. Ends the program with usage if not. */
int options_ms(struct argp_state *state, const char *text, int min);

/**
 * options_targets() - the machines to look at
 * @stop_fd: becomes readable when the user interrupts; -1: never.
 *
 * They are those named; or that of $VPMU_QMP; or, as they are now, the running Arm domains of
 * libvirt's, and the sockets in $XDG_RUNTIME_DIR/vpmu, each in the order of their names.
 *
 * Return: 0 with at least one, or -1: ERROR_NO_MACHINE if there is none. targets_free() is needed
 * either way.
 */
int options_targets(const struct options *o, int stop_fd, struct targets *targets, struct error *t);

/** options_target() - the same, but there is exactly one, or it is ERROR_USAGE */
int options_target(const struct options *o, int stop_fd, struct targets *targets, struct error *t);

#endif
