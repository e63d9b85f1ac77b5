/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files of the guest the addresses of a sample lie in
 *
 * Each CPU remembers the areas that it looked up last.  An address outside of
 * them is looked up in the guest's memory.  The CPU forgets all areas when
 * another program runs, or when this one has mapped or unmapped code.  The
 * guest's memory is not trusted: it may contain anything.
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "elf.h"
#include "system/vpmu_target.h"

/* Linux has this bit set in all addresses of the kernel, and in no others. */
#define KERNELS BIT_ULL(55)

/*
 * Lookups per sample, and of words on its stack.  Later samples look up the
 * rest.
 */
#define LOOKS_MAX 4
#define STACK_LOOKS_MAX 16

/* No program has an address below this: vm.mmap_min_addr in Linux. */
#define LOWEST 0x10000

#define NOTE_BUILD_ID 3
/* Limits for one file.  Real files have fewer headers and shorter notes. */
#define HEADERS_MAX 64
#define NOTES_MAX 4096

/*
 * Build IDs, which are found if the beginning of the file is in memory
 */

static void note_take(const uint8_t *note, size_t size,
                      struct vpmu_record_map *record)
{
    Elf64_Nhdr head;
    size_t desc;

    for (size_t at = 0; at + sizeof(head) <= size; at = desc) {
        memcpy(&head, note + at, sizeof(head));
        at += sizeof(head);
        if (head.n_namesz > NOTES_MAX || head.n_descsz > NOTES_MAX) {
            return;
        }
        desc = at + ROUND_UP(head.n_namesz, 4);
        if (desc + head.n_descsz > size) {
            return;
        }
        if (head.n_type == NOTE_BUILD_ID && head.n_namesz == 4 &&
            memcmp(note + at, "GNU", 4) == 0 && head.n_descsz &&
            head.n_descsz <= sizeof(record->build_id)) {
            memcpy(record->build_id, note + desc, head.n_descsz);
            record->build_id_size = head.n_descsz;
            return;
        }
        desc += ROUND_UP(head.n_descsz, 4);
    }
}

/* Takes the build ID if @header is that of a note that has one. */
static void build_id_note(VPMUReader *reader, uint64_t base, const void *header,
                          bool wide, struct vpmu_record_map *record)
{
    const Elf64_Phdr *p64 = header;
    const Elf32_Phdr *p32 = header;
    uint64_t offset = wide ? p64->p_offset : p32->p_offset;
    uint64_t size = wide ? p64->p_filesz : p32->p_filesz;
    uint8_t note[NOTES_MAX];

    if (p32->p_type == PT_NOTE && size <= sizeof(note) &&
        vpmu_read_virtual(reader, base + offset, note, size)) {
        note_take(note, size, record);
    }
}

static void build_id_look(CPUState *cs, void *opaque)
{
    struct vpmu_record_map *record = opaque;
    VPMUReader reader = { .cpu = cs };
    uint64_t base = record->start - record->offset;
    union {
        Elf64_Ehdr e64;
        Elf32_Ehdr e32;
    } e = {};
    uint64_t at;
    unsigned int n, size;
    bool wide;

    RCU_READ_LOCK_GUARD();
    if (!vpmu_read_virtual(&reader, base, &e, sizeof(e)) ||
        memcmp(e.e64.e_ident, ELFMAG, SELFMAG) != 0 ||
        e.e64.e_ident[EI_DATA] != (HOST_BIG_ENDIAN ? ELFDATA2MSB
                                                   : ELFDATA2LSB)) {
        return;
    }
    wide = e.e64.e_ident[EI_CLASS] == ELFCLASS64;
    at = base + (wide ? e.e64.e_phoff : e.e32.e_phoff);
    n = MIN(wide ? e.e64.e_phnum : e.e32.e_phnum, HEADERS_MAX);
    size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    for (unsigned int i = 0; i < n && !record->build_id_size; i++) {
        Elf64_Phdr header;

        if (vpmu_read_virtual(&reader, at + i * size, &header, size)) {
            build_id_note(&reader, base, &header, wide, record);
        }
    }
}

/*
 * Areas
 */

/* Writes a record of @map.  Returns false if the ring has no room. */
static bool maps_put(VPMUObservedCPU *on, const VPMUMap *map,
                     const struct vpmu_record_sample *sample)
{
    struct {
        struct vpmu_record_map map;
        char path[VPMU_RECORD_PATH];
    } record = {
        .map = {
            .time = sample->time,
            .start = map->start,
            .end = map->end,
            .offset = map->offset,
            .space = on->maps.space.mm,
            .file = map->file,
            .pid = on->maps.pid,
            .path = ROUND_UP(strlen(map->path) + 1, 8),
        },
    };
    size_t size = sizeof(record.map) + record.map.path;

    record.map.head = vpmu_record_head_of(&on->base, VPMU_RECORD_MAP, size);
    pstrcpy(record.path, sizeof(record.path), map->path);
    vpmu_target->threads->as_program(on->base.cpu, build_id_look,
                                     &record.map);
    return vpmu_ring_put(on, &record, size);
}

