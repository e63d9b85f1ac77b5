/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

/*
 * What handlers do. An instruction that was refused, for whatever reason, is skipped. SVC, HVC and
 * SMC may ask to continue at another level. An interrupt is the PMU's. Only the highest level can
 * do everything whatever is trapped, so the others ask it (service.c).
 */

#define EC_ILLEGAL_STATE 0x0eu
#define EC_SMC32 0x13u
#define EC_ERET 0x1au
#define EC_PC_ALIGNMENT 0x22u
#define EC_FIRST_DEBUG 0x30u
#define EC_LAST_DEBUG 0x35u
#define EC_STEP_SAME 0x33u

#define PSTATE_IL BIT(20)
#define PSTATE_SS BIT(21)

static unsigned vector_kind(unsigned vector)
{
    return vector & 3;
}

/* ISS of MRS of ESR_EL1 and FAR_EL1, which handlers of EL1 need even when they are trapped. */
#define ISS_ESR_EL1 ISS_SYSREG(3, 0, 5, 2, 0, 1)
#define ISS_FAR_EL1 ISS_SYSREG(3, 0, 6, 0, 0, 1)

static void read_for_el1(struct frame *frame)
{
    uint64_t iss = ESR_ISS(frame->esr) & ~ISS_SYSREG_RT_MASK;
    unsigned rt = (unsigned)(frame->esr >> 5) & 31;

    if (rt == 31) {
        return;
    }
    if (iss == ISS_ESR_EL1) {
        frame->x[rt] = read_sysreg(esr_el1);
    } else if (iss == ISS_FAR_EL1) {
        frame->x[rt] = read_sysreg(far_el1);
    }
}

static void skip(struct frame *frame, unsigned level)
{
    if (level > 1 && ESR_EC(frame->esr) == EC_SYSREG) {
        read_for_el1(frame);
    }
    if (is_aarch32(frame->spsr)) {
        skip32(&frame->elr, &frame->spsr);
    } else {
        frame->elr += 4;
    }
}

static void resume(struct frame *frame)
{
    if (is_aarch32(frame->spsr)) {
        frame->elr = frame->x[RESUME_REG32] & ~UINT64_C(1);
        frame->spsr &= ~(BIT(5) | BIT(25) | BIT(26) | UINT64_C(0x3f) << 10);
        frame->spsr |= (frame->x[RESUME_REG32] & 1) << 5;
    } else {
        frame->elr = frame->x[RESUME_REG];
    }
}

/*
 * The immediate of a call says where to continue. Bits 1:0 are the level, not above the handler's
 * own; bit 2 is SPSel; if bit 3 is clear, it is the level that made the call; bits 7:4 are the
 * masks of PSTATE.
 */
static void change_level(struct frame *frame, unsigned level, uint64_t imm)
{
    uint64_t to = imm & 3;

    if (is_aarch32(frame->spsr) || !(imm & 8)) {
        return;
    }
    if (to > level) {
        to = level;
    }
    frame->spsr = (frame->spsr & ~UINT64_C(0x3cf)) | to << 2 | (to != 0 ? imm >> 2 & 1 : 0) |
                  (imm >> 4 & 0xf) << 6;
}

static void call(struct frame *frame, unsigned level)
{
    uint64_t imm = frame->esr & 0xffff;

    if (imm == CALL_END) {
        end_program(frame, level, ENDED_ITSELF);
        return;
    }
    change_level(frame, level, imm);
}

static void debug(struct frame *frame, unsigned level, unsigned ec)
{
    if (ec != EC_STEP_LOWER && ec != EC_STEP_SAME) {
        ask(level, SERVICE_POINTS_OFF);
    } else if (++result->steps < program->steps) {
        frame->spsr |= PSTATE_SS;
    } else {
        ask(level, SERVICE_STEPS_OFF);
        frame->spsr &= ~PSTATE_SS;
    }
}

