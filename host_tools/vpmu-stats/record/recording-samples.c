/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples, and which functions and mappings they need. */
#include "record/recording-parts.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "unwind/link-register.h"

/* Finds the guest that a sample was taken in. Return: NULL if there is none, or it is not known. */
static struct nested_guest *guest_of(struct recording *r, const struct vpmu_record_sample *from)
{
    return recording_group(r, from) >= GROUP_GUEST && recording_knows_guest(r, from)
               ? nested_guests_find(&r->nested, &r->cpus[from->head.cpu].guest)
               : NULL;
}

/* Functions of the kernel of a guest, or of the machine's kernel or the user's file. */
struct code {
    const struct functions *functions;
    bool *used;
    struct nested_guest *guest;
};

static struct code code_of(struct recording *r, struct nested_guest *guest)
{
    return guest ? (struct code){.functions = &guest->functions, .guest = guest}
                 : (struct code){.functions = &r->names.functions, .used = r->used};
}

/*
 * Ends a chain before 0, to which the frames of a kernel's first thread lead; and, if the program's
 * stack was copied, before an address that is not in the program's code. Code of Java's compiler
 * keeps other values in the link register.
 */
static void cut_chain(const struct recording *r, struct perfdata_sample *to,
                      const struct kept_maps *maps)
{
    while (to->depth && !to->chain[to->depth - 1]) {
        to->depth--;
    }
    if (r->stack && to->group == GROUP_HOST && r->names.has_threads && r->names.layout.has_maps &&
        !r->cpus[to->cpu].mapped) {
        to->depth = program_stacks_cut(maps, to->mode != PERFDATA_USER, to->chain, to->depth);
        if (to->link && to->mode == PERFDATA_USER && !program_stacks_mapped(maps, *to->link - 1)) {
            to->link = NULL;
        }
    }
}

/*
 * Returns the mappings of the process of a sample. The vCPU may have run another process before,
 * and no code of this one since: while the kernel replaces its program, or switches threads.
 */
static const struct kept_maps *maps_of(const struct recording *r, const struct perfdata_sample *s)
{
    static const struct kept_maps none;
    const struct kept_maps *kept = &r->cpus[s->cpu].kept;

    return kept->n && kept->map[0].map.pid == s->pid ? kept : &none;
}

/*
 * An Arm chain begins with the link register. In a function without a frame, and at the beginning
 * or end of any function, it is a return address that no frame contains. Elsewhere it is left over
 * from the last call that the function made. If the functions' names are unknown, the reader of the
 * file decides.
 */
static void place_chain(struct recording *r, struct perfdata_sample *to,
                        const struct vpmu_record_sample *from, const uint64_t *chain,
                        const struct code *code)
{
    bool has_link = from->chain && !recording_is_x86(r);
    enum link_register link =
        has_link ? link_register_judge(functions_find(code->functions, from->pc),
                                       functions_find(code->functions, chain[0] - 1), chain[0],
                                       from->chain > 1 ? chain[1] : 0)
                 : LINK_REGISTER_RETURNS;
    unsigned skipped = link != LINK_REGISTER_RETURNS;

    to->chain = chain + skipped;
    to->depth = from->chain - skipped;
    to->link = link == LINK_REGISTER_UNKNOWN ? chain : NULL;
    if (r->keeps_stacks) {
        if (to->group == GROUP_HOST) {
            program_stacks_top(&r->stacks, from, &to->registers, &to->stack, &to->stack_size);
        }
    } else if (to->group == GROUP_HOST && program_stacks_chain(&r->stacks, from, maps_of(r, to),
                                                               &to->chain, &to->depth, r->frames)) {
        to->link = NULL;
    }
    cut_chain(r, to, maps_of(r, to));
    if (to->mode == PERFDATA_USER && to->group == GROUP_HOST && !to->registers) {
        r->programs++;
        r->alone += to->depth == 0;
    }
}

