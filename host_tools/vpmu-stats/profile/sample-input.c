/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file is read twice: first names and mappings, then samples. The records of one CPU can follow
 * samples of another CPU that need them.
 */
#include "profile/sample-input.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nested-guests.h"
#include "symbols/demangle.h"
#include "symbols/elffile.h"
#include "unwind/link-register.h"
#include "base/format.h"
#include "perfdata/perfdata.h"
#include "perfdata/perffile.h"
#include "perfdata/perfreader.h"
#include "profile/branch.h"
#include "base/seekable.h"
#include "symbols/symbols.h"

struct world {
    uint64_t number;
    uint32_t text;
};

static int compare_worlds(const void *a, const void *b)
{
    uint64_t left = ((const struct world *)a)->number;
    uint64_t right = ((const struct world *)b)->number;

    return left < right ? -1 : left > right;
}

/* Longer than the name of any thread. A longer path is cut. */
#define MAX_TEXT 255

/* Returns the number of a text of the file, after making it safe for a terminal. */
static int take_text(struct sample_input *g, const char *text, uint32_t *number, struct error *t)
{
    char *copy = strndup(text, MAX_TEXT);
    int err;

    if (!copy) {
        return error_memory(t);
    }
    format_tame(copy);
    err = string_table_number(&g->profile->texts, copy, number, t);
    free(copy);
    return err;
}

/*
 * Names
 */

static int take_comm(void *opaque, uint32_t tid, uint64_t time, const char *name, struct error *t)
{
    struct sample_input *g = opaque;
    uint32_t number;

    return take_text(g, name, &number, t) ? -1 : threads_name(&g->threads, tid, time, number, t);
}

static int take_fork(void *opaque, uint32_t tid, uint64_t time, uint32_t parent, struct error *t)
{
    struct sample_input *g = opaque;

    return threads_fork(&g->threads, tid, time, parent, t);
}

static int take_world(void *opaque, uint64_t number, const char *path, struct error *t)
{
    struct sample_input *g = opaque;
    struct world *new = malloc(sizeof(*new));
    struct world **found = NULL;

    if (!new) {
        return error_memory(t);
    }
    new->number = number;
    if (take_text(g, path, &new->text, t)) {
        free(new);
        return -1;
    }
    found = tsearch(new, &g->worlds, compare_worlds);
    if (!found || *found != new) {
        free(new);
    }
    return found ? 0 : error_memory(t);
}

static int take_kernel(void *opaque, const char *name, uint64_t address, struct error *t)
{
    struct sample_input *g = opaque;

    if (g->reference) {
        return 0;
    }
    g->reference = strdup(name);
    g->reference_at = address;
    return g->reference ? 0 : error_memory(t);
}

static int take_process(void *opaque, uint32_t pid, uint64_t time, uint32_t parent, struct error *t)
{
    struct sample_input *g = opaque;

    return code_maps_fork(&g->maps, pid, time, parent, t);
}

static int take_code(void *opaque, const struct perfreader_code *from, struct error *t)
{
    struct sample_input *g = opaque;
    struct code_map code = {.pid = from->pid,
                            .time = from->time,
                            .start = from->start,
                            .length = from->length,
                            .offset = from->offset};

    return guest_files_number(g->files, from->path, from->build_id, from->build_id_size, &code.file,
                              t)
               ? -1
               : code_maps_add(&g->maps, &code, t);
}

static int take_program(void *opaque, const struct filesymbols *from, struct error *t)
{
    struct sample_input *g = opaque;

    return guest_files_record(g->files, from->path, from->functions, from->address, from->offset,
                              t);
}

static const struct perfreader_ops names = {
    .comm = take_comm,
    .fork = take_fork,
    .cgroup = take_world,
    .kernel = take_kernel,
    .process = take_process,
    .code = take_code,
};

/*
 * Samples
 */

/* The name that perf gives to threads without a known name. */
static int find_comm(struct sample_input *g, const struct perfsample *s, uint32_t *number,
                     struct error *t)
{
    char text[16];

    *number = threads_find(&g->threads, s->tid, s->time);
    if (*number != THREADS_NO_NAME) {
        return 0;
    }
    snprintf(text, sizeof(text), ":%" PRId32, (int32_t)s->tid);
    return string_table_number(&g->profile->texts, s->tid == 0 ? "swapper" : text, number, t);
}

/* Longer than any chain: the size of a record has 16 bits. */
#define MAX_CHAIN 8192u

/*
 * On Arm, a leaf function that was compiled with frame pointers has no frame. Its caller is in the
 * link register, and is added after the marker and the address at the start of the chain.
 */
