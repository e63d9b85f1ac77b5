/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/written-maps.h"

#include <string.h>

#include "base/hash.h"

/* Returns a hash of the mapping without its address. */
static uint64_t what_of(const struct written_map *code)
{
    uint64_t hash = hash_more(HASH_SEED, &code->length, sizeof(code->length));

    hash = hash_more(hash, &code->offset, sizeof(code->offset));
    return hash_more(hash, code->path, strlen(code->path));
}

/* Returns the number of the process's address space; a new one if the address space changed. */
static uint64_t number_of(struct written_maps *written, const struct written_map *code)
{
    size_t at = code->pid % WRITTEN_MAPS_SLOTS;

    if (!written->process[at].number || written->process[at].pid != code->pid ||
        written->process[at].space != code->space) {
        written->process[at].pid = code->pid;
        written->process[at].space = code->space;
        written->process[at].number = ++written->spaces;
    }
    return written->process[at].number;
}

/* Tests whether a later mapping has replaced a part of this one, which is there again. */
static bool is_replaced(const struct written_maps *written, const struct written_map *code,
                        uint64_t number, uint64_t order)
{
    bool is = false;

    for (size_t i = 0; i < WRITTEN_MAPS_SLOTS && !is; i++) {
        is = written->code[i].pid == code->pid && written->code[i].number == number &&
             written->code[i].order > order &&
             written->code[i].start < code->start + code->length &&
             written->code[i].end > code->start;
    }
    return is;
}

bool written_maps_is_new(struct written_maps *written, const struct written_map *code)
{
    uint64_t number = number_of(written, code);
    uint64_t what = what_of(code);
    uint64_t hash = hash_more(hash_more(HASH_SEED, &code->pid, sizeof(code->pid)), &code->start,
                              sizeof(code->start));
    size_t at = hash_slot(hash, WRITTEN_MAPS_SLOTS);

    if (written->code[at].number == number && written->code[at].pid == code->pid &&
        written->code[at].start == code->start && written->code[at].what == what &&
        written->code[at].time <= code->time &&
        !is_replaced(written, code, number, written->code[at].order)) {
        return false;
    }
    written->code[at].number = number;
    written->code[at].pid = code->pid;
    written->code[at].start = code->start;
    written->code[at].end = code->start + code->length;
    written->code[at].order = ++written->order;
    written->code[at].what = what;
    written->code[at].time = code->time;
    return true;
}
