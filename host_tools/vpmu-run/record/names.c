/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record/unwound.h"

/* PERF_RECORD_MISC_MMAP_BUILD_ID */
#define MISC_MAP_BUILD_ID (1u << 14)
/* What precedes addresses of a call chain: see enum perf_callchain_context. */
#define CONTEXT_MIN PERF_CONTEXT_MAX

/* fails() - an error of the functions that vpmu-stats has, too */
static int fails(const struct error *t, struct failure *f)
{
    return failure_set(f, FAILURE_RUN, "%s", t->text);
}

bool names_map(const struct job *job, const struct raw_record *record, struct names_map *map)
{
    struct bytes b = record->body;
    char path[PATH_MAX];
    const unsigned char *file;
    uint32_t use;

    if (record->type != PERF_RECORD_MMAP2) {
        return false;
    }
    bytes_u64(&b);
    map->start = bytes_u64(&b);
    map->length = bytes_u64(&b);
    map->offset = bytes_u64(&b);
    file = bytes_skip(&b, 24);
    use = bytes_u32(&b);
    bytes_u32(&b);
    if (b.ended || !(use & PROT_EXEC) || map->length > UINT64_MAX - map->start) {
        return false;
    }
    snprintf(path, sizeof(path), "%.*s", (int)(b.left < PATH_MAX ? b.left : PATH_MAX - 1),
             (const char *)b.at);
    map->build_id = file + 4;
    map->build_id_size =
        record->misc & MISC_MAP_BUILD_ID && file[0] <= PERFDATA_BUILD_ID ? file[0] : 0;
    if (path[0] != '/' || path[1] == '/' || !job_host_path(job, path, map->path)) {
        memcpy(map->path, path, sizeof(path));
    }
    return true;
}

bool names_fork(const struct raw_record *record, uint32_t *pid, uint32_t *tid, uint32_t *parent_pid,
                uint32_t *parent_tid)
{
    struct bytes b = record->body;

    if (record->type != PERF_RECORD_FORK) {
        return false;
    }
    *pid = bytes_u32(&b);
    *parent_pid = bytes_u32(&b);
    *tid = bytes_u32(&b);
    *parent_tid = bytes_u32(&b);
    return !b.ended;
}

/* read_list() - of /proc/kallsyms */
static int read_list(struct names *n, const struct raw *raw, struct error *t)
{
    FILE *list = fmemopen(raw->symbols, raw->symbols_size, "r");
    int err = !list ? error_memory(t) : symbols_take(&n->symbols, list, "/proc/kallsyms", t);

    if (list && !err) {
        rewind(list);
        err = symbols_take_functions(&n->kernel, list, "/proc/kallsyms", t);
    }
    if (list) {
        fclose(list);
    }
    return err ? err : functions_sort(&n->kernel, t);
}

/* read_kernel() - a recording of programs only has no symbols of the kernel */
static int read_kernel(struct names *n, const struct raw *raw, struct error *t)
{
    int err = raw->symbols_size > 0 ? read_list(n, raw, t) : 0;

    n->used = calloc(n->kernel.n + 1, sizeof(*n->used));
    return !err && !n->used ? error_memory(t) : err;
}

/* add_list() - of one process: @text has @size bytes */
static int add_list(struct names *n, unsigned pid, char *text, size_t size, struct error *t)
{
    struct functions functions = {0};
    struct error ignored = {0};
    FILE *list = size > 0 ? fmemopen(text, size, "r") : NULL;
    char name[64];
    uint32_t number;
    int err = 0;

    snprintf(name, sizeof(name), GUEST_FILES_JIT "%u.map", pid);
    if (list && symbols_take_functions(&functions, list, name, &ignored) == 0) {
        err = guest_files_record(&n->files, name, &functions, 0, 0, t) ||
              guest_files_number(&n->files, name, NULL, 0, &number, t);
        if (!err) {
            /* This computer may have a file of that name, which is another process's. */
            n->files.file[number].tried = true;
        }
    }
    functions_free(&functions);
    if (list) {
        fclose(list);
    }
    return err ? -1 : 0;
}

