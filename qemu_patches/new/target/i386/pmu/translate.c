/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that translation blocks have for the PMU of an x86 CPU
 *
 * A block adds what all of its instructions count as to the totals of its
 * context when it is entered.  What turns out not to have been executed is
 * taken back.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/target_page.h"
#include "exec/translation-block.h"
#include "exec/translator.h"
#include "tcg/tcg-op.h"
#include "tcg/tcg-temp-internal.h"
#include "exec/helper-proto.h"
#include "exec/helper-gen.h"
#include "tcg/vpmu-model-op.h"
#include "tcg/vpmu-profile-op.h"
#include "taken.h"
#include "translate.h"

/* Where insn_start data has the sources of the instruction, above CC_OP. */
#define PMU_DATA_SHIFT 32
/* A source that is no total: the instruction modifies memory. */
#define PMU_DATA_MODIFIES (1u << X86_PMU_INSN_SOURCES)
/* Nor is this: it is a load and locks memory. */
#define PMU_DATA_LOCKED (2u << X86_PMU_INSN_SOURCES)
/* Above that, the kind of an instruction of x87, MMX, SSE or AVX. */
#define PMU_DATA_KIND (X86_PMU_INSN_SOURCES + 2)
/* And where it has the cycles for which the instruction stalls. */
#define PMU_DATA_STALL 50
/* The most lines that a block lies in: it has no more than two pages. */
#define FETCHES_IN_BLOCK (2 * TARGET_PAGE_SIZE >> X86_PMU_LINE_SHIFT)

/* Returns all flags of a block, including those in its cs_base. */
static uint64_t pmu_flags_of(const TranslationBlock *tb)
{
    return tb->flags |
           (tb->cs_base >> X86_PMU_FLAGS_SHIFT << X86_PMU_FLAGS_SHIFT);
}

/* The page offset of an instruction, unique in its block. */
static uint32_t pmu_place(uint64_t pc)
{
    return extract64(pc, 0, R_X86PMUDATA_PLACE_LENGTH);
}

static int total_offset(DisasPMU *s, unsigned int source)
{
    return offsetof(CPUX86State, pmu.totals) +
           (s->ctx * X86_PMU_SOURCES + source) * sizeof(uint64_t);
}

int pmu_room_offset(DisasPMU *s)
{
    return offsetof(CPUX86State, pmu.room) + s->ctx * sizeof(X86PMURoom);
}

TCGv_i64 gen_pmu_spend(DisasPMU *s, int field, TCGv_i64 amount)
{
    TCGv_i64 left = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(left, tcg_env, pmu_room_offset(s) + field);
    tcg_gen_sub_i64(left, left, amount);
    tcg_gen_st_i64(left, tcg_env, pmu_room_offset(s) + field);
    return left;
}

/* Loads the limit of instructions. */
static TCGv_i64 gen_limit(DisasPMU *s)
{
    TCGv_i64 limit = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(limit, tcg_env,
                   pmu_room_offset(s) + offsetof(X86PMURoom, limit));
    return limit;
}

TCGv_i64 gen_pmu_total(DisasPMU *s, unsigned int source, TCGv_i64 n)
{
    TCGv_i64 total = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(total, tcg_env, total_offset(s, source));
    tcg_gen_add_i64(total, total, n);
    tcg_gen_st_i64(total, tcg_env, total_offset(s, source));
    return total;
}

TCGv_i64 gen_pmu_get(DisasPMU *s, unsigned int source)
{
    TCGv_i64 total = tcg_temp_new_i64();

    tcg_gen_ld_i64(total, tcg_env, total_offset(s, source));
    return total;
}

static void gen_total(DisasPMU *s, unsigned int source, int64_t n)
{
    tcg_temp_free_i64(gen_pmu_total(s, source, tcg_constant_i64(n)));
}

/* Adds instructions and their stalls to the cycles; returns the sum. */
static TCGv_i64 gen_cycles(DisasPMU *s, int insns, int stalls)
{
    if (stalls) {
        gen_total(s, X86_PMU_STALL_BACKEND, stalls);
        gen_total(s, X86_PMU_SLOT_BACKEND, stalls * s->width);
    }
    return gen_pmu_total(s, X86_PMU_CYCLES,
                         tcg_constant_i64(insns + stalls * s->width));
}

