/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vpmu-check: which events of this computer's PMU can be trusted. It counts loops whose counts are
 * known, because they are written in assembly, and compares.
 */
#ifndef VPMU_CHECK_H
#define VPMU_CHECK_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what differs between architectures: arch/ARCH.c ---- */

/**
 * enum quantity - what a turn of a loop is known to do
 * @Q_TAKEN: branches that are taken, without those that fall through.
 * @Q_DIRECT: branches to an address that the instruction contains.
 * @Q_ACCESSES: instructions that load and instructions that store.
 */
enum quantity {
    Q_INSTRUCTIONS,
    Q_BRANCHES,
    Q_TAKEN,
    Q_DIRECT,
    Q_RETURNS,
    Q_LOADS,
    Q_STORES,
    Q_ACCESSES,
    QUANTITIES,
    Q_NONE = QUANTITIES
};

/* What a loop is not known to do: instructions whose kind depends on the vendor's definition. */
#define NOT_KNOWN (-1)

/**
 * struct loop - a function in assembly
 * @run: executes @turns turns on @memory.
 * @text: its instructions.
 * @per_turn: what a turn does; NOT_KNOWN where vendors define it differently.
 */
struct loop {
    const char *name;
    void (*run)(unsigned long turns, void *memory);
    const char *text;
    int per_turn[QUANTITIES];
};

enum loop_number {
    LOOP_ADD,     /* dependent additions */
    LOOP_MEMORY,  /* three loads and two stores of the same line */
    LOOP_CALLS,   /* each kind of branch */
    LOOP_CHASE,   /* a load whose address is the result of the load before */
    LOOP_STORE,   /* a store to the next line */
    LOOP_RANDOM,  /* a branch that is taken or not by chance */
    LOOP_CODE,    /* calls of the functions in a list */
    LOOP_SYSCALL, /* getppid(2) */
    LOOPS
};

extern const struct loop loops[LOOPS];

/**
 * struct known_branch - a branch of LOOP_CALLS and where it goes to
 */
struct known_branch {
    const char *from;
    const char *to;
};

extern const struct known_branch known_branches[];
extern const size_t known_branch_count;
/* The first byte of LOOP_CALLS, and the first one behind it. */
extern const char loop_calls_begin[], loop_calls_end[];

/* The instruction that returns, for LOOP_CODE. */
extern const unsigned char return_instruction[];
extern const size_t return_instruction_size;

/**
 * user_counter_read() - reads a counter without the kernel
 * @index: perf_event_mmap_page.index - 1.
 */
uint64_t user_counter_read(unsigned index);
/* What perf_event_attr.config1 needs for that. */
extern const uint64_t user_counter_config1;
/* Kernels for this architecture may permit it. */
extern const bool kernels_let_users_read;

/* Kernels for this architecture may run guests, so they respect exclude_host. */
extern const bool kernels_have_guests;

/* Why a count may be off by a few where interrupts came. */
extern const char interrupts_why[];

/** cpu_ticks() - a clock that programs can read by an instruction; 0 if there is none */
uint64_t cpu_ticks(void);
/** cpu_model() - what an instruction says of the CPU, as text; or "" */
void cpu_model(char text[24]);

/** cpu_signature() - the name that a hypervisor gives itself by an instruction, or "" */
void cpu_signature(char text[13]);

/* ---- counters: open.c and counter.c ---- */

/**
 * struct reading - one measurement
 * @running: nanoseconds in which the event was in a counter.
 */
struct reading {
    uint64_t value;
    uint64_t enabled;
    uint64_t running;
};

/* What is counted besides the program itself in user mode. */
enum {
    COUNT_KERNEL = 1,      /* the kernel, too */
    COUNT_KERNEL_ONLY = 2, /* the kernel, and not the program */
    COUNT_CHILDREN = 4,    /* processes and threads that begin meanwhile */
    COUNT_NO_HOST = 8,
    COUNT_NO_GUEST = 16,
};

struct perf_event_attr counter_attr(uint32_t type, uint64_t config, unsigned flags);
/** counter_open() - Return: a descriptor, or -errno. Counts this thread, once it is started. */
int counter_open(const struct perf_event_attr *attr, int group);
/** counter_aim() - the generic events that are opened next are those of one PMU */
void counter_aim(uint32_t type, int cpu);
/** counter_type_is_known() - tells whether generic events may name the PMU that they are of */
bool counter_type_is_known(uint32_t type);
/** counter_call() - the system call, of this thread. Return: a descriptor, or -errno. */
int counter_call(struct perf_event_attr *attr, int cpu, int group);
void counter_start(int fd);
void counter_stop(int fd);
/** counter_group() - starts or stops all events of a group; @fd is its first */
void counter_group(int fd, bool start);
/**
 * counter_loop_many() - counts a loop with several events at once
 * @group: they are one group, which starts and stops as a whole.
 * @readings: what each counted.
 */
void counter_loop_many(const int *fds, unsigned count, bool group, const struct loop *loop,
                       unsigned long turns, void *memory, struct reading *readings);
struct reading counter_read(int fd);
/** counter_loop() - counts a loop. Return: what was counted since the counter was opened. */
struct reading counter_loop(int fd, const struct loop *loop, unsigned long turns, void *memory);

uint64_t now_ns(void);

/* ---- memory that loops work on: memory.c ---- */

/**
 * struct arena - what loops work on
 * @lines: one page that is in all caches and TLBs.
 * @small: a random cycle through one page, for LOOP_CHASE.
 * @large: a random cycle through @large_size bytes, more than caches hold.
 * @code: a list of functions in @large_size bytes of code, or NULL if this is not permitted.
 * @stores: a line for each store of LOOP_STORE.
 * @may_fit: a cache may hold @large.
 */
