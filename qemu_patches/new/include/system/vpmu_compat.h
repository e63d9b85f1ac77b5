/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between versions of QEMU, for files of several directories:
 * headers in other places before 10.1, other declarations in 11
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

#if QEMU_VERSION_MAJOR < 11
/* The type and result of post_save in a VMStateDescription */
typedef int VPMUPostSave;
#define VPMU_POST_SAVE_DONE 0

typedef struct TranslateForDebugResult {
    hwaddr physaddr;
    MemTxAttrs attrs;
} TranslateForDebugResult;

static inline bool cpu_translate_for_debug(CPUState *cs, vaddr addr,
                                           TranslateForDebugResult *result)
{
    result->attrs = (MemTxAttrs) {};
    result->physaddr = cpu_get_phys_page_attrs_debug(cs, addr, &result->attrs);
    return result->physaddr != -1;
}

#else

typedef void VPMUPostSave;
#define VPMU_POST_SAVE_DONE
#endif

#endif
