/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/link-register.h"

#include <stddef.h>

enum link_register link_register_judge(const struct function *here, const struct function *caller,
                                       uint64_t link, uint64_t next)
{
    if (link == 0 || link == next) {
        return LINK_REGISTER_STALE;
    }
    if (!here || !caller) {
        return LINK_REGISTER_UNKNOWN;
    }
    /*
     * If the function has called another one, the link register still points into the function
     * itself.
     */
    return here != caller ? LINK_REGISTER_RETURNS : LINK_REGISTER_STALE;
}
