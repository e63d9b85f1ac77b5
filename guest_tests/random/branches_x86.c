/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin that traces what last branch records depend on: instructions that another one than the
 * next one in memory may follow, exceptions and interrupts, and WRMSR. lbr.py makes records of it.
 * It is for one vCPU.
 *
 * trace=FILE,control=MSR,entries=ADDRESS: FILE gets a struct event for each of them while a program
 * runs. The runtime writes MSR, which switches records on, three times for each program: twice
 * before it, once after it. The entries of the vectors begin at ADDRESS.
 */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plugin_api.h"
#include "layout.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define MOST_BYTES 15
#define VECTOR_BYTES 16u
/* How many exceptions can be taken in a row, without an instruction between them. */
#define FRAMES 3
/* Exceptions for which the processor has pushed an error code. */
#define WITH_ERROR (1u << 8 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 17)

/* Of an exception that was taken: the vector, and where. The first one is taken last. */
struct frame {
    uint64_t vector; /* plus 1; 0: there is none */
    uint64_t rip;
    uint64_t cs;
};

/* One line of Python's struct in lbr.py. If the instruction is IRET, value is RIP on the stack. */
struct event {
    uint64_t pc; /* of the instruction */
    uint8_t size;
    uint8_t insn[MOST_BYTES];
    uint64_t msr; /* and what it writes, if it is WRMSR */
    uint64_t value;
    uint64_t next_pc; /* where execution continues */
    uint64_t cs;      /* there */
    struct frame frame[FRAMES];
};

struct insn {
    uint64_t pc;
    uint8_t size;
    bool branches;
    bool writes;
    bool returns;
    uint8_t bytes[MOST_BYTES];
};

static FILE *trace;
static uint64_t control;
static uint64_t entries;
static GHashTable *registers;
static GByteArray *buffer;
static const struct insn *last;
static uint64_t last_msr, last_value;
/* How many writes of the control register there were for this program. */
static unsigned writes;

static uint64_t read_register(const char *name)
{
    gpointer handle;
    uint64_t value = 0;

    /* NULL is a handle in QEMU 11. */
    if (g_hash_table_lookup_extended(registers, name, NULL, &handle)) {
        g_byte_array_set_size(buffer, 0);
        qemu_plugin_read_register(handle, buffer);
        memcpy(&value, buffer->data, MIN(buffer->len, sizeof(value)));
    }
    return value;
}

static bool is_entry(uint64_t pc)
{
    return pc >= entries && pc < entries + VECTORS * VECTOR_BYTES && pc % VECTOR_BYTES == 0;
}

/* Follows the frames of exceptions that were taken before the present instruction. */
static void read_frames(struct frame frame[FRAMES], uint64_t pc)
{
    uint64_t rsp = read_register("rsp");
    uint64_t words[4];

    for (unsigned i = 0; i < FRAMES && is_entry(pc); i++) {
        uint64_t vector = (pc - entries) / VECTOR_BYTES;

        rsp += vector < 32 && (WITH_ERROR >> vector & 1) ? 8 : 0;
        g_byte_array_set_size(buffer, sizeof(words));
        if (!qemu_plugin_read_memory_vaddr(rsp, buffer, sizeof(words))) {
            return;
        }
        memcpy(words, buffer->data, sizeof(words));
        frame[i] = (struct frame){vector + 1, words[0], words[1]};
        pc = words[0];
        rsp = words[3];
    }
}

static void write_event(uint64_t next_pc)
{
    struct event event = {.pc = last->pc,
                          .size = last->size,
                          .msr = last_msr,
                          .value = last_value,
                          .next_pc = next_pc,
                          .cs = read_register("cs")};

    memcpy(event.insn, last->bytes, sizeof(event.insn));
    read_frames(event.frame, next_pc);
    fwrite(&event, sizeof(event), 1, trace);
}

static void follow_program(void)
{
    if (last->writes && last_msr == control && last->pc < PLAYGROUND_BASE) {
        writes = (writes + 1) % 3;
    }
}

static uint64_t read_stack(void)
{
    uint64_t value = 0;

    g_byte_array_set_size(buffer, sizeof(value));
    if (qemu_plugin_read_memory_vaddr(read_register("rsp"), buffer, sizeof(value))) {
        memcpy(&value, buffer->data, sizeof(value));
    }
    return value;
}

static void executes(unsigned int vcpu, void *data)
{
    const struct insn *insn = data;

    (void)vcpu;
    if (last != NULL && last->writes) {
        write_event(insn->pc);
        follow_program();
    } else if (writes == 2 && (last->branches || insn->pc != last->pc + last->size)) {
        write_event(insn->pc);
    }
    last = insn;
    if (insn->writes) {
        last_msr = read_register("rcx") & UINT32_MAX;
        last_value = (read_register("rax") & UINT32_MAX) | read_register("rdx") << 32;
    } else if (insn->returns) {
        last_value = read_stack();
    }
}

static bool is_one_of(uint8_t byte, const char *bytes)
{
    return memchr(bytes, byte, strlen(bytes)) != NULL;
}

/* Finds the opcode behind the prefixes that random code has. */
static void classify(struct insn *insn)
{
    const uint8_t *at = insn->bytes;
    unsigned more = insn->size;

    while (more > 1 && (is_one_of(*at, "\x66\x67\xf0\xf2\xf3") || (*at & 0xf0) == 0x40)) {
        at++;
        more--;
    }
    insn->writes = more == 2 && at[0] == 0x0f && at[1] == 0x30;
    insn->returns = *at == 0xcf;
    insn->branches = is_one_of(*at, "\xe8\xe9\xeb\xc2\xc3\xca\xcb\xcf\xff") ||
                     (*at & 0xf0) == 0x70 || (*at & 0xfc) == 0xe0 ||
                     (more > 1 && *at == 0x0f &&
                      ((at[1] & 0xf0) == 0x80 || is_one_of(at[1], "\x05\x07\x34\x35")));
}

static void translated(PLUGIN_ARGS(struct qemu_plugin_tb *tb))
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *from = qemu_plugin_tb_get_insn(tb, i);
        struct insn *insn = g_new0(struct insn, 1);

        insn->pc = qemu_plugin_insn_vaddr(from);
        insn->size = (uint8_t)qemu_plugin_insn_size(from);
        qemu_plugin_insn_data(from, insn->bytes, MIN(insn->size, MOST_BYTES));
        classify(insn);
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

static bool take_argument(const char *argument)
{
    if (strncmp(argument, "trace=", 6) == 0) {
        trace = fopen(argument + 6, "w");
        return trace != NULL;
    }
    return sscanf(argument, "control=%" SCNx64, &control) == 1 ||
           sscanf(argument, "entries=%" SCNx64, &entries) == 1;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                           char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!take_argument(argv[i])) {
            fprintf(stderr, "plugin: cannot use %s\n", argv[i]);
            return -1;
        }
    }
    if (trace == NULL || control == 0 || entries == 0) {
        fprintf(stderr, "plugin: expected trace=FILE,control=MSR,entries=ADDRESS\n");
        return -1;
    }
    registers = g_hash_table_new(g_str_hash, g_str_equal);
    buffer = g_byte_array_new();
    plugin_on_vcpu(id, started);
    plugin_on_block(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
