/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates samples of a machine for perf. perf knows one kernel and its processes. The machine's
 * own kernel is that kernel. CONTEXTIDR or CR3 identifies a process whose threads are not known.
 * Everything else is shown as a process of its own: EL2 below a kernel at EL1, EL3, SMM, and each
 * guest of the machine's hypervisor whose threads are not known. Known threads of guests have
 * numbers of their own, and all their addresses are those of programs for perf. On x86-64 all
 * guests together are one process. A sample's cgroup says which of these ran, so perf report --sort
 * cgroup tells them apart.
 *
 * perf's hypervisor mode is not used: perf shows no symbols in it, and perf report crashes if such
 * a sample has a cgroup (Linux 6.12, hists__calc_col_len()).
 */
#include "record/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "unwind/link-register.h"
#include "vpmu/arm/observer.h"

/* Numbers of cgroups in the file. */
enum {
    GROUP_HOST = 1,
    GROUP_EL2,
    GROUP_EL3,
    GROUP_SMM,
    GROUP_GUESTS,
    GROUP_GUEST = 0x10000, /* plus the VMID */
};

/* Process number for a cgroup. Linux does not use numbers as large for its own processes. */
#define PID_OF(group) (0x40000000u + (uint32_t)(group))

static struct recording *of(struct stream *s)
{
    return (struct recording *)s;
}

static bool is_x86(const struct recording *r)
{
    return r->stream.start.flags & VPMU_RECORD_X86;
}

static void map_kernel(struct recording *r)
{
    const struct symbols *k = &r->names.kernel;

    perfdata_map(&r->file, PERFDATA_KERNEL, PERFDATA_ALL, k->text, k->end - k->text, k->text,
                 "[kernel.kallsyms]_text");
    for (size_t i = 0; i < k->modules; i++) {
        perfdata_map(&r->file, PERFDATA_KERNEL, PERFDATA_ALL, k->module[i].start,
                     k->module[i].end - k->module[i].start, 0, k->module[i].name);
    }
}

/* Begins a file with the names that each file has. */
static void begin_file(struct recording *r)
{
    perfdata_begin(&r->file);
    /* perf takes a file without any record for a truncated one. */
    perfdata_comm(&r->file, &(struct perfdata_thread){0}, "swapper");
    if (r->names.kernel.text) {
        map_kernel(r);
    }
}

/* Returns how many events there are for calls. A profile has one other event. */
static size_t add_call_events(struct recording *r)
{
    unsigned first = r->stream.start.events;

    if (!r->calls || first + 2 > VPMU_RECORD_EVENTS) {
        return 0;
    }
    r->event[first] = (struct perfdata_event){.name = PERFDATA_CALLS, .period = 1};
    r->event[first + 1] = (struct perfdata_event){.name = PERFDATA_CALLED, .period = 1};
    return 2;
}

static int begin(struct stream *s, struct error *t)
{
    struct recording *r = of(s);

    if (event_totals_begin(&r->totals, s, t)) {
        return -1;
    }
    r->cpus = calloc(s->start.cpus, sizeof(*r->cpus));
    if (!r->cpus) {
        event_totals_free(&r->totals);
        return error_memory(t);
    }
    for (unsigned i = 0; i < s->start.events; i++) {
        r->event[i] = (struct perfdata_event){.name = s->event[i].name,
                                              .period = s->event[i].period,
                                              .frequency = s->event[i].frequency};
    }
    r->file.events = s->start.events + add_call_events(r);
    r->used = calloc(r->names.functions.n + 1, sizeof(*r->used));
    r->written = calloc(1, sizeof(*r->written));
    r->ids = calloc(1, sizeof(*r->ids));
    if (!r->used || !r->written || !r->ids) {
        return error_memory(t);
    }
    r->ids->symfs = r->symfs;
    r->file.functions = &r->names.functions;
    r->file.used = r->used;
    r->file.arch = is_x86(r) ? "x86_64" : "aarch64";
    r->file.event = r->event;
    r->file.cpus = s->start.cpus;
    r->file.build_id = r->names.has_build_id ? r->names.build_id : NULL;
    r->file.start = s->start.time;
    r->file.links = r->file.chains && !is_x86(r);
    r->file.chains |= r->calls;
    r->file.registers = !r->keeps_stacks ? 0
                        : is_x86(r)      ? VPMU_RECORD_REGS_X86
                                         : VPMU_RECORD_REGS_ARM;
    r->file.stack = r->stack;
    r->file.predictions = s->start.flags & VPMU_RECORD_PREDICTIONS;
    begin_file(r);
    r->code.files.symfs = r->symfs;
    if (r->names.vdso &&
        guest_code_give(&r->code, "[vdso]", r->names.vdso, r->names.vdso_size, t)) {
        return -1;
    }
    return r->stack ? program_stacks_begin(&r->stacks, s->start.cpus, is_x86(r), &r->code.files, t)
                    : 0;
}