static bool maps_has(const VPMUMaps *maps, uint64_t addr)
{
    for (unsigned int i = 0; i < MIN(maps->n, VPMU_MAPS); i++) {
        if (addr >= maps->known[i].start && addr < maps->known[i].end) {
            return true;
        }
    }
    return false;
}

/* Looks @addr up if it is not known.  @looks: lookups that are left. */
static void maps_find(VPMUObservedCPU *on, uint64_t addr,
                      const struct vpmu_record_sample *sample,
                      unsigned int *looks)
{
    VPMUMaps *maps = &on->maps;
    VPMUMap map;

    if (addr & KERNELS || !*looks || maps_has(maps, addr)) {
        return;
    }
    --*looks;
    if (!vpmu_map_find(on->base.cpu, &on->base.record->threads, sample,
                       maps->space.mm, addr, &map)) {
        return;
    }
    if (!map.path[0] || maps_put(on, &map, sample)) {
        maps->known[maps->n % VPMU_MAPS].start = map.start;
        maps->known[maps->n++ % VPMU_MAPS].end = map.end;
    }
}

/*
 * Looks up the words of the stack that can be return addresses: most programs
 * have many other words, so that there is code is checked first.
 */
static void maps_find_stack(VPMUObservedCPU *on,
                            const struct vpmu_record_sample *sample,
                            unsigned int words)
{
    const struct vpmu_record_stack *record = &on->stack->record;
    const uint64_t *word = on->stack->reg + record->registers;
    unsigned int looks = STACK_LOOKS_MAX;
    VPMUReader reader = { .cpu = on->base.cpu };
    uint8_t code[4];

    RCU_READ_LOCK_GUARD();
    for (unsigned int i = 0; i < words && looks; i++) {
        uint64_t addr = word[i] & record->code_mask;

        if (addr >= LOWEST && !(word[i] & KERNELS) &&
            !maps_has(&on->maps, addr) &&
            vpmu_read_virtual(&reader, addr - sizeof(code), code,
                              sizeof(code))) {
            maps_find(on, addr, sample, &looks);
        }
    }
}

/* Does the sample have an address of a program? */
static bool maps_wanted(const VPMUSample *buf, const uint64_t *chain,
                        unsigned int n)
{
    bool wanted = !(buf->sample.pc & KERNELS);

    for (unsigned int i = 0; i < n && !wanted; i++) {
        wanted = !(chain[i] & KERNELS);
    }
    for (unsigned int i = 0; i < buf->sample.branches && !wanted; i++) {
        wanted = !(buf->branch[i].from & buf->branch[i].to & KERNELS);
    }
    return wanted;
}

/* An address of 0 stands for one that was not recorded. */
static void maps_find_branches(VPMUObservedCPU *on, const VPMUSample *buf,
                               unsigned int *looks)
{
    for (unsigned int i = 0; i < buf->sample.branches; i++) {
        const struct vpmu_branch *branch = &buf->branch[i];

        if (branch->from) {
            maps_find(on, branch->from, &buf->sample, looks);
        }
        if (branch->to) {
            maps_find(on, branch->to, &buf->sample, looks);
        }
    }
}

void vpmu_record_maps(VPMUObservedCPU *on, const VPMUSample *buf,
                      const uint64_t *chain, unsigned int n,
                      unsigned int words)
{
    const struct vpmu_record_sample *sample = &buf->sample;
    const VPMURecord *r = on->base.record;
    const VPMUThread *thread = &on->thread[VPMU_THREADS_OWN];
    VPMUMaps *maps = &on->maps;
    unsigned int looks = LOOKS_MAX;
    VPMUSpace space;

    if (!r->has_threads || !r->threads.maps || !thread->known ||
        sample->world == VPMU_WORLD_GUEST ||
        !(words || maps_wanted(buf, chain, n)) ||
        !vpmu_thread_space(on->base.cpu, &r->threads, sample, &space)) {
        return;
    }
    if (maps->pid != thread->pid || maps->space.mm != space.mm ||
        maps->space.code != space.code) {
        *maps = (VPMUMaps) { .pid = thread->pid, .space = space };
    }
    maps_find(on, sample->pc, sample, &looks);
    for (unsigned int i = 0; i < n; i++) {
        maps_find(on, chain[i], sample, &looks);
    }
    maps_find_branches(on, buf, &looks);
    if (words) {
        maps_find_stack(on, sample, words);
    }
}
