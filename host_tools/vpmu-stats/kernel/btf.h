/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BTF_H
#define VPMU_STATS_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The number of offsets in task_layout.maps and in task_layout.entry. */
#define TASK_MAPS 21u
#define TASK_ENTRY 4u
/* The number of offsets in task_layout.special. */
#define TASK_SPECIAL 2u

/* Indexes of task_layout.modules. */
enum {
    MODULE_STATE,
    MODULE_LIST,
    MODULE_NAME,
    MODULE_KALLSYMS,
    MODULE_SYMBOLS,
    MODULE_NUMBER,
    MODULE_NAMES,
    MODULE_TYPES,
    TASK_MODULES,
};

/* Indexes of task_layout.bpf. */
enum {
    KSYM_START,
    KSYM_END,
    KSYM_NAME,
    KSYM_LIST,
    PACK_LIST,
    PACK_START,
    TASK_BPF,
};

/* Indexes of task_layout.module_orc. */
enum {
    MODULE_ORC_ADDRESSES,
    MODULE_ORC_ENTRIES,
    MODULE_ORC_NUMBER,
    TASK_MODULE_ORC,
};

/* Indexes of task_layout.files. */
enum {
    FILE_MAPPING,
    FILE_SIZE,
    FILE_PAGES,
    FILE_SHIFT,
    FILE_SLOTS,
    TASK_FILES,
};

/**
 * struct task_layout - offsets, in bytes, of members in the structures of a Linux kernel
 * @pid: the offset of the thread ID in task_struct.
 * @tgid: the offset of the process ID in task_struct.
 * @comm: the offset of the thread's name in task_struct.
 * @maps: the offsets to find the files that a process has mapped, named by task_map_name().
 * @has_maps: @maps is complete, as in Linux 6.1 and later.
 * @entry: the offsets to find a program's registers in pt_regs, named by task_entry_name().
 * @has_entry: @entry is complete, as on arm64.
 * @meta: the offset of the type in frame_record_meta, as in arm64's Linux 6.13 and later; 0 if
 *     there is none.
 * @modules: the offsets to find the symbols of modules, in struct module and struct mod_kallsyms.
 * @has_modules: @modules is complete.
 * @bpf: the offsets to find compiled BPF programs, in struct bpf_ksym and struct bpf_prog_pack.
 * @has_bpf: @bpf is complete.
 * @special: the offsets to find the names of areas of the kernel in a process, such as the vDSO,
 *     named by task_special_name().
 * @has_special: @special is complete.
 * @orc_type_bits: x86-64: the size of the type in an entry of the kernel's tables for call chains,
 *     in bits; 0 if there are no such tables.
 * @module_orc: the offsets to find these tables of a module.
 * @has_module_orc: @module_orc is complete.
 * @files: the offsets to find the contents of files in memory.
 * @page_size: the size of a struct page; 0 if @files is not complete.
 */
struct task_layout {
    uint32_t pid;
    uint32_t tgid;
    uint32_t comm;
    uint32_t maps[TASK_MAPS];
    bool has_maps;
    uint32_t entry[TASK_ENTRY];
    bool has_entry;
    uint32_t meta;
    uint32_t modules[TASK_MODULES];
    bool has_modules;
    uint32_t bpf[TASK_BPF];
    bool has_bpf;
    uint32_t special[TASK_SPECIAL];
    bool has_special;
    unsigned orc_type_bits;
    uint32_t module_orc[TASK_MODULE_ORC];
    bool has_module_orc;
    uint32_t files[TASK_FILES];
    uint32_t page_size;
};

/**
 * task_map_name() - get the name of task_layout.maps[@i] in the arguments of vpmu-record-start
 *
 * task_entry_name() is the same for task_layout.entry[@i], and task_special_name() for
 * task_layout.special[@i].
 */
const char *task_map_name(size_t i);
const char *task_entry_name(size_t i);
const char *task_special_name(size_t i);

/**
 * btf_read() - read offsets from a kernel's type information (BTF)
 * @layout: is filled in.
 * @path: the kernel's vmlinux, or a copy of its /sys/kernel/btf/vmlinux.
 *
 * Return: 0; or -1: ERROR_USAGE if the file cannot be read, or has no BTF with a task_struct.
 */
int btf_read(struct task_layout *layout, const char *path, struct error *t);

/**
 * btf_parse() - read offsets from BTF in memory
 * @layout: is filled in.
 * @types: the BTF, @size bytes.
 * @size: the size of @types.
 * @name: what error messages call the BTF.
 *
 * Return: as btf_read().
 */
int btf_parse(struct task_layout *layout, const void *types, size_t size, const char *name,
              struct error *t);

#endif
