/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callbacks of plugins, whose type differs: version 7 of the API, which is QEMU 11.1's, passes a
 * pointer of the plugin as the last argument. Earlier versions pass the id of the plugin as the
 * first one.
 */
#ifndef PLUGIN_API_H
#define PLUGIN_API_H

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

#endif
