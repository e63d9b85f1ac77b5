/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Operations of x87, MMX, SSE and AVX instructions, and prefetches. The opcodes follow SDM volume
 * 2, appendix A; which of them are computational, and which count twice, perf's lists of events
 * (FP_ARITH_INST_RETIRED.*).
 */
#include "vpmu/x86/insn.h"

#define ESCAPE 0x0f
#define VEX_2 0xc5
#define VEX_3 0xc4
#define MODRM_REGISTER 0xc0

/* Mandatory prefixes, numbered as in VEX.pp; and as a mask. */
enum pp {
    NO_PREFIX,
    PREFIX_66,
    PREFIX_F3,
    PREFIX_F2,
};

#define PP(pp) (1u << (pp))
#define ANY_PP 0xfu

enum map {
    MAP_ONE_BYTE,
    MAP_0F,
    MAP_0F38,
    MAP_0F3A,
};

struct opcode {
    uint8_t map;
    uint8_t pp;
    uint8_t byte;
    bool vex;
    bool wide;   /* VEX.W */
    bool is_256; /* VEX.L */
};

/* The precision and width of operands. Two or four lanes of 128 bits, twice as many of 256. */
enum shape {
    SCALAR_DOUBLE,
    SCALAR_SINGLE,
    PACKED_128_DOUBLE,
    PACKED_128_SINGLE,
    PACKED_256_DOUBLE,
    PACKED_256_SINGLE,
    SHAPES,
};

enum operation {
    ADD, /* and alternating additions and subtractions */
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    ROOT,
    FUSED,
    HORIZONTAL, /* sums of neighbours */
    DOT,        /* products, and their sum */
    OTHER,      /* minimum, maximum, approximations */
    COMPUTATIONS,
    COMPARE = COMPUTATIONS,
    CONVERT,
    BLEND,
    SHUFFLE,
    LOGICAL,
    ROUND, /* and tests of signs */
    OPERATIONS,
};

/* Kinds of instructions: 0, one for each operation and shape, and these. */
enum {
    KIND_X87 = 1 + OPERATIONS * SHAPES,
    KIND_MMX,
    KIND_SSE,
    KIND_PREFETCH_NTA,
    KIND_PREFETCH_T0,
    KIND_PREFETCH_T1_T2,
    KIND_PREFETCH_W,
    KINDS,
};

_Static_assert((int)KINDS <= (int)VPMU_X86_FP_KINDS, "kinds fit in the bits that machines have");

/* How the prefix selects the shape. */
enum shapes {
    BY_PREFIX,     /* none: packed single, 66H: packed double, F3H: single, F2H: double */
    BY_HORIZONTAL, /* 66H: packed double, F2H: packed single */
    BY_W,          /* FMA: VEX.W is double, odd opcodes are scalar */
    DOUBLES,       /* packed */
    SINGLES,
    SCALARS, /* of either precision */
};