static void gen_profile(intptr_t counter, TCGv_i64 n)
{
    gen_vpmu_profile(offsetof(CPUX86State, pmu.profile), counter, n);
}

void gen_pmu_cost(DisasPMU *s, VPMUCost cost, TCGv_i64 n)
{
    if (s->costs && s->tally) {
        uint32_t site = vpmu_profile_site(s->profile, s->pc, s->ctx);

        gen_profile(vpmu_cost_counter(site, cost), n);
    }
}

/* A helper charges what it tallies to the present instruction. */
static void gen_charged(DisasPMU *s)
{
    if (s->costs && s->tally) {
        gen_vpmu_charged(offsetof(CPUX86State, pmu.profile),
                         vpmu_profile_site(s->profile, s->pc, s->ctx));
    }
}

/* Returns what each execution of an instruction with these sources costs. */
static uint32_t costs_of(uint32_t sources)
{
    static const struct {
        unsigned int source;
        VPMUCost cost;
    } costs[] = {
        { X86_PMU_LOAD, VPMU_COST_READ },
        { X86_PMU_STORE, VPMU_COST_WRITE },
        { X86_PMU_BR_COND, VPMU_COST_CONDITIONAL },
        { X86_PMU_BR_INDIRECT, VPMU_COST_INDIRECT },
        { X86_PMU_BR_RETURN, VPMU_COST_RETURN },
    };
    uint32_t of = 0;

    for (unsigned int i = 0; i < ARRAY_SIZE(costs); i++) {
        if (extract32(sources, costs[i].source, 1)) {
            of |= VPMU_COST_BIT(costs[i].cost);
        }
    }
    return of;
}

/* Adds to a source; loads and stores are L1D accesses as well. */
static void gen_source(DisasPMU *s, unsigned int source, unsigned int n)
{
    gen_total(s, source, n);
    if (s->models && source == X86_PMU_LOAD) {
        gen_total(s, X86_PMU_L1D_RD, n);
    } else if (s->models && source == X86_PMU_STORE) {
        gen_total(s, X86_PMU_L1D_WR, n);
    }
}

/* Does the second half of an access begin a line? */
static void gen_begins_line(TCGv_i64 addr, TCGLabel *begins)
{
    TCGv_i64 place = tcg_temp_ebb_new_i64();

    tcg_gen_andi_i64(place, addr, MAKE_64BIT_MASK(0, X86_PMU_LINE_SHIFT));
    tcg_gen_brcondi_i64(TCG_COND_EQ, place, 0, begins);
    tcg_temp_free_i64(place);
}

/* Loads the address of the models.  The caller frees it. */
static TCGv_ptr gen_model(void)
{
    TCGv_ptr model = tcg_temp_ebb_new_ptr();

    tcg_gen_ld_ptr(model, tcg_env, offsetof(CPUX86State, pmu.model));
    return model;
}

/*
 * Calls the models, unless the line filter says that nothing changes and the
 * access is not sampled.
 */
static void gen_memory(DisasPMU *s, TCGv_i64 addr, unsigned int size,
                       bool is_write, int mmu_idx, bool half)
{
    uint32_t desc = 0;
    TCGv_ptr model;
    TCGLabel *hit, *begins = NULL;

    tcg_debug_assert(size > 0 && size <= 1 << R_X86PMUDATA_LAST_LENGTH);
    desc = FIELD_DP32(desc, X86PMUDATA, LAST, size - 1);
    desc = FIELD_DP32(desc, X86PMUDATA, WRITE, is_write);
    desc = FIELD_DP32(desc, X86PMUDATA, MIDX, mmu_idx);
    desc = FIELD_DP32(desc, X86PMUDATA, CTX, s->ctx);
    desc = FIELD_DP32(desc, X86PMUDATA, PLACE, pmu_place(s->pc));
    desc = FIELD_DP32(desc, X86PMUDATA, HALF, half);

    if (s->sampled) {
        gen_charged(s);
        gen_helper_pmu_data(tcg_env, addr, tcg_constant_i32(desc));
        return;
    }
    hit = gen_new_label();
    if (half) {
        begins = gen_new_label();
        gen_begins_line(addr, begins);
    }
    model = gen_model();
    gen_vpmu_filter(model, addr, size, X86_PMU_LINE_SHIFT,
                    is_write ? VPMU_MODEL_STORE : VPMU_MODEL_LOAD, hit);
    tcg_temp_free_ptr(model);
    if (half) {
        gen_set_label(begins);
    }
    gen_charged(s);
    gen_helper_pmu_data(tcg_env, addr, tcg_constant_i32(desc));
    gen_set_label(hit);
}

