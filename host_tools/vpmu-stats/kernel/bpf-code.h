/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BPF_CODE_H
#define VPMU_STATS_BPF_CODE_H

#include "kernel/btf.h"
#include "kernel/page-walk.h"
#include "symbols/symbols.h"

/* The most programs that are read, and the most areas for programs. */
#define BPF_CODE_PROGRAMS 4096u
#define BPF_CODE_PACKS 256u
/* The size of an area on a machine with one node of memory. */
#define BPF_CODE_PACK (2u << 20)
/* The name of code in such an area that has none of its own, such as a filter of seccomp. */
#define BPF_CODE_NAMELESS "bpf_prog_pack"

/**
 * bpf_code_add() - add the compiled BPF programs of a kernel to a list of functions
 * @m: the memory that contains the kernel.
 * @v: what the kernel says about itself.
 * @symbols: the kernel's addresses.
 * @layout: offsets in the kernel's structures; has_bpf must be true.
 * @functions: the list, which is not sorted.
 * @t: is set if there is not enough memory.
 *
 * Programs have the names of /proc/kallsyms, such as bpf_prog_6deef7357e7b4530_sd_fw_egress.
 *
 * Return: 0 or -1.
 */
int bpf_code_add(struct memory *m, const struct vmcoreinfo *v, const struct symbols *symbols,
                 const struct task_layout *layout, struct functions *functions, struct error *t);

#endif