/*
 * Describes the access of the sample. The period ended at that instruction, and the sample's own
 * address is that of the next one.
 */
static void place_access(struct recording *r, struct perfdata_sample *to)
{
    struct recording_cpu *runs = &r->cpus[to->cpu];

    if (runs->accessed) {
        to->access = &runs->access;
        to->ip = runs->access.pc;
    }
    runs->accessed = false;
}

/* Marks the function at an address, so that the file will contain its name. */
static void use(const struct code *code, uint64_t address)
{
    const struct function *function;

    if (code->guest) {
        nested_guest_use(code->guest, address);
    } else if ((function = functions_find(code->functions, address))) {
        code->used[function - code->functions->function] = true;
    }
}

/* A program's sample has addresses of the kernel among its branches. */
static void use_branches(const struct code *code, const struct perfdata_sample *s)
{
    for (size_t i = 0; i < s->branches; i++) {
        use(code, s->branch[i].from);
        use(code, s->branch[i].to);
    }
}

/* Functions of programs whose files only the guest has. */
static void use_programs(struct recording *r, const struct perfdata_sample *s)
{
    const struct kept_maps *maps = &r->cpus[s->cpu].kept;

    if (!r->code.given || s->group != GROUP_HOST) {
        return;
    }
    guest_code_use(&r->code, maps, s->ip);
    for (size_t i = 0; i < s->depth; i++) {
        guest_code_use(&r->code, maps, s->chain[i]);
        guest_code_use(&r->code, maps, s->chain[i] - 1);
    }
    if (s->link) {
        guest_code_use(&r->code, maps, *s->link - 1);
    }
}

/* perf knows no kernel of a guest: all its samples are of programs. */
static void use_functions(const struct code *code, const struct perfdata_sample *s)
{
    use_branches(code, s);
    if (s->access) {
        use(code, s->access->address);
    }
    if (s->mode != PERFDATA_KERNEL && s->group < GROUP_GUEST) {
        return;
    }
    use(code, s->ip);
    for (size_t i = 0; i < s->depth; i++) {
        use(code, s->chain[i]);
        use(code, s->chain[i] - 1);
    }
}

/* Is it an address of a kernel without a name? Markers of perf are no addresses. */
static bool is_nameless(const struct recording *r, uint64_t address)
{
    return address >> 63 && address < (uint64_t)PERF_CONTEXT_MAX &&
           !functions_find(&r->names.functions, address);
}

/* Names that the kernel has got since they were read. */
static void learn_functions(struct recording *r, const struct perfdata_sample *s)
{
    bool lacks = is_nameless(r, s->ip);

    if (s->mode != PERFDATA_KERNEL) {
        return;
    }
    for (size_t i = 0; i < s->depth && !lacks; i++) {
        lacks = is_nameless(r, s->chain[i]);
    }
    if (lacks) {
        recording_find_code(r, s->time);
    }
}

/*
 * perf c2c counts an access only if both of its addresses lie in a mapping. Mappings of data are
 * not known, so each process has one mapping of all its addresses. It has the time 0: mappings of
 * code are later, and perf gives them precedence. A process that was dropped from the table gets
 * the same mapping again.
 */
static void map_data(struct recording *r, const struct perfdata_sample *s)
{
    uint32_t *slot = &r->anonymous[s->pid % WRITTEN_MAPS_SLOTS];

    if (s->access && s->group == GROUP_HOST && *slot != s->pid + 1) {
        *slot = s->pid + 1;
        perfdata_data(&r->file, s->pid);
    }
}

/* Maps the programs of a thread whose name is unknown. perf calls it ":TID", or "swapper" for 0. */
static void map_nameless(struct recording *r, const struct perfdata_sample *s)
{
    const struct perfdata_thread thread = {
        .pid = s->pid, .tid = s->tid, .time = s->time, .cpu = s->cpu};
    char comm[VPMU_RECORD_COMM];

    if (r->mapped && s->group == GROUP_HOST && !r->cpus[s->cpu].known) {
        snprintf(comm, sizeof(comm), ":%" PRIu32, s->tid);
        recording_map_programs(r, &thread, s->tid ? comm : "swapper");
    }
}

