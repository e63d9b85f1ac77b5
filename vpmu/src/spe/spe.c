/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Where SPE samples, which instruction it samples, and the state of its buffer. */
#include "../bits.h"
#include "../refuse.h"
#include "spe_internal.h"
#include "vpmu/errors.h"

#define SEED 0x5bd1e995u
#define EL1 1u
#define EL2 2u

/* PCT of PMSCR_ELx. */
enum {
    PCT_VIRTUAL = 0,
    PCT_PHYSICAL = 1,
    PCT_RESERVED = 2,
    PCT_OFFSET = 3,
};

int vpmu_spe_init(struct vpmu_spe *s, const struct vpmu_spe_config *config, const char **why)
{
    const char *fault = NULL;

    if (config->version < VPMU_SPE_V1P0 || config->version > VPMU_SPE_V1P4) {
        fault = "SPE has version 1 (FEAT_SPE) to 5 (FEAT_SPEv1p4)";
    } else if (config->has_realm && !(config->has_el2 && config->has_el3)) {
        fault = "Realm state needs EL2 and EL3";
    } else if (config->freezes && config->version < VPMU_SPE_V1P2) {
        fault = "freezing the PMU needs FEAT_SPEv1p2";
    }
    if (!fault) {
        *s = (struct vpmu_spe){
            .config = *config, .pe = {.el = 1, .state = VPMU_SPE_NON_SECURE}, .random = SEED};
    }
    return vpmu_refuse_(fault, VPMU_ERR_CONFIG, why);
}

void vpmu_spe_reset(struct vpmu_spe *s)
{
    *s = (struct vpmu_spe){.config = s->config, .pe = s->pe, .random = s->random};
}

void vpmu_spe_move(struct vpmu_spe *s, const struct vpmu_spe_pe *pe)
{
    s->pe = *pe;
}

static uint8_t owning_state(const struct vpmu_spe *s)
{
    if (!s->config.has_el3) {
        return VPMU_SPE_NON_SECURE;
    }
    if (!(s->pe.mdcr_el3 & VPMU_MDCR_EL3_NSPB_NS)) {
        return VPMU_SPE_SECURE;
    }
    return s->config.has_realm && (s->pe.mdcr_el3 & VPMU_MDCR_EL3_NSPBE) ? VPMU_SPE_REALM
                                                                         : VPMU_SPE_NON_SECURE;
}

/* EL2 is enabled in the security state that owns the buffer. */
static bool owner_has_el2(const struct vpmu_spe *s, unsigned state)
{
    return s->config.has_el2 && (state != VPMU_SPE_SECURE || s->pe.secure_el2);
}

struct vpmu_spe_owner vpmu_spe_owner(const struct vpmu_spe *s)
{
    uint8_t state = owning_state(s);
    bool el2 = owner_has_el2(s, state) && !(s->pe.mdcr_el2 & VPMU_MDCR_EL2_E2PB);

    return (struct vpmu_spe_owner){el2 ? EL2 : EL1, state};
}

bool vpmu_spe_owned_here_(const struct vpmu_spe *s)
{
    struct vpmu_spe_owner owner = vpmu_spe_owner(s);

    return owner.state == s->pe.state && owner.el <= s->pe.el;
}

static bool tge_set(const struct vpmu_spe *s)
{
    return s->pe.el2_enabled && s->pe.tge;
}

/* ProfilingBufferEnabled(), for the present security state. */
static bool buffer_enabled(const struct vpmu_spe *s)
{
    struct vpmu_spe_owner owner = vpmu_spe_owner(s);

    return (s->reg[VPMU_PMBLIMITR] & VPMU_PMBLIMITR_E) && !vpmu_spe_stopped(s) &&
           owner.state == s->pe.state && !(s->pe.aarch32 & VPMU_BIT(owner.el));
}

unsigned vpmu_spe_enabled(const struct vpmu_spe *s)
{
    struct vpmu_spe_owner owner = vpmu_spe_owner(s);
    bool tge = tge_set(s);
    unsigned levels = 0;

    if (!buffer_enabled(s) || (tge && owner.el == EL1)) {
        return 0;
    }
    if (s->cr[tge] & VPMU_PMSCR_E0SPE) {
        levels |= 1u << 0;
    }
    if (s->cr[0] & VPMU_PMSCR_EXSPE) {
        levels |= 1u << EL1;
    }
    if (owner.el == EL2 && (s->cr[1] & VPMU_PMSCR_EXSPE)) {
        levels |= 1u << EL2;
    }
    return levels & ~(unsigned)s->pe.aarch32;
}

bool vpmu_spe_configured(const struct vpmu_spe *s)
{
    return (s->reg[VPMU_PMBLIMITR] & VPMU_PMBLIMITR_E) && !vpmu_spe_stopped(s) &&
           ((s->cr[0] | s->cr[1]) & (VPMU_PMSCR_E0SPE | VPMU_PMSCR_EXSPE));
}

/*
 * Sampling
 */

