/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/guest-names.h"

#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "kernel/kernel-code.h"

/*
 * Reads how to find thread names. vmlinux has the places of the fields, kallsyms the place of the
 * current thread.
 */
static int take_types(struct guest_names *n, const char *kallsyms, const char *vmlinux,
                      struct error *t)
{
    if (!kallsyms) {
        return error_set(t, ERROR_USAGE,
                         "--vmlinux needs --kallsyms: both are used to find thread names");
    }
    if (!n->kernel.current) {
        return error_set(t, ERROR_USAGE,
                         "%s has no address of __entry_task (x86-64: current_task or pcpu_hot), "
                         "which is needed for thread names: use the guest's complete "
                         "/proc/kallsyms as read by root",
                         kallsyms);
    }
    n->has_threads = true;
    if (btf_read(&n->layout, vmlinux, t)) {
        return -1;
    }
    orc_tables_kernel(&n->orc, &n->kernel, &n->layout);
    return 0;
}

int guest_names_read(struct guest_names *n, const char *kallsyms, const char *vmlinux,
                     struct error *t)
{
    if (kallsyms &&
        (symbols_read(&n->kernel, kallsyms, t) || symbols_functions(&n->functions, kallsyms, t) ||
         functions_sort(&n->functions, t))) {
        return -1;
    }
    return vmlinux ? take_types(n, kallsyms, vmlinux, t) : 0;
}

int guest_names_find(struct guest_names *n, struct qmp *q, bool with_kvm, struct error *t)
{
    struct machine_memory memory = machine_memory(q);
    struct kernel kernel = {.functions.data = n->functions.data};
    struct error *why = &n->nameless;
    struct progress progress;
    int err;

    progress_start(&progress, "looking for names in the guest's memory");
    err = kernel_find(&kernel, &memory.memory, why);
    progress_stop(&progress);
    if (err == 0) {
        n->kernel = kernel.symbols;
        n->functions = kernel.functions;
        n->info = kernel.info;
        n->is_found = kernel.has_layout;
        n->layout = kernel.layout;
        n->orc = kernel.orc;
        n->vdso = kernel.vdso;
        n->vdso_size = kernel.vdso_size;
        n->files = kernel.files;
        n->has_threads = kernel.has_layout && kernel.symbols.current && !with_kvm;
        strcpy(n->release, kernel.release);
        memcpy(n->build_id, kernel.build_id, sizeof(n->build_id));
        n->has_build_id = kernel.has_build_id;
        return 0;
    }
    kernel_free(&kernel);
    if (why->code != ERROR_USAGE && why->code != ERROR_TALK && why->code != ERROR_NO_VPMU) {
        *t = *why;
        return -1;
    }
    return 0;
}

int guest_names_again(struct guest_names *n, struct memory *memory, struct error *t)
{
    const struct kernel_code code = {.memory = memory, .info = &n->info, .layout = &n->layout};
    /* The machine has got the tables for call chains when the recording began. */
    struct orc_tables ignored = {0};

    return kernel_code_add(&code, &n->kernel, &n->functions, &ignored, t);
}

const char *guest_names_why(const struct guest_names *n)
{
    return n->nameless.code == ERROR_NONE      ? NULL
           : n->nameless.code == ERROR_NO_VPMU ? "this QEMU is too old"
                                               : n->nameless.text;
}

void guest_names_free(struct guest_names *n)
{
    functions_free(&n->functions);
    symbols_free(&n->kernel);
    free(n->vdso);
    free(n->files);
}
