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
 * struct options - the options of all commands
 * @arguments: the machines as given.
 * @n: number of machines.
 * @uri: URI of the libvirt whose domains these are, or NULL.
 * @patience: how long to wait for an answer, in milliseconds.
 * @in_background: nobody waits for the machine, so do not print what the program waits for.
 */
struct options {
    struct {
        const char *text;
        bool is_socket; /* given with --qmp; otherwise a socket or a domain */
    } arguments[OPTIONS_MAX_ARGUMENTS];
    size_t n;
    const char *uri;
    enum out_kind kind;
    const char *separator;
    const char *output;
    enum out_color color;
    int patience;
    bool in_background;
};

/* The default options. */
extern const struct options options_default;

/* Parses the options, and machines as arguments. The input is a struct options. */
extern const struct argp options_argp;

/**
 * options_take_kind() - parse -j or -x, which select the format of reports
 * @key: the key of the option.
 * @kind: receives the format.
 * @separator: set by -x only.
 *
 * Return: 0, or ARGP_ERR_UNKNOWN if @key is another option.
 */
error_t options_take_kind(int key, const char *arg, struct argp_state *state, enum out_kind *kind,
                          const char **separator);

/**
 * options_ms() - parse a number of milliseconds, from @min to one day
 *
 * A wrong number ends the program with an error.
 */
int options_ms(struct argp_state *state, const char *text, int min);

/**
 * options_targets() - find the machines to use
 * @stop_fd: becomes readable when the user interrupts; -1 if this cannot happen.
 *
 * If machines were named, these are used. Otherwise, unless --connect is given, $VPMU_QMP names the
 * machine. Otherwise the function returns libvirt's running Arm and x86 domains and, unless
 * --connect is given, the sockets in $XDG_RUNTIME_DIR/vpmu, each sorted by name.
 *
 * Return: 0 with at least one machine; or -1 with an error: ERROR_NO_MACHINE if there is none. Call
 * targets_free() in any case.
 */
int options_targets(const struct options *o, int stop_fd, struct targets *targets, struct error *t);

/**
 * options_named() - make a target for each machine that was named, none of them found yet
 * @named: receives the targets, in the order of the arguments. Call targets_free() in any case.
 *
 * Return: 0 or -1.
 */
int options_named(const struct options *o, struct targets *named, struct error *t);

/**
 * options_find() - look for the named machines that are missing
 * @named: from options_named(). Those that are found are not missing any more.
 * @why: for each of @named, receives why it is missing, if it still is.
 */
void options_find(const struct options *o, int stop_fd, struct targets *named, struct error *why);

/**
 * options_target() - like options_targets(), but find exactly one machine
 *
 * x86 domains of libvirt are used only if there is no other machine, unless they were named.
 *
 * Return: 0, or -1 with an error: ERROR_USAGE if there are several machines.
 */
int options_target(const struct options *o, int stop_fd, struct targets *targets, struct error *t);

#endif