/* The next state of the generator: xorshift, which never becomes 0. */
static uint32_t next_random(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/* The value of COUNT after SPEResetSampleCounter(). */
static uint64_t reloaded(const struct vpmu_spe *s)
{
    uint64_t irr = s->reg[VPMU_PMSIRR];
    uint64_t jitter = irr & VPMU_PMSIRR_RND ? next_random(s->random) & 0xff : 0;

    return irr & VPMU_PMSIRR_INTERVAL ? (irr & VPMU_PMSIRR_INTERVAL) | jitter : 0;
}

uint64_t vpmu_spe_left(const struct vpmu_spe *s)
{
    uint64_t count = s->reg[VPMU_PMSICR];

    if (!count) {
        count = reloaded(s);
        /* The instruction that reloads the counter does not decrement it. */
        return count ? count + 1 : UINT64_MAX;
    }
    return count;
}

bool vpmu_spe_advance(struct vpmu_spe *s, uint64_t count)
{
    uint64_t *icr = &s->reg[VPMU_PMSICR];

    if (count && !*icr) {
        *icr = reloaded(s);
        if (!*icr) {
            return false;
        }
        s->random = next_random(s->random);
        count--;
    }
    if (!count) {
        return false;
    }
    *icr -= count < *icr ? count : *icr;
    return !*icr;
}

static bool collects_physical(const struct vpmu_spe *s)
{
    struct vpmu_spe_owner owner = vpmu_spe_owner(s);

    if (!owner_has_el2(s, owner.state)) {
        return s->cr[0] & VPMU_PMSCR_PA;
    }
    return (s->cr[1] & VPMU_PMSCR_PA) && (owner.el == EL2 || (s->cr[0] & VPMU_PMSCR_PA));
}

static unsigned pct(const struct vpmu_spe *s, unsigned el)
{
    unsigned val = (s->cr[el - 1] & VPMU_PMSCR_PCT) >> VPMU_PMSCR_PCT_SHIFT;

    return val == PCT_RESERVED ? PCT_VIRTUAL : val;
}

/* CollectTimeStamp(). */
static enum vpmu_spe_clock clock_of(const struct vpmu_spe *s)
{
    struct vpmu_spe_owner owner = vpmu_spe_owner(s);
    bool host = s->pe.el2_enabled && s->pe.e2h && (s->pe.el == 2 || (s->pe.el == 0 && s->pe.tge));
    enum vpmu_spe_clock virtual = host ? VPMU_SPE_PHYSICAL : VPMU_SPE_VIRTUAL;
    unsigned of_el1 = pct(s, EL1);
    unsigned of_el2 = pct(s, EL2);

    if (!(s->cr[owner.el - 1] & VPMU_PMSCR_TS)) {
        return VPMU_SPE_NO_TIME;
    }
    if (s->pe.el2_enabled) {
        if (of_el2 == PCT_VIRTUAL) {
            return virtual;
        }
        if (of_el2 == PCT_OFFSET) {
            return owner.el == EL1 && of_el1 == PCT_VIRTUAL ? virtual : VPMU_SPE_OFFSET_PHYSICAL;
        }
        if (owner.el == EL2) {
            return VPMU_SPE_PHYSICAL;
        }
    }
    if (of_el1 == PCT_OFFSET) {
        return VPMU_SPE_OFFSET_PHYSICAL;
    }
    return of_el1 == PCT_PHYSICAL ? VPMU_SPE_PHYSICAL : virtual;
}

void vpmu_spe_start(const struct vpmu_spe *s, struct vpmu_spe_sample *sample)
{
    *sample = (struct vpmu_spe_sample){
        .el = s->pe.el, .state = s->pe.state, .clock = (uint8_t)clock_of(s)};
    if (s->pe.el < 2 && !tge_set(s) && (s->cr[0] & VPMU_PMSCR_CX)) {
        sample->collects |= VPMU_SPE_COLLECTS_CONTEXT1;
    }
    if (s->pe.el2_enabled && (s->cr[1] & VPMU_PMSCR_CX)) {
        sample->collects |= VPMU_SPE_COLLECTS_CONTEXT2;
    }
    if (collects_physical(s)) {
        sample->collects |= VPMU_SPE_COLLECTS_PHYSICAL;
    }
}

/*
 * The buffer
 */

uint64_t vpmu_spe_pointer(const struct vpmu_spe *s)
{
    return s->reg[VPMU_PMBPTR];
}

static void stop(struct vpmu_spe *s, uint64_t cause, uint64_t rest)
{
    uint64_t kept = s->reg[VPMU_PMBSR] & (VPMU_PMBSR_COLL | VPMU_PMBSR_DL);

    if (!vpmu_spe_stopped(s)) {
        s->reg[VPMU_PMBSR] = kept | cause << VPMU_PMBSR_EC_SHIFT | VPMU_PMBSR_S | rest;
    }
}

/* SPEBufferIsFull(), in the arithmetic of integers. */
static bool is_full(const struct vpmu_spe *s)
{
    uint64_t limit = s->reg[VPMU_PMBLIMITR] & VPMU_PMBLIMITR_LIMIT;

    return limit < VPMU_SPE_RECORD_SIZE || vpmu_spe_pointer(s) > limit - VPMU_SPE_RECORD_SIZE;
}

void vpmu_spe_written(struct vpmu_spe *s, unsigned size)
{
    s->reg[VPMU_PMBPTR] += size;
    if (is_full(s)) {
        stop(s, VPMU_SPE_OTHER_EVENT, VPMU_PMBSR_FULL);
    }
}

void vpmu_spe_fault(struct vpmu_spe *s, enum vpmu_spe_cause cause, unsigned status, bool external)
{
    stop(s, cause, (status & 0x3f) | (external ? VPMU_PMBSR_EA : 0));
}

bool vpmu_spe_stopped(const struct vpmu_spe *s)
{
    return s->reg[VPMU_PMBSR] & VPMU_PMBSR_S;
}

bool vpmu_spe_freezes(const struct vpmu_spe *s)
{
    uint64_t both = VPMU_PMBLIMITR_E | VPMU_PMBLIMITR_PMFZ;

    return (s->reg[VPMU_PMBLIMITR] & both) == both && vpmu_spe_stopped(s);
}
