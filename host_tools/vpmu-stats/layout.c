/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a Linux has what it knows of a thread. Each kernel has its own, and says so in its types.
 */
#include "layout.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <string.h>

#include "vpmu/record.h"

/* Members of structures without a name are members of that which they are in; these may have some.
 */
#define MAX_DEPTH 8

static bool find_member(uint32_t *offset, const struct btf *btf, uint32_t type, const char *name,
                        unsigned depth);

/* Is it the member, or does it have it? @offset moves there. */
static bool is_member(uint32_t *offset, const struct btf *btf, const struct btf_member *member,
                      const char *name, unsigned depth)
{
    const char *its = btf__name_by_offset(btf, member->name_off);

    if (!its) {
        return false;
    }
    return its[0] ? strcmp(its, name) == 0
                  : depth < MAX_DEPTH && find_member(offset, btf, member->type, name, depth + 1);
}

/* Adds to @offset where in a structure or union @type the member is. */
static bool find_member(uint32_t *offset, const struct btf *btf, uint32_t type, const char *name,
                        unsigned depth)
{
    const struct btf_type *of = btf__type_by_id(btf, type);
    const struct btf_member *members;

    if (!of || !btf_is_composite(of)) {
        return false;
    }
    members = btf_members(of);
    for (uint32_t i = 0; i < btf_vlen(of); i++) {
        if (is_member(offset, btf, &members[i], name, depth)) {
            *offset += btf_member_bit_offset(of, i) / 8;
            return true;
        }
    }
    return false;
}

static int take(struct layout *layout, const struct btf *btf, const char *path, struct trouble *t)
{
    const struct {
        const char *name;
        uint32_t *offset;
    } members[] = {{"pid", &layout->pid}, {"tgid", &layout->tgid}, {"comm", &layout->comm}};
    int32_t task = btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT);

    *layout = (struct layout){0};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (task <= 0 || !find_member(members[i].offset, btf, (uint32_t)task, members[i].name, 0)) {
            return trouble_set(t, TROUBLE_USAGE,
                               "%s has types, but no task_struct with a %s: it must be the guest's "
                               "kernel's",
                               path, members[i].name);
        }
    }
    return 0;
}

static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level, (void)format, (void)arguments;
    return 0;
}

int layout_read(struct layout *layout, const char *path, struct trouble *t)
{
    struct btf *btf;
    int err;

    libbpf_set_print(say_nothing);
    btf = btf__parse(path, NULL);
    if (!btf) {
        return trouble_set(
            t, TROUBLE_USAGE,
            "%s has no types that can be read (BTF): it must be the guest's vmlinux, "
            "or a copy of its /sys/kernel/btf/vmlinux",
            path);
    }
    err = take(layout, btf, path, t);
    btf__free(btf);
    return err;
}
