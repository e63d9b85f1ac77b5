/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of vpmu-run's tests, as a kernel module: it turns when the module is loaded. */
#include "../../../host_tools/vpmu-run/tests/profiled.c"

int init_module(void);
int init_module(void)
{
    profiled();
    return 0;
}
