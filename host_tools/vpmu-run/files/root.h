/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory of this computer that is "/" for the program. */
#ifndef VPMU_RUN_ROOT_H
#define VPMU_RUN_ROOT_H

/**
 * root_resolve() - where this computer has a file
 * @root: the directory; links in it cannot lead out of it. "" for this computer's own "/".
 * @path: absolute.
 * @host: of PATH_MAX bytes.
 *
 * Return: 0, or -1 with errno.
 */
int root_resolve(const char *root, const char *path, char *host);

#endif
