/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: counters of the code that a profiled CPU executes
 *
 * All CPUs share a list of code.  An item of it is a block, or an instruction
 * that was taken back.  Each CPU has an array of counters, one for each item.
 * A block that is translated again has the same item.  Items are never removed,
 * because blocks that contain the number of an item may be executed again when
 * the next profile begins.
 *
 * Blocks of a profiled CPU do not depend on CF_PCREL, so each belongs to one
 * address, as its item does.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/lockable.h"
#include "qemu/thread.h"
#include "cpu.h"
#include "exec/target_page.h"
#include "exec/translator.h"
#include "system/vpmu_profile.h"
#include "system/vpmu_target.h"
#include "tcg/tcg.h"
#include "tcg/vpmu-profile.h"
#include "profile-items.h"

/* The instructions of the block that this thread translates. */
static __thread struct {
    unsigned int n;
    uint64_t pc[TCG_MAX_INSNS];
    uint16_t costs[TCG_MAX_INSNS];
} translated;

/* Protects all of the following. */
static QemuMutex lock;
static GPtrArray *items;
static size_t items_size;
static bool items_full;
/* How many CPUs are profiled. */
static unsigned int profiled;
/* The numbers of items, by themselves and by their translation blocks. */
static GHashTable *numbers;
static GHashTable *blocks;

/*
 * The list of code
 */

static uint8_t *item_bytes(const Item *item)
{
    return (uint8_t *)&item->insn[item->n];
}

static size_t item_size(const Item *item)
{
    return sizeof(*item) + item->n * sizeof(item->insn[0]) + item->size;
}

static guint item_hash(gconstpointer key)
{
    const uint8_t *at = key;
    uint64_t hash = 0;

    for (size_t left = item_size(key); left; left--) {
        hash = (hash ^ *at++) * 0x100000001b3ull;
    }
    return hash ^ hash >> 32;
}

static gboolean item_equal(gconstpointer a, gconstpointer b)
{
    return item_size(a) == item_size(b) && !memcmp(a, b, item_size(a));
}

/*
 * Returns a new item, which the caller fills in.  Its holes are 0, so that
 * items can be compared.
 */
static Item *item_new(uint64_t pc, unsigned int ctx, unsigned int n,
                      size_t size)
{
    Item *item = g_malloc0(sizeof(*item) + n * sizeof(item->insn[0]) + size);

    item->pc = pc;
    item->ctx = ctx;
    item->n = n;
    item->size = size;
    return item;
}

/* Returns a new item that counts how often an instruction was taken back. */
static Item *item_undone(uint64_t pc, uint64_t page, unsigned int ctx,
                         uint32_t costs)
{
    Item *item = item_new(pc, ctx, 1, 0);

    item->page[0] = page;
    item->insn[0].costs = costs;
    item->undone = true;
    return item;
}

/* Returns the number of an item, which belongs to the list from now on. */
static unsigned int item_number(Item *item)
{
    gpointer number;
    size_t size = item_size(item);

    if (g_hash_table_lookup_extended(numbers, item, NULL, &number)) {
        g_free(item);
        return GPOINTER_TO_UINT(number);
    }
    if (items->len == ITEMS_MAX || items_size + size > ITEMS_SIZE) {
        items_full = true;
        g_free(item);
        return ITEM_FULL;
    }
    items_size += size;
    g_hash_table_insert(numbers, item, GUINT_TO_POINTER(items->len));
    g_ptr_array_add(items, item);
    return items->len - 1;
}

static intptr_t counter_of(unsigned int number)
{
    return offsetof(Profile, times) + number * sizeof(uint64_t);
}

/*
 * Translation
 */

void vpmu_profile_begin(void)
{
    translated.n = 0;
}

void vpmu_profile_insn(uint64_t pc)
{
    translated.costs[translated.n] = 0;
    translated.pc[translated.n++] = pc;
}

void vpmu_profile_insn_costs(uint32_t costs)
{
    translated.costs[translated.n - 1] = costs;
}

/* Returns the address in RAM of the page that @pc lies in. */
static uint64_t page_of(const TranslationBlock *tb, uint64_t first, uint64_t pc)
{
    return tb->page_addr[((pc ^ first) & TARGET_PAGE_MASK) != 0] &
           TARGET_PAGE_MASK;
}

