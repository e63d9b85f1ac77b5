/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_VERSION_H
#define VPMU_VERSION_H

/*
 * The version of everything in this tree: the libraries, vpmu-stats, "info vpmu" of the patched
 * QEMU, the packages and the source archive. The Makefile reads it from this line.
 */
#define VPMU_VERSION "0.1.0"

#endif
