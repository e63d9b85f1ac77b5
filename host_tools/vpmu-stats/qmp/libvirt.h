/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LIBVIRT_H
#define VPMU_STATS_LIBVIRT_H

#include <stdbool.h>
#include <stddef.h>

#include "qmp/qmp.h"

/* The size of a UUID as a string: 36 characters and a NUL. */
#define LIBVIRT_UUID_SIZE 37

/* The architecture of a domain's CPUs, as libvirt reports it. */
enum domain_arch {
    DOMAIN_OTHER,
    DOMAIN_ARM,
    DOMAIN_X86,
};

/**
 * struct domain - a domain of libvirt
 * @id: the ID of the running domain; -1 if the domain is not running.
 * @arch: the architecture of its CPUs, if it is running.
 * @uuid: its UUID.
 * @name: its name.
 */
struct domain {
    int id;
    enum domain_arch arch;
    char uuid[LIBVIRT_UUID_SIZE];
    char *name;
};

/**
 * struct domains - the domains of one libvirt connection
 * @uri: the URI of the connection.
 * @domain: the domains, sorted by name.
 * @n: the number of domains.
 */
struct domains {
    char *uri;
    struct domain *domain;
    size_t n;
};

/**
 * libvirt_list() - list the QEMU domains of libvirt
 * @uri: the URI of the libvirt connection; NULL for libvirt's default, which is then not started if
 *     it is not running.
 * @stop_fd: see struct qmp.
 * @patience: see struct qmp.
 * @domains: is filled in.
 *
 * Return: 0, after which domains_free() is needed; or -1: ERROR_NO_MACHINE if there is no libvirt,
 * ERROR_DENIED if this user may not access it, or another error.
 */
int libvirt_list(const char *uri, int stop_fd, int patience, struct domains *domains,
                 struct error *t);
void domains_free(struct domains *domains);

/**
 * domains_find() - find a domain by its ID, UUID or name
 *
 * If several domains match, an ID has priority over a UUID, and a UUID over a name.
 *
 * Return: the domain; NULL if there is none.
 */
const struct domain *domains_find(const struct domains *domains, const char *text);

/**
 * libvirt_open() - open a connection to the monitor of a domain through libvirt
 * @uri: the URI of the libvirt connection.
 * @uuid: the UUID of the domain.
 * @stop_fd: see struct qmp.
 * @patience: see struct qmp.
 * @q: receives the connection, which qmp_close() closes.
 *
 * If the domain is not running, or this user may not access it, the first command fails.
 */
int libvirt_open(const char *uri, const char *uuid, int stop_fd, int patience, struct qmp **q,
                 struct error *t);

#endif