intptr_t vpmu_profile_block(const DisasContextBase *db, unsigned int ctx)
{
    size_t size = db->pc_next - db->pc_first;
    Item *item = item_new(db->pc_first, ctx, translated.n, size);
    unsigned int number;

    vpmu_target->samples->place(current_cpu, ctx, &item->where);
    item->page[0] = page_of(db->tb, 0, 0);
    item->page[1] = page_of(db->tb, 0, TARGET_PAGE_SIZE);
    for (unsigned int i = 0; i < translated.n; i++) {
        uint64_t next = i + 1 < translated.n ? translated.pc[i + 1]
                                             : db->pc_next;

        item->insn[i].offset = translated.pc[i] - db->pc_first;
        item->insn[i].costs = translated.costs[i];
        item->insn[i].size = MIN(next - translated.pc[i], INSN_MAX);
    }
    /* As the translator does a little later; translator_st() needs it. */
    db->tb->size = size;
    translator_st(db, item_bytes(item), db->pc_first, size);
    QEMU_LOCK_GUARD(&lock);
    number = item_number(item);
    g_hash_table_insert(blocks, db->tb, GUINT_TO_POINTER(number));
    return counter_of(number);
}

intptr_t vpmu_profile_undone(const DisasContextBase *db, uint64_t pc,
                             unsigned int ctx, uint32_t costs)
{
    Item *item = item_undone(pc, page_of(db->tb, db->pc_first, pc), ctx,
                             costs);

    vpmu_target->samples->place(current_cpu, ctx, &item->where);
    QEMU_LOCK_GUARD(&lock);
    return counter_of(item_number(item));
}

uint32_t vpmu_profile_site(const DisasContextBase *db, uint64_t pc,
                           unsigned int ctx)
{
    Item *item = item_new(pc, ctx, 1, 0);

    item->page[0] = page_of(db->tb, db->pc_first, pc);
    vpmu_target->samples->place(current_cpu, ctx, &item->where);
    QEMU_LOCK_GUARD(&lock);
    return item_number(item);
}

/*
 * Calls
 */

/* What a context has spent so far, by event. */
static const uint64_t *read_spent(const Profile *profile, unsigned int ctx,
                                  const uint64_t *totals, uint64_t *spent)
{
    for (unsigned int i = 0; i < profile->events; i++) {
        const ProfileEvent *event = &profile->event[i];

        spent[i] = event->n ? totals[event->source[0]]
                            : profile->sum[ctx][event->cost];
        if (event->n > 1) {
            spent[i] += totals[event->source[1]];
        }
    }
    return spent;
}

void vpmu_profile_call(void *profile, VPMUCaller *who, uint32_t site,
                       uint64_t target, uint64_t back, uint64_t sp)
{
    uint64_t spent[VPMU_CALLS_EVENTS];

    who->spent = read_spent(profile, who->ctx, who->totals, spent);
    vpmu_calls_enter(((Profile *)profile)->calls, who, site, target, back, sp);
}

void vpmu_profile_leave(void *profile, VPMUCaller *who, uint64_t target,
                        VPMUReturn how)
{
    uint64_t spent[VPMU_CALLS_EVENTS];

    who->spent = read_spent(profile, who->ctx, who->totals, spent);
    vpmu_calls_leave(((Profile *)profile)->calls, who, target, how);
}

void vpmu_profile_jump(void *profile, VPMUCaller *who, uint32_t site,
                       uint64_t from, uint64_t target, int how)
{
    VPMUCalls *calls = ((Profile *)profile)->calls;
    uint64_t spent[VPMU_CALLS_EVENTS];

    /* Most jumps are within a function. */
    if (vpmu_calls_may_jump(calls, who, how)) {
        who->spent = read_spent(profile, who->ctx, who->totals, spent);
        vpmu_calls_jump(calls, who, site, from, target, how);
    }
}

void vpmu_profile_arrive(void *profile, VPMUCaller *who)
{
    VPMUCalls *calls = ((Profile *)profile)->calls;
    uint64_t spent[VPMU_CALLS_EVENTS];

    if (calls) {
        who->spent = read_spent(profile, who->ctx, who->totals, spent);
        vpmu_calls_arrive(calls, who);
    }
}

void vpmu_profile_depart(void *profile, unsigned int ctx,
                         const uint64_t *totals, const uint64_t *sp)
{
    VPMUCalls *calls = ((Profile *)profile)->calls;
    uint64_t spent[VPMU_CALLS_EVENTS];

    if (calls) {
        vpmu_calls_depart(calls, ctx,
                          read_spent(profile, ctx, totals, spent), sp);
    }
}

/*
 * Taking back what was not executed
 */

static Profile *profile_of(CPUState *cs)
{
    return *vpmu_target->samples->profile(cs);
}

/*
 * Finds the instruction of a block with this offset in its page, and the item
 * of the block.
 */
