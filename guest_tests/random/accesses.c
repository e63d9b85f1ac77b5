/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin that traces the accesses to memory of programs, for one vCPU of any architecture.
 *
 * trace=FILE gets a struct access for each access of an instruction in the range of programs.
 * accessed.py reads it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "qemu-plugin.h"
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

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t pc = qemu_plugin_insn_vaddr(insn);

        if (pc >= PROGRAMS_BASE) {
            qemu_plugin_register_vcpu_mem_cb(insn, accesses, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)pc);
        }
    }
}

static void finished(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    fclose(trace);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                           char **argv)
{
    (void)info;
    if (argc != 1 || strncmp(argv[0], "trace=", 6) != 0) {
        fprintf(stderr, "plugin: expected trace=FILE\n");
        return -1;
    }
    trace = fopen(argv[0] + 6, "w");
    if (trace == NULL) {
        fprintf(stderr, "plugin: cannot write %s\n", argv[0] + 6);
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
