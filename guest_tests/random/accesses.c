/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin that traces the accesses to memory of programs, for one vCPU of any architecture.
 *
 * trace=FILE gets a struct access for each access of an instruction in the range of programs.
 * accessed.py reads it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "plugin_api.h"
#include "layout.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* One line of Python's struct in accessed.py. */
struct access {
    uint64_t pc;
    uint64_t address;
    uint64_t is_store;
};

static FILE *trace;

static void accesses(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    struct access access = {(uintptr_t)data, address, qemu_plugin_mem_is_store(info)};

    (void)vcpu;
    fwrite(&access, sizeof(access), 1, trace);
}

static void translated(PLUGIN_ARGS(struct qemu_plugin_tb *tb))
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t pc = qemu_plugin_insn_vaddr(insn);

        if (pc >= PROGRAMS_BASE) {
            qemu_plugin_register_vcpu_mem_cb(insn, accesses, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)pc);
        }
    }
}

static void finished(PLUGIN_AT_EXIT_ARGS)
{
    fclose(trace);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                           char **argv)
{
    (void)info;
    trace = plugin_output("trace", argc, argv);
    if (trace == NULL) {
        return -1;
    }
    plugin_on_block(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
