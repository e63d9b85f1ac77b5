/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/module-files.h"

#include <stdlib.h>
#include <string.h>

static const struct function *find_in_file(const struct functions *file, const char *name)
{
    const struct function *found = NULL;

    for (size_t i = 0; i < file->n; i++) {
        if (strcmp(file->function[i].name, name) == 0) {
            if (found) {
                return NULL;
            }
            found = &file->function[i];
        }
    }
    return found;
}

static const struct program *file_of(const struct module_files *m, const struct function *function)
{
    const struct program *file =
        function->module ? programs_find(m->programs, function->module, NULL) : NULL;

    return file && file->path ? file : NULL;
}

int module_files_find(struct module_files *m, const struct functions *kernel,
                      const struct programs *programs, struct error *t)
{
    *m = (struct module_files){.kernel = kernel, .programs = programs};
    if (programs->n == 0 || kernel->n == 0) {
        return 0;
    }
    m->in_file = calloc(kernel->n, sizeof(struct function *));
    if (!m->in_file) {
        return error_memory(t);
    }
    for (size_t i = 0; i < kernel->n; i++) {
        const struct function *function = &kernel->function[i];
        const struct program *file = file_of(m, function);

        m->in_file[i] = file ? find_in_file(&file->functions, function->name) : NULL;
    }
    return 0;
}

const char *module_files_path(const struct module_files *m, const struct function *function,
                              const struct function **there)
{
    *there = m->in_file ? m->in_file[function - m->kernel->function] : NULL;
    return *there ? file_of(m, function)->path : NULL;
}

void module_files_free(struct module_files *m)
{
    free(m->in_file);
    *m = (struct module_files){0};
}