/* Returns true the first time that it is called for a bit. */
static bool is_new(uint64_t *mask, unsigned bit)
{
    bool is_new = !(mask[bit / 64] >> bit % 64 & 1);

    mask[bit / 64] |= 1ull << bit % 64;
    return is_new;
}

/* Writes the mappings of the thread's program if the user has named it. */
static bool map_programs(struct recording *r, const struct perfdata_thread *thread,
                         const char *comm)
{
    return r->mapped && program_maps_write(r->mapped, &r->file, r->written, thread, comm);
}

static void name(struct recording *r, uint64_t group, const char *path, const char *process)
{
    const struct perfdata_thread thread = {.pid = PID_OF(group), .tid = PID_OF(group)};

    perfdata_group(&r->file, group, path);
    if (process) {
        perfdata_comm(&r->file, &thread, process);
        map_programs(r, &thread, process);
    }
}

/* The name of a guest as a process, which the user can give to --map. */
struct guest_name {
    char text[32];
};

static struct guest_name name_of_guest(unsigned vmid)
{
    struct guest_name name;

    snprintf(name.text, sizeof(name.text), "guest-%u", vmid);
    return name;
}

static void meet_guest(struct recording *r, unsigned vmid)
{
    char path[32];

    snprintf(path, sizeof(path), "/guest/vmid-%u", vmid);
    name(r, GROUP_GUEST + vmid, path, name_of_guest(vmid).text);
}

static void meet(struct recording *r, uint64_t group)
{
    static const struct {
        const char *path;
        const char *process;
    } worlds[] = {
        [GROUP_HOST] = {"/host", NULL},       [GROUP_EL2] = {"/host/EL2", "EL2"},
        [GROUP_EL3] = {"/host/EL3", "EL3"},   [GROUP_SMM] = {"/host/SMM", "SMM"},
        [GROUP_GUESTS] = {"/guest", "guest"},
    };

    if (group >= GROUP_GUEST) {
        if (is_new(r->vmids, (unsigned)(group - GROUP_GUEST))) {
            meet_guest(r, (unsigned)(group - GROUP_GUEST));
        }
    } else if (is_new(&r->worlds, (unsigned)group)) {
        name(r, group, worlds[group].path, worlds[group].process);
    }
}

static uint64_t group_of_x86(const struct vpmu_record_sample *from)
{
    if (from->flags & VPMU_RECORD_SMM) {
        return GROUP_SMM;
    }
    return from->world == VPMU_WORLD_GUEST ? GROUP_GUESTS : GROUP_HOST;
}

static uint64_t group_of(const struct vpmu_record_sample *from)
{
    if (from->el == 3) {
        return GROUP_EL3;
    }
    if (from->el == 2) {
        return from->world == VPMU_WORLD_VHE ? GROUP_HOST : GROUP_EL2;
    }
    return from->world == VPMU_WORLD_GUEST ? GROUP_GUEST + from->vmid : GROUP_HOST;
}

