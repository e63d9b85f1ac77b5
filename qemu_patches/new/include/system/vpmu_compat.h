/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers for access to a guest's memory, which QEMU 10.0 has in other places
 */

#ifndef SYSTEM_VPMU_COMPAT_H
#define SYSTEM_VPMU_COMPAT_H

#include "exec/target_page.h"
#if QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR == 0
#include "exec/address-spaces.h"
#include "exec/memory.h"
#else
#include "system/address-spaces.h"
#include "system/memory.h"
#endif

#endif