static struct perfsample with_link(const struct sample_input *g, const struct input_sample *of,
                                   unsigned char *words)
{
    static const size_t word = sizeof(uint64_t);
    struct perfsample s = *of->s;
    uint64_t next = s.n_chain > 2 ? perfsample_word(s.chain, 2) : 0;

    if (!s.has_link || s.n_chain < 2 || s.n_chain >= MAX_CHAIN ||
        link_register_judge(sample_input_function(g, of, of->mode, s.ip),
                            sample_input_function(g, of, of->mode, s.link - 1), s.link,
                            next) != LINK_REGISTER_RETURNS) {
        return s;
    }
    memcpy(words, s.chain, 2 * word);
    memcpy(words + 2 * word, &s.link, word);
    memcpy(words + 3 * word, s.chain + 2 * word, (s.n_chain - 2) * word);
    s.chain = words;
    s.n_chain++;
    return s;
}

static int add_sample(struct sample_input *g, const struct input_sample *s, uint64_t period,
                      struct error *t)
{
    static uint32_t key[SAMPLE_INPUT_MAX_KEY];
    uint32_t n = 0;

    return g->key(g, s, key, &n, t) ? -1 : profile_add(g->profile, s->event, period, key, n, t);
}

static int add_branches(struct sample_input *g, const struct input_sample *s, struct error *t)
{
    struct input_sample of = *s;

    for (uint64_t i = 0; i < s->s->n_branches; i++) {
        struct input_branch branch = branch_of(s, i);

        of.branch = &branch;
        if (add_sample(g, &of, 1, t)) {
            return -1;
        }
    }
    return 0;
}

static int take_sample(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                       struct error *t)
{
    static unsigned char words[MAX_CHAIN * sizeof(uint64_t)];
    struct sample_input *g = opaque;
    struct input_sample of = {.s = s, .event = event, .mode = mode};
    struct perfsample linked;

    if (find_comm(g, s, &of.comm, t)) {
        return -1;
    }
    g->chains += s->n_chain > 0;
    g->branched += s->n_branches > 0;
    g->accessed += s->source != 0;
    linked = with_link(g, &of, words);
    of.s = &linked;
    if (!g->key) {
        return g->each(g, &of, t);
    }
    return g->branches ? add_branches(g, &of, t) : add_sample(g, &of, s->period, t);
}

static int take_lost(void *opaque, unsigned event, uint64_t n, struct error *t)
{
    struct sample_input *g = opaque;

    (void)t;
    event = g->profile->events == 1 ? 0 : event;
    *(event < g->profile->events ? &g->profile->event[event].lost : &g->profile->lost) += n;
    return 0;
}

static const struct perfreader_ops samples = {.sample = take_sample, .lost = take_lost};

bool sample_input_jumps(const struct perfsample *s)
{
    uint64_t n = s->n_chain;

    return n > 1 && perfsample_word(s->chain, n - 1) == perfsample_word(s->chain, n - 2);
}

/*
 * Code without a name that is called is a function. So is where a jump from one function leads to
 * within another one that has no other name than by its calls: compilers jump to functions.
 */

static bool calls_unnamed(const struct sample_input *g, const struct input_sample *of)
{
    const struct perfsample *s = of->s;
    const struct input_place to = sample_input_place(g, of, of->mode, s->ip);
    const struct function *from;

    if (to.function && (!to.function->called || to.address == to.function->start)) {
        return false;
    }
    if (!sample_input_jumps(s)) {
        return true;
    }
    from = sample_input_function(g, of, of->mode, perfsample_word(s->chain, s->n_chain - 1));
    return from && from != to.function;
}

static int take_callee(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                       struct error *t)
{
    struct sample_input *g = opaque;
    struct input_sample of = {.s = s, .event = event, .mode = mode};
    const struct code_map *code;

    if (event >= g->profile->events || mode != PERF_RECORD_MISC_USER || !s->n_chain ||
        strcmp(g->profile->event[event].name, PERFDATA_CALLS) != 0) {
        return 0;
    }
    if (find_comm(g, s, &of.comm, t)) {
        return -1;
    }
    code = code_maps_find(&g->maps, s->pid, s->time, s->ip);
    return code && !code_maps_anonymous(g->files->file[code->file].name) && calls_unnamed(g, &of)
               ? guest_files_call(g->files, code->file, s->ip - code->start + code->offset, t)
               : 0;
}

static const struct perfreader_ops callees = {.sample = take_callee};

static bool has_calls(const struct profile *p)
{
    for (size_t i = 0; i < p->events; i++) {
        if (strcmp(p->event[i].name, PERFDATA_CALLS) == 0) {
            return true;
        }
    }
    return false;
}

