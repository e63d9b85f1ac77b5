/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the offsets of members in the structures of a Linux kernel. The kernel's BTF describes
 * them.
 */
#include "kernel/btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <string.h>

_Static_assert(LIBBPF_MAJOR_VERSION >= 1, "before, btf__parse() has other errors than NULL");

/*
 * Members of an anonymous structure count as members of the structure around it. Anonymous
 * structures can be nested. A malicious file can contain a type that contains itself, even many
 * times, so both the depth and the number of examined members are limited.
 */
#define MAX_DEPTH 8
#define MAX_LOOKS 100000

/**
 * struct search - the search for a member
 * @looks: the number of members that may still be examined.
 * @offset: the offset found so far, in bytes.
 */
struct search {
    const struct btf *btf;
    const char *name;
    unsigned looks;
    uint32_t offset;
};

static bool find_member(struct search *s, uint32_t type, unsigned depth);

/* Check whether @member is the wanted member, or an anonymous structure that contains it. */
static bool is_member(struct search *s, const struct btf_member *member, unsigned depth)
{
    const char *its = btf__name_by_offset(s->btf, member->name_off);

    if (!its || s->looks == 0) {
        return false;
    }
    s->looks--;
    return its[0] ? strcmp(its, s->name) == 0
                  : depth < MAX_DEPTH && find_member(s, member->type, depth + 1);
}

/* Find a member of a structure or union, and add its offset to @s->offset. */
static bool find_member(struct search *s, uint32_t type, unsigned depth)
{
    const struct btf_type *of = btf__type_by_id(s->btf, type);
    const struct btf_member *members;

    if (!of || !btf_is_composite(of)) {
        return false;
    }
    members = btf_members(of);
    for (uint32_t i = 0; i < btf_vlen(of) && s->looks; i++) {
        if (is_member(s, &members[i], depth)) {
            s->offset += btf_member_bit_offset(of, i) / 8;
            return true;
        }
    }
    return false;
}

static bool find_in(const struct btf *btf, const char *structure, const char *member,
                    uint32_t *offset)
{
    int32_t type = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
    struct search s = {.btf = btf, .name = member, .looks = MAX_LOOKS};

    if (type <= 0 || !find_member(&s, (uint32_t)type, 0)) {
        return false;
    }
    *offset += s.offset;
    return true;
}

/*
 * An offset to find: of a member in a structure, or of a member's member, where two offsets add up.
 */
struct place {
    const char *name;
    struct {
        const char *structure;
        const char *member;
    } in[2];
};

static const struct place maps[TASK_MAPS] = {
    {"mm", {{"task_struct", "mm"}}},
    {"code", {{"mm_struct", "exec_vm"}}},
    {"tree", {{"mm_struct", "mm_mt"}, {"maple_tree", "ma_root"}}},
    {"pivots", {{"maple_range_64", "pivot"}}},
    {"slots", {{"maple_range_64", "slot"}}},
    {"wide-slots", {{"maple_arange_64", "slot"}}},
    {"start", {{"vm_area_struct", "vm_start"}}},
    {"end", {{"vm_area_struct", "vm_end"}}},
    {"page", {{"vm_area_struct", "vm_pgoff"}}},
    {"flags", {{"vm_area_struct", "vm_flags"}}},
    {"file", {{"vm_area_struct", "vm_file"}}},
    {"inode", {{"file", "f_inode"}}},
    {"dentry", {{"file", "f_path"}, {"path", "dentry"}}},
    {"mount", {{"file", "f_path"}, {"path", "mnt"}}},
    {"parent", {{"dentry", "d_parent"}}},
    {"text", {{"dentry", "d_name"}, {"qstr", "name"}}},
    {"length", {{"dentry", "d_name"}, {"qstr", "len"}}},
    {"mount-root", {{"vfsmount", "mnt_root"}}},
    {"mount-inside", {{"mount", "mnt"}}},
    {"mount-parent", {{"mount", "mnt_parent"}}},
    {"mount-point", {{"mount", "mnt_mountpoint"}}},
};

static const struct place entry[TASK_ENTRY] = {
    {"frame", {{"pt_regs", "stackframe"}}},
    {"registers", {{"pt_regs", "regs"}}},
    {"pc", {{"pt_regs", "pc"}}},
    {"pstate", {{"pt_regs", "pstate"}}},
};

static const struct place modules[TASK_MODULES] = {
    [MODULE_STATE] = {"state", {{"module", "state"}}},
    [MODULE_LIST] = {"list", {{"module", "list"}}},
    [MODULE_NAME] = {"name", {{"module", "name"}}},
    [MODULE_KALLSYMS] = {"kallsyms", {{"module", "kallsyms"}}},
    [MODULE_SYMBOLS] = {"symtab", {{"mod_kallsyms", "symtab"}}},
    [MODULE_NUMBER] = {"num_symtab", {{"mod_kallsyms", "num_symtab"}}},
    [MODULE_NAMES] = {"strtab", {{"mod_kallsyms", "strtab"}}},
    [MODULE_TYPES] = {"typetab", {{"mod_kallsyms", "typetab"}}},
};

static const struct place bpf[TASK_BPF] = {
    [KSYM_START] = {"start", {{"bpf_ksym", "start"}}},
    [KSYM_END] = {"end", {{"bpf_ksym", "end"}}},
    [KSYM_NAME] = {"name", {{"bpf_ksym", "name"}}},
    [KSYM_LIST] = {"list", {{"bpf_ksym", "lnode"}}},
    [PACK_LIST] = {"pack-list", {{"bpf_prog_pack", "list"}}},
    [PACK_START] = {"pack-start", {{"bpf_prog_pack", "ptr"}}},
};

