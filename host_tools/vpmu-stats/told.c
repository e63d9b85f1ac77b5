/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "told.h"

#include <string.h>

#include "hash.h"

/* What is there, apart from where it begins. */
static uint64_t what_of(const struct told_code *code)
{
    uint64_t hash = hash_more(HASH_SEED, &code->length, sizeof(code->length));

    hash = hash_more(hash, &code->offset, sizeof(code->offset));
    return hash_more(hash, code->path, strlen(code->path));
}

/* The number of the process's address space. */
static uint64_t number_of(struct told *told, const struct told_code *code)
{
    size_t at = code->pid % TOLD_SLOTS;

    if (!told->process[at].number || told->process[at].pid != code->pid ||
        told->process[at].space != code->space) {
        told->process[at].pid = code->pid;
        told->process[at].space = code->space;
        told->process[at].number = ++told->spaces;
    }
    return told->process[at].number;
}

bool told_is_new(struct told *told, const struct told_code *code)
{
    uint64_t number = number_of(told, code);
    uint64_t what = what_of(code);
    uint64_t hash = hash_more(hash_more(HASH_SEED, &code->pid, sizeof(code->pid)), &code->start,
                              sizeof(code->start));
    size_t at = hash_slot(hash, TOLD_SLOTS);

    if (told->code[at].number == number && told->code[at].pid == code->pid &&
        told->code[at].start == code->start && told->code[at].what == what &&
        told->code[at].time <= code->time) {
        return false;
    }
    told->code[at].number = number;
    told->code[at].pid = code->pid;
    told->code[at].start = code->start;
    told->code[at].what = what;
    told->code[at].time = code->time;
    return true;
}