static const ItemInsn *find_insn(const TranslationBlock *tb, uint64_t pc,
                                 const Item **of)
{
    const Item *item;
    gpointer number;

    if (!g_hash_table_lookup_extended(blocks, tb, NULL, &number) ||
        GPOINTER_TO_UINT(number) == ITEM_FULL) {
        return NULL;
    }
    *of = item = items->pdata[GPOINTER_TO_UINT(number)];
    for (unsigned int i = 0; i < item->n; i++) {
        if (!(((item->pc + item->insn[i].offset) ^ pc) & ~TARGET_PAGE_MASK)) {
            return &item->insn[i];
        }
    }
    return NULL;
}

void vpmu_profile_uncount(CPUState *cs, const TranslationBlock *tb, uint64_t pc)
{
    const ItemInsn *insn;
    const Item *item;

    QEMU_LOCK_GUARD(&lock);
    insn = find_insn(tb, pc, &item);
    if (insn) {
        uint64_t found = item->pc + insn->offset;
        Item *undone = item_undone(found, page_of(tb, item->pc, found),
                                   item->ctx, insn->costs);

        undone->where = item->where;
        profile_of(cs)->times[item_number(undone)]++;
        if (insn->costs & VPMU_COST_BIT(VPMU_COST_CONDITIONAL)) {
            /* Other sums than this one have no costs of each execution. */
            profile_of(cs)->sum[item->ctx][VPMU_COST_CONDITIONAL]--;
        }
    }
}

void vpmu_cost_charge_at(CPUState *cs, const TranslationBlock *tb, uint64_t pc,
                         uint32_t costs, int64_t n)
{
    const ItemInsn *insn;
    const Item *item;
    unsigned int number;

    QEMU_LOCK_GUARD(&lock);
    insn = find_insn(tb, pc, &item);
    if (insn) {
        uint64_t found = item->pc + insn->offset;
        Item *site = item_new(found, item->ctx, 1, 0);

        site->page[0] = page_of(tb, item->pc, found);
        site->where = item->where;
        number = item_number(site);
        for (; costs; costs &= costs - 1) {
            profile_of(cs)->cost[ctz32(costs)][number] += n;
        }
    }
}

void vpmu_profile_uncount_at(CPUState *cs, uint64_t pc, unsigned int ctx)
{
    const Profile *profile = profile_of(cs);

    if (profile && extract32(profile->wanted, ctx, 1)) {
        Item *item = item_undone(pc, 0, ctx, 0);

        item->anywhere = true;
        vpmu_target->samples->place(cs, ctx, &item->where);
        QEMU_LOCK_GUARD(&lock);
        profile_of(cs)->times[item_number(item)]++;
    }
}

/*
 * Recordings
 */

static void profile_init(void)
{
    if (!items) {
        qemu_mutex_init(&lock);
        items = g_ptr_array_new();
        /* ITEM_FULL */
        g_ptr_array_add(items, g_malloc0(sizeof(Item)));
        numbers = g_hash_table_new(item_hash, item_equal);
        blocks = g_hash_table_new(NULL, NULL);
    }
}

/* Blocks without CF_VPMU_PROFILE are those that the CPU has otherwise. */
static void set_flags(CPUState *cs, uint32_t flags)
{
    uint32_t changed = (cs->tcg_cflags ^ flags) &
                       (CF_VPMU_PROFILE | CF_VPMU_CALLS | CF_VPMU_COSTS);

    cs->tcg_cflags ^= changed | (changed & CF_VPMU_PROFILE ? CF_PCREL : 0);
}

void vpmu_profile_follow(CPUState *cs, unsigned int ctx)
{
    Profile *profile = profile_of(cs);
    bool wanted = extract32(profile->wanted, ctx, 1);

    if (!wanted) {
        /* Helpers of other contexts charge nothing. */
        profile->charged = 0;
    }
    set_flags(cs, wanted ? profile->flags : 0);
}

/* Calls cost instructions and a mask of @costs. */
static void choose_events(Profile *profile, uint32_t costs)
{
    const VPMUSamples *samples = vpmu_target->samples;

    profile->event[0] = (ProfileEvent) { .cost = VPMU_COST_COUNT, .n = 1,
                                         .source = { samples->insns } };
    profile->events = 1;
    for (unsigned int i = 0; i < VPMU_COST_COUNT; i++) {
        ProfileEvent event = { .cost = i };

        if (!extract32(costs, i, 1)) {
            continue;
        }
        for (unsigned int k = 0; k < VPMU_SRC_LIMIT; k++) {
            if (samples->cost_alone[i] & VPMU_SRC_BIT(k)) {
                event.source[event.n++] = k;
            }
        }
        profile->event[profile->events++] = event;
    }
}