/* add_lists() - a line "#PID" is before each */
static int add_lists(struct names *n, const struct raw *raw, struct error *t)
{
    char *at = raw->lists, *end = raw->lists + raw->lists_size;
    int err = 0;

    while (!err && at < end && *at == '#') {
        unsigned pid = (unsigned)strtoul(at + 1, NULL, 10);
        char *from = memchr(at, '\n', (size_t)(end - at));
        char *next;

        from = from ? from + 1 : end;
        next = memmem(from, (size_t)(end - from), "\n#", 2);
        next = next ? next + 1 : end;
        err = add_list(n, pid, from, (size_t)(next - from), t);
        at = next;
    }
    return err;
}

/* add_vdso() - add the vDSO of 64-bit programs */
static int add_vdso(struct names *n, const struct raw *raw, struct error *t)
{
    uint32_t number;

    if (raw->vdso_size == 0) {
        return 0;
    }
    return guest_files_number(&n->files, "[vdso]", NULL, 0, &number, t) ||
                   guest_files_give(&n->files, number, raw->vdso, raw->vdso_size, t)
               ? -1
               : 0;
}

/* add_maps() - add each process's mappings of files */
static int add_maps(struct names *n, const struct raw *raw, struct error *t)
{
    uint32_t pid, tid, parent_pid, parent_tid;
    int err = 0;

    for (size_t i = 0; !err && i < raw->n; i++) {
        const struct raw_record *r = &raw->record[i];
        struct names_map map;

        if (names_fork(r, &pid, &tid, &parent_pid, &parent_tid)) {
            err = pid != parent_pid ? code_maps_fork(&n->maps, pid, r->at.time, parent_pid, t) : 0;
        } else if (names_map(n->job, r, &map)) {
            struct code_map code = {.pid = r->at.pid,
                                    .time = r->at.time,
                                    .start = map.start,
                                    .length = map.length,
                                    .offset = map.offset};

            err = guest_files_number(&n->files, map.path, map.build_id, map.build_id_size,
                                     &code.file, t) ||
                  code_maps_add(&n->maps, &code, t);
        }
    }
    return err || code_maps_settle(&n->maps, t) ? -1 : 0;
}

/* functions_of() - those of a copy of the file, or of a list */
static const struct functions *functions_of(const struct guest_file *file)
{
    return file->path ? &file->functions : &file->recorded;
}

/* mark() - marks the function at an offset in a file */
static int mark(struct names *n, size_t number, uint64_t offset)
{
    const struct functions *functions;
    const struct function *function;
    const char *path;
    uint64_t address;

    function = guest_files_find(&n->files, (uint32_t)number, offset, &path, &address);
    if (function) {
        functions = functions_of(&n->files.file[number]);
        if (!n->of_file[number]) {
            n->of_file[number] = calloc(functions->n, sizeof(bool));
        }
        if (!n->of_file[number]) {
            return -1;
        }
        n->of_file[number][function - functions->function] = true;
    }
    return 0;
}

/* list_of() - the number of the list of a process; n->n_files if it has none */
static size_t list_of(const struct names *n, uint32_t pid)
{
    char name[64];
    size_t i = 0;

    snprintf(name, sizeof(name), GUEST_FILES_JIT "%u.map", pid);
    while (i < n->n_lists && strcmp(n->files.file[i].name, name) != 0) {
        i++;
    }
    return i < n->n_lists ? i : n->n_files;
}

/* use_program() - marks the function at an address of a program */
static int use_program(struct names *n, const struct raw_record *r, uint64_t address)
{
    const struct code_map *code = code_maps_find(&n->maps, r->at.pid, r->at.time, address);
    size_t list;

    if (code && !code_maps_anonymous(n->files.file[code->file].name)) {
        return mark(n, code->file, address - code->start + code->offset);
    }
    list = list_of(n, r->at.pid);
    return list < n->n_files ? mark(n, list, address) : 0;
}