/* Jumps between functions are known when those that are called are. */
static int find_called(struct sample_input *g, struct perfreader *r, struct error *t)
{
    for (unsigned pass = 0; pass < 2 && has_calls(g->profile); pass++) {
        if (perfreader_walk(r, &callees, g, t) || guest_files_add_called(g->files, t)) {
            return -1;
        }
    }
    return 0;
}

int sample_input_cgroup(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                        struct error *t)
{
    const struct world wanted = {.number = s->s->cgroup};
    struct world **found = tfind(&wanted, &g->worlds, compare_worlds);

    if (found) {
        *number = (*found)->text;
        return 0;
    }
    return string_table_number(&g->profile->texts, s->s->cgroup ? "unknown" : "N/A", number, t);
}

static struct input_place find_place(const struct functions *functions, const char *file,
                                     const char *image, uint64_t address)
{
    return (struct input_place){.function = functions_find(functions, address),
                                .file = file,
                                .image = image,
                                .address = address};
}

/* Finds code that the program's compiler has made at run time. */
static struct input_place find_jit(const struct sample_input *g, const struct input_sample *s,
                                   uint64_t address)
{
    struct input_place place = {.address = address};
    struct error ignored = {0};
    uint32_t number;
    char name[64];

    snprintf(name, sizeof(name), GUEST_FILES_JIT "%" PRIu32 ".map", s->s->pid);
    if (guest_files_number(g->files, name, NULL, 0, &number, &ignored) == 0) {
        place.function = guest_files_find(g->files, number, address, &place.image, &place.address);
        place.file = place.function ? g->files->file[number].name : NULL;
    }
    return place;
}

/* Finds the mapping that the file has for the process there. */
static struct input_place find_code(const struct sample_input *g, const struct input_sample *s,
                                    uint64_t address)
{
    const struct code_map *code = code_maps_find(&g->maps, s->s->pid, s->s->time, address);
    struct input_place place = {.address = address};

    if (!code || code_maps_anonymous(g->files->file[code->file].name)) {
        place = find_jit(g, s, address);
    }
    if (code && !place.function) {
        place.file = g->files->file[code->file].name;
        place.mapped = true;
        place.offset = address - code->start + code->offset;
        place.function =
            guest_files_find(g->files, code->file, place.offset, &place.image, &place.address);
    }
    return place;
}

/*
 * The program that the user has named. Threads of a guest of the machine's own hypervisor have
 * names of that guest's programs, and all of them have its kernel, so the user names the guest.
 */
static const struct program *find_program(const struct sample_input *g,
                                          const struct input_sample *s)
{
    const struct world wanted = {.number = s->s->cgroup};
    struct world **found;
    const char *path;
    char name[32];
    unsigned number;

    if (!NESTED_GUESTS_HAVE_TID(s->s->pid)) {
        snprintf(name, sizeof(name), "%" PRIu32, s->s->pid);
        return programs_find(g->programs, string_table_get(&g->profile->texts, s->comm), name);
    }
    found = tfind(&wanted, &g->worlds, compare_worlds);
    path = found ? string_table_get(&g->profile->texts, (*found)->text) : "";
    if (sscanf(path, "/guest/vmid-%5u", &number) != 1 &&
        sscanf(path, "/guest/svm-%5u", &number) != 1) {
        return NULL;
    }
    snprintf(name, sizeof(name), "guest-%u", number);
    return programs_find(g->programs, name, NULL);
}

/* A list of functions, such as those of a compiler at run time, does not hide the files. */
static struct input_place find_in_program(const struct sample_input *g,
                                          const struct input_sample *s,
                                          const struct program *program, uint64_t address)
{
    struct input_place place =
        find_place(&program->functions, program->path ? program->path : program->comm,
                   program->path, address - program->base);
    struct input_place code = {0};

    if (!place.function && !program->path) {
        code = find_code(g, s, address);
    }
    return code.file ? code : place;
}

static void find_in_module(const struct sample_input *g, struct input_place *place)
{
    const struct function *there;

    place->file = place->function->module;
    place->image = module_files_path(&g->module_files, place->function, &there);
    if (place->image) {
        place->address += there->start - place->function->start;
        place->function = there;
    }
}