/* What instructions do with floating-point numbers, but moves. First the computational ones. */
static const struct {
    uint8_t map;
    uint8_t first;
    uint8_t last;
    uint8_t prefixes;
    uint8_t operation;
    uint8_t shapes;
} operations[] = {
    {MAP_0F, 0x51, 0x51, ANY_PP, ROOT, BY_PREFIX},
    {MAP_0F, 0x52, 0x53, PP(NO_PREFIX) | PP(PREFIX_F3), OTHER, BY_PREFIX},
    {MAP_0F, 0x58, 0x58, ANY_PP, ADD, BY_PREFIX},
    {MAP_0F, 0x59, 0x59, ANY_PP, MULTIPLY, BY_PREFIX},
    {MAP_0F, 0x5c, 0x5c, ANY_PP, SUBTRACT, BY_PREFIX},
    {MAP_0F, 0x5d, 0x5d, ANY_PP, OTHER, BY_PREFIX},
    {MAP_0F, 0x5e, 0x5e, ANY_PP, DIVIDE, BY_PREFIX},
    {MAP_0F, 0x5f, 0x5f, ANY_PP, OTHER, BY_PREFIX},
    {MAP_0F, 0x7c, 0x7d, PP(PREFIX_66) | PP(PREFIX_F2), HORIZONTAL, BY_HORIZONTAL},
    {MAP_0F, 0xd0, 0xd0, PP(PREFIX_66) | PP(PREFIX_F2), ADD, BY_HORIZONTAL},
    {MAP_0F38, 0x96, 0x9f, PP(PREFIX_66), FUSED, BY_W},
    {MAP_0F38, 0xa6, 0xaf, PP(PREFIX_66), FUSED, BY_W},
    {MAP_0F38, 0xb6, 0xbf, PP(PREFIX_66), FUSED, BY_W},
    {MAP_0F3A, 0x40, 0x40, PP(PREFIX_66), DOT, SINGLES},
    {MAP_0F3A, 0x41, 0x41, PP(PREFIX_66), DOT, DOUBLES},
    {MAP_0F, 0x2a, 0x2a, ANY_PP, CONVERT, BY_PREFIX},
    {MAP_0F, 0x2c, 0x2d, ANY_PP, CONVERT, BY_PREFIX},
    {MAP_0F, 0x5a, 0x5a, ANY_PP, CONVERT, BY_PREFIX},
    {MAP_0F, 0x5b, 0x5b, PP(NO_PREFIX) | PP(PREFIX_66) | PP(PREFIX_F3), CONVERT, SINGLES},
    {MAP_0F, 0xe6, 0xe6, PP(PREFIX_66) | PP(PREFIX_F2) | PP(PREFIX_F3), CONVERT, DOUBLES},
    {MAP_0F38, 0x13, 0x13, PP(PREFIX_66), CONVERT, SINGLES},
    {MAP_0F3A, 0x1d, 0x1d, PP(PREFIX_66), CONVERT, SINGLES},
    {MAP_0F, 0x2e, 0x2f, PP(NO_PREFIX) | PP(PREFIX_66), COMPARE, SCALARS},
    {MAP_0F, 0xc2, 0xc2, ANY_PP, COMPARE, BY_PREFIX},
    {MAP_0F38, 0x14, 0x14, PP(PREFIX_66), BLEND, SINGLES},
    {MAP_0F38, 0x15, 0x15, PP(PREFIX_66), BLEND, DOUBLES},
    {MAP_0F3A, 0x0c, 0x0c, PP(PREFIX_66), BLEND, SINGLES},
    {MAP_0F3A, 0x0d, 0x0d, PP(PREFIX_66), BLEND, DOUBLES},
    {MAP_0F3A, 0x4a, 0x4a, PP(PREFIX_66), BLEND, SINGLES},
    {MAP_0F3A, 0x4b, 0x4b, PP(PREFIX_66), BLEND, DOUBLES},
    /* Unpack, SHUFPS, MOVDDUP and its like; VPERMILPS, VPERM2F128, VBROADCASTSS, INSERTPS, ... */
    {MAP_0F, 0x14, 0x15, PP(NO_PREFIX) | PP(PREFIX_66), SHUFFLE, BY_PREFIX},
    {MAP_0F, 0xc6, 0xc6, PP(NO_PREFIX) | PP(PREFIX_66), SHUFFLE, BY_PREFIX},
    {MAP_0F, 0x12, 0x12, PP(PREFIX_F2), SHUFFLE, DOUBLES},
    {MAP_0F, 0x12, 0x12, PP(PREFIX_F3), SHUFFLE, SINGLES},
    {MAP_0F, 0x16, 0x16, PP(PREFIX_F3), SHUFFLE, SINGLES},
    {MAP_0F38, 0x0c, 0x0d, PP(PREFIX_66), SHUFFLE, SINGLES},
    {MAP_0F38, 0x16, 0x16, PP(PREFIX_66), SHUFFLE, SINGLES},
    {MAP_0F38, 0x18, 0x1a, PP(PREFIX_66), SHUFFLE, SINGLES},
    {MAP_0F3A, 0x01, 0x01, PP(PREFIX_66), SHUFFLE, DOUBLES},
    {MAP_0F3A, 0x04, 0x06, PP(PREFIX_66), SHUFFLE, SINGLES},
    {MAP_0F3A, 0x18, 0x19, PP(PREFIX_66), SHUFFLE, SINGLES},
    {MAP_0F3A, 0x21, 0x21, PP(PREFIX_66), SHUFFLE, SINGLES},
    {MAP_0F, 0x54, 0x57, PP(NO_PREFIX) | PP(PREFIX_66), LOGICAL, BY_PREFIX},
    {MAP_0F38, 0x0e, 0x0f, PP(PREFIX_66), ROUND, SINGLES},
    {MAP_0F3A, 0x08, 0x08, PP(PREFIX_66), ROUND, SINGLES},
    {MAP_0F3A, 0x09, 0x09, PP(PREFIX_66), ROUND, DOUBLES},
    {MAP_0F3A, 0x0a, 0x0b, PP(PREFIX_66), ROUND, SCALARS},
};