static void pmu_access(void *opaque, TCGTemp *addr, TCGArg mmu_idx,
                       MemOp memop, bool is_write)
{
    DisasPMU *s = opaque;
    uint8_t kind = 1 << (is_write ? X86_PMU_STORE : X86_PMU_LOAD);
    bool half = memop_size(memop) == 16;
    TCGv_i64 addr64;

    s->accesses |= kind;
    if (!s->models) {
        return;
    }
    if (tcg_ctx->addr_type == TCG_TYPE_I32) {
        addr64 = tcg_temp_new_i64();
        tcg_gen_extu_i32_i64(addr64, temp_tcgv_i32(addr));
    } else {
        addr64 = temp_tcgv_i64(addr);
    }
    /* An access of 32 bytes is made in two halves, one after the other. */
    gen_memory(s, addr64, memop_size(memop), is_write, mmu_idx,
               half && (s->halves & kind));
    s->halves |= half ? kind : 0;
}

void gen_pmu_operand(DisasPMU *s, TCGv addr, int mmu_idx, unsigned int size,
                     bool is_write)
{
    TCGv_i64 addr64;

    if (!s->memory) {
        return;
    }
    s->accesses |= 1 << (is_write ? X86_PMU_STORE : X86_PMU_LOAD);
    if (s->models && size) {
        addr64 = tcg_temp_new_i64();
        tcg_gen_extu_tl_i64(addr64, addr);
        gen_memory(s, addr64, size, is_write, mmu_idx, false);
    }
}

void gen_pmu_maintain(DisasPMU *s, TCGv addr, int what)
{
    TCGv_i64 addr64 = tcg_constant_i64(0);
    uint32_t desc = 0;

    if (!s->models) {
        return;
    }
    if (addr) {
        addr64 = tcg_temp_new_i64();
        tcg_gen_extu_tl_i64(addr64, addr);
    }
    desc = FIELD_DP32(desc, X86PMUMAINTAIN, WHAT, what);
    desc = FIELD_DP32(desc, X86PMUMAINTAIN, CTX, s->ctx);
    gen_helper_pmu_maintain(tcg_env, addr64, tcg_constant_i32(desc));
    s->removed = true;
}

#ifdef CONFIG_USER_ONLY
static bool x86_pmu_is_only_cpu(void)
{
    return false;
}
#else
#if QEMU_VERSION_MAJOR < 11
#include "hw/boards.h"
#else
#include "hw/core/boards.h"
#endif

static bool x86_pmu_is_only_cpu(void)
{
    return current_machine && current_machine->smp.max_cpus == 1;
}
#endif