/* A thread that was read from the guest's memory takes precedence over CONTEXTIDR or CR3. */
static void place_own_thread(const struct recording *r, struct perfdata_sample *to,
                             const struct vpmu_record_sample *from)
{
    const struct recording_cpu *runs = &r->cpus[from->head.cpu];

    to->tid = runs->known ? runs->tid : from->contextidr & INT32_MAX;
    to->pid = runs->known ? runs->pid : to->tid;
}

/* Threads of guests of the machine's own hypervisor. */
static void place_guest_thread(const struct recording *r, struct perfdata_sample *to,
                               const struct vpmu_record_sample *from)
{
    const struct recording_cpu *runs = &r->cpus[from->head.cpu];

    if (runs->in_guest.known && runs->guest.vttbr >> 48 == from->vmid) {
        to->tid = runs->in_guest.tid;
        to->pid = runs->in_guest.pid;
    }
}

/* Sets the sample's mode, process and cgroup. The kernel of a VHE host, at EL2, is a kernel too. */
static void place(const struct recording *r, struct perfdata_sample *to,
                  const struct vpmu_record_sample *from)
{
    uint64_t group = is_x86(r) ? group_of_x86(from) : group_of(from);
    bool hosts = group == GROUP_HOST;

    to->group = group;
    to->tid = to->pid = PID_OF(group);
    to->mode = hosts && from->el ? PERFDATA_KERNEL : PERFDATA_USER;
    if (hosts) {
        place_own_thread(r, to, from);
    } else if (group >= GROUP_GUEST) {
        place_guest_thread(r, to, from);
    }
}

/* Finds the guest that a sample was taken in. Return: NULL if there is none, or it is not known. */
static struct nested_guest *guest_of(struct recording *r, const struct vpmu_record_sample *from)
{
    const struct vpmu_record_guest *guest = &r->cpus[from->head.cpu].guest;

    return !is_x86(r) && group_of(from) >= GROUP_GUEST && guest->vttbr >> 48 == from->vmid
               ? nested_guests_find(&r->nested, guest)
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
 * An Arm chain begins with the link register. In a function without a frame, and at the beginning
 * or end of any function, it is a return address that no frame contains. Elsewhere it is left over
 * from the last call that the function made. If the functions' names are unknown, the reader of the
 * file decides.
 */
static void place_chain(struct recording *r, struct perfdata_sample *to,
                        const struct vpmu_record_sample *from, const uint64_t *chain,
                        const struct code *code)
{
    bool has_link = from->chain && !is_x86(r);
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
    } else if (to->group == GROUP_HOST &&
               program_stacks_chain(&r->stacks, from, &r->cpus[to->cpu].kept, &to->chain,
                                    &to->depth, r->frames)) {
        to->link = NULL;
    }
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
        guest_code_use(&r->code, maps, s->chain[i] - 1);
    }
    if (s->link) {
        guest_code_use(&r->code, maps, *s->link - 1);
    }
}

/* perf knows no kernel of a guest: all its samples are of programs. */
static void use_functions(const struct code *code, const struct perfdata_sample *s)
{
    if (!code->guest && code->functions->n == 0) {
        return;
    }
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
        map_programs(r, &thread, s->tid ? comm : "swapper");
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
        return thread_filter_keeps_guest(r->filter, (uint32_t)(s->group - GROUP_GUEST));
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
    const struct code code = code_of(r, guest);

    place_chain(r, to, from, chain, &code);
    meet(r, to->group);
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
    struct perfdata_sample to = {
        .cpu = from->head.cpu,
        .event = first,
        .time = from->time,
        .ip = runs->call.target,
        .weight = from->weight,
        .chain = &from->pc,
        .depth = 1,
    };

    runs->calls = false;
    if (r->file.events < first + 2) {
        return;
    }
    place(r, &to, from);
    meet(r, to.group);
    map_nameless(r, &to);
    use_functions(&(const struct code){.functions = &r->names.functions, .used = r->used}, &to);
    perfdata_sample(&r->file, &to);
    to.event++;
    to.weight = runs->call.insns;
    if (to.weight) {
        perfdata_sample(&r->file, &to);
    }
}

