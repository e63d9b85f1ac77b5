/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prototypes of Arm's helpers, which QEMU 11 has in a header of the target
 */

#ifndef TCG_VPMU_HELPERS_H
#define TCG_VPMU_HELPERS_H

#if QEMU_VERSION_MAJOR < 11
#include "exec/helper-proto.h"
#else
#include "accel/tcg/cpu-loop.h"
#include "helper.h"
#endif

#endif