void pmu_init(DisasPMU *s, DisasContextBase *db)
{
    uint64_t flags = pmu_flags_of(db->tb);

    *s = (DisasPMU) {
        .exists = X86_CPU(current_cpu)->enable_pmu,
        .tally = x86_pmu_tallies(flags),
        .events = flags & HF_PMU_EVENTS_MASK,
        .predict = flags & (HF_PMU_PREDICT_MASK | X86_PMU_OUTCOMES_MASK),
        .predicts = flags & HF_PMU_PREDICT_MASK,
        .outcomes = flags & X86_PMU_OUTCOMES_MASK,
        .memory = flags & HF_PMU_MEMORY_MASK,
        .models = x86_pmu_feeds_models(flags),
        .sampled = flags & X86_PMU_SAMPLED_MASK,
        /* With MEMI_ONLY, the block of the instruction was checked before. */
        .described = (flags & X86_PMU_DESCRIBED_MASK) &&
                     !(tb_cflags(db->tb) & CF_MEMI_ONLY),
        .cycles = flags & X86_PMU_CYCLES_MASK,
        .step = flags & X86_PMU_STEP_MASK,
        .detail = flags & X86_PMU_DETAIL_MASK,
        .only_cpu = x86_pmu_is_only_cpu(),
        .taken = flags & X86_PMU_NEAR_MASK,
        .far = flags & X86_PMU_FAR_MASK,
        .stored = flags & X86_PMU_STORED_MASK,
        .code64 = flags & HF_CS64_MASK,
        .cs_base = (uint32_t)db->tb->cs_base,
        .ctx = x86_pmu_context(flags),
        .width = cpu_env(current_cpu)->pmu.width,
        .bimodal = cpu_env(current_cpu)->pmu.bimodal,
        .profile = vpmu_profiles(db->tb) ? db : NULL,
        .calls = vpmu_profiles_calls(db->tb),
        .costs = vpmu_profiles_costs(db->tb),
    };
    if (s->step || s->sampled) {
        db->max_insns = 1;
    }
    if (s->profile) {
        vpmu_profile_begin();
    }
    /*
     * Code that does not know the PMU generates most accesses.  Each block
     * begins without a hook, so that no other front end sees this one.
     */
    tcg_ctx->gen_access = s->memory ? pmu_access : NULL;
    tcg_ctx->gen_access_opaque = s;
}

void pmu_tb_start(DisasPMU *s)
{
    s->tb_start = tcg_last_op();
}

bool pmu_insn_start(DisasPMU *s, DisasContextBase *db)
{
    uint64_t last = s->pc;

    s->accesses = 0;
    s->halves = 0;
    s->pc = db->pc_next;
    s->first = db->num_insns == 1 || s->removed;
    s->removed = false;
    return s->models &&
           (s->first || (s->pc ^ last) >> X86_PMU_LINE_SHIFT);
}

/*
 * A line in the filter needs no helper, unless an overflow may be so near that
 * it could happen in this block, which has at most FETCHES_IN_BLOCK lines.
 * Frees @model.
 */
static void gen_fetch(DisasPMU *s, TCGv_ptr model, TCGv_i64 pc)
{
    TCGv_i64 fetches = tcg_temp_ebb_new_i64();
    TCGLabel *near = gen_new_label();
    TCGLabel *hit = gen_new_label();
    TCGLabel *done = gen_new_label();

    tcg_gen_ld_i64(fetches, tcg_env,
                   pmu_room_offset(s) + offsetof(X86PMURoom, fetches));
    tcg_gen_brcondi_i64(TCG_COND_LE, fetches, FETCHES_IN_BLOCK, near);
    tcg_temp_free_i64(fetches);
    gen_vpmu_filter(model, pc, 1, X86_PMU_LINE_SHIFT, VPMU_MODEL_FETCH, hit);
    tcg_temp_free_ptr(model);
    gen_set_label(near);
    gen_charged(s);
    gen_helper_pmu_fetch(tcg_env, pc, tcg_constant_i32(s->ctx));
    tcg_gen_br(done);
    gen_set_label(hit);
    /* It is not live here. */
    model = gen_model();
    gen_vpmu_fetch_line(model, pc, X86_PMU_LINE_SHIFT);
    tcg_temp_free_ptr(model);
    gen_total(s, X86_PMU_L1I, 1);
    gen_set_label(done);
}

void gen_pmu_fetch(DisasPMU *s, TCGv eip, uint64_t cs_base)
{
    TCGv_i64 pc = tcg_temp_new_i64();
    TCGLabel *same = gen_new_label();
    TCGv_ptr model;

    tcg_gen_extu_tl_i64(pc, eip);
    if (cs_base) {
        /* Not 64-bit code. */
        tcg_gen_addi_i64(pc, pc, cs_base);
        tcg_gen_ext32u_i64(pc, pc);
    }
    model = gen_model();
    if (s->first) {
        gen_vpmu_fetched(model, pc, X86_PMU_LINE_SHIFT, same);
    }
    gen_fetch(s, model, pc);
    gen_set_label(same);
}