static int sample(struct stream *s, const struct vpmu_record_sample *from, const uint64_t *values,
                  const uint64_t *chain, const struct vpmu_branch *branches, struct error *t)
{
    struct recording *r = of(s);
    struct perfdata_sample to = {
        .cpu = from->head.cpu,
        .event = from->event,
        .time = from->time,
        .ip = from->pc,
        .weight = from->weight,
        .ns = r->cpus[from->head.cpu].ns,
        .values = values,
        .branch = branches,
        .branches = from->branches,
    };

    (void)t;
    if (r->cpus[from->head.cpu].calls) {
        put_call(r, from);
        return 0;
    }
    r->cpus[from->head.cpu].ns = 0;
    place_access(r, &to);
    event_totals_sample(&r->totals, from);
    place(r, &to, from);
    if (!is_wanted(r, &to)) {
        r->dropped++;
        return 0;
    }
    put_sample(r, &to, from, chain);
    return 0;
}

/*
 * The name is written each time, because records of other vCPUs that arrive later may be older and
 * have another name. Idle threads are one thread for perf, which has its name already. Numbers in
 * the range of PID_OF() are ignored, since Linux has no such threads.
 */
static int thread(struct stream *s, const struct vpmu_record_thread *from, struct error *t)
{
    struct recording *r = of(s);
    struct recording_cpu *runs = &r->cpus[from->head.cpu];
    const struct perfdata_thread of_perf = {
        .pid = from->pid, .tid = from->tid, .time = from->time, .cpu = from->head.cpu};
    char comm[VPMU_RECORD_COMM + 1] = {0};

    (void)t;
    runs->known = from->known && from->tid < PID_OF(0) && from->pid < PID_OF(0);
    runs->tid = from->tid;
    runs->pid = from->pid;
    if (runs->known && runs->tid) {
        memcpy(comm, from->comm, sizeof(from->comm));
        format_tame(comm);
        memcpy(runs->comm, comm, sizeof(runs->comm));
        perfdata_comm(&r->file, &of_perf, comm);
        runs->mapped = map_programs(r, &of_perf, comm);
    }
    return 0;
}

/* Returns the size of a file that @symfs has a copy of; 0 if it has none. */
static uint64_t size_of(const char *symfs, const char *path)
{
    struct error ignored = {0};
    int fd = symfs && path[0] == '/' ? image_open(symfs, path, &ignored) : -1;
    struct stat status = {.st_size = 0};

    if (fd >= 0) {
        fstat(fd, &status);
        close(fd);
    }
    return (uint64_t)status.st_size;
}

/*
 * perf reads the unwind tables of a file at the addresses where the program has mapped them, so all
 * of the file is mapped. The mappings of code follow, and take precedence.
 */
static void tell_file(struct recording *r, const struct perfdata_thread *thread,
                      const struct perfdata_code *code)
{
    struct perfdata_code whole = *code;

    whole.start -= code->offset;
    whole.length = r->keeps_stacks ? size_of(r->symfs, code->path) : 0;
    whole.offset = 0;
    whole.is_data = true;
    if (whole.length) {
        perfdata_code(&r->file, thread, &whole);
    }
}

static void tell_code(struct recording *r, const struct vpmu_record_map *from,
                      const struct written_map *code)
{
    struct buildid seen = {.size = from->build_id_size};
    const struct buildid *id;

    memcpy(seen.byte, from->build_id, sizeof(seen.byte));
    id = buildids_find(r->ids, code->path, from->file, &seen);
    if (written_maps_is_new(r->written, code)) {
        const struct perfdata_thread thread = {
            .pid = code->pid, .tid = code->pid, .time = code->time, .cpu = from->head.cpu};
        const struct perfdata_code to = {.start = code->start,
                                         .length = code->length,
                                         .offset = code->offset,
                                         .path = code->path,
                                         .build_id = id->byte,
                                         .build_id_size = id->size};

        tell_file(r, &thread, &to);
        perfdata_code(&r->file, &thread, &to);
    }
}