static const struct place special[TASK_SPECIAL] = {
    {"special", {{"vm_area_struct", "vm_private_data"}}},
    {"name", {{"vm_special_mapping", "name"}}},
};

static const struct place module_orc[TASK_MODULE_ORC] = {
    [MODULE_ORC_ADDRESSES] = {"addresses",
                              {{"module", "arch"}, {"mod_arch_specific", "orc_unwind_ip"}}},
    [MODULE_ORC_ENTRIES] = {"entries", {{"module", "arch"}, {"mod_arch_specific", "orc_unwind"}}},
    [MODULE_ORC_NUMBER] = {"number", {{"module", "arch"}, {"mod_arch_specific", "num_orcs"}}},
};

static const struct place files[TASK_FILES] = {
    [FILE_MAPPING] = {"mapping", {{"inode", "i_mapping"}}},
    [FILE_SIZE] = {"size", {{"inode", "i_size"}}},
    [FILE_PAGES] = {"pages", {{"address_space", "i_pages"}, {"xarray", "xa_head"}}},
    [FILE_SHIFT] = {"shift", {{"xa_node", "shift"}}},
    [FILE_SLOTS] = {"slots", {{"xa_node", "slots"}}},
};

const char *task_map_name(size_t i)
{
    return maps[i].name;
}

const char *task_entry_name(size_t i)
{
    return entry[i].name;
}

const char *task_special_name(size_t i)
{
    return special[i].name;
}

/* Returns how many bits orc_entry.type has; 0 if this kernel has no such member. */
static unsigned find_orc_type(const struct btf *btf)
{
    int32_t id = btf__find_by_name_kind(btf, "orc_entry", BTF_KIND_STRUCT);
    const struct btf_type *of = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

    for (uint32_t i = 0; of && i < btf_vlen(of); i++) {
        const char *name = btf__name_by_offset(btf, btf_members(of)[i].name_off);

        if (name && strcmp(name, "type") == 0) {
            return btf_member_bitfield_size(of, i);
        }
    }
    return 0;
}

/* Find @n offsets. Return: false if one of them is missing. */
static bool take_places(uint32_t *to, const struct place *place, size_t n, const struct btf *btf)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t at = 0; at < 2 && place[i].in[at].structure; at++) {
            if (!find_in(btf, place[i].in[at].structure, place[i].in[at].member, &to[i])) {
                return false;
            }
        }
    }
    return true;
}

static int take(struct task_layout *layout, const struct btf *btf, const char *path,
                struct error *t)
{
    const struct {
        const char *name;
        uint32_t *offset;
    } members[] = {{"pid", &layout->pid}, {"tgid", &layout->tgid}, {"comm", &layout->comm}};
    int32_t task = btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT);

    *layout = (struct task_layout){0};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        struct search s = {.btf = btf, .name = members[i].name, .looks = MAX_LOOKS};

        if (task <= 0 || !find_member(&s, (uint32_t)task, 0)) {
            return error_set(
                t, ERROR_USAGE,
                "%s has no task_struct with a member %s: use the types of the guest's kernel", path,
                members[i].name);
        }
        *members[i].offset = s.offset;
    }
    return 0;
}

static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level, (void)format, (void)arguments;
    return 0;
}

/* Returns the size of a structure; 0 if this kernel has none of that name. */
static uint32_t size_of(const struct btf *btf, const char *structure)
{
    int32_t id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
    const struct btf_type *of = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

    return of ? of->size : 0;
}

static int take_all(struct task_layout *layout, struct btf *btf, const char *name, struct error *t)
{
    int err;

    if (!btf) {
        return error_set(t, ERROR_USAGE,
                         "%s has no readable types (BTF): use the guest's vmlinux or a copy of its "
                         "/sys/kernel/btf/vmlinux",
                         name);
    }
    err = take(layout, btf, name, t);
    if (!err) {
        layout->has_maps = take_places(layout->maps, maps, TASK_MAPS, btf);
        layout->has_entry = take_places(layout->entry, entry, TASK_ENTRY, btf);
        find_in(btf, "frame_record_meta", "type", &layout->meta);
        layout->has_modules = take_places(layout->modules, modules, TASK_MODULES, btf);
        layout->has_bpf = take_places(layout->bpf, bpf, TASK_BPF, btf);
        layout->has_special = take_places(layout->special, special, TASK_SPECIAL, btf);
        layout->orc_type_bits = find_orc_type(btf);
        layout->has_module_orc = layout->orc_type_bits &&
                                 take_places(layout->module_orc, module_orc, TASK_MODULE_ORC, btf);
        layout->page_size =
            take_places(layout->files, files, TASK_FILES, btf) ? size_of(btf, "page") : 0;
    }
    btf__free(btf);
    return err;
}

int btf_read(struct task_layout *layout, const char *path, struct error *t)
{
    libbpf_set_print(say_nothing);
    return take_all(layout, btf__parse(path, NULL), path, t);
}

int btf_parse(struct task_layout *layout, const void *types, size_t size, const char *name,
              struct error *t)
{
    libbpf_set_print(say_nothing);
    return take_all(layout, size <= UINT32_MAX ? btf__new(types, (uint32_t)size) : NULL, name, t);
}
