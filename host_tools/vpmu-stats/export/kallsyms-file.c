/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/kallsyms-file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/perfreader.h"
#include "symbols/symbols.h"
#include "base/seekable.h"

/* perf determines from this symbol by how far the kernel was moved: here, not at all. */
static int take_kernel(void *opaque, const char *name, uint64_t address, struct error *t)
{
    (void)t;
    if (strcmp(name, "_text") == 0) {
        *(uint64_t *)opaque = address;
    }
    return 0;
}

static int write_functions(struct perfreader *r, struct functions *functions, FILE *to,
                           struct error *t)
{
    static const struct perfreader_ops ops = {.kernel = take_kernel};
    uint64_t text = 0;

    if (perfreader_functions(r, functions, t) || perfreader_walk(r, &ops, &text, t)) {
        return -1;
    }
    if (functions->n == 0) {
        return error_set(t, ERROR_USAGE, "%s contains no names of kernel functions", r->name);
    }
    if (functions_sort(functions, t)) {
        return -1;
    }
    /*
     * perf ignores absolute symbols. record refuses a list that contains this one, because the list
     * is partial.
     */
    fprintf(to, "%016x a %s\n", 0, SYMBOLS_PARTIAL);
    if (text) {
        fprintf(to, "%016" PRIx64 " T _text\n", text);
    }
    for (size_t i = 0; i < functions->n; i++) {
        const struct function *f = &functions->function[i];

        fprintf(to, "%016" PRIx64 " t %s%s%s\n", f->start, f->name, f->module ? "\t" : "",
                f->module ? f->module : "");
    }
    return 0;
}

int kallsyms_file_write(const char *input, int stop_fd, FILE *to, struct error *t)
{
    struct functions functions = {0};
    struct perfreader *r = calloc(1, sizeof(*r));
    FILE *file = NULL;
    int err = r ? seekable_open(input, stop_fd, NULL, &file, t) : error_memory(t);

    if (!err) {
        r->name = strcmp(input, "-") == 0 ? "the standard input" : input;
        r->stop_fd = stop_fd;
        err = perfreader_open(r, file, t) || write_functions(r, &functions, to, t) ? -1 : 0;
        perfreader_close(r);
        fclose(file);
    }
    functions_free(&functions);
    free(r);
    return err;
}