static void tell_map(struct recording *r, const struct vpmu_record_map *from, const char *path)
{
    const struct written_map code = {
        .pid = from->pid,
        .space = from->space,
        .time = from->time,
        .start = from->start,
        .length = from->end - from->start,
        .offset = from->offset,
        .path = path,
    };

    tell_code(r, from, &code);
}

/* Writes a mapping of the guest, unless the user has named the thread's program. */
static int map(struct stream *s, const struct vpmu_record_map *from, const char *path,
               struct error *t)
{
    struct recording *r = of(s);
    struct recording_cpu *runs = &r->cpus[from->head.cpu];
    char name[VPMU_RECORD_PATH];

    if (from->pid >= PID_OF(0) || runs->mapped) {
        return 0;
    }
    snprintf(name, sizeof(name), "%s", path);
    format_tame(name);
    tell_map(r, from, name);
    return r->keeps_maps || r->stack || r->code.given ? kept_maps_add(&runs->kept, from, name, t)
                                                      : 0;
}

/* The thread of another guest is not known. */
static int guest(struct stream *s, const struct vpmu_record_guest *from, struct error *t)
{
    struct recording_cpu *runs = &of(s)->cpus[from->head.cpu];

    (void)t;
    if (!nested_guests_same(runs->guest.vttbr, from->vttbr)) {
        runs->in_guest = (struct guest_thread){0};
    }
    runs->guest = *from;
    return 0;
}

/* If the user has named the guest, its mappings are those of each of its processes. */
static void name_guest_thread(struct recording *r, uint32_t cpu, uint64_t time)
{
    const struct recording_cpu *runs = &r->cpus[cpu];
    const struct perfdata_thread thread = {
        .pid = runs->in_guest.pid, .tid = runs->in_guest.tid, .time = time, .cpu = cpu};

    perfdata_comm(&r->file, &thread, runs->in_guest.comm);
    map_programs(r, &thread, name_of_guest((unsigned)(runs->guest.vttbr >> 48)).text);
}

static int guest_thread(struct stream *s, const struct vpmu_record_thread *from, struct error *t)
{
    struct recording *r = of(s);
    struct recording_cpu *runs = &r->cpus[from->head.cpu];

    (void)t;
    guest_thread_take(&runs->in_guest, nested_guests_index(&r->nested, runs->guest.vttbr), from);
    if (runs->in_guest.known) {
        name_guest_thread(r, from->head.cpu, from->time);
    }
    return 0;
}

static int span(struct stream *s, const struct vpmu_record_span *from, struct error *t)
{
    (void)t;
    of(s)->cpus[from->head.cpu].ns = from->ns;
    return 0;
}

static int take_access(struct stream *s, const struct vpmu_record_access *from, struct error *t)
{
    struct recording_cpu *runs = &of(s)->cpus[from->head.cpu];

    (void)t;
    runs->accessed = true;
    runs->access = *from;
    return 0;
}

static int stack(struct stream *s, const struct vpmu_record_stack *from, const unsigned char *bytes,
                 struct error *t)
{
    struct recording *r = of(s);

    return r->stack ? program_stacks_take(&r->stacks, from, bytes, t) : 0;
}

static int take_call(struct stream *s, const struct vpmu_record_call *from, struct error *t)
{
    struct recording_cpu *runs = &of(s)->cpus[from->head.cpu];

    (void)t;
    runs->calls = true;
    runs->call = *from;
    return 0;
}

static int lost(struct stream *s, const struct vpmu_record_lost *lost, struct error *t)
{
    struct recording *r = of(s);

    (void)t;
    event_totals_lost(&r->totals, lost);
    perfdata_lost(&r->file, lost->head.cpu, lost->event, lost->time, lost->samples);
    return 0;
}

static int host(struct stream *s, const struct vpmu_record_host *from, struct error *t)
{
    (void)t;
    event_totals_host(&of(s)->totals, from);
    return 0;
}

