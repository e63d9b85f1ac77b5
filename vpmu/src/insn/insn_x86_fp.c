/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What x86 instructions of x87, MMX, SSE and AVX do. The opcodes follow SDM volume 2, appendix A;
 * which of them are computational, and which count twice, perf's lists of events
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
    ADD,
    MULTIPLY,
    DIVIDE, /* and square roots */
    FUSED,
    DOT,   /* products, and their sum */
    OTHER, /* minimum, maximum, approximations */
    OPERATIONS,
};

/* Kinds of instructions: 0, one for each operation and shape, and these. */
enum {
    KIND_X87 = 1 + OPERATIONS * SHAPES,
    KIND_MMX,
    KIND_SSE,
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
};

/* Computational instructions. */
static const struct {
    uint8_t map;
    uint8_t first;
    uint8_t last;
    uint8_t prefixes;
    uint8_t operation;
    uint8_t shapes;
} computations[] = {
    {MAP_0F, 0x51, 0x51, ANY_PP, DIVIDE, BY_PREFIX},
    {MAP_0F, 0x52, 0x53, PP(NO_PREFIX) | PP(PREFIX_F3), OTHER, BY_PREFIX},
    {MAP_0F, 0x58, 0x58, ANY_PP, ADD, BY_PREFIX},
    {MAP_0F, 0x59, 0x59, ANY_PP, MULTIPLY, BY_PREFIX},
    {MAP_0F, 0x5c, 0x5c, ANY_PP, ADD, BY_PREFIX},
    {MAP_0F, 0x5d, 0x5d, ANY_PP, OTHER, BY_PREFIX},
    {MAP_0F, 0x5e, 0x5e, ANY_PP, DIVIDE, BY_PREFIX},
    {MAP_0F, 0x5f, 0x5f, ANY_PP, OTHER, BY_PREFIX},
    {MAP_0F, 0x7c, 0x7d, PP(PREFIX_66) | PP(PREFIX_F2), ADD, BY_HORIZONTAL},
    {MAP_0F, 0xd0, 0xd0, PP(PREFIX_66) | PP(PREFIX_F2), ADD, BY_HORIZONTAL},
    {MAP_0F38, 0x96, 0x9f, PP(PREFIX_66), FUSED, BY_W},
    {MAP_0F38, 0xa6, 0xaf, PP(PREFIX_66), FUSED, BY_W},
    {MAP_0F38, 0xb6, 0xbf, PP(PREFIX_66), FUSED, BY_W},
    {MAP_0F3A, 0x40, 0x40, PP(PREFIX_66), DOT, SINGLES},
    {MAP_0F3A, 0x41, 0x41, PP(PREFIX_66), DOT, DOUBLES},
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
    bool scalar = (shapes == BY_PREFIX && o->pp >= PREFIX_F3) ||
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
    for (size_t i = 0; i < sizeof(computations) / sizeof(computations[0]); i++) {
        if (o->map == computations[i].map && o->byte >= computations[i].first &&
            o->byte <= computations[i].last && (computations[i].prefixes & PP(o->pp))) {
            return 1u + computations[i].operation * SHAPES + shape_of(o, computations[i].shapes);
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

/* Reads prefixes but REX and VEX. Of F2H and F3H the last one counts, and before 66H. */
static size_t take_prefixes(const uint8_t *insn, size_t len, struct opcode *o)
{
    size_t at = 0;

    for (; at < len; at++) {
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
    size_t at = take_prefixes(insn, len, &o);

    if (at + 1 < len && long_mode && insn[at] >> 4 == 4) {
        at++; /* REX */
    }
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
    return kind_of(&o);
}

#define SOURCE(name) VPMU_X86_SRC_##name

/* The first source of FLOPs of an operation, of single precision; that of double precision follows.
 */
static unsigned flops_source(unsigned operation)
{
    static const uint8_t first[OPERATIONS] = {
        [ADD] = SOURCE(FLOPS_ADD_SINGLE),    [MULTIPLY] = SOURCE(FLOPS_MUL_SINGLE),
        [DIVIDE] = SOURCE(FLOPS_DIV_SINGLE), [FUSED] = SOURCE(FLOPS_MAC_SINGLE),
        [DOT] = SOURCE(FLOPS_MUL_SINGLE),
    };

    return first[operation];
}

/* A multiplication and an addition are two operations. */
static unsigned add_computation(unsigned kind, struct vpmu_x86_tally *tally)
{
    static const uint8_t lanes[SHAPES] = {1, 1, 2, 4, 4, 8};
    unsigned operation = (kind - 1) / SHAPES;
    unsigned shape = (kind - 1) % SHAPES;
    bool two = operation == FUSED || operation == DOT;
    bool is_double = !(shape & 1);
    unsigned n = 0;

    tally[n++] = (struct vpmu_x86_tally){(uint8_t)(SOURCE(FP_SCALAR_DOUBLE) + shape), 1 + two};
    if (operation != OTHER) {
        tally[n++] = (struct vpmu_x86_tally){
            (uint8_t)(flops_source(operation) + is_double),
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
    unsigned n = 0;

    if (kind == 0 || kind >= KINDS) {
        return 0;
    }
    if (kind < KIND_X87) {
        n = add_computation(kind, tally);
        kind = KIND_SSE;
    }
    tally[n++] = (struct vpmu_x86_tally){(uint8_t)(SOURCE(X87) + (kind - KIND_X87)), 1};
    return n;
}