/* Other instructions, without VEX. Those of MMX have no prefix. */
static const struct {
    uint8_t map;
    uint8_t first;
    uint8_t last;
    uint8_t prefixes;
    uint8_t kind;
} others[] = {
    {MAP_ONE_BYTE, 0xd8, 0xdf, ANY_PP, KIND_X87},
    {MAP_0F, 0x10, 0x17, ANY_PP, KIND_SSE},
    {MAP_0F, 0x28, 0x2f, ANY_PP, KIND_SSE},
    {MAP_0F, 0x50, 0x5f, ANY_PP, KIND_SSE},
    {MAP_0F, 0x60, 0x7f, PP(NO_PREFIX), KIND_MMX},
    {MAP_0F, 0x60, 0x7f, ANY_PP, KIND_SSE},
    {MAP_0F, 0xc2, 0xc2, ANY_PP, KIND_SSE},
    {MAP_0F, 0xc3, 0xc3, PP(NO_PREFIX), KIND_SSE}, /* MOVNTI */
    {MAP_0F, 0xc4, 0xc5, PP(NO_PREFIX), KIND_MMX},
    {MAP_0F, 0xc4, 0xc6, ANY_PP, KIND_SSE},
    {MAP_0F, 0xd1, 0xfe, PP(NO_PREFIX), KIND_MMX},
    {MAP_0F, 0xd0, 0xfe, ANY_PP, KIND_SSE},
    {MAP_0F38, 0x00, 0x1f, PP(NO_PREFIX), KIND_MMX},
    {MAP_0F38, 0x00, 0x41, PP(PREFIX_66), KIND_SSE},
    {MAP_0F38, 0xc8, 0xdf, ANY_PP, KIND_SSE},
    {MAP_0F3A, 0x0f, 0x0f, PP(NO_PREFIX), KIND_MMX},
    {MAP_0F3A, 0x08, 0x63, PP(PREFIX_66), KIND_SSE},
    {MAP_0F3A, 0xcc, 0xdf, ANY_PP, KIND_SSE},
};

static uint8_t shape_of(const struct opcode *o, uint8_t shapes)
{
    bool is_double = shapes == DOUBLES || (shapes == BY_W && o->wide) ||
                     (shapes <= BY_HORIZONTAL && o->pp == PREFIX_66) ||
                     (shapes == BY_PREFIX && o->pp == PREFIX_F2);
    bool scalar = shapes == SCALARS || (shapes == BY_PREFIX && o->pp >= PREFIX_F3) ||
                  (shapes == BY_W && (o->byte & 1) && (o->byte & 0xf) > 8);

    return (uint8_t)((scalar      ? SCALAR_DOUBLE
                      : o->is_256 ? PACKED_256_DOUBLE
                                  : PACKED_128_DOUBLE) +
                     !is_double);
}

/* General-purpose registers only: those of BMI. */
static bool is_bmi(const struct opcode *o)
{
    return (o->map == MAP_0F38 && o->byte >= 0xf0) || (o->map == MAP_0F3A && o->byte == 0xf0);
}

static unsigned kind_of(const struct opcode *o)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (o->map == operations[i].map && o->byte >= operations[i].first &&
            o->byte <= operations[i].last && (operations[i].prefixes & PP(o->pp))) {
            return 1u + operations[i].operation * SHAPES + shape_of(o, operations[i].shapes);
        }
    }
    if (o->vex) {
        return is_bmi(o) ? 0 : KIND_SSE;
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (o->map == others[i].map && o->byte >= others[i].first && o->byte <= others[i].last &&
            (others[i].prefixes & PP(o->pp))) {
            return others[i].kind;
        }
    }
    return 0;
}

