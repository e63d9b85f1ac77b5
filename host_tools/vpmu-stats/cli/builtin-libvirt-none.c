/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces builtin-libvirt.c in a build without libvirt. */
#include "cli/builtin.h"
#include "base/error.h"

int builtin_libvirt_list(int argc, char **argv, int stop_fd)
{
    struct error t;

    (void)argc;
    (void)argv;
    (void)stop_fd;
    error_set(&t, ERROR_NO_MACHINE, "this vpmu-stats was built without libvirt");
    error_print(&t);
    return (int)t.code;
}

int builtin_libvirt_monitor(int argc, char **argv, int stop_fd)
{
    return builtin_libvirt_list(argc, argv, stop_fd);
}