struct arena {
    void *lines;
    void *small;
    void *large;
    void *code;
    void *stores;
    size_t large_size;
    bool may_fit;
};

/* ---- caches: caches.c ---- */

/**
 * caches_largest() - asks for the size of the largest cache
 * @size: bytes; 0 if nothing says it.
 *
 * Return: whether it is sure. Hypervisors may announce another cache than the CPU has.
 */
bool caches_largest(size_t *size);
/** caches_limit() - the bytes of memory that a program may have without harm to others */
uint64_t caches_limit(void);

/** arena_make() - Return: false if there is not enough memory. */
bool arena_make(struct arena *arena, unsigned long turns);

/* ---- findings: findings.c ---- */

enum verdict {
    EXACT,
    IN_RANGE,   /* nothing exact is known, but it is where it must be */
    INTERRUPTS, /* off by no more than the interrupts may add */
    OFF,
    BY_TIME,  /* it depends on the time that the program took */
    CONSTANT, /* the same for all loops */
    ZERO,
    COUNTS, /* it counts something; what is right is not known */
    BUSY,   /* its counter is in use */
    ABSENT,
    DENIED,
    VERDICTS
};

/**
 * struct finding - a row of the table
 * @pmu: whose row it is; NULL if the computer has only one, or if it is the kernel's.
 * @part: events, kernel, threads, ...; what --only selects.
 * @counted, @known: the loop that is furthest off; only if @has_count.
 * @clock_ghz: the rate, if it is a clock's; else 0.
 * @may_be_clock: it has the rate of the CPU's clock.
 * @never: no loop has moved it.
 * @error: the errno with which the kernel refused the event, or 0.
 * @why: what else there is to say, or empty.
 */
struct finding {
    const char *pmu;
    const char *part;
    char name[64];
    enum verdict verdict;
    bool has_count;
    uint64_t counted;
    uint64_t known;
    double clock_ghz;
    bool may_be_clock;
    bool never;
    int error;
    char why[160];
};

/** findings_of() - the rows that are added next are of this PMU, or of none (NULL) */
void findings_of(const char *pmu);
struct finding *finding_add(const char *part, const char *name);
/** finding_title() - its name, and whose it is if there are several PMUs */
void finding_title(const struct finding *f, char *text, size_t size);
__attribute__((format(printf, 3, 4))) void finding_is(struct finding *f, enum verdict verdict,
                                                      const char *why, ...);
void finding_count(struct finding *f, uint64_t counted, uint64_t known);
/** finding_is_busy() - tells whether the event of @r never had a counter, and says so */
bool finding_is_busy(struct finding *f, struct reading r);
/** finding_refused() - says why the kernel did not open an event; @error is an errno. */
void finding_refused(struct finding *f, int error);
unsigned finding_total(enum verdict verdict);
/** finding_any_error() - tells whether the kernel refused an event with this errno */
bool finding_any_error(int error);
unsigned findings_count(void);
const struct finding *finding_at(unsigned index);
/** findings_count_wrong() - rows that make the exit status 1; @strict as the option */
unsigned findings_count_wrong(bool strict);
/**
 * findings_count_nothing() - tells whether no row counts anything. The kernel's own events count
 * only if no others were asked for.
 */
bool findings_count_nothing(void);
/** findings_left_out() - how many rows there were no places for */
unsigned findings_left_out(void);
/** findings_name_wrong() - names them on standard error */
void findings_name_wrong(bool strict);

/** findings_print_new() - prints the rows that were added since the last call, if @print */
void findings_print_new(bool print, bool color);
/** findings_print_sum() - how many rows have each verdict */
void findings_print_sum(bool color);
void findings_print_json(const char *machine);
/** notes_print() - prints what follows from the rows */
void notes_print(bool color);

/* ---- parts: one file each ---- */

struct check {
    struct arena arena;
    unsigned long turns;
    bool strict;
};

void check_events(const struct check *check);
void check_software(const struct check *check);
void check_kernel(const struct check *check);
void check_tasks(const struct check *check);
void check_groups(const struct check *check);
void check_samples(const struct check *check);
void check_user_read(const struct check *check);
void check_records(const struct check *check);
void check_scope(const struct check *check);

/** check_known() - judges a counter by all loops that have a known @quantity, or @other */
void check_known(struct finding *f, int fd, const struct check *check, enum quantity quantity,
                 enum quantity other);
/** known_is_speculative() - forgives a row that is off by what CPUs execute and then drop */
void known_is_speculative(struct finding *f, const struct check *check);

/**
 * known_but_for_interrupts() - tells whether interrupts may explain the distance of two counts
 * @ns: how long the event was counted.
 */
bool known_but_for_interrupts(uint64_t counted, uint64_t known, uint64_t ns);

/* ---- what this is: machine.c ---- */

/** machine_describe() - what the PMU seems to be, in a line; static storage */
const char *machine_describe(void);
/**
 * machine_who() - who runs this computer
 * @by: what says so, a file or an instruction.
 *
 * Return: NULL if nothing says that it is not hardware.
 */
const char *machine_who(const char **by);
/** machine_is_virtual() - tells whether a hypervisor, named or not, or a cloud has a sign here */
bool machine_is_virtual(void);

/* ---- what follows from the rows: notes.c ---- */

/**
 * struct note - a sentence below the table
 * @kind: "is" what this PMU counts like, "fake" what not to use, "zero" what no
 * loop has moved, "unknown" what cannot be known,
 * "do" what to change.
 */
struct note {
    const char *kind;
    char text[400];
};

/** notes_make() - derives them from all rows. Return: how many; static storage */
unsigned notes_make(const struct note **notes);

#endif