static bool is_load_and_store(uint32_t sources)
{
    const uint32_t both = 1 << X86_PMU_LOAD | 1 << X86_PMU_STORE;

    return (sources & both) == both;
}

/* The next element is another one, and this one can no longer fault. */
static void gen_element_ended(void)
{
    TCGv_i64 elements = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(elements, tcg_env, offsetof(CPUX86State, pmu.elements));
    tcg_gen_addi_i64(elements, elements, 1);
    tcg_gen_st_i64(elements, tcg_env, offsetof(CPUX86State, pmu.elements));
    tcg_temp_free_i64(elements);
    tcg_gen_st_i64(tcg_constant_i64(-1), tcg_env,
                   offsetof(CPUX86State, pmu.more_insns));
}

/*
 * The number of elements is not known in advance, so each is tallied when it
 * completes, and the block does not tally the accesses of the instruction.
 */
void gen_pmu_element(DisasPMU *s)
{
    TCGv_i64 budget;
    TCGLabel *left;

    if (!s->memory || !s->accesses) {
        return;
    }
    s->repeats = true;
    left = gen_new_label();
    for (uint32_t bits = s->accesses; bits; bits &= bits - 1) {
        gen_source(s, ctz32(bits), 1);
        gen_pmu_cost(s, ctz32(bits) == X86_PMU_LOAD ? VPMU_COST_READ
                                                    : VPMU_COST_WRITE,
                     tcg_constant_i64(1));
    }
    if (s->detail && is_load_and_store(s->accesses)) {
        gen_total(s, X86_PMU_BOTH_LESS, -1);
    }
    if (s->models) {
        gen_element_ended();
    }
    budget = gen_pmu_spend(s, offsetof(X86PMURoom, budget),
                           tcg_constant_i64(ctpop8(s->accesses)));
    tcg_gen_brcondi_i64(TCG_COND_GT, budget, 0, left);
    gen_helper_pmu_spent(tcg_env);
    gen_set_label(left);
    s->accesses = 0;
}

/* Leaves the string instruction if a limit is reached. */
void gen_pmu_stop(DisasPMU *s, TCGLabel *leave)
{
    TCGv_i64 total, limit;

    if (s->memory) {
        total = tcg_temp_ebb_new_i64();
        tcg_gen_ld_i64(total, tcg_env, total_offset(s, X86_PMU_INSNS));
        tcg_gen_brcond_i64(TCG_COND_GEU, total, gen_limit(s), leave);
    }
    if (s->cycles) {
        total = tcg_temp_ebb_new_i64();
        limit = tcg_temp_ebb_new_i64();
        tcg_gen_ld_i64(total, tcg_env, total_offset(s, X86_PMU_CYCLES));
        tcg_gen_ld_i64(limit, tcg_env, pmu_room_offset(s) +
                       offsetof(X86PMURoom, cycles_limit));
        tcg_gen_brcond_i64(TCG_COND_GEU, total, limit, leave);
    }
}

void pmu_except(DisasPMU *s)
{
    s->excepted = true;
}

void gen_pmu_repeat(DisasPMU *s)
{
    if (s->tally) {
        gen_total(s, X86_PMU_INSNS, -1);
        if (s->profile) {
            gen_profile(vpmu_profile_undone(s->profile, s->pc, s->ctx, 0),
                        tcg_constant_i64(1));
        }
    }
}

/*
 * Each element takes a slot.  The slot of the instruction itself is that of the
 * first element after the block is entered, so no slot is taken back when the
 * block is left.  For top-down analysis, the slots of the others are lost.
 */
void gen_pmu_next(DisasPMU *s, int n)
{
    if (s->cycles) {
        gen_cycles(s, n, 0);
        gen_total(s, X86_PMU_SLOT_BACKEND, n);
    }
}

/* Reads the present instruction; returns its length. */
static unsigned int pmu_read_insn(DisasContextBase *db, CPUX86State *env,
                                  uint64_t next, uint8_t insn[16])
{
    unsigned int len = MIN(next - db->pc_next, 16);

    for (unsigned int i = 0; i < len; i++) {
        insn[i] = translator_ldub(env, db, db->pc_next + i);
    }
    return len;
}

