/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The pages of which caches or TLBs have something. */
#include "pages.h"

static uint32_t heads_for(uint32_t most)
{
    uint32_t heads = 1;

    while (heads < most / 2) {
        heads *= 2;
    }
    return heads;
}

/* Spare ids, so that collecting them, which looks at everything, is rare. */
uint32_t vpmu_pages_most_(uint64_t refer)
{
    return (uint32_t)(refer + refer / 8 + 64);
}

uint64_t vpmu_pages_size_(uint64_t refer)
{
    uint32_t most = vpmu_pages_most_(refer);

    return (most + 1ull) * sizeof(struct vpmu_known_page_) + heads_for(most) * sizeof(uint32_t);
}

static void clear_heads(struct vpmu_pages_ *p)
{
    for (uint32_t i = 0; i <= p->head_mask; i++) {
        p->heads[i] = 0;
    }
}

void vpmu_pages_init_(struct vpmu_pages_ *p, uint64_t refer, void *mem)
{
    p->most = vpmu_pages_most_(refer);
    p->known = mem;
    p->heads = (uint32_t *)(void *)(p->known + p->most + 1);
    p->head_mask = heads_for(p->most) - 1;
    p->given = 0;
    p->free = 0;
    clear_heads(p);
}

uint32_t vpmu_pages_add_(struct vpmu_pages_ *p, uint64_t number, uint32_t space)
{
    uint32_t *head = vpmu_pages_head_(p, number, space);
    uint32_t id = p->free;

    if (id) {
        p->free = p->known[id].next;
    } else {
        id = ++p->given;
    }
    p->known[id] = (struct vpmu_known_page_){
        .number = number,
        .space = space,
        .next = *head,
        .slot = {VPMU_NO_SLOT_, VPMU_NO_SLOT_},
    };
    *head = id;
    return id;
}

void vpmu_pages_unmark_(struct vpmu_pages_ *p)
{
    for (uint32_t id = 1; id <= p->given; id++) {
        p->known[id].next = 0;
    }
}

void vpmu_pages_collect_(struct vpmu_pages_ *p)
{
    clear_heads(p);
    p->free = 0;
    for (uint32_t id = p->given; id > 0; id--) {
        struct vpmu_known_page_ *page = &p->known[id];
        uint32_t *list =
            page->next == VPMU_USED_ ? vpmu_pages_head_(p, page->number, page->space) : &p->free;

        page->next = *list;
        *list = id;
    }
}
