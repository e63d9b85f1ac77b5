/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plugins of several versions of the API, and their output.
 *
 * The types of callbacks differ: version 7 of the API, which is QEMU 11.1's, passes a pointer of
 * the plugin as the last argument. Earlier versions pass the id of the plugin as the first one.
 */
#ifndef PLUGIN_API_H
#define PLUGIN_API_H

#include <stdio.h>
#include <string.h>

#include "qemu-plugin.h"

#if QEMU_PLUGIN_VERSION < 7
/* The arguments of a callback that gets one of its own */
#define PLUGIN_ARGS(argument) __attribute__((unused)) qemu_plugin_id_t plugin_id, argument
#define PLUGIN_AT_EXIT_ARGS PLUGIN_ARGS(__attribute__((unused)) void *plugin_data)
#define plugin_on_vcpu(id, callback) qemu_plugin_register_vcpu_init_cb(id, callback)
#define plugin_on_block(id, callback) qemu_plugin_register_vcpu_tb_trans_cb(id, callback)
#else
#define PLUGIN_ARGS(argument) argument, __attribute__((unused)) void *plugin_data
#define PLUGIN_AT_EXIT_ARGS __attribute__((unused)) void *plugin_data
#define plugin_on_vcpu(id, callback) qemu_plugin_register_vcpu_init_cb(id, callback, NULL)
#define plugin_on_block(id, callback) qemu_plugin_register_vcpu_tb_trans_cb(id, callback, NULL)
#endif

/* Opens the file of the only argument, @name=FILE. If that fails, prints why and returns NULL. */
static inline FILE *plugin_output(const char *name, int argc, char **argv)
{
    size_t length = strlen(name);
    FILE *file;

    if (argc != 1 || strncmp(argv[0], name, length) != 0 || argv[0][length] != '=') {
        fprintf(stderr, "plugin: expected %s=FILE\n", name);
        return NULL;
    }
    file = fopen(argv[0] + length + 1, "w");
    if (file == NULL) {
        fprintf(stderr, "plugin: cannot write %s\n", argv[0] + length + 1);
    }
    return file;
}

#endif
