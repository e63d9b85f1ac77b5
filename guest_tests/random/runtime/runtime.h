/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RANDOM_RUNTIME_H
#define RANDOM_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "program.h"
#include "registers/sysreg.h"

/* What the vectors save of the code that was interrupted by an exception. */
struct frame {
    uint64_t x[31];
    uint64_t elr;
    uint64_t spsr;
    uint64_t esr;
    uint64_t far;
};

_Static_assert(__builtin_offsetof(struct frame, elr) == FRAME_ELR, "vectors.S");
_Static_assert(__builtin_offsetof(struct frame, far) == FRAME_FAR, "vectors.S");

/* state.c: the highest level, at which the machine starts */
extern unsigned highest;
/* The program that runs, and the address for its result. */
extern const struct program *program;
extern struct result *result;
extern bool program_has_ended;

/* vectors.S, cpu.S */
void enter(const uint64_t regs[31]);
void vectors_load(const uint64_t v[64]);
void vectors_store(uint64_t v[64]);

/* program.c */
_Noreturn void boot(void);

/* memory.c */
void memory_init(void);
void memory_enable(void);
void memory_fill(uint64_t seed);
uint64_t memory_hash(void);

/*
 * service.c: what only the highest level can do. The others ask it. serve() does what was asked
 * for, and ask_again() passes it on.
 */
enum service {
    SERVICE_INTERRUPT = 1,
    SERVICE_STEPS_OFF,
    SERVICE_POINTS_OFF,
    SERVICE_FINISH
};

uint64_t ask(unsigned level, uint64_t service);
void ask_again(unsigned level);
void serve(void);
/* Returns at the highest level only. */
void end_program(struct frame *frame, unsigned level, uint64_t why);

/* exception.c: returns whether the program has ended, which the highest level sees. */
bool exception_entry(struct frame *frame, unsigned level, unsigned vector);

/* log.c */
void log_start(void);
bool log_add(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void log_end(void);

/* pmu.c */
void pmu_stop(void);
void pmu_set(void);
void pmu_record(void);
uint64_t pmu_answer(void);

/* branches.c */
void branches_stop(void);
void branches_clear(void);
void branches_record(void);

/* aarch32.c */
extern const char vectors32[];
bool vectors32_contain(uint64_t address);
uint64_t vectors32_table(void);
void skip32(uint64_t *pc, uint64_t *spsr);
void answer32(struct frame *frame, unsigned level);
bool is_aarch32(uint64_t spsr);

#endif
