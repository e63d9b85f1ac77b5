/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin that traces what branch records depend on: branches, exceptions, and writes of some
 * registers. branches.py makes branch records of it. It is for one vCPU that executes A64.
 *
 * trace=FILE gets a struct event for each of the system instructions below. While a program runs,
 * it also gets one for each instruction that another one than the next one in memory follows, or
 * that is an exception return. A program begins when the runtime makes all branch records empty; it
 * ends when the runtime writes BRBFCR_EL1 for the second time after that.
 */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plugin_api.h"
#include "layout.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define LEVELS 3
#define ERET 0xd69f03e0u
#define IALL 0xd509729fu
#define WRITE_BRBFCR 0xd5119020u

/* One line of Python's struct in branches.py. */
struct event {
    uint64_t pc;      /* of the instruction */
    uint64_t insn;    /* and its encoding */
    uint64_t value;   /* of its register Rt, if it writes a register */
    uint64_t next_pc; /* where execution continues */
    uint64_t cpsr;    /* there */
    uint64_t elr[LEVELS];
    uint64_t spsr[LEVELS];
    uint64_t esr[LEVELS];
};

struct insn {
    uint64_t pc;
    uint32_t word;
};

/* MSR and SYS whose effect matters: bits 31 to 5. */
static const uint32_t system_insns[] = {
    0xd5119000, /* BRBCR_EL1 */
    0xd5149000, /* BRBCR_EL2 */
    0xd5159000, /* BRBCR_EL12 */
    0xd5119020, /* BRBFCR_EL1 */
    0xd5119100, /* BRBINFINJ_EL1 */
    0xd5119120, /* BRBSRCINJ_EL1 */
    0xd5119140, /* BRBTGTINJ_EL1 */
    0xd5097280, /* BRB IALL */
    0xd50972a0, /* BRB INJ */
    0xd51e1320, /* MDCR_EL3 */
    0xd51e1100, /* SCR_EL3 */
    0xd51c1100, /* HCR_EL2 */
    0xd518d020, /* CONTEXTIDR_EL1 */
    0xd51cd020, /* CONTEXTIDR_EL2 */
    0xd51dd020, /* CONTEXTIDR_EL12 */
    0xd518c000, /* VBAR_EL1 */
    0xd51cc000, /* VBAR_EL2 */
    0xd51ec000, /* VBAR_EL3 */
};

static FILE *trace;
static GHashTable *registers;
static GByteArray *bytes;
static const struct insn *last;
static uint64_t last_value;
/* How many writes of BRBFCR_EL1 by the runtime are left until the program ends. */
static unsigned left;

static uint64_t read_register(const char *name)
{
    gpointer handle;
    uint64_t value = 0;

    /* NULL is a handle in QEMU 11. */
    if (!g_hash_table_lookup_extended(registers, name, NULL, &handle)) {
        return 0;
    }
    g_byte_array_set_size(bytes, 0);
    qemu_plugin_read_register(handle, bytes);
    memcpy(&value, bytes->data, MIN(bytes->len, sizeof(value)));
    return value;
}

static bool is_system(uint32_t word)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(system_insns); i++) {
        if ((word & ~31u) == system_insns[i]) {
            return true;
        }
    }
    return false;
}

static void write_event(uint64_t next_pc)
{
    struct event event = {last->pc, last->word, last_value, next_pc, read_register("cpsr"),
                          {0},      {0},        {0}};
    char name[16];

    for (unsigned i = 0; i < LEVELS; i++) {
        snprintf(name, sizeof(name), "ELR_EL%u", i + 1);
        event.elr[i] = read_register(name);
        snprintf(name, sizeof(name), "SPSR_EL%u", i + 1);
        event.spsr[i] = read_register(name);
        snprintf(name, sizeof(name), "ESR_EL%u", i + 1);
        event.esr[i] = read_register(name);
    }
    fwrite(&event, sizeof(event), 1, trace);
}

static void follow_program(void)
{
    if (last->pc >= PROGRAMS_BASE) {
        return;
    }
    if (last->word == IALL) {
        left = 2;
    } else if ((last->word & ~31u) == WRITE_BRBFCR && left > 0) {
        left--;
    }
}

static void executes(unsigned int vcpu, void *data)
{
    const struct insn *insn = data;
    char name[8];

    (void)vcpu;
    if (last != NULL && is_system(last->word)) {
        write_event(insn->pc);
        follow_program();
    } else if (left > 0 && (insn->pc != last->pc + 4 || last->word == ERET)) {
        write_event(insn->pc);
    }
    last = insn;
    if (is_system(insn->word)) {
        snprintf(name, sizeof(name), "x%u", insn->word & 31);
        last_value = (insn->word & 31) == 31 ? 0 : read_register(name);
    }
}

static void translated(PLUGIN_ARGS(struct qemu_plugin_tb *tb))
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *from = qemu_plugin_tb_get_insn(tb, i);
        struct insn *insn = g_new0(struct insn, 1);

        insn->pc = qemu_plugin_insn_vaddr(from);
        qemu_plugin_insn_data(from, &insn->word, sizeof(insn->word));
        qemu_plugin_register_vcpu_insn_exec_cb(from, executes, QEMU_PLUGIN_CB_R_REGS, insn);
    }
}

static void started(PLUGIN_ARGS(unsigned int vcpu))
{
    GArray *list = qemu_plugin_get_registers();

    (void)vcpu;
    for (unsigned i = 0; i < list->len; i++) {
        qemu_plugin_reg_descriptor *reg = &g_array_index(list, qemu_plugin_reg_descriptor, i);

        g_hash_table_insert(registers, (void *)reg->name, reg->handle);
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
    registers = g_hash_table_new(g_str_hash, g_str_equal);
    bytes = g_byte_array_new();
    plugin_on_vcpu(id, started);
    plugin_on_block(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