static int take_count(struct stream *s, const struct vpmu_record_count *from, struct error *t)
{
    struct recording *r = of(s);
    const struct event_totals_row *row = event_totals_row(&r->totals, from->head.cpu, from->event);

    if (event_totals_count(&r->totals, from, t)) {
        return -1;
    }
    if (row->lost > row->reported) {
        perfdata_lost(&r->file, from->head.cpu, from->event, r->file.last,
                      row->lost - row->reported);
    }
    return 0;
}

static int taken(struct stream *s, struct error *t)
{
    (void)t;
    perfdata_so_far(&of(s)->file);
    return 0;
}

static const struct stream_ops ops = {
    .begin = begin,
    .sample = sample,
    .thread = thread,
    .map = map,
    .guest = guest,
    .guest_thread = guest_thread,
    .span = span,
    .access = take_access,
    .stack = stack,
    .call = take_call,
    .lost = lost,
    .host = host,
    .count = take_count,
    .taken = taken,
};

void recording_init(struct recording *r)
{
    r->stream.ops = &ops;
}

int recording_take(struct recording *r, const void *data, size_t n, struct error *t)
{
    return stream_take(&r->stream, data, n, t);
}

/*
 * Repeats what the machine does not send again: the names and mappings of the threads that run. The
 * samples that follow may be older than their thread's last record here, so the names have no time.
 */
static void repeat_cpu(struct recording *r, uint32_t cpu)
{
    const struct recording_cpu *runs = &r->cpus[cpu];
    const struct perfdata_thread thread = {.pid = runs->pid, .tid = runs->tid, .cpu = cpu};

    if (runs->known && runs->tid) {
        perfdata_comm(&r->file, &thread, runs->comm);
        map_programs(r, &thread, runs->comm);
    }
    for (size_t i = 0; i < runs->kept.n; i++) {
        tell_map(r, &runs->kept.map[i].map, runs->kept.map[i].path);
    }
    if (runs->in_guest.known) {
        name_guest_thread(r, cpu, 0);
    }
}

static void end_file(struct recording *r)
{
    size_t n = nested_guests_symbols(&r->nested);
    struct filesymbols *symbols = reallocarray(r->symbols, n + r->code.given + 1, sizeof(*symbols));

    /* Without memory, these functions have no names. */
    if (symbols) {
        memcpy(symbols, r->nested.symbols, n * sizeof(*symbols));
        r->symbols = symbols;
        r->file.programs = symbols;
        r->file.n_programs = n + guest_code_symbols(&r->code, symbols + n);
    }
    perfdata_end(&r->file);
}

void recording_next(struct recording *r, FILE *next)
{
    end_file(r);
    perfdata_free(&r->file);
    r->file.file = next;
    r->file.attributes = r->file.data = r->file.last = r->file.samples = 0;
    memset(r->used, 0, r->names.functions.n * sizeof(*r->used));
    memset(r->written, 0, sizeof(*r->written));
    memset(&r->guest_maps, 0, sizeof(r->guest_maps));
    r->worlds = 0;
    memset(r->vmids, 0, sizeof(r->vmids));
    nested_guests_next(&r->nested);
    guest_code_next(&r->code);
    begin_file(r);
    for (uint32_t cpu = 0; cpu < r->file.cpus; cpu++) {
        repeat_cpu(r, cpu);
    }
}

int recording_finish(struct recording *r, struct error *t)
{
    if (r->totals.rows) {
        end_file(r);
    }
    return stream_close(&r->stream, t);
}

void recording_free(struct recording *r)
{
    perfdata_free(&r->file);
    guest_names_free(&r->names);
    nested_guests_free(&r->nested);
    free(r->used);
    r->used = NULL;
    free(r->written);
    r->written = NULL;
    free(r->ids);
    r->ids = NULL;
    for (size_t i = 0; r->cpus && i < r->stream.start.cpus; i++) {
        kept_maps_free(&r->cpus[i].kept);
    }
    free(r->cpus);
    r->cpus = NULL;
    program_stacks_free(&r->stacks);
    guest_code_free(&r->code);
    free(r->symbols);
    r->symbols = NULL;
    event_totals_free(&r->totals);
}