/*
 * Instructions that the ModRM byte tells apart: PREFETCHh; PREFETCH of AMD, which has the hint T0,
 * and PREFETCHW; LDMXCSR and STMXCSR.
 */
static unsigned kind_by_modrm(const struct opcode *o, uint8_t modrm)
{
    static const uint8_t hints[8] = {KIND_PREFETCH_NTA, KIND_PREFETCH_T0, KIND_PREFETCH_T1_T2,
                                     KIND_PREFETCH_T1_T2};
    static const uint8_t amd[8] = {KIND_PREFETCH_T0, KIND_PREFETCH_W};
    unsigned reg = modrm >> 3 & 7;

    if (o->map != MAP_0F || o->vex || modrm >= MODRM_REGISTER) {
        return 0;
    }
    if (o->byte == 0xae) {
        return o->pp == NO_PREFIX && (reg == 2 || reg == 3) ? KIND_SSE : 0;
    }
    return o->byte == 0x18 ? hints[reg] : o->byte == 0x0d ? amd[reg] : 0;
}

/*
 * Reads prefixes but VEX. Of F2H and F3H the last one counts, and before 66H. REX is skipped, also
 * before another prefix, where it does nothing.
 */
static size_t take_prefixes(const uint8_t *insn, size_t len, bool long_mode, struct opcode *o)
{
    size_t at = 0;

    for (; at < len; at++) {
        if (long_mode && insn[at] >> 4 == 4) {
            continue;
        }
        switch (insn[at]) {
        case 0x66:
            o->pp = o->pp ? o->pp : PREFIX_66;
            break;
        case 0xf2:
            o->pp = PREFIX_F2;
            break;
        case 0xf3:
            o->pp = PREFIX_F3;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0x67:
        case 0xf0:
            break;
        default:
            return at;
        }
    }
    return at;
}

/* Returns the position of the opcode. */
static size_t take_vex(const uint8_t *insn, size_t len, size_t at, struct opcode *o)
{
    bool three = insn[at] == VEX_3;
    uint8_t fields = at + 1 + three < len ? insn[at + 1 + three] : 0;

    o->vex = true;
    o->map = three ? insn[at + 1] & 0x1f : MAP_0F;
    o->wide = three && (fields & 0x80);
    o->is_256 = fields & 4;
    o->pp = fields & 3;
    return at + 2 + three;
}

static size_t take_escape(const uint8_t *insn, size_t len, size_t at, struct opcode *o)
{
    o->map = MAP_0F;
    at++;
    if (at < len && (insn[at] == 0x38 || insn[at] == 0x3a)) {
        o->map = insn[at] == 0x38 ? MAP_0F38 : MAP_0F3A;
        at++;
    }
    return at;
}

unsigned vpmu_insn_x86_fp(const uint8_t *insn, size_t len, bool long_mode)
{
    struct opcode o = {0};
    size_t at = take_prefixes(insn, len, long_mode, &o);
    unsigned kind;

    if (at + 1 < len && (insn[at] == VEX_2 || insn[at] == VEX_3) &&
        (long_mode || insn[at + 1] >= MODRM_REGISTER)) {
        at = take_vex(insn, len, at, &o);
    } else if (at < len && insn[at] == ESCAPE) {
        at = take_escape(insn, len, at, &o);
    }
    if (at >= len) {
        return 0;
    }
    o.byte = insn[at];
    kind = at + 1 < len ? kind_by_modrm(&o, insn[at + 1]) : 0;
    return kind ? kind : kind_of(&o);
}

#define SOURCE(name) VPMU_X86_SRC_##name