/* Is it one of the wanted threads and guests, and is its access slow enough? */
static bool is_wanted(const struct recording *r, const struct perfdata_sample *s)
{
    const struct recording_cpu *runs = &r->cpus[s->cpu];

    if (r->latency && (!s->access || s->access->latency < r->latency)) {
        return false;
    }
    if (!r->filter || thread_filter_is_empty(r->filter)) {
        return true;
    }
    if (s->group >= GROUP_GUEST) {
        return thread_filter_keeps_guest(
            r->filter, s->group >= GROUP_SVM ? THREAD_FILTER_SVM + (uint32_t)(s->group - GROUP_SVM)
                                             : (uint32_t)(s->group - GROUP_GUEST));
    }
    return s->group == GROUP_HOST && thread_filter_keeps(r->filter, s->pid, s->tid,
                                                         !runs->known     ? NULL
                                                         : runs->tid == 0 ? "swapper"
                                                                          : runs->comm);
}

static void put_sample(struct recording *r, struct perfdata_sample *to,
                       const struct vpmu_record_sample *from, const uint64_t *chain)
{
    struct nested_guest *guest = guest_of(r, from);
    struct code code = code_of(r, guest);

    place_chain(r, to, from, chain, &code);
    if (!guest) {
        learn_functions(r, to);
        code = code_of(r, NULL);
    }
    recording_meet(r, to->group);
    map_data(r, to);
    map_nameless(r, to);
    if (guest) {
        guest_maps_write(&r->guest_maps, &r->file, to, guest);
    }
    use_functions(&code, to);
    use_programs(r, to);
    perfdata_sample(&r->file, to);
}

static void put_call(struct recording *r, const struct vpmu_record_sample *from)
{
    struct recording_cpu *runs = &r->cpus[from->head.cpu];
    unsigned first = r->stream.start.events;
    const uint64_t chain[] = {from->pc, from->pc};
    struct perfdata_sample to = {
        .cpu = from->head.cpu,
        .event = first,
        .time = from->time,
        .ip = runs->call.target,
        .weight = from->weight,
        .chain = chain,
        .depth = runs->call.head.type == VPMU_RECORD_JUMP ? 2 : 1,
    };

    runs->calls = false;
    if (r->file.events < first + 2 || (from->event && !r->called[from->event])) {
        return;
    }
    recording_place(r, &to, from);
    recording_meet(r, to.group);
    map_nameless(r, &to);
    use_functions(&(const struct code){.functions = &r->names.functions, .used = r->used}, &to);
    if (from->event) {
        to.event = r->called[from->event];
        to.weight = runs->call.spent;
        perfdata_sample(&r->file, &to);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        if (to.weight) {
            perfdata_sample(&r->file, &to);
        }
        to.event++;
        to.weight = runs->call.spent;
    }
}

void recording_sample(struct recording *r, const union stream_record *record)
{
    const struct vpmu_record_sample *from = &record->sample;
    struct perfdata_sample to = {
        .cpu = from->head.cpu,
        .event = from->event,
        .time = from->time,
        .ip = from->pc,
        .weight = from->weight,
        .ns = r->cpus[from->head.cpu].ns,
        .values = stream_values(record),
        .branch = stream_branches(record),
        .branches = from->branches,
    };

    if (r->cpus[from->head.cpu].calls) {
        put_call(r, from);
        return;
    }
    r->cpus[from->head.cpu].ns = 0;
    place_access(r, &to);
    event_totals_sample(&r->totals, from);
    recording_place(r, &to, from);
    if (!is_wanted(r, &to)) {
        r->dropped++;
        return;
    }
    put_sample(r, &to, from, stream_chain(record));
}