/* Called with the BQL held, as the rest. */
bool vpmu_profile_on(CPUState *cs, bool calls, uint32_t costs, uint32_t wanted)
{
    size_t size = offsetof(Profile, cost) +
                  (costs ? VPMU_COST_COUNT : 0) * sizeof_field(Profile, times);
    Profile *profile;

    profile_init();
    /* Only what is counted takes memory. */
    profile = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (profile == MAP_FAILED) {
        return false;
    }
    profile->size = size;
    profile->wanted = wanted;
    profile->flags = CF_VPMU_PROFILE | (calls ? CF_VPMU_CALLS : 0) |
                     (costs ? CF_VPMU_COSTS : 0);
    if (calls) {
        choose_events(profile, costs);
        profile->calls = vpmu_calls_new(wanted, profile->events, !profiled);
    }
    profiled++;
    *vpmu_target->samples->profile(cs) = profile;
    set_flags(cs, profile->flags);
    return true;
}

void *vpmu_profile_off(CPUState *cs)
{
    Profile *profile = profile_of(cs);
    uint64_t spent[VPMU_CALLS_CONTEXTS][VPMU_CALLS_EVENTS] = { };

    if (profile->calls) {
        for (unsigned int i = 0; i < ARRAY_SIZE(spent); i++) {
            const uint64_t *totals = vpmu_target->samples->totals(cs, i);

            if (totals) {
                read_spent(profile, i, totals, spent[i]);
            }
        }
        vpmu_calls_end(profile->calls, spent);
    }
    profiled--;
    set_flags(cs, 0);
    *vpmu_target->samples->profile(cs) = NULL;
    return profile;
}

void vpmu_profile_free(void *counters)
{
    Profile *profile = counters;

    if (profile) {
        vpmu_calls_free(profile->calls);
        munmap(profile, profile->size);
    }
}

bool vpmu_profile_is_full(const void *counters)
{
    const Profile *profile = counters;

    return items_full || vpmu_calls_is_full(profile->calls);
}

