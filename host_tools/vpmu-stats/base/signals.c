/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/signals.h"

#include <stddef.h>

sigset_t signals_ending(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

sigset_t signals_admit(void)
{
    sigset_t ending = signals_ending();
    sigset_t blocked;

    sigprocmask(SIG_UNBLOCK, &ending, &blocked);
    return blocked;
}
