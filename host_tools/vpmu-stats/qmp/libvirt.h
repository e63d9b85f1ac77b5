/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LIBVIRT_H
#define VPMU_STATS_LIBVIRT_H

#include <stdbool.h>
#include <stddef.h>

#include "qmp/qmp.h"

/* As libvirt has it: 36 characters. */
#define LIBVIRT_UUID_SIZE 37

/* What libvirt says of a domain's CPUs. */
enum domain_arch {
    DOMAIN_OTHER,
    DOMAIN_ARM,
    DOMAIN_X86,
};

/**
 * struct domain - one of libvirt's
 * @id: while it runs; -1 if it does not.
 * @arch: of its CPUs, if it runs.
 */
struct domain {
    int id;
    enum domain_arch arch;
    char uuid[LIBVIRT_UUID_SIZE];
    char *name;
};

/**
 * struct domains - those of one libvirt
 * @uri: of that libvirt.
 * @domain: @n of them, in the order of their names.
 */
struct domains {
    char *uri;
    struct domain *domain;
    size_t n;
};

/**
 * libvirt_list() - asks libvirt for its domains of QEMU's
 * @uri: NULL is libvirt's own default, and then no libvirt is started for it.
 * @stop_fd, @patience: see struct qmp.
 *
 * Return: 0, after which domains_free() is needed; or -1: ERROR_NO_MACHINE if there is no
 * libvirt, ERROR_DENIED if it denies access to this user, or another error.
 */
int libvirt_list(const char *uri, int stop_fd, int patience, struct domains *domains,
                 struct error *t);
void domains_free(struct domains *domains);

/** domains_find() - the domain with that ID, UUID or name, in this order; NULL if there is none */
const struct domain *domains_find(const struct domains *domains, const char *text);

/**
 * libvirt_open() - prepares to talk to the monitor of a domain through libvirt
 * @q: the connection, to be closed with qmp_close().
 *
 * Whether the domain runs, and may be talked to, the first command shows.
 */
int libvirt_open(const char *uri, const char *uuid, int stop_fd, int patience, struct qmp **q,
                 struct error *t);

#endif