struct input_place sample_input_place(const struct sample_input *g, const struct input_sample *s,
                                      unsigned mode, uint64_t address)
{
    const struct program *program = NULL;

    if (mode == PERF_RECORD_MISC_KERNEL) {
        struct input_place place =
            find_place(&g->kernel, "[kernel.kallsyms]", g->vmlinux, address - g->slide);

        /* As in perf. */
        if (place.function && place.function->module) {
            find_in_module(g, &place);
        }
        return place;
    }
    if (mode != PERF_RECORD_MISC_USER) {
        return (struct input_place){.address = address};
    }
    program = g->programs->n ? find_program(g, s) : NULL;
    return program ? find_in_program(g, s, program, address) : find_code(g, s, address);
}

struct input_place sample_input_data(const struct sample_input *g, const struct input_sample *s,
                                     unsigned *mode)
{
    struct input_place place;
    const struct code_map *code;

    *mode = branch_mode(s, s->s->address);
    place = sample_input_place(g, s, *mode, s->s->address);
    if (place.file || *mode != PERF_RECORD_MISC_USER) {
        return place;
    }
    code = code_maps_find(&g->maps, s->s->pid, s->s->time, s->s->ip);
    if (code) {
        place.function =
            guest_files_data(g->files, code->file, s->s->ip - code->start + code->offset,
                             (int64_t)(s->s->address - s->s->ip));
        place.file = place.function ? g->files->file[code->file].name : NULL;
    }
    return place;
}

size_t sample_input_lines(struct sample_input *g, const struct input_place *place,
                          struct dwarf_line *line)
{
    return place->image ? source_lines_find(&g->lines, place->image, place->address, line) : 0;
}

const struct function *sample_input_function(const struct sample_input *g,
                                             const struct input_sample *s, unsigned mode,
                                             uint64_t address)
{
    return sample_input_place(g, s, mode, address).function;
}

/*
 * Names
 */

const char *place_name(const struct input_place *place, uint64_t back, char buf[PLACE_NAME])
{
    const char *slash = place->mapped ? strrchr(place->file, '/') : NULL;

    if (place->function) {
        return demangle_name(place->function);
    }
    if (!place->mapped) {
        return NULL;
    }
    snprintf(buf, PLACE_NAME, "%.400s+0x%" PRIx64, slash && slash[1] ? slash + 1 : place->file,
             (place->image ? place->address : place->offset) + back);
    format_tame(buf);
    return buf;
}

bool place_name_lacks(const char *name)
{
    const char *plus = strrchr(name, '+');

    return strncmp(name, "[unknown]", 9) == 0 || strncmp(name, "0x", 2) == 0 ||
           (plus && strncmp(plus, "+0x", 3) == 0 && plus[3] &&
            !plus[3 + strspn(plus + 3, "0123456789abcdef")]);
}

/*
 * All together
 */

/*
 * The kernel has another address at each boot, so a list of its functions may be from another boot.
 */
static int place_kernel(struct sample_input *g, struct error *t)
{
    const struct function *reference =
        g->reference ? functions_named(&g->kernel, g->reference) : NULL;

    g->has_kernel = g->kernel.n > 0;
    g->slide = reference ? g->reference_at - reference->start : 0;
    return functions_sort(&g->kernel, t) ||
                   module_files_find(&g->module_files, &g->kernel, g->programs, t)
               ? -1
               : 0;
}

static int take_events(struct sample_input *g, const struct perfreader *r, struct error *t)
{
    int err = profile_events(g->profile, r->events.n, t);

    for (size_t i = 0; !err && i < r->events.n; i++) {
        uint32_t number;

        err = string_table_number(&g->profile->texts, r->events.event[i].name, &number, t);
        g->profile->event[i].name = err ? NULL : string_table_get(&g->profile->texts, number);
        g->profile->event[i].branches = r->events.event[i].attr.branch_sample_type;
        g->profile->event[i].each = r->events.event[i].attr.sample_period == 1;
    }
    return err;
}

static int walk(struct sample_input *g, struct perfreader *r, struct error *t)
{
    if (perfreader_walk(r, &names, g, t) || threads_settle(&g->threads, t) || place_kernel(g, t) ||
        take_events(g, r, t) || code_maps_settle(&g->maps, t)) {
        return -1;
    }
    if (r->events.n == 0) {
        return error_set(t, ERROR_USAGE, "cannot read %s: it contains no events", r->name);
    }
    return find_called(g, r, t) ? -1 : perfreader_walk(r, &samples, g, t);
}

/*
 * Files of valgrind's formats
 */

static int take_line_events(void *opaque, const char *const *name, unsigned n, struct error *t)
{
    struct sample_input *g = opaque;
    int err = profile_events(g->profile, n, t);

    for (unsigned i = 0; !err && i < n; i++) {
        uint32_t number;

        err = string_table_number(&g->profile->texts, name[i], &number, t);
        g->profile->event[i].name = err ? NULL : string_table_get(&g->profile->texts, number);
        g->profile->event[i].lines = true;
    }
    return err;
}