/* A trap of WFI or WFE is taken at these instructions, or at an SMC that is PSCI's CPU_SUSPEND. */
#define WFX 0xd503205fu
#define WFX_MASK 0xffffffdfu
#define SMC 0xd4000003u
#define SMC_MASK 0xffe0001fu

/*
 * MSR PAN, #0: otherwise PAN, if the program left it set, would deny EL1 its memory, which EL0 can
 * access, too.
 */
static uint32_t instruction_at(uint64_t address)
{
    if (FIELD(read_sysreg(id_aa64mmfr1_el1), 20, 4) != 0) {
        __asm__ volatile(".inst 0xd500409f" : : : "memory");
    }
    return *(const uint32_t *)address;
}

static void check_wfx(const struct frame *frame)
{
    uint32_t instruction;

    if (is_aarch32(frame->spsr)) {
        return;
    }
    instruction = instruction_at(frame->elr);
    if ((instruction & WFX_MASK) != WFX && (instruction & SMC_MASK) != SMC) {
        result->misplaced = frame->elr;
    }
}

static void synchronous(struct frame *frame, unsigned level)
{
    unsigned ec = ESR_EC(frame->esr);

    switch (ec) {
    case EC_WFX:
        check_wfx(frame);
        skip(frame, level);
        break;
    case EC_SVC64:
    case EC_SVC32:
    case EC_HVC64:
        call(frame, level);
        break;
    case EC_HVC32:
        break;
    case EC_SMC64:
    case EC_SMC32:
        if (level == 2) {
            frame->elr += 4; /* trapped: it has not been executed */
        }
        if (ec == EC_SMC64) {
            call(frame, level);
        }
        break;
    case EC_IABORT_LOWER:
    case EC_IABORT_SAME:
    case EC_PC_ALIGNMENT:
        resume(frame);
        break;
    case EC_ERET:
        /* EL1 wanted to return, which is done here for it. */
        frame->elr = read_sysreg(elr_el1);
        frame->spsr = read_sysreg(spsr_el1);
        break;
    case EC_ILLEGAL_STATE:
        frame->spsr &= ~PSTATE_IL;
        break;
    default:
        if (ec >= EC_FIRST_DEBUG && ec <= EC_LAST_DEBUG) {
            debug(frame, level, ec);
        } else {
            skip(frame, level);
        }
        break;
    }
}

static bool is_service(const struct frame *frame)
{
    unsigned ec = ESR_EC(frame->esr);

    return (ec == EC_SMC64 || ec == EC_HVC64) && (frame->esr & 0xffff) == CALL_SERVICE;
}

static bool from_vectors32(const struct frame *frame)
{
    unsigned ec = ESR_EC(frame->esr);

    return (ec == EC_SMC32 || ec == EC_HVC32) && vectors32_contain(frame->elr);
}

static void interrupt(struct frame *frame, unsigned level)
{
    uint64_t answer;

    answer = program->flags & FLAG_DIRECT ? pmu_answer() : 0;
    if (answer == 0) {
        answer = ask(level, SERVICE_INTERRUPT);
    }
    if (!log_add(UINT64_C(0x1000) | level, frame->elr, frame->spsr, answer)) {
        end_program(frame, level, ENDED_LIMIT);
    }
}

static void handle(struct frame *frame, unsigned level, unsigned vector)
{
    if (vector_kind(vector) != 0) {
        interrupt(frame, level);
        return;
    }
    if (is_service(frame)) {
        if (level != highest) {
            ask_again(level);
            frame->elr += 4;
        } else {
            serve();
        }
        return;
    }
    if (from_vectors32(frame)) {
        answer32(frame, level);
        return;
    }
    if (!log_add(level | vector << 4 | frame->esr << 32, frame->elr, frame->spsr, frame->far)) {
        end_program(frame, level, ENDED_LIMIT);
        return;
    }
    synchronous(frame, level);
}

bool exception_entry(struct frame *frame, unsigned level, unsigned vector)
{
    handle(frame, level, vector);
    return program_has_ended;
}