static uint32_t pmu_decode(DisasContextBase *db, CPUX86State *env,
                           uint64_t next, bool code64, unsigned int *stall)
{
    uint8_t insn[16];
    unsigned int len = pmu_read_insn(db, env, next, insn);

    return x86_vpmu_decode(insn, len, code64, stall);
}

/* The accesses of the sampled instruction have been reported. */
static void gen_sampled(DisasContextBase *db, CPUX86State *env, uint64_t next,
                        bool code64)
{
    uint8_t insn[16];
    unsigned int len = pmu_read_insn(db, env, next, insn);

    if (x86_vpmu_locks(insn, len, code64)) {
        gen_helper_pmu_data(tcg_env, tcg_constant_i64(0),
                            tcg_constant_i32(R_X86PMUDATA_LOCKED_MASK));
    }
}

/*
 * Tallies an instruction in detail; returns what insn_start data has of that:
 * PMU_DATA_MODIFIES, PMU_DATA_LOCKED and its kind.
 */
static uint32_t pmu_detail(DisasPMU *s, DisasContextBase *db, CPUX86State *env,
                           uint64_t next, bool code64)
{
    uint8_t insn[16];
    unsigned int len = pmu_read_insn(db, env, next, insn);
    unsigned int kind = x86_vpmu_fp(insn, len, code64);
    bool both = is_load_and_store(s->accesses);
    bool modifies = both && x86_vpmu_modifies(insn, len, code64);
    bool locked = (s->accesses & 1 << X86_PMU_LOAD) &&
                  x86_vpmu_locks(insn, len, code64);

    s->both += both;
    s->modifying += modifies;
    s->locked += locked;
    x86_vpmu_fp_add(s->fp, kind, 1);
    return (modifies ? PMU_DATA_MODIFIES : 0) |
           (locked ? PMU_DATA_LOCKED : 0) | kind << PMU_DATA_KIND;
}

/* Adds what the instructions of the block are in detail. */
static void gen_detail(DisasPMU *s)
{
    if (s->modifying) {
        gen_total(s, X86_PMU_RMW, s->modifying);
        gen_total(s, X86_PMU_RMW_LESS, -s->modifying);
        gen_total(s, X86_PMU_RMW_LESS_AGAIN, -s->modifying);
    }
    if (s->both) {
        gen_total(s, X86_PMU_BOTH_LESS, -s->both);
    }
    if (s->locked) {
        gen_total(s, X86_PMU_LOCKED_LOAD, s->locked);
    }
    for (unsigned int i = 0; i < ARRAY_SIZE(s->fp); i++) {
        if (s->fp[i]) {
            gen_total(s, X86_PMU_FP + i, s->fp[i]);
        }
    }
}

/* The far branch has been executed. */
static void gen_far_reported(DisasPMU *s, unsigned int length)
{
    uint32_t desc = 0;

    desc = FIELD_DP32(desc, X86PMUFAR, KIND, s->far_kind);
    desc = FIELD_DP32(desc, X86PMUFAR, LENGTH, length);
    gen_helper_pmu_far(tcg_env, s->far_from, tcg_constant_i32(desc));
    s->far_from = NULL;
}

void pmu_insn(DisasPMU *s, DisasContextBase *db, CPUX86State *env,
              uint64_t next, bool code64)
{
    uint32_t sources = 1 << X86_PMU_INSNS;
    unsigned int stall = 0;
    uint32_t decoded, cc_op;

    if (s->far_from) {
        gen_far_reported(s, next - db->pc_next);
    }
    if (!s->tally || s->excepted) {
        s->excepted = false;
        return;
    }
    if (s->profile) {
        vpmu_profile_insn(db->pc_next);
    }
    if (s->events || s->cycles) {
        decoded = pmu_decode(db, env, next, code64, &stall);
        sources = s->events ? decoded : sources;
        stall = s->cycles ? stall : 0;
    }
    if (s->sampled && s->models && s->accesses) {
        gen_sampled(db, env, next, code64);
    }
    s->stalls += stall;
    sources |= s->accesses;
    for (uint32_t left = sources; left; left &= left - 1) {
        s->count[ctz32(left)]++;
    }
    if (s->detail) {
        sources |= pmu_detail(s, db, env, next, code64);
    }
    if (s->costs) {
        vpmu_profile_insn_costs(costs_of(sources));
    }
    cc_op = tcg_get_insn_start_param(db->insn_start, 1);
    tcg_set_insn_start_param(db->insn_start, 1,
                             cc_op | (uint64_t)sources << PMU_DATA_SHIFT |
                             (uint64_t)stall << PMU_DATA_STALL);
}