static int take_line(void *opaque, const struct valgrind_line *line, struct error *t)
{
    struct sample_input *g = opaque;
    uint32_t key[SAMPLE_INPUT_MAX_KEY], n;

    if (g->line_key(g, line, key, &n, t)) {
        return -1;
    }
    for (unsigned i = 0; i < g->profile->events; i++) {
        if (line->value[i] && profile_add(g->profile, i, line->value[i], key, n, t)) {
            return -1;
        }
    }
    return 0;
}

static int take_call_line(void *opaque, const struct valgrind_call *call, struct error *t)
{
    struct sample_input *g = opaque;

    return g->call_line(g, call, t);
}

static int read_lines(struct sample_input *g, const char *name, FILE *file, struct error *t)
{
    const struct valgrind_sink sink = {take_line_events, take_line,
                                       g->call_line ? take_call_line : NULL, g};

    g->has_lines = true;
    return g->line_key ? valgrind_read(file, name, &sink, t)
                       : error_set(t, ERROR_USAGE,
                                   "%s has source lines and no samples: report, diff and annotate "
                                   "read it, or callgrind_annotate",
                                   name);
}

static const char *name_of(const struct sample_input *g)
{
    return strcmp(g->input, "-") == 0 ? "the standard input" : g->input;
}

void sample_input_warn(const struct sample_input *g)
{
    struct error t;

    if (g->cut) {
        error_set(&t, ERROR_USAGE, "%s is truncated at byte %" PRIu64 ": later records are missing",
                  name_of(g), g->end);
        error_print(&t);
    }
    if (g->strangers) {
        error_set(&t, ERROR_USAGE, "%s has %" PRIu64 " samples that belong to no known event",
                  name_of(g), g->strangers);
        error_print(&t);
    }
}

static int read_file(struct sample_input *g, FILE *file, int stop_fd, struct error *t)
{
    struct perfreader *r = calloc(1, sizeof(*r));
    int err;

    if (!r) {
        return error_memory(t);
    }
    r->name = name_of(g);
    r->stop_fd = stop_fd;
    r->progress = g->progress;
    err = perfreader_open(r, file, t) ||
                  (!g->kallsyms && !g->vmlinux && perfreader_functions(r, &g->kernel, t)) ||
                  perfreader_programs(r, take_program, g, t) || walk(g, r, t)
              ? -1
              : 0;
    g->cut = r->cut;
    g->end = r->end;
    g->strangers = r->strangers;
    perfreader_close(r);
    free(r);
    return err;
}

static int read_kernel(struct sample_input *g, struct error *t)
{
    if (g->kallsyms && g->vmlinux) {
        return error_set(t, ERROR_USAGE, "--kallsyms and --vmlinux exclude each other");
    }
    return g->vmlinux    ? elffile_functions(&g->kernel, g->debug_dir, g->vmlinux, t)
           : g->kallsyms ? symbols_functions(&g->kernel, g->kallsyms, t)
                         : 0;
}

static void warn_broken(const char *path)
{
    struct error t;

    error_set(&t, ERROR_USAGE, "cannot read the debug information of %s", path);
    error_print(&t);
}

static bool begins(const char *start, size_t n)
{
    return memcmp(start, PERFFILE_MAGIC, strlen(PERFFILE_MAGIC)) == 0 || valgrind_begins(start, n);
}

int sample_input_read(struct sample_input *g, int stop_fd, struct error *t)
{
    struct guest_files files = {.symfs = g->symfs, .debug_dir = g->debug_dir, .data = g->accesses};
    FILE *file;
    int err;

    g->kernel.data = g->accesses;
    err = read_kernel(g, t);
    g->files = &files;
    g->lines.dirs = (struct debug_dirs){.dir = g->debug_dir};
    g->lines.no_inline = g->no_inline;
    err = err ? err : seekable_open(g->input, stop_fd, begins, &file, t);
    if (!err) {
        err =
            valgrind_is(file) ? read_lines(g, name_of(g), file, t) : read_file(g, file, stop_fd, t);
        fclose(file);
    }
    if (g->lines.broken) {
        warn_broken(g->lines.broken);
    }
    source_lines_free(&g->lines);
    threads_free(&g->threads);
    code_maps_free(&g->maps);
    guest_files_free(&files);
    functions_free(&g->kernel);
    tdestroy(g->worlds, free);
    module_files_free(&g->module_files);
    free(g->reference);
    return err;
}