/* What an operation counts as, besides the width and precision of a computation. */
static const struct {
    uint8_t flops; /* the source of single precision, that of double precision follows; or 0 */
    uint8_t op;    /* the source of scalars; perf's lists: shuffles include horizontal sums */
    uint8_t vector;
} counts[OPERATIONS] = {
    [ADD] = {SOURCE(FLOPS_ADD_SINGLE), SOURCE(OPS_SCALAR_ADD), SOURCE(OPS_128_ADD)},
    [SUBTRACT] = {SOURCE(FLOPS_ADD_SINGLE), SOURCE(OPS_SCALAR_SUB), SOURCE(OPS_128_SUB)},
    [MULTIPLY] = {SOURCE(FLOPS_MUL_SINGLE), SOURCE(OPS_SCALAR_MUL), SOURCE(OPS_128_MUL)},
    [DIVIDE] = {SOURCE(FLOPS_DIV_SINGLE), SOURCE(OPS_SCALAR_DIV), SOURCE(OPS_128_DIV)},
    [ROOT] = {SOURCE(FLOPS_DIV_SINGLE), SOURCE(OPS_SCALAR_SQRT), SOURCE(OPS_128_SQRT)},
    [FUSED] = {SOURCE(FLOPS_MAC_SINGLE), SOURCE(OPS_SCALAR_MAC), SOURCE(OPS_128_MAC)},
    [HORIZONTAL] = {SOURCE(FLOPS_ADD_SINGLE), 0, SOURCE(OPS_128_SHUFFLE)},
    [DOT] = {SOURCE(FLOPS_MUL_SINGLE), 0, SOURCE(OPS_128_SHUFFLE)},
    [OTHER] = {0, SOURCE(OPS_SCALAR_OTHER), SOURCE(OPS_128_OTHER)},
    [COMPARE] = {0, SOURCE(OPS_SCALAR_CMP), SOURCE(OPS_128_CMP)},
    [CONVERT] = {0, SOURCE(OPS_SCALAR_CVT), SOURCE(OPS_128_CVT)},
    [BLEND] = {0, 0, SOURCE(OPS_128_BLEND)},
    [SHUFFLE] = {0, 0, SOURCE(OPS_128_SHUFFLE)},
    [LOGICAL] = {0, 0, SOURCE(OPS_128_LOGICAL)},
    [ROUND] = {0, SOURCE(OPS_SCALAR_OTHER), SOURCE(OPS_128_OTHER)},
};

static unsigned op_of(unsigned operation, unsigned shape)
{
    const unsigned wider = SOURCE(OPS_256_ADD) - SOURCE(OPS_128_ADD);

    return shape < PACKED_128_DOUBLE   ? counts[operation].op
           : shape < PACKED_256_DOUBLE ? counts[operation].vector
                                       : counts[operation].vector + wider;
}

/* A multiplication and an addition are two operations. */
static unsigned add_operation(unsigned kind, struct vpmu_x86_tally *tally)
{
    static const uint8_t lanes[SHAPES] = {1, 1, 2, 4, 4, 8};
    unsigned operation = (kind - 1) / SHAPES;
    unsigned shape = (kind - 1) % SHAPES;
    bool two = operation == FUSED || operation == DOT;
    bool is_double = !(shape & 1);
    unsigned n = 0;

    if (operation < COMPUTATIONS) {
        tally[n++] = (struct vpmu_x86_tally){(uint8_t)(SOURCE(FP_SCALAR_DOUBLE) + shape), 1 + two};
    }
    if (counts[operation].flops) {
        tally[n++] = (struct vpmu_x86_tally){
            (uint8_t)(counts[operation].flops + is_double),
            (uint8_t)(operation == FUSED ? 2 * lanes[shape] : lanes[shape])};
    }
    if (operation == DOT) {
        tally[n++] =
            (struct vpmu_x86_tally){(uint8_t)(SOURCE(FLOPS_ADD_SINGLE) + is_double), lanes[shape]};
    }
    return n;
}

unsigned vpmu_insn_x86_fp_tally(unsigned kind, struct vpmu_x86_tally tally[VPMU_X86_TALLIES])
{
    unsigned n, op;

    if (kind == 0 || kind >= KINDS) {
        return 0;
    }
    if (kind >= KIND_PREFETCH_NTA) {
        tally[0] = (struct vpmu_x86_tally){
            (uint8_t)(SOURCE(PREFETCH_NTA) + (kind - KIND_PREFETCH_NTA)), 1};
        return 1;
    }
    if (kind >= KIND_X87) {
        tally[0] = (struct vpmu_x86_tally){(uint8_t)(SOURCE(X87) + (kind - KIND_X87)), 1};
        return 1;
    }
    n = add_operation(kind, tally);
    tally[n++] = (struct vpmu_x86_tally){SOURCE(SSE), 1};
    op = op_of((kind - 1) / SHAPES, (kind - 1) % SHAPES);
    if (op) {
        tally[n++] = (struct vpmu_x86_tally){(uint8_t)op, 1};
    }
    return n;
}