/*
 * Returns how many accesses must be left to the end of a recording's period if
 * the block shall be executed as a whole.  The number of a repeated string
 * instruction is not known.
 */
static unsigned int described_accesses(DisasPMU *s)
{
    if (!s->described || s->sampled) {
        return 0;
    }
    return s->count[X86_PMU_LOAD] + s->count[X86_PMU_STORE] +
           (s->repeats ? X86_PMU_NEAR_ACCESSES : 0);
}

/*
 * This must be generated last: it goes to the start of the block, but what to
 * add is known only now.  If the block would take a tally past its limit, a
 * helper makes the block execute in parts, so that an overflow happens right
 * after the instruction that causes it.  Plugins must not see a block begin
 * twice, so this comes before the code that they have inserted.
 */
void gen_pmu_tally(DisasPMU *s)
{
    TCGv_i64 insns, cycles = NULL, limit, left;
    unsigned int accesses = described_accesses(s);
    TCGLabel *beyond;

    if (!s->count[X86_PMU_INSNS]) {
        return;
    }
    beyond = gen_new_label();
    tcg_ctx->emit_before_op = s->tb_start ? QTAILQ_NEXT(s->tb_start, link)
                                          : QTAILQ_FIRST(&tcg_ctx->ops);
    if (s->step) {
        /* The last instruction has been tallied, this one has not. */
        gen_helper_pmu_step(tcg_env);
    }
    for (unsigned int i = X86_PMU_INSNS + 1; i < X86_PMU_INSN_SOURCES; i++) {
        if (s->count[i]) {
            gen_source(s, i, s->count[i]);
        }
    }
    gen_detail(s);
    if (s->cycles) {
        cycles = gen_cycles(s, s->count[X86_PMU_INSNS], s->stalls);
    }
    insns = gen_pmu_total(s, X86_PMU_INSNS,
                          tcg_constant_i64(s->count[X86_PMU_INSNS]));
    if (s->profile) {
        gen_profile(vpmu_profile_block(s->profile, s->ctx),
                    tcg_constant_i64(1));
    }
    tcg_gen_brcond_i64(TCG_COND_GTU, insns, gen_limit(s), beyond);
    if (cycles && !s->step) {
        limit = tcg_temp_ebb_new_i64();
        tcg_gen_ld_i64(limit, tcg_env, pmu_room_offset(s) +
                       offsetof(X86PMURoom, cycles_limit));
        tcg_gen_brcond_i64(TCG_COND_GTU, cycles, limit, beyond);
    }
    if (accesses) {
        left = gen_pmu_spend(s, offsetof(X86PMURoom, accesses),
                             tcg_constant_i64(accesses));
        tcg_gen_brcondi_i64(TCG_COND_LT, left, 0, beyond);
    }
    tcg_ctx->emit_before_op = NULL;

    gen_set_label(beyond);
    gen_helper_pmu_limit(tcg_env, tcg_constant_i32(s->count[X86_PMU_INSNS]),
                         tcg_constant_i32(s->stalls),
                         tcg_constant_i32(accesses));
}

