/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * A plugin for QEMU that counts a machine's instructions twice: by the blocks that begin, and one
 * by one. On a machine with one CPU that never leaves a block in the middle, both counts are the
 * same.
 */
#include <inttypes.h>
#include <stdio.h>

#include "plugin_api.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static uint64_t in_blocks, one_by_one;

static void block_begins(unsigned int cpu, void *instructions)
{
    (void)cpu;
    in_blocks += (uintptr_t)instructions;
}

static void instruction_begins(unsigned int cpu, void *nothing)
{
    (void)cpu;
    (void)nothing;
    one_by_one++;
}

static void translated(PLUGIN_ARGS(struct qemu_plugin_tb *block))
{
    size_t instructions = qemu_plugin_tb_n_insns(block);

    qemu_plugin_register_vcpu_tb_exec_cb(block, block_begins, QEMU_PLUGIN_CB_NO_REGS,
                                         (void *)(uintptr_t)instructions);
    for (size_t i = 0; i < instructions; i++) {
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(block, i),
                                               instruction_begins, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

static void machine_ends(PLUGIN_AT_EXIT_ARGS)
{
    char line[80];

    snprintf(line, sizeof(line), "blocks %" PRIu64 " instructions %" PRIu64 "\n", in_blocks,
             one_by_one);
    qemu_plugin_outs(line);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                           char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    plugin_on_block(id, translated);
    qemu_plugin_register_atexit_cb(id, machine_ends, NULL);
    return 0;
}