/* use() - marks the function at an address */
static int use(struct names *n, const struct raw_record *r, bool kernel, uint64_t address)
{
    const struct function *function;

    if (!kernel) {
        return use_program(n, r, address);
    }
    function = functions_find(&n->kernel, address);
    if (function) {
        n->used[function - n->kernel.function] = true;
    }
    return 0;
}

/* use_sample() - a return address may be the end of its function */
static int use_sample(struct names *n, const struct raw_record *r)
{
    bool kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    int err = use(n, r, kernel, r->at.ip);

    /* Three words each: from, to and flags. An address of the kernel has its highest bit set. */
    for (uint64_t i = 0; !err && i < 3 * r->at.n_branches; i++) {
        uint64_t address = perfsample_word(r->at.branches, i);

        err = i % 3 < 2 ? use(n, r, address >> 63, address) : 0;
    }
    for (uint64_t i = 0; !err && i < r->at.n_chain; i++) {
        uint64_t address = perfsample_word(r->at.chain, i);

        if (address >= (uint64_t)CONTEXT_MIN) {
            kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
        } else {
            err = use(n, r, kernel, address) || use(n, r, kernel, address - 1);
        }
    }
    return err;
}

/* collect() - the files of programs that have a marked function */
static int collect(struct names *n, struct error *t)
{
    n->program = calloc(n->n_files + 1, sizeof(*n->program));
    if (!n->program) {
        return error_memory(t);
    }
    for (size_t i = 0; i < n->n_files; i++) {
        const struct guest_file *file = &n->files.file[i];

        /* The recording has only the name. Of files that share one, it has no functions. */
        if (n->of_file[i] && !file->others) {
            n->program[n->n_programs++] = (struct filesymbols){
                .path = file->name,
                .address = file->path ? file->image.part[0].address : 0,
                .offset = file->path ? file->image.part[0].offset : 0,
                .functions = functions_of(file),
                .used = n->of_file[i],
            };
        }
    }
    return 0;
}

int names_find(struct names *n, const struct job *job, struct raw *raw, unsigned machine,
               struct failure *f)
{
    struct error t = {0};

    n->job = job;
    n->files.symfs = "/";
    /* The debug files of another root's programs are in that root. */
    snprintf(n->debug_dir, sizeof(n->debug_dir), "%s/usr/lib/debug", job->root);
    n->files.debug_dir = job->root[0] ? n->debug_dir : NULL;
    if (read_kernel(n, raw, &t) != 0 || add_lists(n, raw, &t) != 0) {
        return fails(&t, f);
    }
    n->n_lists = n->files.n;
    if (add_vdso(n, raw, &t) != 0 || add_maps(n, raw, &t) != 0) {
        return fails(&t, f);
    }
    n->n_files = n->files.n;
    n->of_file = calloc(n->n_files + 1, sizeof(*n->of_file));
    if (!n->of_file ||
        (job->record.stack && unwound_chains(raw, &n->maps, &n->files, machine) != 0)) {
        return failure_memory(f);
    }
    for (size_t i = 0; i < raw->n; i++) {
        if (raw->record[i].type == PERF_RECORD_SAMPLE && use_sample(n, &raw->record[i]) != 0) {
            return failure_memory(f);
        }
    }
    return collect(n, &t) != 0 ? fails(&t, f) : 0;
}

void names_free(struct names *n)
{
    for (size_t i = 0; n->of_file && i < n->n_files; i++) {
        free(n->of_file[i]);
    }
    free(n->of_file);
    free(n->program);
    free(n->used);
    functions_free(&n->kernel);
    symbols_free(&n->symbols);
    code_maps_free(&n->maps);
    guest_files_free(&n->files);
}
