/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin that is told of each block and of each instruction, and checks that every block that
 * begins executes at least its first instruction. It is for one vCPU.
 *
 * report=FILE gets a line "empty PC" for each block that did not, up to a limit, and at the end
 * "executed N", the number of instructions of programs, without those of the runtime. The plugin is
 * compiled for each runtime, whose layout.h says where programs are.
 */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

#include "plugin_api.h"
#include "layout.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define REPORT_LIMIT 10000

static FILE *report;
static uint64_t block;
static bool block_is_empty;
static uint64_t executed;
static unsigned reported;

static void block_begins(unsigned int vcpu, void *data)
{
    (void)vcpu;
    if (block_is_empty && reported++ < REPORT_LIMIT) {
        fprintf(report, "empty %" PRIx64 "\n", block);
    }
    block = (uintptr_t)data;
    block_is_empty = true;
}

static void instruction(unsigned int vcpu, void *data)
{
    (void)vcpu;
    block_is_empty = false;
    executed += (uintptr_t)data;
}

static void translated(PLUGIN_ARGS(struct qemu_plugin_tb *tb))
{
    qemu_plugin_register_vcpu_tb_exec_cb(tb, block_begins, QEMU_PLUGIN_CB_NO_REGS,
                                         (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb));
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uintptr_t of_program = qemu_plugin_insn_vaddr(insn) - PROGRAMS_BASE < PROGRAMS_SIZE;

        qemu_plugin_register_vcpu_insn_exec_cb(insn, instruction, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)of_program);
    }
}

static void finished(PLUGIN_AT_EXIT_ARGS)
{
    fprintf(report, "executed %" PRIu64 "\n", executed);
    fclose(report);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                           char **argv)
{
    (void)info;
    report = plugin_output("report", argc, argv);
    if (report == NULL) {
        return -1;
    }
    plugin_on_block(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