static int compare_words(const uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

/* By who runs, address, and address in RAM; negative counts come last. */
static gint compare(gconstpointer a, gconstpointer b)
{
    const VPMUProfiled *x = a, *y = b;
    const struct vpmu_record_sample *s = &x->sample, *t = &y->sample;
    uint64_t of_x[] = { s->world, s->el, s->flags, s->vmid, s->pc,
                        x->code.page };
    uint64_t of_y[] = { t->world, t->el, t->flags, t->vmid, t->pc,
                        y->code.page };

    return compare_words(of_x, of_y, ARRAY_SIZE(of_x));
}

/*
 * Adds the instructions of an item that was executed @times, those that have
 * this cost.
 */
static void read_item(GArray *to, const Item *item, uint64_t times,
                      unsigned int cost)
{
    for (unsigned int i = 0; i < item->n; i++) {
        const ItemInsn *insn = &item->insn[i];
        uint64_t pc = item->pc + insn->offset;
        VPMUProfiled p = { .sample = item->where };

        if (cost != VPMU_COST_COUNT && !extract32(insn->costs, cost, 1)) {
            continue;
        }

        p.sample.pc = pc;
        p.sample.weight = item->undone ? -times : times;
        p.code.page = item->page[((pc ^ item->pc) & TARGET_PAGE_MASK) != 0];
        p.code.size = item->undone ? 0 : insn->size;
        memcpy(p.code.bytes, item_bytes(item) + insn->offset, p.code.size);
        g_array_append_val(to, p);
    }
}

/* Adds up what has the same place. */
static void add_up(GArray *all)
{
    VPMUProfiled *p = (VPMUProfiled *)all->data;
    unsigned int n = 0;

    for (unsigned int i = 0; i < all->len; i++) {
        if (n && !compare(&p[n - 1], &p[i])) {
            p[n - 1].sample.weight += p[i].sample.weight;
            if (!p[n - 1].code.size) {
                p[n - 1].code = p[i].code;
            }
        } else {
            p[n++] = p[i];
        }
    }
    g_array_set_size(all, n);
}

/* Leaves out what was taken back as often as it was executed. */
static void leave_out(GArray *all)
{
    VPMUProfiled *p = (VPMUProfiled *)all->data;
    unsigned int n = 0;

    for (unsigned int i = 0; i < all->len; i++) {
        if (p[i].sample.weight) {
            p[n++] = p[i];
        }
    }
    g_array_set_size(all, n);
}

/*
 * Takes back instructions whose page is not known.  Different code at the same
 * address is rare.  Then one with a sufficient count is chosen.
 */
static void take_back(GArray *all, const Item *item, uint64_t times)
{
    for (unsigned int i = 0; i < all->len; i++) {
        VPMUProfiled *p = &g_array_index(all, VPMUProfiled, i);

        if (p->sample.pc == item->pc && p->sample.el == item->where.el &&
            p->sample.weight >= times) {
            p->sample.weight -= times;
            return;
        }
    }
}

static bool is_wanted(const Item *item, const uint16_t *contexts)
{
    return extract32(contexts[item->where.world], item->ctx, 1);
}

/* Adds a cost of the only instruction of an item. */
static void read_cost(GArray *to, const Item *item, uint64_t n)
{
    VPMUProfiled p = { .sample = item->where, .code.page = item->page[0] };

    p.sample.pc = item->pc;
    p.sample.weight = n;
    g_array_append_val(to, p);
}

GArray *vpmu_profile_read(const void *counters, const uint16_t *contexts,
                          unsigned int cost)
{
    GArray *all = g_array_new(false, true, sizeof(VPMUProfiled));
    const Profile *profile = counters;
    const uint64_t *times = profile->times;

    QEMU_LOCK_GUARD(&lock);
    for (unsigned int i = ITEM_FULL + 1; i < items->len; i++) {
        const Item *item = items->pdata[i];

        if (!is_wanted(item, contexts)) {
            continue;
        }
        if (times[i] && !item->anywhere) {
            read_item(all, item, times[i], cost);
        }
        if (cost != VPMU_COST_COUNT && profile->cost[cost][i]) {
            read_cost(all, item, profile->cost[cost][i]);
        }
    }
    g_array_sort(all, compare);
    add_up(all);
    for (unsigned int i = ITEM_FULL + 1; i < items->len; i++) {
        const Item *item = items->pdata[i];

        if (cost == VPMU_COST_COUNT && times[i] && item->anywhere &&
            is_wanted(item, contexts)) {
            take_back(all, item, times[i]);
        }
    }
    leave_out(all);
    return all;
}

static gint compare_calls(gconstpointer a, gconstpointer b)
{
    const VPMUProfiledCall *x = a, *y = b;
    const struct vpmu_record_sample *s = &x->sample, *t = &y->sample;
    uint64_t of_x[] = { s->world, s->el, s->flags, s->vmid, s->pc,
                        x->call.page, x->call.target };
    uint64_t of_y[] = { t->world, t->el, t->flags, t->vmid, t->pc,
                        y->call.page, y->call.target };

    return compare_words(of_x, of_y, ARRAY_SIZE(of_x));
}

/* Several items can be the same call, of several programs. */
static void add_up_calls(GArray *all)
{
    VPMUProfiledCall *p = (VPMUProfiledCall *)all->data;
    unsigned int n = 0;

    g_array_sort(all, compare_calls);
    for (unsigned int i = 0; i < all->len; i++) {
        if (n && !compare_calls(&p[n - 1], &p[i])) {
            p[n - 1].sample.weight += p[i].sample.weight;
            p[n - 1].call.spent += p[i].call.spent;
        } else {
            p[n++] = p[i];
        }
    }
    g_array_set_size(all, n);
}

/* Returns the number of an event that calls cost. */
static unsigned int event_of(const Profile *profile, unsigned int cost)
{
    unsigned int i = 0;

    while (profile->event[i].cost != cost) {
        i++;
    }
    return i;
}

GArray *vpmu_profile_read_calls(const void *counters, const uint16_t *contexts,
                                unsigned int cost)
{
    GArray *all = g_array_new(false, true, sizeof(VPMUProfiledCall));
    const Profile *profile = counters;
    unsigned int n;
    const VPMUCall *call = vpmu_calls_read(profile->calls, &n);
    unsigned int event = n ? event_of(profile, cost) : 0;

    QEMU_LOCK_GUARD(&lock);
    for (unsigned int i = 0; i < n; i++) {
        const Item *item = items->pdata[call[i].site];
        VPMUProfiledCall p = { .sample = item->where };
        uint64_t count = cost == VPMU_COST_COUNT ? call[i].count : 0;

        p.call.spent = vpmu_calls_spent(profile->calls, i)[event];
        /* Threads that come from another CPU bring calls that may not end. */
        if (call[i].site != ITEM_FULL && (count || p.call.spent) &&
            is_wanted(item, contexts)) {
            p.sample.pc = item->pc;
            p.sample.weight = count;
            p.call.head.type = call[i].jumps ? VPMU_RECORD_JUMP
                                             : VPMU_RECORD_CALL;
            p.call.page = item->page[0];
            p.call.target = call[i].target;
            g_array_append_val(all, p);
        }
    }
    add_up_calls(all);
    return all;
}