void x86_pmu_uncount_int(CPUX86State *env)
{
    unsigned int ctx = x86_pmu_context(env->hflags);

    if (x86_pmu_tallies(env->pmu.flags)) {
        env->pmu.totals[ctx][X86_PMU_INSNS]--;
        vpmu_profile_uncount_at(env_cpu(env),
                                env->segs[R_CS].base + env->eip, ctx);
    }
    if (env->pmu.flags & X86_PMU_CYCLES_MASK) {
        env->pmu.totals[x86_pmu_context(env->hflags)][X86_PMU_CYCLES]--;
    }
    if (env->pmu.flags & HF_PMU_EVENTS_MASK) {
        env->pmu.totals[x86_pmu_context(env->hflags)][X86_PMU_BR_FAR]--;
    }
}

bool x86_pmu_counts_insns(const TranslationBlock *tb)
{
    return x86_pmu_tallies(tb->flags);
}

/* Takes back the further lines of an instruction at @pc that faults. */
static void uncount_more(CPUX86State *env, unsigned int ctx, uint64_t pc)
{
    if (env->pmu.more_place == pmu_place(pc) &&
        env->pmu.more_insns == env->pmu.totals[ctx][X86_PMU_INSNS]) {
        env->pmu.totals[ctx][X86_PMU_L1D_RD] -= env->pmu.more_read;
        env->pmu.totals[ctx][X86_PMU_L1D_WR] -= env->pmu.more_written;
        for (uint32_t left = env->pmu.more_split; left; left &= left - 1) {
            env->pmu.totals[ctx][X86_PMU_SPLIT + ctz32(left)]--;
        }
        vpmu_cost_charge(env->pmu.profile, VPMU_COST_READ,
                         -(int64_t)env->pmu.more_read);
        vpmu_cost_charge(env->pmu.profile, VPMU_COST_WRITE,
                         -(int64_t)env->pmu.more_written);
    }
}

void x86_pmu_uncount_insn(CPUState *cs, const TranslationBlock *tb,
                          const uint64_t *data, bool begun)
{
    CPUX86State *env = cpu_env(cs);
    unsigned int ctx = x86_pmu_context(tb->flags);
    uint32_t sources = extract64(data[1], PMU_DATA_SHIFT,
                                 PMU_DATA_STALL - PMU_DATA_SHIFT);
    unsigned int stall = data[1] >> PMU_DATA_STALL;

    if (x86_pmu_feeds_models(tb->flags)) {
        if (begun) {
            uncount_more(env, ctx, data[0]);
        }
        env->pmu.more_insns = -1;
        env->pmu.totals[ctx][X86_PMU_L1D_RD] -= extract32(sources,
                                                          X86_PMU_LOAD, 1);
        env->pmu.totals[ctx][X86_PMU_L1D_WR] -= extract32(sources,
                                                          X86_PMU_STORE, 1);
    }
    if (sources && (pmu_flags_of(tb) & X86_PMU_CYCLES_MASK)) {
        env->pmu.totals[ctx][X86_PMU_CYCLES] -= 1 + stall * env->pmu.width;
        env->pmu.totals[ctx][X86_PMU_STALL_BACKEND] -= stall;
        env->pmu.totals[ctx][X86_PMU_SLOT_BACKEND] -= stall * env->pmu.width;
    }
    if (is_load_and_store(sources) &&
        (pmu_flags_of(tb) & X86_PMU_DETAIL_MASK)) {
        env->pmu.totals[ctx][X86_PMU_BOTH_LESS]++;
    }
    if (sources & PMU_DATA_MODIFIES) {
        env->pmu.totals[ctx][X86_PMU_RMW]--;
        env->pmu.totals[ctx][X86_PMU_RMW_LESS]++;
        env->pmu.totals[ctx][X86_PMU_RMW_LESS_AGAIN]++;
    }
    if (sources & PMU_DATA_LOCKED) {
        env->pmu.totals[ctx][X86_PMU_LOCKED_LOAD]--;
    }
    x86_vpmu_fp_add(&env->pmu.totals[ctx][X86_PMU_FP],
                    sources >> PMU_DATA_KIND, -1);
    sources &= PMU_DATA_MODIFIES - 1;
    if ((sources & 1 << X86_PMU_INSNS) && vpmu_profiles(tb)) {
        vpmu_profile_uncount(cs, tb, data[0]);
    }
    for (; sources; sources &= sources - 1) {
        env->pmu.totals[ctx][ctz32(sources)]--;
    }
}
